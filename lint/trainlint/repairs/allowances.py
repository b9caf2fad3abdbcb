"""What a group lacks in the policies of its ends, in few rules: the peers to admit, the policies, the ports."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from trainlint.fact import fact
from trainlint.model.policy import Decision, Direction, Permission, PolicyEntry, Verdict
from trainlint.model.workload import Flow, FlowKind, Group, PodSet, PortRange

__all__ = ["Allowance", "Port", "lacking", "members"]

Port = tuple[str, PortRange]
"""A protocol, and the ports of it."""

T = TypeVar("T")


@fact
class Allowance:
    """Connections of ``subjects`` with ``peers`` that the subjects' policies deny, as no entry admits them.

    The indices are those of the group's members; all subjects are of one namespace, and so are all peers. ``ports`` is
    ``None`` for every port. ``isolating`` are the entries that make deny the default.
    """

    direction: Direction
    subjects: tuple[int, ...]
    peers: tuple[int, ...]
    ports: tuple[Port, ...] | None
    isolating: tuple[PolicyEntry, ...]


@fact
class _Need:
    """One connection that one end denies."""

    direction: Direction
    subject: int
    peer: int
    port: Port | None
    isolating: tuple[PolicyEntry, ...]


def lacking(group: Group, denied: Iterable[tuple[Flow, Verdict]]) -> tuple[Allowance, ...]:
    """The rules that admit all denied flows, collectives on every port; none at all where one cannot be admitted.

    That is where an entry denies it, where an end has no labels that policies see (host network), and for DNS.
    """
    needs: list[_Need] = []
    for flow, verdict in denied:
        for decision in (verdict.egress, verdict.ingress):
            if decision.answer is Permission.DENY:
                need = _need(group, flow, decision)
                if need is None:
                    return ()
                needs.append(need)
    return tuple(_rules(group, needs))


def _need(group: Group, flow: Flow, decision: Decision) -> _Need | None:
    if decision.deciding or flow.target is None:
        return None
    if any(group.members[end].spec.host_network for end in (flow.source, flow.target)):
        return None
    ends = (flow.source, flow.target)
    subject, peer = ends if decision.direction is Direction.EGRESS else ends[::-1]
    port = None if flow.kind is FlowKind.COLLECTIVE else (flow.protocol, flow.ports)
    return _Need(decision.direction, subject, peer, port, decision.isolating)


def _rules(group: Group, needs: list[_Need]) -> Iterator[Allowance]:
    """Needs of one direction and pair of namespaces together; what every port covers is not said again."""
    for found in _by(needs, lambda each: (each.direction, *_places(group, each))):
        free = {(each.subject, each.peer) for each in found if each.port is None}
        if free:
            subjects, peers = _sorted(each for each, _ in free), _sorted(each for _, each in free)
            if _places(group, found[0])[0] == _places(group, found[0])[1]:
                peers = _sorted((*peers, *subjects))  # the ranks among each other
            yield _rule(found, subjects, peers, None)
            free = {(one, other) for one in subjects for other in peers}
        yield from _ported([each for each in found if (each.subject, each.peer) not in free])


def _ported(needs: list[_Need]) -> Iterator[Allowance]:
    """Those on single ports: peers of one subject and port, then subjects and ports of the same peers."""
    rows = [
        (found[0].subject, found[0].port, _sorted(each.peer for each in found))
        for found in _by(needs, lambda each: (each.subject, each.port))
    ]
    for same in _by(rows, lambda row: (row[1], row[2])):
        _, port, peers = same[0]
        subjects = _sorted(row[0] for row in same)
        yield _rule([each for each in needs if each.port == port], subjects, peers, () if port is None else (port,))


def _rule(
    needs: list[_Need], subjects: tuple[int, ...], peers: tuple[int, ...], ports: tuple[Port, ...] | None
) -> Allowance:
    about = [each for each in needs if each.subject in subjects]
    isolating = tuple(dict.fromkeys(entry for each in about for entry in each.isolating))
    return Allowance(about[0].direction, subjects, peers, ports, isolating)


def _places(group: Group, need: _Need) -> tuple[str, str]:
    return group.members[need.subject].namespace, group.members[need.peer].namespace


def _sorted(indices: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(indices)))


def _by(items: Iterable[T], key: Callable[[T], Hashable]) -> list[list[T]]:
    """Items with one key together, in the order of their first ones."""
    found: dict[Hashable, list[T]] = {}
    for each in items:
        found.setdefault(key(each), []).append(each)
    return list(found.values())


def members(group: Group, indices: Iterable[int]) -> list[PodSet]:
    """The pod sets of some indices."""
    return [group.members[each] for each in indices]
