"""The names of ICMP types that Cilium takes, with the numbers that IANA gives them (RFC 792, RFC 4443, RFC 8335)."""

from __future__ import annotations

from trainlint.policy.ports import ICMP_TYPES


def test_every_name_has_the_number_of_the_registry() -> None:
    # cilium:pkg/policy/api/icmp.go; iana.org/assignments/icmp-parameters and icmpv6-parameters.
    assert ICMP_TYPES["IPv4"] == {
        "EchoReply": 0,
        "DestinationUnreachable": 3,
        "Redirect": 5,
        "Echo": 8,
        "EchoRequest": 8,
        "RouterAdvertisement": 9,
        "RouterSelection": 10,
        "TimeExceeded": 11,
        "ParameterProblem": 12,
        "Timestamp": 13,
        "TimestampReply": 14,
        "Photuris": 40,
        "ExtendedEchoRequest": 42,
        "ExtendedEchoReply": 43,
    }
    known = {
        "DestinationUnreachable": 1,
        "PacketTooBig": 2,
        "TimeExceeded": 3,
        "ParameterProblem": 4,
        "EchoRequest": 128,
        "EchoReply": 129,
        "MulticastListenerQuery": 130,
        "MulticastListenerReport": 131,
        "MulticastListenerDone": 132,
        "RouterSolicitation": 133,
        "RouterAdvertisement": 134,
        "NeighborSolicitation": 135,
        "NeighborAdvertisement": 136,
        "RedirectMessage": 137,
        "RouterRenumbering": 138,
        "ICMPNodeInformationQuery": 139,
        "ICMPNodeInformationResponse": 140,
        "InverseNeighborDiscoverySolicitation": 141,
        "InverseNeighborDiscoveryAdvertisement": 142,
        "HomeAgentAddressDiscoveryRequest": 144,
        "HomeAgentAddressDiscoveryReply": 145,
        "MobilePrefixSolicitation": 146,
        "MobilePrefixAdvertisement": 147,
        "DuplicateAddressRequestCodeSuffix": 157,
        "DuplicateAddressConfirmationCodeSuffix": 158,
        "ExtendedEchoRequest": 160,
        "ExtendedEchoReply": 161,
    }
    assert ICMP_TYPES["IPv6"] == known
