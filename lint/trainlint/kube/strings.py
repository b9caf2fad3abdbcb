"""Values that the API declares as strings."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.source.document import Field

__all__ = ["unquoted"]

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
    for key, value in item.items():
        what = _MAPS.get(key)
        if what is not None and value.mapping is not None:
            for each in (value[name] for name in value.mapping):
                if _is_unquoted(each):
                    yield what, each
            continue
        if key in _LISTS:
            for element in value.elements():
                if _is_unquoted(element["value"]):
                    yield _LISTS[key], element["value"]
        yield from unquoted(value)
    for element in item.elements():
        yield from unquoted(element)


def _is_unquoted(field: Field) -> bool:
    return isinstance(field.value, (bool, int, float))
