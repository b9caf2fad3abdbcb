"""Kinds that the repository itself defines (CustomResourceDefinitions)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from trainlint.effort import StepBudget
from trainlint.fact import fact
from trainlint.finding import Path
from trainlint.source.document import Field

__all__ = ["DefinedVersion", "Definition", "has_field", "says"]

Tree = Mapping[str, Any]

_STEPS: Final = 150_000
"""Evaluations of small rules, which take some seconds; those with loops count for more."""


@fact(eq=False)
class DefinedVersion:
    """One version of a kind: whether the API server serves it, and what its objects must be.

    ``written`` is the structure at a path below the definition, ``tree`` the same as JSON Schema with ``rules``,
    ``default``, ``form`` and ``unique`` (see ``trainlint_schemas.kind_limits``). ``fault`` says why it cannot be read;
    then there is no tree. ``allowance`` is what all evaluations of its rules may take.
    """

    name: str
    served: bool
    path: Path
    written: Tree = field(default_factory=dict)
    tree: Tree = field(default_factory=dict)
    fault: str = ""
    allowance: StepBudget = field(default_factory=lambda: StepBudget(_STEPS))


@fact(eq=False)
class Definition:
    """A kind with its versions by name; ``item`` is what defines it."""

    group: str
    kind: str
    item: Field
    versions: Mapping[str, DefinedVersion]

    def version(self, api_version: str) -> DefinedVersion | None:
        """The version of an object's API version; ``None`` where the kind has none of that name."""
        return self.versions.get(api_version.rpartition("/")[2])


def says(version: DefinedVersion, path: Path) -> bool:
    """Whether the CRD says what stands at a path: it has a field there, or drops what stands there."""
    tree: Any = version.tree
    for step in path:
        here = _mapping(tree)
        inner = here.get("items") if isinstance(step, int) else _mapping(here.get("properties")).get(step)
        if inner is None and not isinstance(step, int):
            inner = here.get("additionalProperties")
        if not isinstance(inner, dict):
            return inner is False
        tree = inner
    return bool(tree)


def has_field(version: DefinedVersion, path: Path) -> bool:
    """Whether the CRD has a field of this name at the path, whatever it says of its value."""
    tree: Any = version.tree
    for step in path:
        here = _mapping(tree)
        fields = _mapping(here.get("properties"))
        tree = here.get("items") if isinstance(step, int) else fields.get(step, here.get("additionalProperties"))
        if tree is None or tree is False:
            return False
    return True


def _mapping(value: Any) -> Tree:
    return value if isinstance(value, dict) else {}
