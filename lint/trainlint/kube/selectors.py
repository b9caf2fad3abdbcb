"""Label selectors and node selector terms, as written."""

from __future__ import annotations

from trainlint.kube.values import read_strings, read_text
from trainlint.model.selector import LabelSelector, NodeSelectorTerm, Requirement
from trainlint.source.document import Field

__all__ = ["read_equalities", "read_label_selector", "read_node_selector_term", "read_node_selector_terms"]


def read_equalities(field: Field) -> tuple[Requirement, ...]:
    """A mapping of labels (``matchLabels``, ``nodeSelector``) as requirements with operator In."""
    return tuple(Requirement(key, "In", (read_text(value),), at=value.at) for key, value in field.items())


def read_requirements(field: Field) -> tuple[Requirement, ...]:
    """A list of {key, operator, values}."""
    return tuple(
        Requirement(
            read_text(element["key"]), read_text(element["operator"]), read_strings(element["values"]), at=element.at
        )
        for element in field.elements()
    )


def read_label_selector(field: Field) -> LabelSelector | None:
    """A LabelSelector; ``None`` where it is not there or null (which mostly selects nothing)."""
    if not field.present:
        return None
    return LabelSelector(
        (*read_equalities(field["matchLabels"]), *read_requirements(field["matchExpressions"])), at=field.at
    )


def read_node_selector_term(field: Field) -> NodeSelectorTerm:
    """One term of a NodeSelector."""
    return NodeSelectorTerm(
        read_requirements(field["matchExpressions"]), read_requirements(field["matchFields"]), at=field.at
    )


def read_node_selector_terms(field: Field) -> tuple[NodeSelectorTerm, ...] | None:
    """The terms of a NodeSelector; ``None`` where there is none: no constraint. No term at all matches nothing."""
    if not field.present:
        return None
    return tuple(read_node_selector_term(element) for element in field["nodeSelectorTerms"].elements())
