"""Which pod sets exchange data in one communicator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trainlint.fact import remembered
from trainlint.model.workload import FlowKind, Group, PodSet, Workload
from trainlint.workload.disjoint_sets import DisjointSets
from trainlint.workload.flows import maybe_many

__all__ = ["communicators", "ranks_of"]


def communicators(groups: Iterable[Group]) -> Iterator[tuple[PodSet, ...]]:
    """The sets of ranks of every group that have more than one pod."""
    for group in groups:
        sets = DisjointSets(range(len(group.members)))
        found = set()
        for flow in group.flows:
            if flow.kind is FlowKind.COLLECTIVE and flow.target is not None:
                sets.join(flow.source, flow.target)
                found |= {flow.source, flow.target}
        for indices in sets.among(sorted(found)):
            members = tuple(group.members[index] for index in indices)
            if len(members) > 1 or maybe_many(members[0]):
                yield members


def ranks_of(workload: Workload, found: Sequence[Sequence[PodSet]]) -> tuple[PodSet, ...]:
    """The pod sets of an object that are ranks of one of these communicators."""
    ranks = _identities(found)
    return tuple(pods for pods in workload.pod_sets if id(pods) in ranks)


@remembered
def _identities(found: Sequence[Sequence[PodSet]]) -> frozenset[int]:
    return frozenset(id(pods) for communicator in found for pods in communicator)
