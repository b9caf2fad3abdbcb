"""Comments that address trainlint."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.events import YamlError
from trainlint.source.lines import Lines
from trainlint.source.text import DocumentText
from trainlint.source.yaml_tree import TextShape, compose, nodes_of

__all__ = ["suppressions"]

_COMMENT: Final = lazy_pattern(r"(?:^|[ \t])#.*trainlint:", re.MULTILINE)


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

    try:
        top = compose(text)
    except YamlError:
        return set()
    inside: set[int] = set()
    for node in nodes_of(top) if top is not None else ():
        if node.shape is TextShape.SCALAR:
            start = (
                text.find("\n", node.start) if node.style in ("|", ">") else node.start
            )  # behind the sign: a comment
            found = comments[bisect_left(comments, start) : bisect_left(comments, node.end)]
            inside |= {lines.span(index, index).line for index in found}
    return inside
