"""Small parts of the page that several sections share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from trainlint.finding import Span
from trainlint.lazy_pattern import lazy_pattern
from trainlint.report.element import Child, Markup, element, joined
from trainlint.report.terminal import escape

__all__ = ["MARKS", "answer", "excerpt", "listed", "names", "place", "rows", "section"]

MARKS: Final = {
    "proved": "✓",
    "refuted": "✕",
    "conditional": "◇",
    "unknown": "?",
    "error": "✕",
    "warning": "▲",
    "note": "●",
}
"""A sign beside each colour: colour is never the only one."""

_UNSAFE: Final = lazy_pattern(r"[^\w./+-]+", re.ASCII)


def names(wanted: Iterable[str]) -> list[str]:
    """Names as fragments of the page's address: readable, safe, each once."""
    found: list[str] = []
    taken: set[str] = set()
    for name in wanted:
        safe = _UNSAFE.sub("-", name)[:120]
        number = 1
        while (unique := safe if number == 1 else f"{safe}-{number}") in taken:
            number += 1
        taken.add(unique)
        found.append(unique)
    return found


def answer(word: str, text: str = "") -> Markup:
    """An answer or a severity with its sign, in its own word or in others."""
    sign = element("span", MARKS[word], class_="sign", aria_hidden="true")
    return element("span", sign, f" {text or word}", class_=f"badge {word}")


def place(file: str, span: Span, *, base: bool = False) -> Markup:
    """``file:line``, to copy into an editor."""
    gone = " (in the base revision)" if base else ""
    return element("code", f"{file}:{span.line}{gone}", class_="place")


def excerpt(lines: Sequence[str], span: Span) -> Markup | None:
    """Source lines with their numbers, without the indent that all have, the span marked; ``None`` where there are no
    lines.
    """
    if not lines:
        return None
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    shown: list[Child] = []
    for number, line in enumerate((line[indent:] for line in lines), span.line):
        end = len(line)
        first = span.column - 1 - indent if number == span.line else end - len(line.lstrip())
        start = min(max(first, 0), end)
        if number == span.end_line:
            end = min(max(span.end_column - 1 - indent, start), end)
        marked = element("mark", _code(line[start:end])) if start < end else None
        shown.append(element("span", str(number), class_="number"))
        shown.append(element("span", _code(line[:start]), marked, _code(line[end:]), class_="source"))
    if span.line + len(lines) - 1 < (span.end_line if span.end_column > 1 else span.end_line - 1):
        shown.append(element("span", "", class_="number"))
        shown.append(element("span", "…", class_="source"))
    return element("pre", element("code", *shown), class_="excerpt")


def _code(source: str) -> str:
    return escape(source.expandtabs(4))


def listed(items: Iterable[Child]) -> Markup | None:
    """A list, or nothing where it would be empty."""
    shown = [element("li", item) for item in items]
    return element("ul", *shown) if shown else None


def rows(header: Sequence[str], body: Iterable[Sequence[Child]], **attributes: str) -> Markup:
    """A table; the first cell of each row is its name."""
    head = element("thead", element("tr", *(element("th", title, scope="col") for title in header)))
    lines = [
        element("tr", element("th", row[0], scope="row"), *(element("td", cell) for cell in row[1:])) for row in body
    ]
    return element("div", element("table", head, element("tbody", *lines), **attributes), class_="wide")


def section(name: str, title: str, *children: Child) -> Markup | None:
    """A section with a title; nothing where nothing is in it."""
    inside = joined(children)
    if not inside:
        return None
    return element(
        "section", element("h2", title, id=f"{name}-title"), inside, id=name, aria_labelledby=f"{name}-title"
    )
