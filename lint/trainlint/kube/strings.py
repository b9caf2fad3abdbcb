"""Values that the API declares as strings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainlint.source.document import Field

__all__ = ["unquoted"]

Way = tuple[str | int, "Way | None"]
"""A step, and the way to where it is taken from."""

_NUMBERS = (bool, int, float)

_MAPS: dict[str | int, str] = {
    "annotations": "an annotation",
    "labels": "a label",
    "matchLabels": "a label",
    "nodeSelector": "a node label",
    "podLabels": "a label",
}
_LISTS: dict[str | int, str] = {
    "env": "the value of an environment variable",
    "taints": "a taint",
    "tolerations": "a toleration's value",
}
_FREE: frozenset[str | int] = frozenset({"values", "valuesObject", "openAPIV3Schema"})
"""Mappings with a form of their own: values of a chart, of which an API server reads only what the chart makes of them,
and schemas, whose ``properties`` may be named ``annotations``.
"""


def unquoted(item: Field) -> Iterator[tuple[str, Field]]:
    """The values below an object that must be strings and are numbers or booleans, each with what it is."""
    for what, way in _below(item.value):
        yield what, item.down(*_steps(way))


def _below(value: Any) -> Iterator[tuple[str, Way]]:
    """Walks plain values without recursion or paths: of thousands of objects hardly any has a finding."""
    pending: list[tuple[Any, Way | None]] = [(value, None)]
    while pending:
        here, way = pending.pop()
        entries = here.items() if type(here) is dict else enumerate(here) if type(here) is list else ()
        for step, inner in entries:
            if type(inner) is dict:
                if step in _MAPS:
                    for name, text in inner.items():
                        if isinstance(text, _NUMBERS):
                            yield _MAPS[step], (name, (step, way))
                elif step not in _FREE:
                    pending.append((inner, (step, way)))
            elif type(inner) is list:
                pending.append((inner, (step, way)))
                for index, element in enumerate(inner) if step in _LISTS else ():
                    if isinstance(element, dict) and isinstance(element.get("value"), _NUMBERS):
                        yield _LISTS[step], ("value", (index, (step, way)))


def _steps(way: Way | None) -> list[str | int]:
    steps: list[str | int] = []
    while way is not None:
        steps.append(way[0])
        way = way[1]
    return steps[::-1]
