"""Comments that address trainlint."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, Final

from trainlint.source.events import KINDS, EventKind, YamlError, with_events
from trainlint.source.lines import Lines
from trainlint.source.text import DocumentText

__all__ = ["suppressions"]

_COMMENT: Final = re.compile(r"(?:^|[ \t])#.*trainlint:", re.MULTILINE)


def suppressions(text: str, parts: list[DocumentText]) -> tuple[tuple[int, str], ...]:
    """The lines of a file (from 1) with a comment that addresses trainlint, and their text.

    ``parts`` are the documents of the file; what looks like a comment but is part of a value in them does not count.
    """
    if "trainlint:" not in text:
        return ()
    lines = [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if "trainlint:" in line and _COMMENT.search(line)
    ]
    if not lines:
        return ()
    inside: set[int] = set()
    for part in parts:
        if "trainlint:" in part.text:
            inside |= _text_lines(part)
    return tuple(entry for entry in lines if entry[0] not in inside)


def _text_lines(part: DocumentText) -> set[int]:
    """The lines on which a `#` that addresses trainlint is part of a value, not a comment."""
    text, lines = part.text, Lines(part.text, part.line)
    comments = [text.index("#", match.start()) for match in _COMMENT.finditer(text)]

    def covered(events: Iterator[Any]) -> set[int]:
        found = set()
        for event in events:
            if KINDS[type(event)] is EventKind.SCALAR:
                start, end = event.start_mark.index, event.end_mark.index
                if event.style in ("|", ">"):  # a comment may stand behind the sign
                    start = text.find("\n", start)
                inside = comments[bisect_left(comments, start) : bisect_left(comments, end)]
                found |= {lines.span(index, index).line for index in inside}
        return found

    try:
        return with_events(part.text, covered)
    except YamlError:
        return set()
