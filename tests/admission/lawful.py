"""What is true of everything that is refused, whatever it is."""

from __future__ import annotations

import copy
from typing import Any

from trainlint.admission.problem import Problem
from trainlint.admission.refusals import problems
from trainlint.source.document import MISSING, Document

__all__ = ["check_laws"]

Path = tuple[str | int, ...]


def check_laws(manifest: dict[str, Any], found: list[Problem]) -> None:
    """Raise where a problem names a place or a value that is not there, or a repair that repairs nothing."""
    for each in found:
        assert each.cause, each
        here = _at(manifest, each.at)
        if each.lacks:
            assert isinstance(here, dict), each
            assert not here.get(each.lacks), each
        else:
            assert here is not MISSING, each
        for _, path in each.related:
            assert _at(manifest, path) is not MISSING, each
            assert path != each.at, each
        written = set(_texts(manifest))
        for value in each.evidence.values():
            assert all(any(part in text for text in written) for part in str(value).split(", ")), each
        if each.put is not None:
            again = problems(Document("a.yaml", 0, 1, "", _with(manifest, *each.put)).root, "1.36")
            assert (each.at, each.cause) not in [(other.at, other.cause) for other in again], each
    assert len({(each.at, each.cause) for each in found}) == len(found)


def _at(data: Any, path: Path) -> Any:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return data


def _texts(data: Any) -> list[str]:
    if isinstance(data, dict):
        return [text for key, value in data.items() for text in (str(key), *_texts(value))]
    if isinstance(data, list):
        return [text for each in data for text in _texts(each)]
    return [str(data)]


def _with(manifest: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(manifest)
    holder: Any = changed
    for step in path[:-1]:
        holder = holder.setdefault(step, {}) if isinstance(holder, dict) else holder[step]
    holder[path[-1]] = value
    return changed
