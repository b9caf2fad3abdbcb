"""Groups whose objects name no namespace: whether it matters that they are taken to be in ``default`` (decision 5)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from trainlint.model.policy import Permission, PolicyEntry
from trainlint.model.workload import Group, ObjectRef, PodSet
from trainlint.reachability import Reachability

__all__ = ["moved", "other_namespaces"]

DEFAULT = "default"


def other_namespaces(
    group: Group,
    unstated: Collection[ObjectRef],
    entries: Iterable[PolicyEntry],
    reach: Callable[[Group], Reachability],
) -> tuple[str, ...]:
    """The namespaces whose policies would decide otherwise about the group's flows if it were deployed there.

    ``unstated`` are the objects that name no namespace, ``reach`` makes the graph of a group.
    """
    if not any(member.owner in unstated for member in group.members):
        return ()
    candidates = sorted({entry.namespace for entry in entries} - {"", DEFAULT})
    here = _permissions(group, reach) if candidates else ()
    return tuple(name for name in candidates if _permissions(moved(group, unstated, name), reach) != here)


def moved(group: Group, unstated: Collection[ObjectRef], namespace: str) -> Group:
    """The group with its objects that name no namespace in this one."""

    def move(member: PodSet) -> PodSet:
        if member.owner not in unstated:
            return member
        return replace(member, owner=replace(member.owner, namespace=namespace))

    return replace(group, members=tuple(map(move, group.members)))


def _permissions(group: Group, reach: Callable[[Group], Reachability]) -> tuple[Permission, ...]:
    graph = reach(group)
    return tuple(crossing.permission for flow in group.flows for crossing in graph.crossings(flow))
