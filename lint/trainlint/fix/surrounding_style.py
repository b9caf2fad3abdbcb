"""New values in the style of the values around them: in brackets, or each entry on its own line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.fact import fact
from trainlint.fix.snippet import Style, flow, scalar
from trainlint.source.yaml_tree import TextNode, TextShape

__all__ = ["WIDEST", "Writer", "brackets"]

WIDEST: Final = 100
"""Columns up to which a collection stands in brackets on one line."""
_DEEPEST: Final = 3
"""Collections inside each other that stand in brackets at most, where no example says otherwise."""


def brackets(top: TextNode | None) -> bool:
    """Whether a document writes mappings of plain values in brackets more often than not."""
    inside = outside = 0
    waiting = [] if top is None else [top]
    while waiting:
        node = waiting.pop()
        waiting += [each.value for each in node.entries]
        if node.entries and node is not top and all(not each.value.entries for each in node.entries):
            inside += node.flow
            outside += not node.flow
    return inside > outside


@fact
class Writer:
    """Writes values in block style, and in brackets where the other document has brackets and the line is short.

    ``brackets`` is for what the other document does not hold.
    """

    style: Style
    brackets: bool

    def mapping(self, value: dict[str, Any], column: int, like: TextNode | None) -> Iterator[str]:
        """The lines of the entries of a mapping."""
        for key, each in value.items():
            head = f"{' ' * column}{scalar(key, self.style.quote)}:"
            below = None if like is None else _child(like, key)
            yield from self._value(head, each, column, below)

    def broken(self, value: Any, column: int) -> Iterator[str]:
        """The lines below a key in a column, whose value is no more in brackets."""
        if isinstance(value, dict):
            return self.mapping(value, column + self.style.step, None)
        return self._elements(value, column + self.style.dash, None)

    def _value(self, head: str, value: Any, column: int, like: TextNode | None) -> Iterator[str]:
        if not (isinstance(value, (dict, list)) and value):
            yield f"{head} {self._plain(value, like)}"
            return
        line = f"{head} {flow(value, self.style)}"
        if self._in_brackets(value, like) and len(line) <= WIDEST:
            yield line
            return
        yield head
        if isinstance(value, dict):
            yield from self.mapping(value, column + self.style.step, like)
        else:
            yield from self._elements(value, column + self.style.dash, like)

    def _elements(self, value: list[Any], column: int, like: TextNode | None) -> Iterator[str]:
        first = like.entries[0].value if like is not None and like.entries and not like.flow else None
        for each in value:
            dash = f"{' ' * column}- "
            line = dash + flow(each, self.style)
            short = not isinstance(each, (dict, list)) or not each or self._in_brackets(each, first, element=True)
            if short and len(line) <= WIDEST:
                yield line
            elif isinstance(each, dict):
                lines = list(self.mapping(each, len(dash), first))
                yield dash + lines[0][len(dash) :]
                yield from lines[1:]
            else:
                yield line

    def _plain(self, value: Any, like: TextNode | None) -> str:
        if like is not None and like.style in ("'", '"') and isinstance(value, str):
            return scalar(value, like.style, always=True)
        return flow(value, self.style)

    def _in_brackets(self, value: Any, like: TextNode | None, *, element: bool = False) -> bool:
        if like is not None and like.entries:
            return like.flow
        if element:
            return self.brackets and _is_chain(value, 1)
        return self.brackets and _is_chain(value)


def _is_chain(value: Any, deepest: int = _DEEPEST) -> bool:
    """Whether a collection holds plain values only, or just one collection that does."""
    if not deepest:
        return False
    inner = list(value.values() if isinstance(value, dict) else value)
    nested = [each for each in inner if isinstance(each, (dict, list)) and each]
    return not nested or (len(inner) == 1 and _is_chain(nested[0], deepest - 1))


def _child(node: TextNode, key: str) -> TextNode | None:
    """The value under a key, whether it stands once or not."""
    if node.shape is not TextShape.MAPPING:
        return None
    return next((each.value for each in node.entries if each.name == key), None)
