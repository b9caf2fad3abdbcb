"""Groups whose objects name no namespace: whether it matters that they are taken to be in ``default`` (decision 5)."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable

from trainlint.model.policy import Permission, PolicyEntry
from trainlint.model.workload import Group, ObjectRef
from trainlint.reachability import Reachability
from trainlint.workload.relocation import moved

__all__ = ["OF_ITS_OWN", "other_namespaces"]

DEFAULT = "default"
OF_ITS_OWN = "one that its deployer gives"
"""No namespace of that name can be: what is deployed there is alone."""


def other_namespaces(
    group: Group,
    unstated: Collection[ObjectRef],
    entries: Iterable[PolicyEntry],
    reach: Callable[[Group], Reachability],
    *,
    given: bool = False,
) -> tuple[str, ...]:
    """The namespaces whose policies would decide otherwise about the group's flows if it were deployed there.

    ``unstated`` are the objects that name no namespace, ``reach`` makes the graph of a group. ``given``: deployers that
    were not followed give namespaces, so policies that name none may stand in another one than the group.
    """
    if not any(member.owner in unstated for member in group.members):
        return ()
    entries = list(entries)
    candidates = sorted({entry.namespace for entry in entries} - {"", DEFAULT})
    unplaced = [entry for entry in entries if entry.namespace == DEFAULT and entry.origin in unstated]
    if given and unplaced and not any(_together(entry.at.file, group) for entry in unplaced):
        candidates.append(OF_ITS_OWN)
    here = _permissions(group, reach) if candidates else ()
    return tuple(name for name in candidates if _permissions(moved(group, unstated, name), reach) != here)


def _together(file: str, group: Group) -> bool:
    """Whether a file is deployed with an object of the group, as far as directories tell."""
    return any(posixpath.dirname(file) == posixpath.dirname(member.at.file) for member in group.members)


def _permissions(group: Group, reach: Callable[[Group], Reachability]) -> tuple[Permission, ...]:
    graph = reach(group)
    return tuple(crossing.permission for flow in group.flows for crossing in graph.crossings(flow))
