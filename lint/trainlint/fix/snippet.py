"""New values as text, in the style of what stands around them."""

from __future__ import annotations

import json
from typing import Any, Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source import scalars
from trainlint.source.yaml_tree import TextNode, TextShape

__all__ = ["Style", "block_element", "block_entry", "flow", "quoted", "scalar", "style_of"]

_PLAIN: Final = lazy_pattern(r"[A-Za-z_./](?:[A-Za-z0-9_./-]|:(?=[A-Za-z]))*|[0-9]+[A-Za-z]+")
_CONTROL: Final = lazy_pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@fact
class Style:
    """How a document is written: columns that a nested mapping is indented, columns that the dash of a list stands to
    the right of its key, the quote that strings get, and whether it is JSON.
    """

    step: int = 2
    dash: int = 2
    quote: str = '"'
    json: bool = False


def style_of(text: str, top: TextNode) -> Style:
    """The style that most of a document has."""
    steps: list[int] = []
    dashes: list[int] = []
    quotes: list[str] = []
    as_json = top.flow and text.lstrip().startswith(("{", "["))
    waiting = [(top, -1)]
    while waiting:
        node, above = waiting.pop()
        if node.shape is TextShape.SCALAR and node.style in ("'", '"'):
            quotes.append(node.style)
        if not node.entries:
            continue
        column = _column(text, node.start)
        if not node.flow and above >= 0 and not node.decorated:
            (dashes if node.shape is TextShape.SEQUENCE else steps).append(column - above)
        for entry in node.entries:
            if entry.key is not None and as_json and entry.key.style != '"':
                as_json = False
            inside = column if node.shape is TextShape.MAPPING and not node.flow and not node.decorated else -1
            waiting.append((entry.value, inside))
    return Style(_usual(steps, 2), _usual(dashes, 2), _usual(quotes, '"'), as_json)


def _column(text: str, index: int) -> int:
    return index - text.rfind("\n", 0, index) - 1


def _usual(values: list[Any], default: Any) -> Any:
    """The most frequent of the values that make sense."""
    fitting = [each for each in values if not isinstance(each, int) or 0 <= each <= 8]
    return max(sorted(set(fitting), key=str), key=fitting.count) if fitting else default


def scalar(value: Any, quote: str = '"', *, always: bool = False) -> str:
    """A scalar; strings get quotes where they would be read as something else (or ``always``)."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return json.dumps(value)
        case _:
            text = str(value)
    if not always and _PLAIN.fullmatch(text) and scalars.plain(text) == text:
        return text
    return quoted(text, quote)


def quoted(text: str, quote: str) -> str:
    """A string in quotes."""
    if quote == "'" and not _CONTROL.search(text):
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text, ensure_ascii=bool(_CONTROL.search(text)))


def flow(value: Any, style: Style) -> str:
    """A value on one line, collections in brackets."""
    if style.json:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key, style.quote)}: {flow(each, style)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(each, style) for each in value) + "]"
    return scalar(value, style.quote)


def block_entry(key: str, value: Any, column: int, style: Style) -> list[str]:
    """The lines of a mapping entry whose key stands in a column (from 0)."""
    head = f"{' ' * column}{scalar(key, style.quote)}:"
    if isinstance(value, dict) and value:
        return [head, *_entries(value, column + style.step, style)]
    if isinstance(value, list) and value:
        return [head, *(line for each in value for line in block_element(each, column + style.dash, style))]
    return [f"{head} {flow(value, style)}"]


def block_element(value: Any, column: int, style: Style, gap: int = 1) -> list[str]:
    """The lines of a list element whose dash stands in a column; ``gap`` blanks follow the dash."""
    dash = " " * column + "-" + " " * gap
    if isinstance(value, dict) and value:
        lines = _entries(value, len(dash), style)
        return [dash + lines[0][len(dash) :], *lines[1:]]
    return [dash + flow(value, style)]


def _entries(value: dict[str, Any], column: int, style: Style) -> list[str]:
    return [line for key, each in value.items() for line in block_entry(key, each, column, style)]
