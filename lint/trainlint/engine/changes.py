"""What a change touched: whether a place is new, holds another value than before, or lost a part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from typing import Any

from trainlint.engine.repository_state import State
from trainlint.finding import Location, Path
from trainlint.snapshot.objects import ApiObject, Key
from trainlint.source.document import MISSING, Document
from trainlint.source.spans import locate

__all__ = ["Changes"]


class Changes:
    """Compares documents with those that they were, wherever they stood: files may be renamed, objects moved.

    Values are compared, not lines: comments, line ends and the order of keys are no change, and an element that only
    moved within its list is none either. ``same`` are the files in which nothing differs.
    """

    def __init__(self, base: State, head: State, same: frozenset[str]) -> None:
        self.base = base
        self.head = head
        self._same = same

    def touches(self, at: Location) -> bool:
        """Whether the change touched a place of the head; what is not there is a part of its nearest parent."""
        if at.base or at.file in self._same:
            return False
        document = self.head.places.document(at)
        if document is None:
            return True
        before = self.counterpart(document)
        if before is None:
            return True
        now, then = _pair(document.data, before.data, locate(document, at.path)[0])
        return bool(now != then)

    def narrowed(self, at: Location) -> Location:
        """The first touched place at or below one that is touched: the part that is new, other, or lost something."""
        document = self.head.places.document(at)
        before = self.counterpart(document) if document is not None else None
        if document is None or before is None:
            return at
        path = locate(document, at.path)[0]
        now, then = _pair(document.data, before.data, path)
        while then is not MISSING:
            below = next(((step, *pair) for step, *pair in _parts(now, then) if pair[0] != pair[1]), None)
            if below is None:
                break
            step, now, then = below
            path = (*path, step)
        return Location(at.file, at.document, path)

    def undone(self, document: Document) -> Iterator[tuple[Location, Document]]:
        """The smallest touched parts of a document that was there before, each with the document without that touch.
        A part that is gone is seen at its parent.
        """
        before = self.counterpart(document)
        for path, step, now, then in _touched(document.data, before.data) if before is not None else ():
            data = deepcopy(document.data)
            here = data
            for each in path:
                here = here[each]
            if then is MISSING:
                del here[step]
            elif isinstance(here, list) and now is MISSING:
                here.append(then)
            else:
                here[step] = then
            at = path if now is MISSING else (*path, step)
            yield Location(document.file, document.index, at), replace(document, data=data)

    def counterpart(self, document: Document) -> Document | None:
        """The document of the base revision that became this one; ``None`` where there was none."""
        here = (document.file, document.index)
        keys = [item.key for item in self.head.repository.by_place.get(here, ()) if item.key is not None]
        for key in keys:
            found = self._by_key.get(key, ())
            same = [item for item in found if item.written.file == document.file] or found
            if same:
                nearest = min(same, key=lambda item: abs(item.written.document - document.index))
                return self.base.places.document(nearest.written)
        if keys:
            return None
        return self.base.places.document(Location(*here))

    @cached_property
    def _by_key(self) -> Mapping[Key, list[ApiObject]]:
        found: dict[Key, list[ApiObject]] = defaultdict(list)
        for item in self.base.repository.objects:
            if item.key is not None:
                found[item.key].append(item)
        return found


def _pair(now: Any, then: Any, path: Path) -> tuple[Any, Any]:
    """The values at a path of the head: what it is, and what it was (``MISSING`` if it is new)."""
    for step in path:
        pairs = {here: (value, before) for here, value, before in _parts(now, then)}
        now, then = pairs.get(step, (MISSING, MISSING))
    return now, then


def _touched(now: Any, then: Any, path: Path = ()) -> Iterator[tuple[Path, str | int, Any, Any]]:
    """The smallest parts that are new, other or gone: the path of the parent, the step below it, what is there now and
    what was (``MISSING`` where there is nothing).
    """
    kept = set()
    for step, value, old in _parts(now, then):
        kept.add(step if isinstance(now, dict) else id(old))
        if value == old:
            continue
        if old is not MISSING and type(value) is type(old) and isinstance(value, dict | list):
            yield from _touched(value, old, (*path, step))
        else:
            yield path, step, value, old
    if isinstance(now, dict):
        yield from ((path, key, MISSING, old) for key, old in then.items() if key not in kept)
    elif isinstance(now, list):
        yield from ((path, len(now), MISSING, old) for old in then if id(old) not in kept)


def _parts(now: Any, then: Any) -> Iterator[tuple[str | int, Any, Any]]:
    """The entries or elements of a value, each with what it was."""
    if isinstance(now, dict):
        before = then if isinstance(then, dict) else {}
        for key, value in now.items():
            yield key, value, before.get(key, MISSING)
    elif isinstance(now, list):
        yield from _elements(now, then if isinstance(then, list) else [])


def _elements(now: list[Any], then: list[Any]) -> Iterator[tuple[int, Any, Any]]:
    """Elements by their values, else by their names, else by their indices: each was one element at most."""
    left = dict(enumerate(then))
    found: dict[int, Any] = {}
    for same in (_equal, _named_alike):
        for index, value in enumerate(now):
            if index not in found:
                old = index if index in left and same(value, left[index]) else None
                if old is None:
                    old = next((other for other, before in left.items() if same(value, before)), None)
                if old is not None:
                    found[index] = left.pop(old)
    for index, value in enumerate(now):
        if index not in found and not _name(value):
            found[index] = left.pop(index, MISSING)
        yield index, value, found.get(index, MISSING)


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _named_alike(one: Any, other: Any) -> bool:
    return bool(_name(one)) and _name(one) == _name(other)


def _name(value: Any) -> Any:
    """The name by which Kubernetes merges elements, or that of an object in a List."""
    if not isinstance(value, dict):
        return None
    metadata = value.get("metadata")
    return value.get("name") or (metadata.get("name") if isinstance(metadata, dict) else None)
