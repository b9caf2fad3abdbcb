"""Peers chosen by address: prefixes, exceptions, groups of prefixes (P 1.3)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.policy import Peer
from trainlint.policy.identity import Address, Endpoint
from trainlint.policy.options import CiliumOptions

__all__ = ["AddressMatcher", "Network", "contains", "is_wildcard", "parse_address", "parse_prefix"]

Network = IPv4Network | IPv6Network
_BITS = lazy_pattern(r"0|[1-9][0-9]?|1[0-9][0-9]")


@lru_cache(maxsize=4096)
def parse_prefix(text: str) -> Network | None:
    """An address with a prefix length, as Go's netip reads it (no netmask, no zone); host bits are masked off; ``None``
    where the text is none.
    """
    address, slash, bits = text.partition("/")
    if not slash or "%" in address or not _BITS.fullmatch(bits):
        return None
    try:
        return ip_network(f"{address}/{bits}", strict=False)
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def parse_address(text: str) -> Address | None:
    """A bare address without a zone; ``None`` where the text is none."""
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def is_wildcard(network: Network) -> bool:
    """Whether the prefix is 0.0.0.0/0 or ::/0 (of any base address)."""
    return network.prefixlen == 0


def _prefixes(texts: Iterable[str]) -> tuple[Network, ...]:
    networks = []
    for text in texts:
        network = parse_prefix(text)
        if network is None and (address := parse_address(text)) is not None:
            network = ip_network(address)
        if network is not None:
            networks.append(network)
    return tuple(networks)


@fact
class AddressMatcher:
    """Prefixes made ready for matching: an address in some prefix of each of ``within``, and in none of ``excepts``."""

    within: tuple[tuple[Network, ...], ...]
    excepts: tuple[Network, ...]

    @classmethod
    def of(cls, peer: Peer) -> AddressMatcher:
        """Compile a peer; what is no prefix and no address matches nothing."""
        return cls(tuple(_prefixes(each) for each in peer.prefixes or ()), _prefixes(peer.excepts))

    def matches(self, endpoint: Endpoint, options: CiliumOptions, *, bare: bool = False) -> bool | None:
        """Whether the peer is the endpoint: only addresses outside the cluster, unless an option adds more.

        ``None`` where the address is not known and would decide; ``bare``: what has no address is in no prefix.
        """
        world = endpoint.has("world")
        node = endpoint.has("host") or endpoint.has("remote-node")
        if not (world or (node and options.cidr_match_nodes) or (not node and not world and options.cidr_match_pods)):
            return False
        result: bool | None = True
        for networks in self.within:
            inside = contains(networks, endpoint.address, wildcard=not node)
            if inside is False or (bare and inside is None):
                return False
            result = result and inside
        excepted = contains(self.excepts, endpoint.address, wildcard=not node)
        if excepted:
            return False
        return None if excepted is None and not bare else result


def contains(networks: tuple[Network, ...], address: Address | None, *, wildcard: bool) -> bool | None:
    """Whether one of the networks holds an address; ``None`` where the address is not known. ``wildcard`` says whether
    a prefix of length 0 counts; it never means nodes (cilium#47828).
    """
    unsure = False
    for network in networks:
        if is_wildcard(network):
            if wildcard and network.version == (address.version if address else 4):
                return True
        elif address is None:
            unsure = True
        elif address in network:
            return True
    return None if unsure else False
