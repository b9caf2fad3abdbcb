"""Finds the entries that can select a pod, by namespace and by one required label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from trainlint.kube.values import is_placeholder
from trainlint.policy.identity import CLUSTER_KEY, NAMESPACE_KEY, NAMESPACE_LABELS, Endpoint
from trainlint.policy.matching import ReadyEntry

__all__ = ["EntryIndex"]


@dataclass(slots=True)
class _Bucket:
    by_label: dict[str, dict[str, list[ReadyEntry]]] = field(default_factory=dict)
    rest: list[ReadyEntry] = field(default_factory=list)


def _index_label(entry: ReadyEntry) -> tuple[str, tuple[str, ...]] | None:
    """A label that every selected pod carries, with its possible values; none where only the namespace is required."""
    for item in entry.entry.subject.requirements:
        name = item.key.partition(":")[2]
        if item.operator != "In" or name in (NAMESPACE_KEY, CLUSTER_KEY) or name.startswith(NAMESPACE_LABELS):
            continue
        if not any(is_placeholder(value) for value in item.values):
            return item.key, item.values
    return None


class EntryIndex:
    """All entries, by the pods that they may select."""

    def __init__(self, entries: Iterable[ReadyEntry]) -> None:
        self._buckets: dict[tuple[bool, str], _Bucket] = {}
        for entry in entries:
            bucket = self._buckets.setdefault((entry.entry.node, entry.entry.namespace), _Bucket())
            label = _index_label(entry)
            if label is None:
                bucket.rest.append(entry)
                continue
            for value in set(label[1]):
                bucket.by_label.setdefault(label[0], {}).setdefault(value, []).append(entry)

    def candidates(self, subject: Endpoint) -> Iterator[ReadyEntry]:
        """The entries that may select the endpoint; each still has to be matched."""
        labels = subject.subject
        if labels is None:
            return
        node = "reserved:host" in labels
        for namespace in dict.fromkeys(("", subject.namespace)):
            bucket = self._buckets.get((node, namespace))
            if bucket is None:
                continue
            yield from bucket.rest
            for key, by_value in bucket.by_label.items():
                value = labels.get(key)
                if isinstance(value, str):
                    yield from by_value.get(value, ())
                elif value is not None or (subject.unknown_subject and subject.unknown_subject.may_hold(key)):
                    yield from {id(entry): entry for entries in by_value.values() for entry in entries}.values()
