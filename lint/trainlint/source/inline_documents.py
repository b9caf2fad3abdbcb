"""Documents that stand in a text of another one, line by line: patches that are written in place."""

from __future__ import annotations

from functools import lru_cache

from trainlint.finding import Path, Span
from trainlint.source.document import Document
from trainlint.source.text import split

__all__ = ["inline_documents"]


@lru_cache(maxsize=32)
def inline_documents(document: Document, path: Path, span: Span | None) -> tuple[tuple[Document, int], ...]:
    """The documents in the text at ``path``, each with the number of columns by which the file shifts it.

    ``span`` is that of the value. Nothing for what is no text, or is not written line by line (``|``).
    """
    text = document.root.down(*path).string
    lines = document.text.split("\n")
    if text is None or span is None or lines[span.line - document.line][span.column - 1 : span.column] != "|":
        return ()
    first = next((at for at, line in enumerate(text.split("\n")) if line.strip()), None)
    at = span.line - document.line + 1 + (first or 0)
    if first is None or at >= len(lines):
        return ()
    shift = _indent(lines[at]) - _indent(text.split("\n")[first])
    return tuple(
        (Document(document.file, document.index, span.line + part.line, part.text, None), shift) for part in split(text)
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
