"""Pod affinity terms and topology spread constraints."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.kube.doubts import Doubts
from trainlint.kube.selectors import read_label_selector
from trainlint.kube.values import read_strings, read_text
from trainlint.model.pod import AffinityTerm, SpreadConstraint
from trainlint.source.document import Field

__all__ = ["read_spread", "read_term", "read_terms"]


def read_terms(terms: Field, part: str, doubts: Doubts) -> Iterator[AffinityTerm]:
    """The required terms of one part of a pod spec."""
    for element in doubts.note(part, terms).elements():
        doubts.note(part, element)
        if element.mapping is not None:
            doubts.text(part, element["topologyKey"])
            yield read_term(element)


def read_term(term: Field) -> AffinityTerm:
    """One term; of a preferred one, its ``podAffinityTerm``."""
    return AffinityTerm(
        read_text(term["topologyKey"]),
        read_label_selector(term["labelSelector"]),
        read_strings(term["namespaces"]),
        read_label_selector(term["namespaceSelector"]),
        read_strings(term["matchLabelKeys"]),
        read_strings(term["mismatchLabelKeys"]),
        at=term.at,
    )


def read_spread(constraints: Field, doubts: Doubts) -> Iterator[SpreadConstraint]:
    """The topology spread constraints of a pod spec."""
    part = "topologySpreadConstraints"
    for element in constraints.elements():
        doubts.note(part, element)
        if element.mapping is None:
            continue
        yield SpreadConstraint(
            doubts.text(part, element["topologyKey"]),
            max_skew=doubts.number(part, element["maxSkew"], 1),
            hard=(doubts.text(part, element["whenUnsatisfiable"]) or "DoNotSchedule") == "DoNotSchedule",
            selector=read_label_selector(element["labelSelector"]),
            min_domains=doubts.number(part, element["minDomains"]) if element["minDomains"].present else None,
            node_affinity_policy=doubts.text(part, element["nodeAffinityPolicy"]) or "Honor",
            node_taints_policy=doubts.text(part, element["nodeTaintsPolicy"]) or "Ignore",
            match_label_keys=read_strings(element["matchLabelKeys"]),
            at=element.at,
        )
