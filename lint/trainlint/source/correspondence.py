"""Which part of one document is which part of another: a patch or a base, and what was rendered of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.finding import Path
from trainlint.source.document import MISSING

__all__ = ["Correspondence", "same", "scalars", "value_at"]

_KEYS: Final = ("name", "mountPath", "containerPort", "topologyKey", "key", "devicePath", "ip", "kind")
"""Keys by which elements of lists are merged, or told apart by their readers."""
_WORDS: Final = {True: frozenset({"true", "yes", "on", "y"}), False: frozenset({"false", "no", "off", "n"})}


def same(one: Any, other: Any) -> bool:
    """Whether a rendered value is a written one: kustomize quotes words that YAML 1.1 takes for booleans."""
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(other, bool) and isinstance(one, str):
        return one.lower() in _WORDS[other]
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def value_at(data: Any, path: Path) -> Any:
    """The value at a path, or ``MISSING``."""
    for step in path:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step, MISSING)
        elif isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data):
            data = data[step]
        else:
            return MISSING
    return data


def scalars(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value in another one that is no collection, with its path."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from scalars(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from scalars(each, (*path, index))
    else:
        yield path, value


class Correspondence:
    """Follows paths of one rendered value through others, from which it was made."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[int, int], tuple[dict[int, int], Any, Any]] = {}

    def follow(self, rendered: Any, other: Any, path: Path) -> tuple[Path, Any]:
        """The path in ``other`` that is ``path`` in ``rendered``, and the value there; ``MISSING`` where it ends."""
        found: list[str | int] = []
        for step in path:
            if isinstance(step, str) and isinstance(other, dict) and isinstance(rendered, dict) and step in other:
                rendered, other = rendered.get(step, MISSING), other[step]
                found.append(step)
                continue
            if isinstance(step, int) and isinstance(other, list) and isinstance(rendered, list):
                index = self._aligned(rendered, other).get(step)
                if index is not None:
                    rendered, other = rendered[step], other[index]
                    found.append(index)
                    continue
            return tuple(found), MISSING
        return tuple(found), other

    def _aligned(self, rendered: list[Any], other: list[Any]) -> dict[int, int]:
        """The element of ``other`` that each rendered element was."""
        key = (id(rendered), id(other))
        if key not in self._pairs:
            self._pairs[key] = (_align(rendered, other), rendered, other)  # they stay, so that no other has their id
        return self._pairs[key][0]


def _align(rendered: list[Any], other: list[Any]) -> dict[int, int]:
    left = dict(enumerate(other))
    found: dict[int, int] = {}
    for matches in (same, _named_alike, _renamed):
        for index, value in enumerate(rendered):
            if index not in found:
                match = next((at for at, candidate in left.items() if matches(value, candidate)), None)
                if match is not None:
                    found[index] = match
                    del left[match]
    if len(rendered) == len(other):
        for index in range(len(rendered)):
            if index not in found and index in left and not _name(rendered[index]):
                found[index] = index
                del left[index]
    for index, value in enumerate(rendered):
        if index not in found:
            held = [at for at, candidate in left.items() if _is_held(value, candidate)]
            if len(held) == 1:
                found[index] = held[0]
                del left[held[0]]
    return found


def _is_held(value: Any, candidate: Any) -> bool:
    """Whether a rendered element may be another one that was given a new name: all else that this says is in it."""
    if not isinstance(value, dict) or not isinstance(candidate, dict):
        return False
    said = {key: inner for key, inner in candidate.items() if key != "name"}
    return bool(said) and "name" in candidate and _holds(value, said)


def _holds(value: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(value, dict) and all(key in value and _holds(value[key], part[key]) for key in part)
    if isinstance(part, list):
        return isinstance(value, list) and all(any(_holds(each, one) for each in value) for one in part)
    return same(value, part)


def _named_alike(one: Any, other: Any) -> bool:
    return _name(one) is not None and _name(one) == _name(other)


def _renamed(one: Any, other: Any) -> bool:
    """Whether the name of one may be the other's, with a prefix, a suffix or a hash."""
    now, before = _name(one), _name(other)
    return now is not None and before is not None and now[0] == before[0] == "name" and before[1] in now[1]


def _name(value: Any) -> tuple[str, str] | None:
    """What tells an element of a list from the others."""
    if isinstance(value, dict):
        for key in _KEYS:
            if isinstance(value.get(key), (str, int)):
                return key, str(value[key])
    return None
