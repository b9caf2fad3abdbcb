"""Which interfaces NCCL takes: its search for the bootstrap and for the Socket transport (N 2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from trainlint.fabric.comm_id import CommId, read_comm_id
from trainlint.fabric.interface import InterfaceAddress
from trainlint.fabric.name_list import MOST_ITEMS, NameList
from trainlint.fabric.release import NEWEST, Release
from trainlint.fact import fact

__all__ = ["InterfaceSelection", "SelectionFailure", "select"]

_SKIPS_VIRBR: Final[Release] = (2, 28)
"""From here on virbr is left out by default, and interfaces must be up and running."""
_FAMILIES: Final = {"AF_INET": 4, "AF_INET6": 6}


class SelectionFailure(StrEnum):
    """Why NCCL gives up, in the order in which a rank meets it."""

    INVALID_COMM_ID = "invalid-comm-id"
    COMM_ID_SUBNET = "comm-id-subnet"
    NO_INTERFACE = "no-interface"
    NO_INTERFACE_TRANSPORT = "no-interface-transport"


@fact
class InterfaceSelection:
    """The interfaces of the Socket transport in its order, the one that the bootstrap listens on; or the failure."""

    interfaces: tuple[str, ...] = ()
    bootstrap: str = ""
    failure: SelectionFailure | None = None


def select(
    entries: Sequence[InterfaceAddress], environment: Mapping[str, str], release: Release = NEWEST
) -> InterfaceSelection:
    """What NCCL does on these addresses with this environment (a variable that is absent is unset)."""
    comm_id = environment.get("NCCL_COMM_ID")
    if comm_id is None:
        found = _search(entries, environment, None, release)
        return (
            InterfaceSelection(found, found[0]) if found else InterfaceSelection(failure=SelectionFailure.NO_INTERFACE)
        )
    address = read_comm_id(comm_id)
    if address is None:
        return InterfaceSelection(failure=SelectionFailure.INVALID_COMM_ID)
    near = [entry.name for entry in entries if address.near(entry)]
    if not near:
        return InterfaceSelection(failure=SelectionFailure.COMM_ID_SUBNET)
    found = _search(entries, environment, address, release)
    if not found:
        return InterfaceSelection(bootstrap=near[0], failure=SelectionFailure.NO_INTERFACE_TRANSPORT)
    return InterfaceSelection(found, near[0])


def _search(
    entries: Sequence[InterfaceAddress], environment: Mapping[str, str], comm_id: CommId | None, release: Release
) -> tuple[str, ...]:
    family = _FAMILIES.get(environment.get("NCCL_SOCKET_FAMILY", ""))
    usable = [entry for entry in entries if _usable(entry, family, release)]
    wanted = environment.get("NCCL_SOCKET_IFNAME", "")
    if len(wanted.encode()) > 1:
        return _taken(usable, NameList.parse(wanted))
    if found := _taken(usable, NameList.parse("ib")):
        return found
    if comm_id is not None and (near := [entry.name for entry in entries if comm_id.near(entry)]):
        return tuple(near[:MOST_ITEMS])
    system = ("docker", "lo", "virbr") if release >= _SKIPS_VIRBR else ("docker", "lo")
    for text in (f"^{','.join(system)}", *system):
        if found := _taken(usable, NameList.parse(text)):
            return found
    return ()


def _usable(entry: InterfaceAddress, family: int | None, release: Release) -> bool:
    if family is not None and entry.address.version != family:
        return False
    if release >= _SKIPS_VIRBR and not (entry.up and entry.running):
        return False
    return not (entry.address.version == 6 and entry.address.is_loopback)


def _taken(entries: Sequence[InterfaceAddress], names: NameList) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.name for entry in entries if names.takes(entry.name)))[:MOST_ITEMS]
