"""Which pods a flavor of Kueue takes, and what Kueue adds to them (S 2.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from trainlint.model.because import Because
from trainlint.model.kueue import Flavor
from trainlint.model.pod import PodSpec
from trainlint.model.pool import Pool
from trainlint.model.selector import NodeSelectorTerm
from trainlint.scheduling.kueue.ground import FlavorGround
from trainlint.scheduling.node import Node
from trainlint.scheduling.node_affinity import matches, unmet
from trainlint.scheduling.taint_toleration import untolerated

__all__ = ["refusal", "with_flavors"]


def refusal(spec: PodSpec, flavor: Flavor) -> Because | None:
    """Why Kueue does not try the flavor for pods of this spec; ``None`` if it may.

    Its taints must be tolerated by the pods or by its own tolerations. Of nodeSelector and affinity only the keys of
    its labels count; a term without any of them takes every flavor.
    """
    tolerant = replace(spec, tolerations=(*spec.tolerations, *flavor.tolerations))
    taints = untolerated(flavor.node_taints, tolerant)
    if taints:
        return Because(FlavorGround.TAINT, (taints[0],))
    labels = {label.key: label.values[0] for label in flavor.node_labels if label.values}
    narrowed = _narrowed(spec, frozenset(labels))
    node = Node(Pool(flavor.name, labels), None)
    if matches(narrowed, node) is not False:
        return None
    missing = next(unmet(narrowed, node), None)
    return Because(FlavorGround.NO_TERM) if missing is None else Because(FlavorGround.REQUIREMENT, (missing,))


def _narrowed(spec: PodSpec, keys: frozenset[str]) -> PodSpec:
    selector = tuple(each for each in spec.node_selector if each.key in keys)
    terms: list[NodeSelectorTerm] | None = None
    if spec.node_affinity is not None:
        terms = [
            NodeSelectorTerm(tuple(each for each in term.expressions if each.key in keys), at=term.at)
            for term in spec.node_affinity
        ]
        if any(not term.expressions for term in terms):
            terms = None
    return replace(spec, node_selector=selector, node_affinity=None if terms is None else tuple(terms))


def with_flavors(spec: PodSpec, flavors: Iterable[Flavor]) -> PodSpec:
    """The pod spec as Kueue leaves it when it admits the pods: with the labels and tolerations of their flavors.

    The taints of a flavor are not among them: a pod tolerates these only if it or the flavor says so.
    """
    for flavor in flavors:
        own = {each.key for each in spec.node_selector}
        spec = replace(
            spec,
            node_selector=(*spec.node_selector, *(each for each in flavor.node_labels if each.key not in own)),
            tolerations=(*spec.tolerations, *flavor.tolerations),
        )
    return spec
