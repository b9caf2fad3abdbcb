"""What a reader reads: the fields of a manifest without which it reads something else."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from trainlint.source.document import Document, Field

__all__ = ["field", "unread"]

Path = tuple[str | int, ...]


def field(data: Any) -> Field:
    """The cursor at the top of a document, written as YAML or given as data."""
    return Document("a.yaml", 0, 1, "", yaml.safe_load(data) if isinstance(data, str) else data).root


def unread(read: Callable[[Field], object], manifest: str) -> list[str]:
    """The paths of scalars of a manifest that may be missing without a difference to what is read.

    A reader that looks for a field by another name, or not at all, reads the same without it.
    """
    data = yaml.safe_load(manifest)
    whole = read(field(data))
    return [".".join(map(str, path)) for path in _scalars(data) if read(field(_without(data, path))) == whole]


def _scalars(data: Any, path: Path = ()) -> Iterator[Path]:
    entries: Any = ()
    if isinstance(data, dict):
        entries = data.items()
    elif isinstance(data, list):
        entries = enumerate(data)
    elif path:
        yield path
    for step, value in entries:
        yield from _scalars(value, (*path, step))


def _without(data: Any, path: Path) -> Any:
    changed = copy.deepcopy(data)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    return changed
