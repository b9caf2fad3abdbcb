"""CustomResourceDefinitions: which kind they define, in which versions, and what its objects must be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.finding import Path
from trainlint.kube.definition_tree import DefinitionError, definition_tree
from trainlint.kube.values import read_text
from trainlint.model.definition import DefinedVersion, Definition
from trainlint.source.definitions import LEFT_OUT, has_structures, structures
from trainlint.source.document import Field
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load

__all__ = ["API", "defined_kind", "is_left_out", "read_definition"]

API: Final = "apiextensions.k8s.io/v1"
_VERSIONS: Final = 32
_LONGEST: Final = 1 << 20
"""Characters of a structure without its pods; that of a RayJob has 200,000."""


def defined_kind(item: Field) -> tuple[str, str]:
    """The API group and the name of the kind that an object defines; empty where it defines none."""
    if read_text(item["apiVersion"]) != API:
        return "", ""
    return read_text(item.down("spec", "group")), read_text(item.down("spec", "names", "kind"))


def is_left_out(item: Field) -> bool:
    """Whether a structure of the definition stands in no text of its own: a renderer was given it without."""
    return item.once(_is_left_out)


def _is_left_out(item: Field) -> bool:
    marked = any(_marked(version) for version in item.down("spec", "versions").elements())
    return marked and not has_structures(item.document.text)


def _marked(version: Field) -> bool:
    return version.down("schema", "openAPIV3Schema", "description").string == LEFT_OUT


def read_definition(item: Field) -> Definition:
    """The definition at the cursor with all of its versions."""
    return item.once(_read)


def _read(item: Field) -> Definition:
    group, kind = defined_kind(item)
    texts = structures(item.document.text)
    listed = list(item.down("spec", "versions").elements())[:_VERSIONS]
    found = {each.name: each for each in (_version(item, version, texts) for version in listed)}
    return Definition(group, kind, item, found)


def _version(item: Field, version: Field, texts: Iterator[str]) -> DefinedVersion:
    place = version.down("schema", "openAPIV3Schema")
    name, served, path = read_text(version["name"]), version["served"].value is True, place.path[len(item.path) :]
    everything = item.down("spec", "preserveUnknownFields").value is True
    try:
        written = _structure(place.value, next(texts, None)) if _marked(version) else place.value
        tree = definition_tree(written, everything=everything)
    except DefinitionError as error:
        return DefinedVersion(name, served, (*path, *error.path), fault=error.why)
    return DefinedVersion(name, served, path, written, tree)


def _structure(marked: Any, text: str | None) -> Any:
    """The structure that stands in a text."""
    if text is None:
        return marked
    if len(text) > _LONGEST:
        raise _unread("it is longer than what is read here")
    try:
        return load(text).data
    except TooDeepError as error:
        raise _unread(error.what) from error
    except YamlError as error:
        raise _unread(error.message) from error


def _unread(why: str, path: Path = ()) -> DefinitionError:
    return DefinitionError(why, path)
