"""Queues and PodGroups of Volcano and KAI (volcano:pkg/webhooks/admission/queues, KAI-Scheduler:pkg/apis)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from trainlint.admission.kinds.field_values import at_least
from trainlint.admission.kinds.volcano_policies import tier_twice
from trainlint.admission.plain_values import below, elements, mapping, text
from trainlint.admission.problem import Problem
from trainlint.admission.volcano_flaws import VolcanoFlaw
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.model.refuser import Refuser

__all__ = ["of_scheduler_queues"]

_VOLCANO: Final = Because(Refuser.VOLCANO)
_KAI: Final = Because(Refuser.KAI)
_HIERARCHY: Final = "volcano.sh/hierarchy"
_WEIGHTS: Final = "volcano.sh/hierarchy-weights"
_LISTS: Final = {"guarantee": ("guarantee", "resource"), "deserved": ("deserved",), "capability": ("capability",)}
_HEAVIEST: Final = 65535


def of_scheduler_queues(meta: Meta, item: Any) -> Iterator[Problem]:
    """What is refused of a Queue or PodGroup of Volcano or KAI."""
    spec = mapping(below(item, "spec"))
    if (meta.api_group, meta.kind) == ("scheduling.volcano.sh", "Queue"):
        yield from _queue(meta, item, spec)
    elif (meta.api_group, meta.kind) == ("scheduling.volcano.sh", "PodGroup"):
        yield from tier_twice(spec, ("spec",))
        for at, part in elements(spec.get("subGroupPolicy"), "spec", "subGroupPolicy"):
            yield from tier_twice(part, at)
    elif (meta.api_group, meta.kind, meta.api_version.rpartition("/")[2]) == ("scheduling.run.ai", "Queue", "v2"):
        if spec.get("resources") is None:
            yield Problem(("spec",), Because(VolcanoFlaw.NO_RESOURCES), "resources", _KAI)
    elif (meta.api_group, meta.kind) == ("scheduling.run.ai", "PodGroup"):
        yield from _subgroups(spec)


def _queue(meta: Meta, item: Any, spec: Mapping[str, Any]) -> Iterator[Problem]:
    if spec.get("weight") != 0:  # which the webhook makes 1
        yield from at_least(item, ("spec", "weight"), 1, most=_HEAVIEST)
    amounts = {name: _amounts(below(spec, *path)) for name, path in _LISTS.items()}
    for name, of in amounts.items():
        for resource, amount in of.items():
            if amount < 0:
                why = Because(VolcanoFlaw.NEGATIVE_AMOUNT, (resource, name, _text(spec, name, resource)))
                yield Problem(("spec", *_LISTS[name], resource), why, f"{name} {resource}", _VOLCANO)
    yield from _ordered(spec, amounts)
    if meta.name and spec.get("parent") == meta.name != "root":
        yield Problem(("spec", "parent"), Because(VolcanoFlaw.OWN_PARENT), "parent", _VOLCANO)
    yield from _hierarchy(mapping(below(item, "metadata", "annotations")))


def _ordered(spec: Mapping[str, Any], amounts: Mapping[str, Mapping[str, Fraction]]) -> Iterator[Problem]:
    """No guarantee above what is deserved, and nothing deserved above the capability."""
    deserved = mapping(spec.get("deserved"))
    for resource, amount in amounts["guarantee"].items():
        if resource not in deserved:
            why = Because(VolcanoFlaw.NO_DESERVED, (resource, _text(spec, "guarantee", resource)))
            yield Problem(("spec", "guarantee", "resource", resource), why, f"deserved {resource}", _VOLCANO)
        elif amount > amounts["deserved"].get(resource, amount):
            yield _above(spec, resource, "guarantee", "deserved")
    for resource, amount in amounts["deserved"].items():
        if amount > amounts["capability"].get(resource, amount):
            yield _above(spec, resource, "deserved", "capability")


def _above(spec: Mapping[str, Any], resource: str, small: str, large: str) -> Problem:
    values = (resource, small, _text(spec, small, resource), large, _text(spec, large, resource))
    why = Because(VolcanoFlaw.ABOVE, values)
    return Problem(("spec", *_LISTS[small], resource), why, f"{small} {resource}", _VOLCANO)


def _text(spec: Mapping[str, Any], name: str, resource: str) -> str:
    return str(below(spec, *_LISTS[name], resource))


def _amounts(written: Any) -> dict[str, Fraction]:
    """The amounts that are known."""
    found: dict[str, Fraction] = {}
    for resource, value in mapping(written).items():
        if value is not None and not is_placeholder(str(value)):
            try:
                found[resource] = parse_quantity(str(value))
            except QuantityError:
                continue
    return found


def _hierarchy(annotations: Mapping[str, Any]) -> Iterator[Problem]:
    parts, weights = text(annotations.get(_HIERARCHY)), text(annotations.get(_WEIGHTS))
    if (not parts and not weights) or is_placeholder(parts) or is_placeholder(weights):
        return
    at: Path = ("metadata", "annotations", _WEIGHTS if weights else _HIERARCHY)
    if len(parts.split("/")) != len(weights.split("/")):
        yield Problem(at, Because(VolcanoFlaw.HIERARCHY_LENGTHS, (parts, weights)), "hierarchy", _VOLCANO)
        return
    for weight in weights.split("/"):
        if not _is_above_zero(weight):
            yield Problem(at, Because(VolcanoFlaw.HIERARCHY_WEIGHT, (weight,)), "weight", _VOLCANO)


def _is_above_zero(weight: str) -> bool:
    try:
        return float(weight) > 0
    except ValueError:
        return False


def _subgroups(spec: Mapping[str, Any]) -> Iterator[Problem]:
    parents: dict[str, str] = {}
    places: dict[str, Path] = {}
    for at, group in elements(spec.get("subGroups"), "spec", "subGroups"):
        name = text(group.get("name"))
        if name in places and not is_placeholder(name):
            yield Problem((*at, "name"), Because(VolcanoFlaw.SUBGROUP_TWICE, (name,)), f"subgroup {name}", _KAI)
        parents[name], places[name] = text(group.get("parent")), at
    for name, parent in parents.items():
        if parent and parent not in parents and not any(map(is_placeholder, parents)):
            why = Because(VolcanoFlaw.SUBGROUP_PARENT, (name, parent))
            yield Problem((*places[name], "parent"), why, f"parent of {name}", _KAI)
    circle = [name for name in parents if _returns(name, parents)]
    if circle:
        why = Because(VolcanoFlaw.SUBGROUP_CIRCLE, (tuple(circle),))
        yield Problem((*places[circle[0]], "parent"), why, "circle", _KAI)


def _returns(name: str, parents: Mapping[str, str]) -> bool:
    """Whether the subgroup is above itself."""
    seen: set[str] = set()
    above = parents[name]
    while above and above not in seen:
        if above == name:
            return True
        seen.add(above)
        above = parents.get(above, "")
    return False
