"""What the CRD of a kind refuses beyond types: enumerations, patterns, bounds, and rules in CEL.

They stand in ``trainlint_schemas/limits``, from the CRDs of each release, unless the repository holds the CRD.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from trainlint.admission.ground import AdmissionGround
from trainlint.admission.name_syntax import meant_to_be_replaced
from trainlint.admission.plain_values import mapping
from trainlint.admission.problem import Problem
from trainlint.admission.repository_crds import of_definition
from trainlint.admission.structural_schema import problem_of
from trainlint.admission.validation_rules import branches, has_placeholder, of_rules
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.schema_faults import SchemaFault, schema_faults
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.definition import Definition
from trainlint.source.document import Field
from trainlint_schemas import kind_limits

__all__ = ["has_rules", "of_limits"]

_NONE: Final[Mapping[str, Any]] = {"$defs": {}}
_WRITTEN_WHOLE: Final = frozenset({"ClusterQueue", "Cohort", "DisaggregatedSet", "JobSet", "LeaderWorkerSet"}) | {
    "ResourceFlavor"
}
"""Kinds whose mutating webhook reads the object and writes all fields of it."""
_NOT_EMPTY: Final = frozenset({"enum", "minLength", "pattern"})
_NAMED: Final = frozenset({"name", "subdomainPolicy"})
"""Fields that these webhooks set where they are not written: rules of failure policies, the network of a set."""
_FORMS: Final = frozenset({"anyOf", "not", "oneOf"})
_STEP: Final = lazy_pattern(r"\d+\.\d+")

Tree = Mapping[str, Any]


def of_limits(meta: Meta, item: Field, definition: Definition | None = None) -> Iterator[tuple[Problem, Path]]:
    """What the CRD of the kind refuses of an object, each with the path of the value that it is about; what only newer
    releases refuse says since which. The CRD that the repository holds counts before those of the releases.
    """
    rendered, whole = item.document.origin is not None, meta.kind in _WRITTEN_WHOLE
    if definition is not None:
        version = definition.version(meta.api_version)
        known = version.tree if version is not None else {}
        for problem, fault, path in of_definition(definition, meta, item):
            if fault is None or not _is_left_open(fault, known, rendered=rendered, whole=whole):
                yield problem, path
        return
    if (tree := _limits(meta.api_version, meta.kind)) is None:
        return
    for fault in schema_faults(tree, _NONE, item.value):
        if not _is_left_open(fault, tree, rendered=rendered, whole=whole):
            yield _dated(problem_of(fault), tree, fault.path, fault.keyword), fault.path
    for problem, path in of_rules(tree, item):
        yield _dated(problem, tree, path, "rules"), path


def has_rules(meta: Meta, definition: Definition | None = None) -> bool:
    """Whether the CRD of a kind has rules in CEL, or regular expressions that CEL matches."""
    if definition is None:
        return _holds_rules(_limits(meta.api_version, meta.kind) or {})
    version = definition.version(meta.api_version)
    return version is not None and _holds_rules(version.tree)


def _holds_rules(tree: Tree) -> bool:
    return "rules" in tree or any(map(_holds_rules, branches(tree)))


@lru_cache(maxsize=64)
def _limits(api_version: str, kind: str) -> Tree | None:
    return kind_limits(api_version, kind) if "/" in api_version and kind else None


def _is_left_open(fault: SchemaFault, tree: Tree, *, rendered: bool, whole: bool) -> bool:
    """Whether the value is filled in later: a placeholder, what a chart leaves empty, a field with a default.

    A webhook that writes the ``whole`` object anew writes an empty value, which is refused where it must not be empty.
    """
    found = fault.found
    if isinstance(found, str) and (meant_to_be_replaced(found) or (rendered and not found)):
        return True
    if fault.keyword in _FORMS:
        return has_placeholder(found)
    if fault.keyword != "required":
        return False
    field = mapping(mapping(_at(tree, fault.path).get("properties")).get(str(fault.wanted)))
    return "default" in field or (whole and (fault.wanted in _NAMED or _NOT_EMPTY.isdisjoint(field)))


def _at(tree: Tree, path: Path) -> Tree:
    for step in path:
        if isinstance(step, int):
            tree = mapping(tree.get("items"))
        else:
            tree = mapping(mapping(tree.get("properties")).get(step, tree.get("additionalProperties")))
    return tree


def _dated(problem: Problem, tree: Tree, path: Path, keyword: str) -> Problem:
    """The problem, with the release since which it is one."""
    since = str(mapping(_at(tree, path).get("since")).get(keyword, ""))
    if not since or _STEP.fullmatch(since) is None:
        return problem
    operator = str(tree["operator"])
    major, minor = since.split(".")
    assumes = (Because(AdmissionGround.RELEASE, (operator, since)),)
    return replace(problem, assumes=assumes, since=(operator, (int(major), int(minor))))
