"""Where in a template the paths of a rendered object are written: as well as that can be told."""

from __future__ import annotations

from typing import Any, Final

from trainlint.finding import Path, Span
from trainlint.source.helm.lines import ACTION, LineNode

__all__ = ["TemplatePlace", "choose", "find", "span_of"]

TemplatePlace = tuple[Path, LineNode]
"""The nearest place at or above a path, and the node that is written for it."""

_ROOT: Final = ("apiVersion", "kind", "metadata")


def choose(text_sections: tuple[LineNode, ...], data: Any) -> LineNode:
    """The document of a template that made an object: the one that agrees with most of it."""
    return max(text_sections, key=lambda each: _agreement(each, data, 3))


def find(section: LineNode, data: Any, path: Path) -> TemplatePlace:
    """Follow a path of the object ``data`` through the document of a template that made it."""
    node, value = section, data
    for length, step in enumerate(path):
        below = value[step] if _has(value, step) else None
        found = _child(node, step, below, value)
        if found is None:
            return path[:length], node
        if found.inserts:
            return path[:length], found
        node, value = found, below
    return path, node


def span_of(node: LineNode, lines: list[str]) -> Span:
    """The part of the line that is written for a node."""
    if node.indent < 0 and node.children:  # a whole document: its first line that is no comment
        node = node.children[0]
    line = lines[node.line] if node.line < len(lines) else ""
    end = len(line.rstrip())
    column = min(node.column, end)
    return Span(node.line + 1, column + 1, node.line + 1, max(end, column + 1) + 1)


def _child(node: LineNode, step: str | int, value: Any, parent: Any) -> LineNode | None:
    insertions = node.insertions
    if isinstance(step, int):
        found = _item(node.items, step, value, len(parent) if isinstance(parent, list) else 0)
    else:
        named = node.find(step)
        made = [each for each in node.children if each.key == ""]
        found = max(named, key=lambda each: _agreement(each, value, 2)) if named else None
        if found is None and not insertions and len(made) == 1:
            found = made[0]
    if found is not None:
        return found
    for each in insertions:
        if str(step) in each.value:
            return each
    return insertions[0] if insertions else None


def _item(items: list[LineNode], step: int, value: Any, count: int) -> LineNode | None:
    if not items:
        return None
    scores = [_agreement(each, value, 2) for each in items]
    best = max(scores)
    if scores.count(best) == 1:
        return items[scores.index(best)] if best >= 0 else None
    if len(items) == count and scores[step] == best:
        return items[step]
    return items[scores.index(best)] if best >= 0 else None


def _agreement(node: LineNode, value: Any, depth: int) -> int:
    """How much of a value a node says; below zero where it says something else."""
    if isinstance(value, dict):
        score = 0
        for key, below in value.items():
            named = node.find(key)
            if named:
                score += 1
                if depth and (isinstance(below, (str, int, float)) or key in _ROOT):
                    score += max(_agreement(each, below, depth - 1) for each in named)
        keys = {each.key for each in node.children if each.key}
        return score - len(keys - value.keys())
    if isinstance(value, list):
        return 0
    action_text = node.value.strip()
    if not action_text:
        return 0
    literal = ACTION.sub("", action_text)
    if literal == action_text:
        return 2 if action_text.strip("\"'") == _scalar(value) else -8
    return 1 if all(part in _scalar(value) for part in literal.replace('"', "").replace("'", "").split()) else -4


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _has(value: Any, step: str | int) -> bool:
    if isinstance(step, int):
        return isinstance(value, list) and -len(value) <= step < len(value)
    return isinstance(value, dict) and step in value
