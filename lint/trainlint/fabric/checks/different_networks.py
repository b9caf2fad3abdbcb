"""Ranks of one communicator that listen in different networks (N 3.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from trainlint.fabric.checks.interfaces import NCCL, judge
from trainlint.fabric.fault import RoleFault, place_of
from trainlint.fabric.interface import placed
from trainlint.fabric.pod_interfaces import Network, PodInterfaces
from trainlint.fabric.process import Communicator, Rank
from trainlint.fabric.selection import select
from trainlint.fact import fact
from trainlint.finding import Location

__all__ = ["DifferentNetworks", "InterfaceChoice", "different_networks"]

Interfaces = Mapping[int, PodInterfaces]
"""By the identity of the pod set."""


@fact
class InterfaceChoice:
    """Where a rank listens: the interface and its network; ``named`` is whether the manifest names it."""

    rank: Rank
    name: str
    network: Network
    named: bool

    @property
    def at(self) -> Location:
        """Where the manifest names the interface, or the pods where it does not."""
        setting = self.rank.settings.get(NCCL)
        return place_of(setting) if setting is not None else self.rank.pod_set.at


@fact
class DifferentNetworks(RoleFault):
    """Two ranks of a group listen in different networks; the manifest names where the first one does."""

    group: str
    first: InterfaceChoice
    second: InterfaceChoice


def different_networks(communicator: Communicator, interfaces: Interfaces) -> Iterator[DifferentNetworks]:
    """One fault for the first pair of roles that listen in different networks."""
    choices = [
        choice
        for rank in communicator.ranks
        if rank.computes and (choice := _choice(rank, interfaces[id(rank.pod_set)])) is not None
    ]
    for one, other in combinations(choices, 2):
        if one.rank.pod_set is other.rank.pod_set or not (one.named or other.named):
            continue
        if not one.network.surely_other(other.network):
            continue
        if not (one.named and other.named) and not _cut_off(one, other, interfaces):
            continue
        wrong, right = (one, other) if one.named else (other, one)
        yield DifferentNetworks(
            wrong.rank.pod_set, place_of(wrong.rank.settings[NCCL]), "networks", communicator.group.name, wrong, right
        )
        return


def _choice(rank: Rank, interfaces: PodInterfaces) -> InterfaceChoice | None:
    """The interface that the rank surely listens on; ``None`` where that is not known."""
    if interfaces.unknown:
        return None
    judged = judge(rank, interfaces)
    if judged is None:
        if NCCL in rank.settings or "NCCL_COMM_ID" in rank.settings:
            return None
        selected: Sequence[str] = select(placed(interfaces.names), {}).interfaces
    else:
        selected = judged.selected
    found = [interfaces.network_of(name) for name in selected]
    if not selected or selected[0] in interfaces.useless or found[0] is None:
        return None
    if any(network is not None and network.name != found[0].name for network in found[1:]) and judged is not None:
        return None  # several networks: which one is first, the node decides
    return InterfaceChoice(rank, selected[0], found[0], judged is not None)


def _cut_off(one: InterfaceChoice, other: InterfaceChoice, interfaces: Interfaces) -> bool:
    """Whether the one whose setting is not seen has no interface at all in the network of the other."""
    named, silent = (one, other) if one.named else (other, one)
    own = interfaces[id(silent.rank.pod_set)]
    return named.network.isolated and all(
        each.network.surely_other(named.network) for each in own.known if each.name != "lo"
    )
