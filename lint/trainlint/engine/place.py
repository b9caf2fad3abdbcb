"""Paths to spans and source lines, only for documents that a finding points at."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from trainlint.finding import Finding, Location, Path, Related, Span, Unknown
from trainlint.result import Placed, PlacedRelated, PlacedUnknown
from trainlint.source.document import Document
from trainlint.source.files import World
from trainlint.source.reading import Reading
from trainlint.source.spans import locate
from trainlint.source.text import NotTextError, decode

__all__ = ["Places"]

EXCERPT = 3
"""Source lines that a finding carries at most."""

TOP = Span(1, 1, 1, 2)


class Places:
    """Resolves locations of one state of the repository; ``base`` those in the base revision."""

    def __init__(self, world: World, readings: Iterable[Reading], base: Places | None = None) -> None:
        self._base = base
        self._files = {file.name: file for file in world.files}
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

    def _lines(self, file: str) -> tuple[str, ...]:
        """The lines of a file, without line ends; none if it cannot be read any more."""
        if file in self._texts:
            return tuple(self._texts[file].split("\n"))
        source = self._files.get(file)
        if source is None:
            return ()
        try:
            text = decode(source.read())
        except (OSError, NotTextError):
            return ()
        return tuple(line.removesuffix("\r") for line in text.split("\n"))

    def document(self, at: Location) -> Document | None:
        """The document that holds a place."""
        return self._home(at)._documents.get((at.file, at.document))

    def _home(self, at: Location) -> Places:
        """The state in which a place stands."""
        return self._base if at.base and self._base is not None else self

    def locate(self, at: Location) -> tuple[Path, Span]:
        """The nearest place that exists, and its span."""
        document = self.document(at)
        return ((), TOP) if document is None else locate(document, at.path)

    def placed(self, finding: Finding, reason: str = "") -> Placed:
        """The finding with every place resolved."""
        path, span = self.locate(finding.at) if finding.span is None else (finding.at.path, finding.span)
        related = tuple(self._related(each) for each in finding.related)
        return Placed(finding, span, path, related, self._excerpt(finding.at, span), reason, finding.at.base)

    def named(self, at: Location, role: str) -> PlacedRelated:
        """A place with its part in something."""
        return self._related(Related(role, at))

    def _related(self, related: Related) -> PlacedRelated:
        path, span = self.locate(related.at) if related.span is None else (related.at.path, related.span)
        lines = self._excerpt(related.at, span)
        return PlacedRelated(related.role, related.at.file, span, path, lines, related.at.base)

    def _excerpt(self, at: Location, span: Span) -> tuple[str, ...]:
        lines = self._home(at).lines(at.file)
        return lines[span.line - 1 : min(span.end_line, span.line + EXCERPT - 1)]

    def unknown(self, unknown: Unknown) -> PlacedUnknown:
        """The unknown with its line."""
        if unknown.at is None:
            return PlacedUnknown(unknown.subject, unknown.missing, unknown.remedy)
        _, span = self.locate(unknown.at)
        return PlacedUnknown(unknown.subject, unknown.missing, unknown.remedy, unknown.at.file, span.line)
