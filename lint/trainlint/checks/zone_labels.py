"""Labels by which policies read a zone off pods, and whether they tell the truth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from trainlint.fact import fact
from trainlint.model.policy import PolicyEntry
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import PodSet
from trainlint.proof.feasibility import Feasibility

__all__ = ["ZoneLabel", "contradictions", "labels_read"]


@fact
class ZoneLabel:
    """A label of a pod set whose value is a zone in which no pod of it can land; ``zones`` are those where one can."""

    pod_set: PodSet
    key: str
    value: str
    zones: tuple[str, ...]
    entry: PolicyEntry


def labels_read(entries: Iterable[PolicyEntry]) -> dict[tuple[str, str], PolicyEntry]:
    """Every label key that an entry reads of pods, by namespace (empty: of all), with the first entry that does."""
    found: dict[tuple[str, str], PolicyEntry] = {}
    for entry in entries:
        selectors = [entry.subject, *(peer.selector for peer in entry.peers or () if peer.prefixes is None)]
        for key in _keys(selectors):
            found.setdefault((entry.namespace, key), entry)
    return found


def _keys(selectors: Iterable[LabelSelector]) -> Iterator[str]:
    for selector in selectors:
        for requirement in selector.requirements:
            source, colon, key = requirement.key.partition(":")
            yield key if colon and source in {"any", "k8s"} else requirement.key


def contradictions(
    judged: Iterable[tuple[Feasibility, Mapping[int, str | None]]], read: Mapping[tuple[str, str], PolicyEntry]
) -> Iterator[ZoneLabel]:
    """The labels that lie. ``judged`` holds each pod set's feasibility with the zone of each pool."""
    for feasible, zone_of in judged:
        domains = {zone for zone in zone_of.values() if zone is not None}
        lands = {zone_of.get(pool) for pool in feasible.pools}
        if not lands or feasible.doubtful or None in lands:
            continue
        pod_set = feasible.pod_set
        for key, value in pod_set.labels.items():
            entry = read.get((pod_set.namespace, key)) or read.get(("", key))
            if entry is not None and isinstance(value, str) and value in domains and value not in lands:
                yield ZoneLabel(pod_set, key, value, tuple(sorted(str(zone) for zone in lands)), entry)
