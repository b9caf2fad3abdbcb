"""Values that the API declares as strings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainlint.source.document import Field

__all__ = ["unquoted"]

Steps = tuple[str | int, ...]

_MAPS = {
    "annotations": "an annotation",
    "labels": "a label",
    "matchLabels": "a label",
    "nodeSelector": "a node label",
    "podLabels": "a label",
}
_LISTS = {"env": "the value of an environment variable", "taints": "a taint", "tolerations": "a toleration's value"}


def unquoted(item: Field) -> Iterator[tuple[str, Field]]:
    """The values below an object that must be strings and are numbers or booleans, each with what it is."""
    if _holds_any(item.value):
        for what, steps in _below(item.value, ()):
            yield what, item.down(*steps)


def _holds_any(value: Any) -> bool:
    """Whether ``_below`` finds anything: of thousands of objects hardly any has one, so this has to be quick."""
    pending = [value]
    while pending:
        here = pending.pop()
        if type(here) is dict:
            for key, inner in here.items():
                if type(inner) is list:
                    pending.append(inner)
                    if key in _LISTS and any(isinstance(e, dict) and _is_unquoted(e.get("value")) for e in inner):
                        return True
                elif type(inner) is dict:
                    if key not in _MAPS:
                        pending.append(inner)
                    elif any(map(_is_unquoted, inner.values())):
                        return True
        elif type(here) is list:
            pending += [element for element in here if type(element) is dict or type(element) is list]
    return False


def _below(value: Any, steps: Steps) -> Iterator[tuple[str, Steps]]:
    """Walks plain values: only what is found needs a field."""
    if isinstance(value, list):
        for index, element in enumerate(value):
            if isinstance(element, (dict, list)):
                yield from _below(element, (*steps, index))
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(inner, (dict, list)):
                continue
            if key in _MAPS and isinstance(inner, dict):
                for name, text in inner.items():
                    if _is_unquoted(text):
                        yield _MAPS[key], (*steps, key, name)
                continue
            if key in _LISTS and isinstance(inner, list):
                for index, element in enumerate(inner):
                    if isinstance(element, dict) and _is_unquoted(element.get("value")):
                        yield _LISTS[key], (*steps, key, index, "value")
            yield from _below(inner, (*steps, key))


def _is_unquoted(value: object) -> bool:
    return isinstance(value, (bool, int, float))
