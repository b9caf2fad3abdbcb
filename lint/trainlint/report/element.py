"""Elements of HTML and SVG: text and attributes from outside are escaped, whatever they hold.

A few lines in place of a template library: what is written here is a tree, half of it a computed drawing, and every
string that is no ``Markup`` is text.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Final

from trainlint.report.terminal import escape

__all__ = ["Child", "Markup", "element", "joined", "text"]

_VOID: Final = frozenset({"br", "hr", "input", "link", "meta"})


class Markup(str):
    """Text that is markup already; only this module makes it."""

    __slots__ = ()


Child = str | Markup | None
"""A string is text, ``None`` nothing."""

Value = str | int | float | bool | None


def text(value: str) -> Markup:
    """Text in which nothing is markup and nothing invisible; line ends stay."""
    return Markup(html.escape("\n".join(map(escape, value.split("\n")))))


def element(name: str, /, *children: Child, **attributes: Value) -> Markup:
    """An element. In names of attributes ``_`` is ``-`` and ``class_`` is ``class``; ``None``, ``False``: none."""
    written = "".join(map(_attribute, attributes, attributes.values()))
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children: Iterable[Child]) -> Markup:
    """Children one after the other."""
    return Markup(
        "".join(child if isinstance(child, Markup) else text(child) for child in children if child is not None)
    )


def _attribute(name: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    shown = name.removesuffix("_").replace("_", "-")
    if value is True:
        return f' {shown}=""'
    if isinstance(value, float):
        value = f"{value:.1f}".removesuffix(".0")
    return f' {shown}="{html.escape(escape(str(value)))}"'
