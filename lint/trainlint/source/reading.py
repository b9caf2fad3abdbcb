"""Files to documents: what can be read of them, what is broken, and what must be rendered first."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Location, Span, Unknown
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.comments import suppressions
from trainlint.source.definitions import is_definition, slim_text
from trainlint.source.document import Document, Field
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.lines import Lines
from trainlint.source.loader import json_stream, load
from trainlint.source.node_files import head_of, may_be_kindless
from trainlint.source.podtemplates import POD_OWNERS, pod_templates
from trainlint.source.prefilter import KindFilter
from trainlint.source.template import Template, first, kinds_in, mark, ytt
from trainlint.source.template_names import engine_of_name, plain_name
from trainlint.source.text import DocumentText, NotTextError, decode, split
from trainlint.source.world import SourceFile
from trainlint.source.yaml_values import Loaded

__all__ = ["MAX_BYTES", "Broken", "Reading", "is_kustomization", "objects", "parts_of", "read", "read_file"]

MAX_BYTES: Final = 64 << 20
_KUSTOMIZATIONS: Final = frozenset({"kustomization.yaml", "kustomization.yml", "Kustomization"})
_MAX_LISTS: Final = 8
_PLAIN_KIND: Final = lazy_pattern(r"^kind: (\w+)$", re.MULTILINE)
"""How nearly every document says its kind: a search for that kind need look no further."""
_MAX_PAD: Final = 100


@fact
class Broken:
    """A document that does not parse; ``message`` gives cause and remedy, ``span`` the character where it shows."""

    file: str
    index: int
    span: Span
    message: str


@fact
class Reading:
    """What one file holds: documents of wanted kinds and kustomizations, and what could not be read.

    ``suppression_lines`` are the lines (from 1) with a comment that addresses trainlint, in all documents of the file.
    """

    file: str
    documents: tuple[Document, ...] = ()
    broken: tuple[Broken, ...] = ()
    templates: tuple[Template, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    suppression_lines: tuple[tuple[int, str], ...] = ()


def is_kustomization(file: str) -> bool:
    """Whether kustomize would take the file for a kustomization, which it tells by the name alone."""
    return posixpath.basename(file) in _KUSTOMIZATIONS


def read_file(source: SourceFile, kinds: KindFilter) -> Reading:
    """Read a file from disk; one that cannot be read, or is larger than MAX_BYTES, is an unknown."""
    try:
        content = source.read_up_to(MAX_BYTES)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return Reading(
            source.name,
            unknowns=(
                Unknown(f"the objects in {source.name}", f"the file cannot be read: {reason}", at=_top(source.name)),
            ),
        )
    if content is None:
        return _too_large(source.name)
    return read(source.name, content, kinds, chart=source.chart)


def read(file: str, content: bytes, kinds: KindFilter, *, chart: str = "") -> Reading:
    """Read a file's content. ``chart`` is the Helm chart of which it is a template, if it is one. Never raises."""
    always = is_kustomization(file)
    if len(content) > MAX_BYTES:
        return _too_large(file)
    holds = always or kinds.may_hold(content) or may_be_kindless(content)
    if not holds and b"trainlint:" not in content:
        return Reading(file)
    try:
        text = decode(content)
    except NotTextError as error:
        remedy = "save it as UTF-8, or give it another name if it is no manifest"
        unknown = Unknown(f"the objects in {file}", str(error), remedy, _top(file), error.span)
        return Reading(file, unknowns=(unknown,))
    parts = parts_of(file, text)
    lines = suppressions(text, [part for part, _ in parts])
    if not holds:
        return Reading(file, suppression_lines=lines)
    engine = "helm" if chart else engine_of_name(posixpath.basename(file))
    return _Reader(file, kinds, always=always).read(parts, engine, lines)


def objects(document: Document) -> Iterator[Field]:
    """The object that a document is, or each item of a List (and of Lists in it) with its path.

    Items of a typed list (``NodeList``) that do not say their kind get that of the list.
    """
    yield from _objects(document.root, 0)


def _objects(here: Field, depth: int) -> Iterator[Field]:
    kind = here["kind"].string or ""
    if not kind.endswith("List") or not isinstance(here["items"].value, list) or depth > _MAX_LISTS:
        if here.mapping is not None:
            head = head_of(here.document.file, here.value) if not depth else None
            yield here if head is None else Field(here.document, here.path, {**head, **here.value})
        return
    for item in here["items"].elements():
        value = item.value
        if kind != "List" and isinstance(value, dict) and "kind" not in value:
            head = {"apiVersion": here["apiVersion"].value, "kind": kind.removesuffix("List")}
            item = Field(item.document, item.path, {**head, **value})  # noqa: PLW2901
        yield from _objects(item, depth + 1)


class _Reader:
    """Reads the documents of one file."""

    def __init__(self, file: str, kinds: KindFilter, *, always: bool) -> None:
        self._file = file
        self._kinds = kinds
        self._always = always
        self._documents: list[Document] = []
        self._broken: list[Broken] = []
        self._templates: list[Template] = []
        self._unknowns: list[Unknown] = []

    def read(
        self, parts: list[tuple[DocumentText, Loaded | None]], engine: str | None, lines: tuple[tuple[int, str], ...]
    ) -> Reading:
        wanted = [(index, part, loaded) for index, (part, loaded) in enumerate(parts) if self._may_hold(part, loaded)]
        faults: list[tuple[int, DocumentText, YamlError]] = []
        for index, part, loaded in wanted:
            if engine is None:
                self._load(index, part, loaded, faults)
            else:
                guessed, at = first(part.text)
                self._template(index, part, engine or guessed, at)
        template = next(filter(None, (mark(part.text, fault.index) for _, part, fault in faults)), None)
        if template is None and engine is None:
            template = self._marked_elsewhere([part for part, _ in parts], {index for index, _, _ in wanted})
        if template:  # rendering one document of a file renders them all
            for document in self._documents:
                self._template(document.index, DocumentText(document.line, document.text), template[0], 0)
            self._documents.clear()
        for index, part, fault in faults:
            found = mark(part.text, fault.index) or template
            if found:
                self._template(index, part, found[0], found[1] if found is not template else fault.index)
            else:
                span = Lines(part.text, part.line).span(fault.index, fault.index + 1)
                self._broken.append(Broken(self._file, index, span, fault.message))
        self._templates.sort(key=lambda template: template.location.document)
        return Reading(
            self._file,
            tuple(self._documents),
            tuple(self._broken),
            tuple(self._templates),
            tuple(self._unknowns),
            lines,
        )

    def _may_hold(self, part: DocumentText, loaded: Loaded | None) -> bool:
        if self._always:
            return True
        if loaded is None:
            plain = _PLAIN_KIND.search(part.text)
            if plain is not None and plain[1] in self._kinds.kinds:
                return True
            return self._kinds.may_be(part.text) or may_be_kindless(part.text)
        return self._holds(loaded.data)

    def _holds(self, data: Any) -> bool:
        kind = data.get("kind") if isinstance(data, dict) else None
        if isinstance(kind, str) and kind in self._kinds.kinds and not kind.endswith("List"):
            return True
        probe = Document(self._file, 0, 1, "", data)
        owners = POD_OWNERS in self._kinds.kinds
        return any(
            self._kinds.wants(here) or (owners and next(pod_templates(here), None) is not None)
            for here in objects(probe)
        )

    def _load(
        self, index: int, part: DocumentText, loaded: Loaded | None, faults: list[tuple[int, DocumentText, YamlError]]
    ) -> None:
        annotation = ytt(part.text)
        if annotation is not None:
            self._template(index, part, "ytt", annotation)
            return
        try:
            found = loaded or _loaded(part.text)
        except TooDeepError as error:
            place = Location(self._file, index)
            subject = f"the objects in document {index + 1} of {self._file}"
            self._unknowns.append(Unknown(subject, error.what, at=place))
            return
        except YamlError as error:
            faults.append((index, part, error))
            return
        if self._always or self._holds(found.data):
            document = Document(self._file, index, part.line, part.text, found.data, found.duplicates)
            self._documents.append(document)

    def _template(self, index: int, part: DocumentText, engine: str, at: int) -> None:
        kinds = kinds_in(part.text, self._kinds)
        if kinds is not None or self._always:
            span = Lines(part.text, part.line).span(at, at + 1)
            self._templates.append(Template(Location(self._file, index), engine, kinds or (), span))

    def _marked_elsewhere(self, parts: list[DocumentText], loaded: set[int]) -> tuple[str, int] | None:
        """The mark of a template in a document that was not loaded, because its kind is not read."""
        for index, part in enumerate(parts):
            found = mark(part.text) if index not in loaded else None
            if found:
                try:
                    load(part.text)
                except TooDeepError:
                    continue
                except YamlError:
                    return found
        return None


def _loaded(text: str) -> Loaded:
    """The value of a document; of one that defines a kind without the structure of it."""
    if is_definition(text):
        with suppress(YamlError):  # an anchor may stand in what is left out
            return load(slim_text(text))
    return load(text)


def parts_of(file: str, text: str) -> list[tuple[DocumentText, Loaded | None]]:
    """The documents of a file, in the order that gives them their indices; those of a JSON stream with their values."""
    if plain_name(file).endswith(".json"):
        try:
            found = list(json_stream(text))
        except TooDeepError:
            found = []
        if found:
            return list(_json_parts(text, found))
    return [(part, None) for part in split(text)]


def _json_parts(text: str, found: list[tuple[int, Loaded]]) -> Iterator[tuple[DocumentText, Loaded]]:
    line = 1
    starts = [start for start, _ in found]
    for (start, loaded), before, end in zip(found, [0, *starts], [*starts[1:], len(text)], strict=False):
        line += text.count("\n", before, start)
        column = start - text.rfind("\n", 0, start) - 1
        pad = " " * column if column <= _MAX_PAD else ""  # so that columns are those of the file
        yield DocumentText(line, pad + text[start:end]), loaded


def _too_large(file: str) -> Reading:
    missing = f"the file is larger than {MAX_BYTES >> 20} MiB"
    return Reading(file, unknowns=(Unknown(f"the objects in {file}", missing, "split it", _top(file)),))


def _top(file: str) -> Location:
    return Location(file, 0)
