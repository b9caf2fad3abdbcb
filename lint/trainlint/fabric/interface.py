"""Network interfaces in the order in which the libraries see their addresses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Interface, IPv6Interface
from typing import TypeAlias

from trainlint.fact import fact

__all__ = ["Interface", "InterfaceAddress", "listing", "placed"]

Address: TypeAlias = IPv4Interface | IPv6Interface


@fact
class InterfaceAddress:
    """One address of an interface, under the name that ``getifaddrs`` gives it (an alias label, if it has one).

    ``index`` is the interface's; ``up`` and ``running`` are IFF_UP and IFF_RUNNING.
    """

    name: str
    index: int
    address: Address
    up: bool = True
    running: bool = True


@fact
class Interface:
    """An interface with its addresses in the kernel's order; ``labels`` name single addresses ("10.0.0.1/24")."""

    name: str
    addresses: tuple[Address, ...]
    up: bool = True
    running: bool = True
    labels: tuple[tuple[str, str], ...] = ()


def listing(interfaces: Sequence[Interface]) -> tuple[InterfaceAddress, ...]:
    """The addresses as ``getifaddrs`` lists them: all of IPv4 by interface, then all of IPv6 (recorded)."""
    found = []
    for version in (4, 6):
        for index, each in enumerate(interfaces, start=1):
            labels = dict(each.labels)
            found += [
                InterfaceAddress(labels.get(address.with_prefixlen, each.name), index, address, each.up, each.running)
                for address in each.addresses
                if address.version == version
            ]
    return tuple(found)


def placed(names: Iterable[str]) -> tuple[InterfaceAddress, ...]:
    """Entries of interfaces of which only names and order are known: each is up and has an IPv4 address.

    ``lo`` is first, as in every network namespace.
    """
    ordered = ["lo", *(name for name in dict.fromkeys(names) if name != "lo")]
    return tuple(
        InterfaceAddress(name, index, IPv4Interface("127.0.0.1/8" if name == "lo" else f"192.0.2.{index % 254 + 1}/32"))
        for index, name in enumerate(ordered, start=1)
    )
