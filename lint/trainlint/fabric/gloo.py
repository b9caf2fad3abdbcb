"""Which interfaces Gloo takes in torch (N 1.7)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from ipaddress import ip_address

from trainlint.fabric.interface import InterfaceAddress
from trainlint.fact import fact

__all__ = ["GlooFailure", "GlooSelection", "gloo_names", "select_gloo"]

_LOOPBACK = "127.0.0.1"


class GlooFailure(StrEnum):
    """Why ``init_process_group("gloo")`` raises."""

    NO_SUCH_INTERFACE = "no-such-interface"
    EMPTY_ITEM = "empty-item"
    NO_INTERFACE_FOR_ADDRESS = "no-interface-for-address"


@fact
class GlooSelection:
    """The interface of each device, in order; or the failure and the item that caused it."""

    interfaces: tuple[str, ...] = ()
    failure: GlooFailure | None = None
    item: str = ""


def gloo_names(text: str) -> tuple[str, ...] | None:
    """The items of GLOO_SOCKET_IFNAME; ``None`` where the value is ignored (at most one character)."""
    if len(text.encode()) <= 1:
        return None
    items = text.split(",")
    return tuple(items[:-1] if items[-1] == "" else items)


def select_gloo(entries: Sequence[InterfaceAddress], value: str | None, resolved: Sequence[str] = ()) -> GlooSelection:
    """What torch's Gloo does on these addresses; ``resolved`` is what the pod's own host name resolves to."""
    names = gloo_names(value) if value is not None else None
    if names is None:
        return _by_host_name(entries, resolved)
    found = []
    for name in names:
        if not name:
            return GlooSelection(failure=GlooFailure.EMPTY_ITEM)
        if all(entry.name != name for entry in entries):
            return GlooSelection(failure=GlooFailure.NO_SUCH_INTERFACE, item=name)
        found.append(name)
    return GlooSelection(tuple(found))


def _by_host_name(entries: Sequence[InterfaceAddress], resolved: Sequence[str]) -> GlooSelection:
    """The first address of the host name that is the host's own, else loopback."""
    for text in (*resolved, _LOOPBACK):
        address = ip_address(text)
        for entry in entries:
            # the whole network of an address on lo is local: 127.0.1.1 can be bound
            if address == entry.address.ip or (entry.address.is_loopback and address in entry.address.network):
                return GlooSelection((entry.name,))
    return GlooSelection(failure=GlooFailure.NO_INTERFACE_FOR_ADDRESS)
