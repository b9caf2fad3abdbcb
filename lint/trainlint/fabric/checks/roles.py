"""Ranks of one communicator that listen in different networks, or whose networks differ in MTU (N 3.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from trainlint.fabric.checks.interfaces import NCCL, judge
from trainlint.fabric.device import requested
from trainlint.fabric.fault import NetworkFault, place_of
from trainlint.fabric.interface import placed
from trainlint.fabric.networks import Networks
from trainlint.fabric.pod_interfaces import Network, PodInterfaces
from trainlint.fabric.process import Communicator, Rank
from trainlint.fabric.selection import select
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.workload import PodSet

__all__ = ["different_networks", "mtu_faults"]

Interfaces = Mapping[int, PodInterfaces]
"""By the identity of the pod set."""


@fact
class _Choice:
    """Where a rank listens: the interface and its network; ``named`` is whether the manifest names it."""

    rank: Rank
    name: str
    network: Network
    named: bool


def different_networks(communicator: Communicator, interfaces: Interfaces) -> Iterator[NetworkFault]:
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
        at = place_of(wrong.rank.settings[NCCL])
        there = right.rank.settings.get(NCCL)
        yield NetworkFault(
            wrong.rank.pod_set,
            f"the ranks of {communicator.group.name} listen in different networks: {wrong.rank.pod_set.name} on "
            f"{wrong.name} ({wrong.network.name}), {right.rank.pod_set.name} on {right.name} ({right.network.name}): "
            "they cannot connect to what the others announce",
            at,
            "let all roles listen in one network that all of them are attached to",
            "networks",
            (
                (
                    f"listens on {right.name} ({right.rank.pod_set.name})",
                    place_of(there) if there else right.rank.pod_set.at,
                ),
            ),
            {wrong.rank.pod_set.name: wrong.name, right.rank.pod_set.name: right.name},
        )
        return


def _choice(rank: Rank, interfaces: PodInterfaces) -> _Choice | None:
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
    return _Choice(rank, selected[0], found[0], judged is not None)


def _cut_off(one: _Choice, other: _Choice, interfaces: Interfaces) -> bool:
    """Whether the one whose setting is not seen has no interface at all in the network of the other."""
    named, silent = (one, other) if one.named else (other, one)
    own = interfaces[id(silent.rank.pod_set)]
    return named.network.isolated and all(
        each.network.surely_other(named.network) for each in own.known if each.name != "lo"
    )


def mtu_faults(communicator: Communicator, interfaces: Interfaces, networks: Networks) -> Iterator[NetworkFault]:
    """Attachments in one network, or an attachment and the port below it, whose MTUs differ."""
    attached = [
        (rank.pod_set, each.network)
        for rank in communicator.ranks
        for each in interfaces[id(rank.pod_set)].known
        if each.network.definition is not None and each.network.definition.mtu
    ]
    for (one, left), (other, right) in combinations(attached, 2):
        first, second = left.definition, right.definition
        if first is None or second is None or first.mtu == second.mtu or left.surely_other(right):
            continue
        same = left.name == right.name or (bool(left.subnets and right.subnets) and first.master == second.master)
        if same:
            yield _mtu_fault(
                communicator, (one, first.mtu, first.at), (other, second.mtu, second.at), left.name, right.name
            )
            return
    for pod_set, network in attached:
        definition = network.definition
        if definition is None:
            continue
        for name in (definition.resource.rpartition("/")[2], definition.master):
            below = min(networks.mtus.get(name, ()), key=lambda each: each.mtu, default=None)
            if below is not None and below.mtu < definition.mtu:
                yield _mtu_fault(
                    communicator,
                    (pod_set, definition.mtu, definition.at),
                    (None, below.mtu, below.at),
                    network.name,
                    f"the port {name}",
                )
                return
    yield from _unequal_ports(communicator, interfaces, networks)


def _unequal_ports(communicator: Communicator, interfaces: Interfaces, networks: Networks) -> Iterator[NetworkFault]:
    """Ports of one device resource that two node policies give different MTUs: the ranks get either."""
    for rank in communicator.ranks if communicator.spans else ():
        for name in _ports_of(rank.pod_set, interfaces[id(rank.pod_set)]):
            of_ports = networks.mtus.get(name, ())
            for one, other in combinations(of_ports, 2):
                if one.mtu == other.mtu or one.ports == other.ports:
                    continue
                less, more = sorted((one, other), key=lambda each: each.mtu)
                yield NetworkFault(
                    rank.pod_set,
                    f"MTUs differ along one path of {communicator.group.name}: ports of {name} have {less.mtu} by "
                    f"{less.policy} and {more.mtu} by {more.policy}, and its ranks get either: large frames are lost "
                    "on the way, small ones pass",
                    less.at,
                    f"give both policies one MTU, {more.mtu} if the switches carry it",
                    f"mtu of {name}",
                    ((f"has MTU {more.mtu}", more.at), (f"uses it ({rank.pod_set.name})", rank.pod_set.template)),
                    {less.policy: less.mtu, more.policy: more.mtu},
                )
                return


def _ports_of(pod_set: PodSet, interfaces: PodInterfaces) -> Iterator[str]:
    """The device resources (by the last part of their names) and interfaces of nodes that the pods' traffic uses."""
    for each in interfaces.known:
        definition = each.network.definition
        if definition is not None:
            yield from (name for name in (definition.resource.rpartition("/")[2], definition.master) if name)
    for container in pod_set.spec.containers:
        for resource, count, _ in requested(container):
            if count != 0 and "/" in resource:
                yield resource.rpartition("/")[2]


def _mtu_fault(
    communicator: Communicator,
    one: tuple[PodSet, int, Location | None],
    other: tuple[PodSet | None, int, Location | None],
    left: str,
    right: str,
) -> NetworkFault:
    pod_set, mtu, at = one
    to, less, there = other
    roles = f"{pod_set.name} attaches" if to is None or to is pod_set else f"{pod_set.name} and {to.name} attach"
    return NetworkFault(
        pod_set,
        f"MTUs differ along one path of {communicator.group.name}: {roles} with {mtu} ({left}) and {less} ({right}): "
        "large frames are lost on the way, small ones pass",
        at or pod_set.template,
        "give all of them one MTU, that of the nodes' ports",
        "mtu",
        (*([(f"has MTU {less}", there)] if there else []), (f"uses it ({pod_set.name})", pod_set.template)),
        {left: mtu, right: less},
    )
