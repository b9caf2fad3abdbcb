"""Plain values of manifests, read leniently: a wrong type is as if absent, a placeholder is not known."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.name_syntax import meant_to_be_replaced
from trainlint.finding import Path

__all__ = ["EMPTY", "below", "elements", "known", "mapping", "names", "nearest", "number", "text", "written"]

EMPTY: Final[Mapping[str, Any]] = {}


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return value if type(value) is dict else EMPTY


def below(value: Any, *steps: str | int) -> Any:
    """The value several steps below, ``None`` where there is none."""
    for step in steps:
        if type(value) is dict:
            value = value.get(step)
        elif type(value) is list and type(step) is int and step < len(value):
            value = value[step]
        else:
            return None
    return value


def elements(value: Any, *path: str | int) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The mappings in a list, each with its path: ``path`` and the index."""
    if type(value) is list:
        for index, each in enumerate(value):
            if type(each) is dict:
                yield (*path, index), each


def text(value: Any) -> str:
    """A string, empty for anything else."""
    return value if type(value) is str else ""


def known(value: Any) -> str | None:
    """A string that is not empty and no placeholder, else ``None``."""
    return value if type(value) is str and value and not meant_to_be_replaced(value) else None


def number(value: Any) -> int | None:
    """A whole number, else ``None``."""
    if type(value) is int:
        return value
    return int(value) if type(value) is float and value.is_integer() else None


def written(value: Any) -> bool:
    """Whether a value is there: neither absent nor null."""
    return value is not None


def names(value: Any, key: str = "name") -> list[str]:
    """The names of the mappings in a list, with placeholders."""
    return [text(each.get(key)) for _, each in elements(value)]


def nearest(name: str, among: Collection[str]) -> str:
    """The most similar name; empty where none is near."""
    near = difflib.get_close_matches(name, sorted(set(among)), n=1, cutoff=0.6)
    return near[0] if near else ""
