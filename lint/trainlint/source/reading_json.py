"""A reading as plain values, which JSON can hold, and back."""

from __future__ import annotations

import json
from typing import Any

from trainlint.finding import Location, Path, Span, Unknown
from trainlint.source.document import Document
from trainlint.source.reading import Broken, Reading
from trainlint.source.template import Template

__all__ = ["from_json", "to_json"]

_Plain = list[list[Any]]
"""Documents, what is broken, templates, unknowns, suppression lines: lists, mappings, text and numbers."""


def to_json(reading: Reading) -> bytes | None:
    """The reading in one line of JSON, without the name of its file; empty if the file holds nothing.

    ``None`` for what JSON would not give back as it was: halves of surrogate pairs, numbers of thousands of digits.
    """
    parts = _to_plain(reading)
    if not any(parts):
        return b""
    try:
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError):
        return None


def _to_plain(reading: Reading) -> _Plain:
    """The reading without the name of its file."""
    return [
        [[each.index, each.line, each.text, each.data, each.duplicates] for each in reading.documents],
        [[each.index, _span(each.span), each.message] for each in reading.broken],
        [[each.location.document, each.engine, each.kinds, _span(each.span)] for each in reading.templates],
        [
            [each.subject, each.missing, each.remedy, each.at and _place(each.at), each.span and _span(each.span)]
            for each in reading.unknowns
        ],
        list(reading.suppression_lines),
    ]


def from_json(file: str, text: bytes) -> Reading:
    """The reading of ``file`` that ``to_json`` wrote.

    Raises:
        ValueError, TypeError, RecursionError: the text is of another program.
    """
    return _from_plain(file, json.loads(text)) if text else Reading(file)


def _from_plain(file: str, parts: _Plain) -> Reading:
    documents, broken, templates, unknowns, lines = parts
    return Reading(
        file,
        tuple(
            Document(file, index, line, text, data, tuple(map(_path, duplicates)))
            for index, line, text, data, duplicates in documents
        ),
        tuple(Broken(file, index, Span(*span), message) for index, span, message in broken),
        tuple(
            Template(Location(file, document), engine, tuple(kinds), Span(*span))
            for document, engine, kinds, span in templates
        ),
        tuple(
            Unknown(subject, missing, remedy, at and Location(file, at[0], _path(at[1])), span and Span(*span))
            for subject, missing, remedy, at, span in unknowns
        ),
        tuple((number, comment) for number, comment in lines),
    )


def _span(span: Span) -> tuple[int, int, int, int]:
    return span.line, span.column, span.end_line, span.end_column


def _place(at: Location) -> tuple[int, Path]:
    return at.document, at.path


def _path(steps: list[str | int]) -> Path:
    return tuple(steps)
