"""Where lines begin and end in a text, and pieces of it that are replaced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trainlint.fact import fact
from trainlint.fix.editable_nodes import NotEditableError
from trainlint.source.yaml_tree import Entry, TextNode, TextShape

__all__ = ["Piece", "after", "apply", "column_of", "dash_of", "line_end", "line_start", "only_blanks"]


@fact(order=True)
class Piece:
    """The characters from ``start`` to ``end`` become ``text``."""

    start: int
    end: int
    text: str = ""


def apply(text: str, pieces: Iterable[Piece]) -> str:
    """The text with all pieces replaced. Raises NotEditableError where they overlap."""
    parts: list[str] = []
    done = 0
    for piece in sorted(pieces):
        if piece.start < done:
            raise NotEditableError("two of the edits overlap")
        parts += [text[done : piece.start], piece.text]
        done = piece.end
    return "".join([*parts, text[done:]])


def line_start(text: str, index: int) -> int:
    """Where the line begins."""
    return text.rfind("\n", 0, index) + 1


def line_end(text: str, index: int) -> int:
    """Where the line ends, before its line feed."""
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def column_of(text: str, index: int) -> int:
    """The column, from 0."""
    return index - line_start(text, index)


def only_blanks(text: str, start: int, end: int) -> bool:
    """Whether nothing but blanks (no tabs, which cannot indent) stands between."""
    return not text[start:end].strip(" ")


def dash_of(text: str, element: TextNode) -> int:
    """The index of the character that is the dash of an element of a block list.

    Raises:
        NotEditableError: no dash stands before the element.
    """
    index = element.start - 1
    while index >= 0 and text[index] in " \t\n":
        index -= 1
    if index < 0 or text[index] != "-":
        raise NotEditableError("the dash of the element is not where it is looked for")
    return index


def after(text: str, entry: Entry, column: int) -> int:
    """The end of the last line that belongs to an entry of a block collection in a column: its own, kept blank lines,
    and comments that are indented deeper than it.

    Raises:
        NotEditableError: something else stands on its last line.
    """
    end = line_end(text, entry.end)
    rest = text[entry.end : end].strip(" \t")
    if rest and not rest.startswith("#"):
        raise NotEditableError("something else stands on the line")
    keeps = _kept(entry.value, text)
    while end < len(text):
        following = line_end(text, end + 1)
        line = text[end + 1 : following]
        bare = line.lstrip(" ")
        deeper = bare.startswith("#") and len(line) - len(bare) > column
        if not (deeper or (keeps and not bare and following < len(text))):
            break
        end = following
    return end


def _kept(node: TextNode, text: str) -> bool:
    """Whether the blank lines after a value are a part of it (``|+``)."""
    while node.entries:
        node = _last(node.entries).value
    head = text[node.start : line_end(text, node.start)]
    return node.shape is TextShape.SCALAR and node.style in ("|", ">") and "+" in head.partition("#")[0]


def _last(entries: Sequence[Entry]) -> Entry:
    return max(entries, key=lambda each: each.end)
