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
    for what, steps in _below(item.value, ()):
        yield what, item.down(*steps)


def _below(value: Any, steps: Steps) -> Iterator[tuple[str, Steps]]:
    """Walks plain values, because hardly any of the many has a finding: only that one needs a field."""
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
