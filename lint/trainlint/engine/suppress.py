"""Findings that a comment, an annotation or an entry of the configuration suppresses."""

from __future__ import annotations

import datetime as dt
import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from trainlint.config.choices import PathIgnore
from trainlint.engine.source_places import Places
from trainlint.finding import Finding, Location
from trainlint.snapshot.repository import Repository
from trainlint.source.comments import suppressions
from trainlint.source.text import split
from trainlint.suppression import ANNOTATION, Suppression, read_annotation, read_suppressions

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["Suppressor", "read_all"]

Suppressed = tuple[Finding, str]
"""A finding and the reason that the suppression gives."""


def read_all(
    places: Places, repository: Repository, entries: Iterable[PathIgnore], findings: Iterable[Finding], *, judged: bool
) -> Iterator[Suppression]:
    """All suppressions of a run. ``judged`` says whether the linted paths hold all that the ``entries`` are about.

    The ``findings`` may stand in files that were not linted: a base that a linted overlay uses.
    """
    for reading in places.readings.values():
        if reading.suppression_lines:
            documents = [(document.index, document.line) for document in reading.documents]
            lines = list(places.lines(reading.file))
            yield from read_suppressions(reading.file, reading.suppression_lines, lines, documents)
    for file in sorted({finding.at.file for finding in findings if not finding.at.base} - places.readings.keys()):
        yield from _beside(file, places)
    for item in repository.objects:
        text = item.meta.annotations.get(ANNOTATION)
        if text is not None:
            field = item.field.down("metadata", "annotations", ANNOTATION)
            yield read_annotation(text, field.document.at(field.path), item.written)
    for entry in entries:
        yield Suppression(
            entry.at,
            0,
            0,
            entry.rules,
            " ".join(entry.reason.split()),
            entry.until,
            form="entry",
            paths=entry.paths,
            judged=judged,
        )


def _beside(file: str, places: Places) -> Iterator[Suppression]:
    """The comments of a file that was not linted: they may be meant for others of its findings."""
    lines = list(places.lines(file))
    text = "\n".join(lines)
    documents = [(each.index, each.line) for each in places.documents(file)]
    for each in read_suppressions(file, suppressions(text, list(split(text))), lines, documents):
        each.judged = False
        if not each.malformed:
            yield each


class Suppressor:
    """Decides which findings stay. Asked once for each finding, as it notes which suppressions were of use.

    ``objects`` tells, by identity and file of a finding, where the objects are written that it is about.
    ``base`` is the directory from which the paths of entries count; with ``require_reason`` a suppression without a
    reason does not suppress.
    """

    def __init__(
        self,
        suppressions: Iterable[Suppression],
        places: Places,
        known: frozenset[str],
        today: dt.date,
        objects: Mapping[tuple[str, str], Collection[Location]],
        *,
        base: str = ".",
        require_reason: bool = False,
    ) -> None:
        self.all = tuple(suppressions)
        self._places = places
        self._known = known
        self._base = base
        self._objects = objects
        self._by_line: dict[tuple[str, int], list[Suppression]] = defaultdict(list)
        self._by_document: dict[tuple[str, int, str], list[tuple[int, Suppression]]] = defaultdict(list)
        self._by_path: list[tuple[GitIgnoreSpec, Suppression]] = []
        for number, each in enumerate(self.all):
            if require_reason and not each.reason and not each.malformed and not each.expired(today):
                each.malformed = "it gives no reason, and a reason is required here"
                each.remedy = "say in it why the finding is accepted"
            if each.malformed or each.expired(today):
                continue
            if each.paths:
                from pathspec import GitIgnoreSpec  # noqa: PLC0415 (few repositories need it)

                self._by_path.append((GitIgnoreSpec.from_lines(each.paths), each))
            elif each.object is not None or each.applies_to == 0:
                for name in dict.fromkeys(each.names):
                    self._by_document[each.at.file, each.at.document, name].append((number, each))
            else:
                self._by_line[each.at.file, each.applies_to].append(each)

    def split(self, findings: Iterable[Finding]) -> tuple[list[Finding], list[Suppressed]]:
        """The findings that stay, and those that are suppressed."""
        kept: list[Finding] = []
        suppressed: list[Suppressed] = []
        for finding in findings:
            chosen: Suppression | None = None
            for each in self._covering(finding):
                for name in each.names:
                    if name in self._known and name in {finding.rule, finding.category}:
                        each.used.add(name)
                        chosen = chosen or each
            if chosen is None:
                kept.append(finding)
            else:
                suppressed.append((finding, chosen.reason))
        return kept, suppressed

    def _covering(self, finding: Finding) -> Sequence[Suppression]:
        found: list[Suppression] = []
        if self._by_line:
            span = finding.span or self._places.locate(finding.at)[1]
            found += self._by_line.get((finding.at.file, span.line), [])
        here = (finding.at, *self._objects.get((finding.id, finding.at.file), ()))
        asked = product(here, (finding.rule, finding.category)) if self._by_document else ()
        wide = {
            number: each
            for at, name in asked
            for number, each in self._by_document.get((at.file, at.document, name), [])
            if each.object is None or _inside(at, each.object)
        }
        found += [wide[number] for number in sorted(wide)]
        if self._by_path:
            name = posixpath.relpath(finding.at.file, self._base)
            found += [
                each for patterns, each in self._by_path if not name.startswith("..") and patterns.match_file(name)
            ]
        return found


def _inside(at: Location, item: Location) -> bool:
    return at.path[: len(item.path)] == item.path
