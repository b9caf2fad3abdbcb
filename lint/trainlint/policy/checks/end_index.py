"""Endpoints by namespace and label, so that a selector is tried on those alone that it may select."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from trainlint.policy.identity import Endpoint
from trainlint.policy.labels import OpenLabels
from trainlint.policy.selector import Matcher

__all__ = ["EndIndex"]


class EndIndex:
    """The endpoints of some pods and the namespaces of these, by what a term of a selector may ask of them."""

    def __init__(self, ends: Sequence[Endpoint], namespaces: Sequence[str]) -> None:
        self._ends = ends
        self._namespaces = namespaces
        self._inside: dict[str, list[int]] = defaultdict(list)
        self._labelled: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._unknown: dict[str, list[int]] = defaultdict(list)
        self._open: dict[tuple[tuple[str, ...], int], tuple[OpenLabels, list[int]]] = {}
        for index, each in enumerate(ends):
            self._inside[namespaces[index]].append(index)
            if (may := each.unknown) is not None:
                self._open.setdefault((may.prefixes, id(may.label_filter)), (may, []))[1].append(index)
            for key, value in each.labels.items():
                (self._labelled[key, value] if isinstance(value, str) else self._unknown[key]).append(index)

    def inside(self, namespace: str) -> Sequence[int]:
        """The endpoints (indices) of the pods in a namespace."""
        return self._inside.get(namespace, ())

    def selected(self, matcher: Matcher, namespace: str = "") -> Iterator[tuple[int, bool | None]]:
        """The endpoints (indices, in their order) that a selector may select in a namespace, or in all, each with
        whether it does; ``None`` where that is unknown.
        """
        for index in self._candidates(matcher, namespace):
            if namespace and self._namespaces[index] != namespace:
                continue
            match = matcher.matches(self._ends[index].labels, self._ends[index].unknown)
            if match is not False:
                yield index, match

    def _candidates(self, matcher: Matcher, namespace: str) -> Sequence[int]:
        """The shortest list that holds all endpoints that may match: those inside the namespace or with a label."""
        lists = [[self._inside.get(namespace, [])]] if namespace else []
        for key, negative, values, opened in matcher.terms:
            if not negative and not opened and values is not None:
                labelled = (self._labelled.get((key, value)) for value in values)
                unlabelled = (ends for may, ends in self._open.values() if may.may_hold(key))
                lists.append([*filter(None, labelled), self._unknown.get(key, []), *unlabelled])
        if not lists:
            return range(len(self._ends))
        shortest = min(lists, key=lambda each: sum(map(len, each)))
        return sorted({index for each in shortest for index in each})
