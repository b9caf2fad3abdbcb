"""The pod sets of a snapshot by namespace and label: of thousands, a selector concerns a few."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from trainlint.kube.values import is_placeholder
from trainlint.model.pod import AffinityTerm
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import PodSet

__all__ = ["PodIndex"]


class PodIndex:
    """Pod sets with pods, in their order, with the labels that are known of them."""

    def __init__(self, pod_sets: Iterable[PodSet]) -> None:
        self._sets = [each for each in pod_sets if each.replicas != 0]
        self._inside: dict[str, list[int]] = defaultdict(list)
        self._labelled: dict[tuple[str, str, str], list[int]] = defaultdict(list)
        self._unknown: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index, each in enumerate(self._sets):
            self._inside[each.namespace].append(index)
            for key, value in each.labels.items():
                if isinstance(value, str) and not is_placeholder(value):
                    self._labelled[each.namespace, key, value].append(index)
                else:
                    self._unknown[each.namespace, key].append(index)

    def near(self, terms: Iterable[tuple[str, AffinityTerm]]) -> list[PodSet]:
        """The pod sets that a term may select, each given with the namespace of its own pod; more than it does select
        where namespaces or labels are not known.
        """
        found: set[int] = set()
        for namespace, term in terms:
            elsewhere = term.namespaces or term.namespace_selector is not None
            for each in self._inside if elsewhere else (namespace,):
                found.update(self._selected(each, term.selector))
        return [self._sets[index] for index in sorted(found)]

    def _selected(self, namespace: str, selector: LabelSelector | None) -> Sequence[int]:
        for wanted in selector.requirements if selector is not None else ():
            if wanted.operator == "In" and not any(map(is_placeholder, (wanted.key, *wanted.values))):
                labelled = (self._labelled.get((namespace, wanted.key, value), ()) for value in wanted.values)
                unknown = self._unknown.get((namespace, wanted.key), ())
                return [*unknown, *(index for each in labelled for index in each)]
        return self._inside.get(namespace, ())
