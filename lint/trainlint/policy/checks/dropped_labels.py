"""Selectors on labels that Cilium leaves out of identities (P 2.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.policy import PolicyEntry
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.policy.labels import LabelFilter
from trainlint.policy.selector import split_source

__all__ = ["DroppedLabel", "dropped_labels"]

POD_PEERS = frozenset({"Endpoints", "pods", "podSelector", "namespaces", "namespaceSelector", ""})
_NEGATIVE = frozenset({"NotIn", "DoesNotExist"})


@fact
class DroppedLabel:
    """A requirement on a label that no identity has: it never holds or (``negative``) always does."""

    entry: PolicyEntry
    requirement: Requirement
    key: str
    subject: bool
    at: Location

    @property
    def negative(self) -> bool:
        """Whether it always holds."""
        return self.requirement.operator in _NEGATIVE


def dropped_labels(entries: Iterable[PolicyEntry], pods: LabelFilter) -> Iterator[DroppedLabel]:
    """Each such requirement once, in the order of the policies."""
    seen: set[Location] = set()
    for entry in entries:
        selectors = [(entry.subject, True)] if not entry.node else []
        selectors += [
            (peer.selector, False) for peer in entry.peers or () if peer.prefixes is None and peer.kind in POD_PEERS
        ]
        for selector, subject in selectors:
            for requirement, key in _dropped(selector, pods):
                at = requirement.at or selector.at or entry.at
                if at not in seen:
                    seen.add(at)
                    yield DroppedLabel(entry, requirement, key, subject, at)


def _dropped(selector: LabelSelector, pods: LabelFilter) -> Iterator[tuple[Requirement, str]]:
    for requirement in selector.requirements:
        source, key = split_source(requirement.key)
        if source in {"any", "k8s"} and not pods.keeps("k8s", key):
            yield requirement, key
