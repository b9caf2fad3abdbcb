"""Definitions of kinds (CustomResourceDefinitions), of which the structures are most of the bytes.

A definition is read without its structures, and kustomize builds it without them; a structure is read when an object
of its kind is there. Of pods it keeps the names of the fields, which tell what the API server drops; what the values
must be is half a megabyte, and the same for all kinds.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.prefilter import DEFINITION, top_kind
from trainlint.source.text import NotTextError, decode, split

__all__ = [
    "LEFT_OUT",
    "has_structures",
    "is_definition",
    "slim",
    "slim_text",
    "structures",
    "without_structures",
]

WORTH: Final = 1 << 16
"""Bytes from which on a file is worth the search."""
LEFT_OUT: Final = "the structure is left out"
"""The description of a structure that is left out."""
KEEPS: Final = "x-kubernetes-preserve-unknown-fields"
_LISTED: Final = frozenset({"containers", "initContainers", "topologySpreadConstraints", "volumes"})
"""Lists of a pod of whose elements fields are left out by old definitions."""

# The key, and all lines below it: those that are indented more, and empty ones.
_STRUCTURE: Final = lazy_pattern(r"^( +)openAPIV3Schema:[ ]*\n((?:(?:\1 .*|[ \t]*)\n)+)", re.MULTILINE)
_KEY: Final = lazy_pattern(r"^ +openAPIV3Schema:[ ]*$", re.MULTILINE)
_CONTAINERS: Final = lazy_pattern(r"^( +)containers:$")
_TRIES: Final = 200
"""Lists of containers that are looked at in one structure."""


def without_structures(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files among those given that define kinds at length, as they are without the structures of these."""
    found = {name: slim(content) for name, content in files.items() if len(content) >= WORTH}
    return {name: content for name, content in found.items() if content is not None}


def slim(content: bytes) -> bytes | None:
    """A file without the structures that its definitions give; ``None`` if there is nothing to leave out."""
    if DEFINITION.encode() not in content or b"openAPIV3Schema:" not in content:
        return None
    try:
        parts = [part.text for part in split(decode(content))]
    except NotTextError:
        return None
    slimmer = [slim_text(text) if is_definition(text) else text for text in parts]
    return None if slimmer == parts else "---\n".join(slimmer).encode("utf-8", "surrogatepass")


def is_definition(text: str) -> bool:
    """Whether one document in block style says at its top that it defines a kind."""
    return DEFINITION in text and top_kind(text) == DEFINITION


def slim_text(text: str) -> str:
    """The document without structures."""
    return _STRUCTURE.sub(rf"\1openAPIV3Schema: {{type: object, description: {LEFT_OUT}}}\n", _whole(text))


def has_structures(text: str) -> bool:
    """Whether there is a structure that ``slim_text`` leaves out."""
    return _KEY.search(text) is not None


def structures(text: str) -> Iterator[str]:
    """The text of each structure that ``slim_text`` leaves out, without what pods must be, in their order."""
    for found in _STRUCTURE.finditer(_whole(text)):
        yield textwrap.dedent("\n".join(_without_pods(found[2].splitlines())))


def _whole(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def _without_pods(lines: list[str]) -> list[str]:
    kept: list[str] = []
    begun = tries = 0
    for index, line in enumerate(lines):
        found = _CONTAINERS.match(line) if index >= begun and tries < _TRIES else None
        if found is None:
            continue
        tries += 1
        start, end = _fields(lines, index, len(found[1]), begun)
        if start is not None and f"{found[1]}volumes:" in lines[start:end]:
            kept += [*lines[begun:start], lines[start], *_pod_fields(lines, start + 1, end, len(found[1]))]
            begun = end
    return kept + lines[begun:]


def _pod_fields(lines: list[str], start: int, end: int, indent: int) -> Iterator[str]:
    """The fields of a pod without what they must be; of lists in ``_LISTED`` those of the elements too."""
    blank = " " * indent
    for index in range(start, end):
        line = lines[index]
        if not line.startswith(blank) or line[indent : indent + 1] in ("", " ", "-", "#"):
            continue
        name = line[indent:].partition(":")[0]
        inner = _element_fields(lines, index + 1, end, indent) if name in _LISTED else []
        if inner:
            fields = ", ".join(f"{each}: {{}}" for each in inner)
            yield f"{blank}{name}: {{type: array, items: {{type: object, properties: {{{fields}}}}}}}"
        else:
            yield f"{blank}{name}: {{}}"


def _element_fields(lines: list[str], start: int, end: int, indent: int) -> list[str]:
    """The fields of the elements of a list; empty where they are written in another form, or unknown ones are kept."""
    found: list[str] = []
    inner = 0
    for line in lines[start:end]:
        if not line.strip():
            continue
        depth = _indent(line)
        if depth <= indent:
            break
        if KEEPS in line and depth <= (inner or depth):
            return []
        if line.strip() == "properties:" and not inner:
            inner = depth + 2
        elif depth == inner and line[inner] not in "-#":
            found.append(line[inner:].partition(":")[0])
    return found


def _fields(lines: list[str], index: int, indent: int, begun: int) -> tuple[int | None, int]:
    """The line of ``properties:`` above a field, and the first line behind all of these fields."""
    start = index
    while start >= begun and (not lines[start].strip() or _indent(lines[start]) >= indent):
        start -= 1
    if start < begun or lines[start].strip() != "properties:":
        return None, index
    end, outer = index, _indent(lines[start])
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > outer):
        end += 1
    return start, end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
