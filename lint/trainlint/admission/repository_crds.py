"""What the CRD that the repository itself holds refuses of an object of its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, Final

from trainlint.admission.flaws import FlawRole, SchemaFlaw
from trainlint.admission.ground import AdmissionGround
from trainlint.admission.plain_values import mapping
from trainlint.admission.problem import Problem
from trainlint.admission.structural_schema import problem_of
from trainlint.admission.validation_rules import of_rules
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.schema_faults import SchemaFault, schema_faults
from trainlint.kube.strings import unquoted
from trainlint.model.because import Because
from trainlint.model.definition import DefinedVersion, Definition
from trainlint.source.document import Field

__all__ = ["of_definition"]

_NONE: Final[Mapping[str, Any]] = {"$defs": {}}
Demand = tuple[Problem, SchemaFault | None, Path]
_RULES: Final = "x-kubernetes-validations"


def of_definition(definition: Definition, meta: Meta, item: Field) -> Iterator[Demand]:
    """What is refused, with the fault where it is one of the schema, and the path of the value that it is about."""
    version = definition.version(meta.api_version)
    if version is None or not version.served:
        yield _not_served(definition, meta), None, ("apiVersion",)
    elif version.fault:
        why = Because(SchemaFlaw.DEFINITION_UNREAD, (str(meta.kind), version.fault))
        unread = Problem((), why, "definition", unknown=True)
        yield _told(unread, definition, version.path), None, ()
    else:
        yield from _of_version(definition, version, item)


def _not_served(definition: Definition, meta: Meta) -> Problem:
    served = tuple(f"{definition.group}/{name}" for name, each in definition.versions.items() if each.served)
    why = Because(SchemaFlaw.NOT_SERVED, (meta.api_version, meta.kind, served))
    assumes = (Because(AdmissionGround.DEFINED_KIND, (meta.kind,)),)
    return _told(Problem(("apiVersion",), why, "version", assumes=assumes), definition, ("spec", "versions"))


def _of_version(definition: Definition, version: DefinedVersion, item: Field) -> Iterator[Demand]:
    numbers: set[Path] | None = None
    for fault in schema_faults(version.tree, _NONE, item.value):
        if fault.keyword == "additionalProperties":  # dropped, and not refused
            continue
        if fault.keyword == "type" and fault.wanted == "string":
            if numbers is None:
                numbers = {each.path[len(item.path) :] for _, each in unquoted(item)}
            if fault.path in numbers:
                continue
        at = (*version.path, *_below(version.written, fault.path, fault.keyword))
        yield _told(problem_of(fault), definition, at), fault, fault.path
    for problem, path in of_rules(version.tree, item, version.allowance):
        at = (*version.path, *_below(version.written, path, _KEYWORDS.get(problem.why.ground, _RULES)))
        yield _told(problem, definition, at), None, path


_KEYWORDS: Final[Mapping[Enum, str]] = {
    SchemaFlaw.PATTERN: "pattern",
    SchemaFlaw.FORMAT: "format",
    SchemaFlaw.DUPLICATE: "x-kubernetes-list-type",
}


def _told(problem: Problem, definition: Definition, path: Path) -> Problem:
    """The problem with the place in the definition that makes it one."""
    place = definition.item.down(*path).at
    return replace(problem, elsewhere=((Because(FlawRole.DEFINITION), place),))


def _below(written: Any, path: Path, keyword: str) -> Path:
    """The path in a structure of what it says about the value at a path of an object."""
    found: list[str | int] = []
    for step in path:
        fields = mapping(mapping(written).get("properties"))
        if isinstance(step, int):
            steps: tuple[str, ...] = ("items",) if "items" in mapping(written) else ()
        else:
            steps = ("properties", step) if step in fields else ("additionalProperties",)
        if not steps or steps[0] not in mapping(written):
            break
        for key in steps:
            written = mapping(written).get(key)
        found += steps
    if keyword in mapping(written):
        found.append(keyword)
    return tuple(found)
