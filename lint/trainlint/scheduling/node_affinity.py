"""NodeAffinity: nodeSelector and required node affinity (S 1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.fact import remembered
from trainlint.finding import Location
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.needs import NeedGround
from trainlint.model.pod import PodSpec
from trainlint.model.selector import NodeSelectorTerm, Requirement
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer, Code, Doubt, DoubtGround, Ground, Refusal
from trainlint.scheduling.requirement import holds, is_filled_in, requirement_error
from trainlint.scheduling.ternary import every, some

__all__ = ["PLUGIN", "check", "describe", "matches", "named_nodes", "term_error", "term_matches", "unmet"]

PLUGIN = "NodeAffinity"
_NAME_FIELD = "metadata.name"
_PARTS = frozenset({"nodeSelector", "affinity", "affinity.nodeAffinity"})
"""The parts of a spec whose placeholders hide which nodes are selected."""


def check(pod: Pod, node: Node) -> Answer:
    """The nodeSelector and one term of the required node affinity must match the node."""
    verdict = matches(pod.spec, node)
    if verdict is True:
        return None
    if verdict is None:
        return Doubt(PLUGIN, _why_unknown(pod.spec, node), pod.spec.at, need=_to_fill_in(pod.spec, node), filled=True)
    named = named_nodes(pod.spec)
    if named is not None and not named:
        return Refusal(PLUGIN, Code.UNRESOLVABLE, Because(Ground.NO_COMMON_NODE), _affinity(pod.spec))
    missing = next(unmet(pod.spec, node), None)
    if missing is None:
        return Refusal(PLUGIN, Code.UNRESOLVABLE, Because(Ground.NO_TERM), _affinity(pod.spec))
    return Refusal(PLUGIN, Code.UNRESOLVABLE, Because(Ground.REQUIREMENT, (missing,)), missing.at, node.pool.at)


def matches(spec: PodSpec, node: Node) -> bool | None:
    """Whether the node passes nodeSelector and required node affinity; ``None`` where that is not known."""
    if not spec.node_selector and spec.node_affinity is None and not spec.undetermined:
        return True
    verdict = every((_selected(spec, node), _affine(spec, node)))
    return None if verdict is True and not _PARTS.isdisjoint(spec.undetermined) else verdict


def term_matches(term: NodeSelectorTerm, node: Node, *, fields: bool = True) -> bool | None:
    """Whether a term matches; ``None`` where that is not known. An empty or malformed one never does. Those of volumes
    ignore ``fields`` (S 8).
    """
    if not _can_match(term):
        return False
    found = [holds(requirement, node.label(requirement.key)) for requirement in term.expressions]
    if fields and term.fields:
        found += [_field_holds(requirement, node) for requirement in term.fields]
    return every(found)


@remembered
def _can_match(term: NodeSelectorTerm) -> bool:
    """Whether a term is neither empty nor malformed."""
    if not term.expressions and not term.fields:
        return False
    if any(requirement_error(requirement, of_node=True) for requirement in term.expressions):
        return False
    return all(_well_formed_field(requirement) for requirement in term.fields)


def term_error(term: NodeSelectorTerm) -> str:
    """Why a term is malformed; empty if it is not."""
    problems = (requirement_error(requirement, of_node=True) for requirement in term.expressions)
    odd = (f"{each.key!r} is no field to select by" for each in term.fields if not _well_formed_field(each))
    return next((each for each in (*problems, *odd) if each), "")


def named_nodes(spec: PodSpec) -> frozenset[str] | None:
    """The only nodes that the scheduler tries, where every term names some; ``None`` if one does not."""
    if not spec.node_affinity:
        return None
    together: set[str] = set()
    for term in spec.node_affinity:
        names: set[str] | None = None
        for requirement in term.fields:
            if requirement.key == _NAME_FIELD and requirement.operator == "In":
                names = set(requirement.values) if names is None else names & set(requirement.values)
        if names is None or any(map(is_placeholder, names)):
            return None
        together |= names
    return frozenset(together)


def unmet(spec: PodSpec, node: Node) -> Iterator[Requirement]:
    """The requirements that surely fail on the node: those of nodeSelector, then of each term of the affinity."""
    for requirement in spec.node_selector:
        if holds(requirement, node.label(requirement.key)) is False:
            yield requirement
    if _affine(spec, node) is False:
        for term in spec.node_affinity or ():
            for requirement in term.expressions:
                malformed = requirement_error(requirement, of_node=True)
                if malformed or holds(requirement, node.label(requirement.key)) is False:
                    yield requirement
            for requirement in term.fields:
                if not _well_formed_field(requirement) or _field_holds(requirement, node) is False:
                    yield requirement


def describe(requirement: Requirement) -> str:
    """The requirement in one short phrase; a placeholder for its value says nothing, so then the key is named alone."""
    values = ", ".join(requirement.values)
    match requirement.operator:
        case "In" if requirement.values and all(map(is_placeholder, requirement.values)):
            return f"the label {requirement.key}"
        case "In" if len(requirement.values) == 1:
            return f"{requirement.key}={values}"
        case "In" | "NotIn":
            return f"{requirement.key} {requirement.operator} [{values}]"
        case "Gt" | "Lt":
            return f"{requirement.key} {requirement.operator} {values}"
        case operator:
            return f"{requirement.key} {operator}"


def _selected(spec: PodSpec, node: Node) -> bool | None:
    return every(holds(requirement, node.label(requirement.key)) for requirement in spec.node_selector)


def _affine(spec: PodSpec, node: Node) -> bool | None:
    if spec.node_affinity is None:
        return True
    return some(term_matches(term, node) for term in spec.node_affinity)


def _well_formed_field(requirement: Requirement) -> bool:
    return requirement.key == _NAME_FIELD and requirement.operator in {"In", "NotIn"} and len(requirement.values) == 1


def _field_holds(requirement: Requirement, node: Node) -> bool | None:
    if not node.name:
        return None if requirement.operator == "In" else True
    return holds(requirement, node.name)


def _why_unknown(spec: PodSpec, node: Node) -> Because:
    for requirement in _all_requirements(spec):
        value = node.label(requirement.key)
        if isinstance(value, Undetermined):
            return Because(DoubtGround.VALUE, (value.why,))
    return Because(DoubtGround.HIDDEN_NODES)


def _to_fill_in(spec: PodSpec, node: Node) -> Because | None:
    """What the nodes must have where placeholders stand; ``None`` where something else is not known."""
    requirements = tuple(_all_requirements(spec))
    if any(isinstance(node.label(each.key), Undetermined) for each in requirements):
        return None
    hidden = dict.fromkeys(each.key for each in requirements if is_filled_in(each) or is_placeholder(each.key))
    if not hidden:
        return Because(NeedGround.SELECTED)
    return Because(NeedGround.LABELS, (" and of ".join(hidden),))


def _all_requirements(spec: PodSpec) -> Iterable[Requirement]:
    yield from spec.node_selector
    for term in spec.node_affinity or ():
        yield from term.expressions


def _affinity(spec: PodSpec) -> Location | None:
    return spec.at.child("affinity", "nodeAffinity") if spec.at else None
