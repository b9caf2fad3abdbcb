"""Paths to spans and source lines, only for documents that a finding points at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from trainlint.finding import Finding, Location, Path, Related, Span, Unknown
from trainlint.result import GroupVerdict, Placed, PlacedRelated, PlacedUnknown
from trainlint.source.document import Document
from trainlint.source.documents import every_document
from trainlint.source.file_tree import Tree
from trainlint.source.reading import Reading
from trainlint.source.spans import locate, spans
from trainlint.source.text import NotTextError, decode
from trainlint.source.world import World

__all__ = ["Places"]

EXCERPT = 3
"""Source lines that a finding carries at most."""

TOP = Span(1, 1, 1, 2)


class Places:
    """Resolves locations of one state of the repository; ``base`` those in the base revision.

    ``written`` tells where a place of a rendered document was written; findings are there already. ``templates`` tell
    where the paths of documents stand in files that are no YAML.
    """

    def __init__(
        self,
        world: World,
        readings: Iterable[Reading],
        base: Places | None = None,
        written: Callable[[Location], Location] = lambda at: at,
    ) -> None:
        self.written = written
        self._base = base
        self._tree = Tree(world)
        self._more: dict[str, tuple[Document, ...]] = {}
        self.templates: dict[tuple[str, int], Callable[[Path], tuple[Path, Span]]] = {}
        self.readings = {reading.file: reading for reading in readings}
        self._documents: dict[tuple[str, int], Document] = {
            (reading.file, document.index): document
            for reading in self.readings.values()
            for document in reading.documents
        }
        self._texts: dict[str, str] = {}
        self.lines = lru_cache(maxsize=256)(self._lines)

    def add(self, document: Document) -> None:
        """Know a document that is no manifest: the configuration."""
        self._documents[document.file, document.index] = document
        self._texts[document.file] = "\n" * (document.line - 1) + document.text

    def know(self, file: str, text: str, documents: Iterable[Document]) -> None:
        """Know a file that is not one of the world, with its documents."""
        self._texts[file] = text
        self._documents.update(((file, document.index), document) for document in documents)

    def _lines(self, file: str) -> tuple[str, ...]:
        """The lines of a file, without line ends; none if it cannot be read any more."""
        if file in self._texts:
            return tuple(self._texts[file].split("\n"))
        try:
            text = decode(self._tree.read(file) or b"")
        except NotTextError:
            return ()
        if not text:
            return ()
        return tuple(line.removesuffix("\r") for line in text.split("\n"))

    def document(self, at: Location) -> Document | None:
        """The document that holds a place; ``None`` where no file holds it."""
        home = self._home(at)
        return home._documents.get((at.file, at.document)) or home._other(at)

    def _other(self, at: Location) -> Document | None:
        """A document that holds no object of its own, such as a patch: rendered values may have been written there."""
        return next((each for each in self.documents(at.file) if each.index == at.document), None)

    def documents(self, file: str) -> tuple[Document, ...]:
        """All documents of a file of the repository, also of one that was not linted."""
        if file not in self._more:
            self._more[file] = every_document(file, self._tree.read(file) or b"")
        return self._more[file]

    def _home(self, at: Location) -> Places:
        """The state in which a place stands."""
        return self._base if at.base and self._base is not None else self

    def locate(self, at: Location) -> tuple[Path, Span]:
        """The nearest place that exists, and its span."""
        template = self._home(at).templates.get((at.file, at.document))
        if template is not None:
            return template(at.path)
        document = self.document(at)
        return ((), TOP) if document is None else locate(document, at.path)

    def whole(self, at: Location) -> Span:
        """All of what stands at a place, however many lines that are."""
        template = (at.file, at.document) in self._home(at).templates
        document = None if template else self.document(at)
        span = spans(document).value(at.path) if document is not None else None
        return span if span is not None else self.locate(at)[1]

    def placed(self, finding: Finding, reason: str = "") -> Placed:
        """The finding with every place resolved."""
        path, span = self.locate(finding.at) if finding.span is None else (finding.at.path, finding.span)
        related = tuple(self._related(each) for each in finding.places)
        return Placed(finding, span, path, related, self._excerpt(finding.at, span), reason, finding.at.base)

    def named(self, at: Location, role: str) -> PlacedRelated:
        """A place with its part in something."""
        return self._related(Related(role, at))

    def _related(self, related: Related) -> PlacedRelated:
        path, span = self.locate(related.at) if related.span is None else (related.at.path, related.span)
        lines = self._excerpt(related.at, span)
        return PlacedRelated(related.role, related.at.file, span, path, lines, related.at.base, related.cause)

    def _excerpt(self, at: Location, span: Span) -> tuple[str, ...]:
        lines = self._home(at).lines(at.file)
        return lines[span.line - 1 : min(span.end_line, span.line + EXCERPT - 1)]

    def group(self, group: GroupVerdict) -> GroupVerdict:
        """The verdict with the place of a group whose name does not say which it is."""
        if group.at is None:
            return group
        at = self.written(group.at)
        return replace(group, place=f"{at.file}:{self.locate(at)[1].line}")

    def unknown(self, unknown: Unknown) -> PlacedUnknown:
        """The unknown with its line."""
        if unknown.at is None:
            return PlacedUnknown(unknown.subject, unknown.missing, unknown.remedy)
        at = unknown.at if unknown.span is not None else self.written(unknown.at)
        span = unknown.span or self.locate(at)[1]
        return PlacedUnknown(unknown.subject, unknown.missing, unknown.remedy, at.file, span.line)
