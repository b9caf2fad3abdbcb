"""The fields that each kind of manifest has, and where one that stands somewhere else belongs."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from trainlint.kube.schema_faults import SchemaFault, schema_faults
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import Field
from trainlint_schemas import kind_schema

__all__ = ["Misplaced", "Structure", "structure_of"]

_DEPTH: Final = 14
_FAR: Final = 7
"""More steps than this between two places, and one is not where the other was meant to be."""
_WORD: Final = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CONTRARY: Final = frozenset(
    {"no", "non", "not", "dis", "un", "without", "disable", "disabled", "enable", "enabled", "allow", "deny", "min"}
    | {"max", "ingress", "egress", "required", "preferred", "read", "write", "start", "stop", "first", "last"}
)
_ALIASES: Final = {"HyperPodPytorchJob": "HyperPodPyTorchJob"}
_VERSIONS: Final = {"MPIJob": ("kubeflow.org/v1", "kubeflow.org/v2beta1")}

Node = Mapping[str, Any]
Path = tuple[str, ...]
"""Keys from the top; items of lists and keys of free maps are left out."""


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A field that its kind does not have at this place.

    ``meant`` is the name beside it that it resembles, ``belongs`` the path where the kind has a field of this name,
    ``version`` an API version of the kind that has it here, ``opposite`` a name beside it that says the contrary; each
    is empty where there is none.
    """

    field: Field
    meant: str = ""
    belongs: str = ""
    version: str = ""
    opposite: str = ""


@dataclass(eq=False)
class Structure:
    """The structure of one kind."""

    api_version: str
    kind: str
    root: Node
    _places: dict[str, list[Path]] | None = field(default=None, init=False)

    def faults(self, item: Field) -> tuple[SchemaFault, ...]:
        """What the schema of the kind refuses of an object, with paths below the object; asked once for each object."""
        return item.once(self._faults_of)

    def _faults_of(self, item: Field) -> tuple[SchemaFault, ...]:
        return schema_faults(self.root, _common(), item.value)

    def misplaced(self, item: Field) -> Iterator[Misplaced]:
        """The fields of an object that the kind does not have where they stand; nothing below them is looked at."""
        for fault in self.faults(item):
            if fault.keyword != "additionalProperties":
                continue
            found = item.down(*fault.path)
            key = str(found.path[-1])
            within = tuple(step for step in found.path[len(item.path) : -1] if isinstance(step, str))
            exact = self._belongs(key, within, found)
            near = _resembling(key, fault.beside)
            opposite = next((each for each in near if _contradicts(key, each)), "")
            near = [each for each in near if each != opposite]
            if exact and not near:
                yield Misplaced(found, belongs=".".join((*exact, key)))
            else:
                version = self._other_version(within, key)
                yield Misplaced(found, near[0] if near else "", version=version, opposite=opposite)

    def _belongs(self, key: str, within: Path, found: Field) -> Path:
        """The nearest place that has a field of this name and type; empty if none is near."""
        if self._places is None:
            self._places = {}
            self._collect(self.root, (), self._places)
        fitting = [place for place in self._places.get(key, ()) if self._fits((*place, key), found)]
        fitting = [place for place in fitting if _related(place, within)]
        near = min(fitting, key=lambda place: (_distance(place, within), len(place)), default=())
        return near if near and _distance(near, within) <= _FAR else ()

    def _collect(self, node: Node, path: Path, places: dict[str, list[Path]]) -> None:
        node = self.resolve(node)
        if len(path) > _DEPTH:
            return
        for key, below in node.get("properties", {}).items():
            places.setdefault(key, []).append(path)
            self._collect(below, (*path, key), places)
        if (inside := _below(node)) is not None:
            self._collect(inside, path, places)

    def _fits(self, path: Path, found: Field) -> bool:
        """Whether the value has the type of the field at the path."""
        node: Node = self.root
        for key in path:
            node = self._through(node)
            node = node.get("properties", {}).get(key, {})
        node = self.resolve(node)
        match node.get("type"):
            case "object":
                return found.mapping is not None
            case "array":
                return isinstance(found.value, list)
            case None:
                return True
            case _:
                return found.scalar is not None

    def _through(self, node: Node) -> Node:
        """The node below lists and free maps."""
        node = self.resolve(node)
        while "properties" not in node and (below := _below(node)):
            node = self.resolve(below)
        return node

    def resolve(self, node: Node) -> Node:
        """The node that a reference leads to, or the node itself."""
        while "$ref" in node:
            file, _, name = node["$ref"].partition("#/$defs/")
            node = (_common() if file else self.root)["$defs"][name]
        return node

    def _other_version(self, within: Path, key: str) -> str:
        for version in _VERSIONS.get(self.kind, ()):
            other = structure_of(version, self.kind) if version != self.api_version else None
            if other is not None and other.has((*within, key)):
                return version
        return ""

    def has(self, path: Path) -> bool:
        """Whether the kind has a field at the path."""
        node: Node = self.root
        for key in path:
            fields = self._through(node).get("properties", {})
            if key not in fields:
                return False
            node = fields[key]
        return True


def _below(node: Node) -> Node | None:
    """What the items of a list, or the values of a free map, are."""
    below = node.get("items", node.get("additionalProperties"))
    return below if isinstance(below, dict) else None


def _resembling(key: str, siblings: Sequence[str]) -> list[str]:
    """The one name that may have been meant: a slip of the pen, another case, or a name that was cut short."""
    near = [name for name in siblings if name.lower() == key.lower()]
    near = near or difflib.get_close_matches(key, siblings, n=1, cutoff=0.8)
    longer = [name for name in siblings if len(key) > 4 and name.startswith(key)]
    return near or (longer if len(longer) == 1 else [])


def _contradicts(one: str, other: str) -> bool:
    """Whether one of two names says the contrary of the other: ``runAsRoot`` and ``runAsNonRoot``, min and max."""
    left, right = ({word.lower() for word in _WORD.findall(each)} for each in (one, other))
    return not _CONTRARY.isdisjoint(left ^ right)


def _related(place: Path, within: Path) -> bool:
    """Whether one place lies above the other; from metadata things are also moved to the spec beside it, and from the
    pod to its containers.
    """
    shorter = min(len(place), len(within))
    return (
        place[:shorter] == within[:shorter]
        or (within[-1:] == ("metadata",) and place[: len(within) - 1] == within[:-1])
        or _of_containers(place, within)
    )


def _of_containers(place: Path, within: Path) -> bool:
    """Whether a place is the same one of the containers as the other is of their pod."""
    return "containers" in place and any(
        (*within[:index], "containers", *within[index:]) == place for index in range(len(within))
    )


def _distance(one: Path, other: Path) -> int:
    """The steps up and down from one place to the other."""
    common = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        common += 1
    return len(one) + len(other) - 2 * common


@lru_cache(maxsize=64)
def structure_of(api_version: str, kind: str) -> Structure | None:
    """The structure of a kind; ``None`` for one without a description."""
    kind = _ALIASES.get(kind, kind)
    root = kind_schema(api_version, kind) if kind else None
    return Structure(api_version, kind, root) if root is not None else None


@lru_cache(maxsize=1)
def _common() -> Mapping[str, Any]:
    return kind_schema("", "") or {"$defs": {}}
