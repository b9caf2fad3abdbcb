"""IP addresses and ranges: ``ip("10.0.0.1")``, ``cidr("10.0.0.0/8")`` (k8s.io/apiserver:pkg/cel/library/{ip,cidr}.go).

IPv4 addresses within IPv6, and zones, are refused.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from trainlint.cel.opaque import CIDR, IP, Opaque, content, opaque, type_of

__all__ = ["address", "cidr", "cidr_ip", "contains_cidr", "contains_ip", "family", "ip", "is_canonical", "is_cidr"]
__all__ += ["is_global_unicast", "is_ip", "is_link_local_multicast", "is_link_local_unicast", "is_loopback"]
__all__ += ["is_unspecified", "masked", "prefix_length"]

Address = IPv4Address | IPv6Address


def ip(text: str) -> Opaque:
    """The address that a text is. Raises ValueError if it is none."""
    return opaque(IP, str(_parse(text)))


def _parse(text: str) -> Address:
    if "%" in text:
        raise ValueError(f"IP address {text!r} with zone value is not allowed")
    found = ip_address(text)
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        raise ValueError(f"IPv4-mapped IPv6 address {text!r} is not allowed")
    return found


def is_ip(text: str) -> bool:
    """Whether a text is an address."""
    try:
        _parse(text)
    except ValueError:
        return False
    return True


def is_canonical(text: str) -> bool:
    """Whether the address is written as it is printed. Raises ValueError if it is none."""
    return str(_parse(text)) == text


def address(value: Any) -> Address:
    """The address of an IP, or of a text. Raises ValueError if it is none."""
    return _parse(value) if isinstance(value, str) else ip_address(content(value, IP))


def family(value: Opaque) -> int:
    """4 or 6."""
    return address(value).version


def is_unspecified(value: Opaque) -> bool:
    """Whether it is 0.0.0.0 or ::."""
    return address(value).is_unspecified


def is_loopback(value: Opaque) -> bool:
    """Whether it is of the host itself."""
    return address(value).is_loopback


def is_link_local_unicast(value: Opaque) -> bool:
    """Whether it is one of a link."""
    return address(value).is_link_local


def is_link_local_multicast(value: Opaque) -> bool:
    """Whether it is a multicast address of a link."""
    found = address(value)
    if isinstance(found, IPv4Address):
        return found in IPv4Network("224.0.0.0/24")
    return found.packed[0] == 0xFF and found.packed[1] & 0x0F == 2


def is_global_unicast(value: Opaque) -> bool:
    """Whether it is unicast beyond one link; private addresses are."""
    found = address(value)
    broadcast = isinstance(found, IPv4Address) and int(found) == 2**32 - 1
    return not (broadcast or found.is_unspecified or found.is_loopback or found.is_multicast or found.is_link_local)


def cidr(text: str) -> Opaque:
    """The range that a text is; bits of the host are kept. Raises ValueError if it is none."""
    host, slash, length = text.partition("/")
    found = _parse(host)
    if not slash or not length.isdecimal() or not length.isascii() or (len(length) > 1 and length[0] == "0"):
        raise ValueError(f"{text!r} is no range of addresses")
    if int(length) > found.max_prefixlen:
        raise ValueError(f"{text!r} is no range of addresses: the prefix is too long")
    return opaque(CIDR, [str(found), int(length)])


def is_cidr(text: str) -> bool:
    """Whether a text is a range."""
    try:
        cidr(text)
    except ValueError:
        return False
    return True


def _network(value: Any) -> IPv4Network | IPv6Network:
    host, length = content(cidr(value) if isinstance(value, str) else value, CIDR)
    return ip_network(f"{host}/{length}", strict=False)


def contains_ip(value: Opaque, inner: Any) -> bool:
    """Whether an address, or the text of one, is in the range."""
    return address(inner) in _network(value)


def contains_cidr(value: Opaque, inner: Any) -> bool:
    """Whether a range, or the text of one, is within the range."""
    outer, other = _network(value), _network(inner)
    return outer.version == other.version and other.subnet_of(outer)  # type: ignore[arg-type]


def cidr_ip(value: Opaque) -> Opaque:
    """The address that is written in the range."""
    return opaque(IP, content(value, CIDR)[0])


def masked(value: Opaque) -> Opaque:
    """The range without bits of the host."""
    network = _network(value)
    return opaque(CIDR, [str(network.network_address), network.prefixlen])


def prefix_length(value: Opaque) -> int:
    """The length of the prefix."""
    return int(content(value, CIDR)[1])


def text_of(value: Opaque) -> str:
    """How an address or a range is printed."""
    if type_of(value) == IP:
        return str(content(value, IP))
    host, length = content(value, CIDR)
    return f"{host}/{length}"
