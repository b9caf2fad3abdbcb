"""Values that a chart leaves to its installation: where nothing gives them, they are unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from trainlint.finding import Path
from trainlint.source.helm.lines import ACTION, LineNode, action_text

__all__ = ["blank_texts", "with_blanks"]

_CUT: Final = frozenset("-._:@=")
"""What joins two parts of a name, an image or an option: a text that begins or ends with it lacks a part."""
_REQUIRED: Final = frozenset({"name", "image", "mountPath", "claimName"})
"""Keys that the API server takes no empty value of."""
_SILENT: Final = frozenset({"if", "else", "end", "with", "range", "define", "block", "break", "continue"})


def blank_texts(sections: tuple[LineNode, ...]) -> frozenset[str]:
    """What is left of the values of a template where all that its actions print is nothing."""
    return frozenset(left for node in _nodes(sections) if (left := _left(node)) is not None)


def with_blanks(data: Any, texts: frozenset[str], node_at: Callable[[Path], LineNode | None]) -> Any:
    """A rendered object in which a value that lacks what an action should have printed is as the template writes it
    (``{{ .Values.name }}-head``), which is a placeholder. ``texts`` are ``blank_texts`` of its template, ``node_at``
    gives what is written at a path there.
    """
    for path, text in [*_cut(data, (), texts)]:
        node = node_at(path)
        if node is not None and _left(node) == text:
            data = _put(data, path, _bare(node.value))
    return data


def _nodes(nodes: tuple[LineNode, ...] | list[LineNode]) -> Iterator[LineNode]:
    for node in nodes:
        yield node
        yield from _nodes(node.children)


def _left(node: LineNode) -> str | None:
    """What a value is without its actions; ``None`` where it has none, or they decide whether something is said."""
    actions = [action_text(each) for each in ACTION.finditer(node.value)] if "{{" in node.value else []
    if not actions or node.inserts or any(_is_silent(each) for each in actions):
        return None
    return _bare(ACTION.sub("", node.value))


def _is_silent(action: str) -> bool:
    return action.startswith("/*") or ":=" in action or action.lstrip("- \t").split(" ", 1)[0] in _SILENT


def _bare(written: str) -> str:
    text = written.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _cut(value: Any, path: Path, texts: frozenset[str]) -> Iterator[tuple[Path, str]]:
    """The values that lack a part, as far as their text tells."""
    if isinstance(value, dict):
        for key, below in value.items():
            if not below and key in _REQUIRED and "" in texts and not isinstance(below, dict | list):
                yield (*path, key), ""
            else:
                yield from _cut(below, (*path, key), texts)
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _cut(below, (*path, index), texts)
    elif isinstance(value, str) and value in texts and value and (value[0] in _CUT or value[-1] in _CUT):
        yield path, value


def _put(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {**value, step: _put(value[step], rest, new)}
    return [_put(each, rest, new) if index == step else each for index, each in enumerate(value)]
