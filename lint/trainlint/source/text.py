"""Bytes to text, and text to documents: encodings, line ends, and the separators that Kubernetes splits at."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from trainlint.fact import fact
from trainlint.finding import Span
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["DocumentText", "NotTextError", "decode", "encoding_of", "split"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NULLS = {
    b"\1\1\1\0": "utf-32-be",
    b"\0\1\1\1": "utf-32-le",
    b"\1\0\1\0": "utf-16-be",
    b"\0\1\0\1": "utf-16-le",
}
_SEPARATOR = lazy_pattern(r"\n(?:---|\.\.\.)(?=[ \t\n]|\Z)")
_CONTENT = lazy_pattern(r"^[ \t]*[^ \t\n#]", re.MULTILINE)
_DIRECTIVES = lazy_pattern(r"(?:[ \t]*(?:#[^\n]*)?\n|%[^\n]*\n)*\Z")


class NotTextError(Exception):
    """The bytes are no text in any encoding that YAML knows; the message says why, ``span`` where that shows."""

    def __init__(self, why: str, line: int = 1, column: int = 1) -> None:
        super().__init__(why)
        self.span = Span(line, column, line, column + 1)


@fact
class DocumentText:
    """The text of one document; ``line`` is the line of the file at which it begins (from 1)."""

    line: int
    text: str


def decode(content: bytes) -> str:
    """Decode UTF-8, UTF-16 or UTF-32 by byte order mark or by the pattern of null bytes (YAML 1.2 section 5.2).

    Line ends become ``\\n`` (a lone CR ends a line, as in YAML) and the byte order mark vanishes, so that lines and
    columns are those an editor shows. Raises NotTextError.
    """
    encoding, mark = encoding_of(content)
    content = content[len(mark) :]
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(encoding, "replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise NotTextError(
            f"byte 0x{content[error.start]:02x} at line {line}, column {column} is not {encoding.upper()}",
            line,
            column,
        ) from None
    if "\0" in text:
        before = text[: text.index("\0")].replace("\r\n", "\n").replace("\r", "\n")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise NotTextError("it holds NUL characters, so it is binary", line, column)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def encoding_of(content: bytes) -> tuple[str, bytes]:
    """The name of the encoding, and the byte order mark (empty if there is none)."""
    for mark, name in _BOMS:
        if content.startswith(mark):
            return name, mark
    return _NULLS.get(bytes(byte == 0 for byte in content[:4]), "utf-8"), b""


def split(text: str) -> Iterator[DocumentText]:
    """The documents of a YAML stream that hold anything but comments.

    Documents part at lines that begin with ``---`` and at ``...``, wherever they stand, as in Kubernetes' own reader.
    What follows ``---`` on its line belongs to the document, and so do the directives above it.
    """
    start, line = 0, 1
    for separator in _SEPARATOR.finditer("\n" + text):
        at = separator.start()  # where the separator's line begins, as the searched text is one character longer
        end = text.find("\n", at)
        end = len(text) if end < 0 else end + 1
        chunk = text[start:at]
        opens = text.startswith("---", at)
        if opens and "%" in chunk and _DIRECTIVES.match(chunk):
            continue
        if _CONTENT.search(chunk):
            yield DocumentText(
                line, chunk.removeprefix("\ufeff")
            )  # files that were joined keep a mark at the start of each
        after = text[at + 3 : end].lstrip()
        following = at if opens and after and not after.startswith("#") else end
        line += text.count("\n", start, following)
        start = following
    chunk = text[start:]
    if _CONTENT.search(chunk):
        yield DocumentText(line, chunk.removeprefix("\ufeff"))
