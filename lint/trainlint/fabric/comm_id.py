"""NCCL_COMM_ID: where rank 0 listens (N 2.3)."""

from __future__ import annotations

import ipaddress
from ipaddress import IPv4Address, IPv6Address

from trainlint.fabric.interface import InterfaceAddress
from trainlint.fabric.name_list import parse_items
from trainlint.fact import fact

__all__ = ["CommId", "read_comm_id"]


@fact
class CommId:
    """The address in NCCL_COMM_ID, with the interface that stands behind its ``%`` (link-local addresses have one)."""

    address: IPv4Address | IPv6Address
    scope: str = ""

    def near(self, entry: InterfaceAddress) -> bool:
        """Whether the entry's address is in one subnet with it, by the entry's own prefix."""
        if entry.address.version != self.address.version or self.address not in entry.address.network:
            return False
        own_scope = entry.name if entry.address.version == 6 and entry.address.is_link_local else ""
        return own_scope == self.scope


def read_comm_id(text: str) -> CommId | None:
    """The address that the text names; ``None`` where NCCL calls the text invalid.

    A host name gives ``None`` as well: what it resolves to is not in the text.
    """
    if len(text) <= 1:
        return None
    if text.startswith("["):
        inside, bracket, _ = text[1:].partition("]")
        if not bracket:
            return None
        address, _, scope = inside.partition("%")
        try:
            return CommId(IPv6Address(address), scope)
        except ValueError:
            return CommId(IPv6Address(0))  # inet_pton's failure is not looked at
    items = parse_items(text, 1)
    if not items:
        return None
    try:
        return CommId(ipaddress.ip_address(items[0].name))
    except ValueError:
        return None
