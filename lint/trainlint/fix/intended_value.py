"""The value that a document must have after an edit."""

from __future__ import annotations

from typing import Any

from trainlint.finding import Append, Edit, Move, Path, Put, Quote, Remove, Rename
from trainlint.fix.editable_nodes import NotEditableError
from trainlint.source.correspondence import value_at
from trainlint.source.document import MISSING

__all__ = ["copied", "equal", "intended"]


def copied(value: Any) -> Any:
    """A copy in which no part is shared, as parts behind aliases are."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    if isinstance(value, list):
        return [copied(each) for each in value]
    return value


def equal(one: Any, other: Any) -> bool:
    """Whether two values are the same in type and value; the order of keys does not count."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)


def intended(data: Any, edit: Edit, written: str = "") -> Any:
    """A new value of the whole document. ``written`` is the text of the scalar that a Quote puts into quotes.

    Raises:
        NotEditableError: the place is not there, or something else is.
    """
    data = copied(data)
    path = edit.at.path
    if not path:
        raise NotEditableError("the document as a whole")
    match edit:
        case Put(value=value):
            _put(data, path, copied(value))
        case Append(value=value):
            _append(data, path, copied(value))
        case Remove():
            _take(data, path)
        case Move(to=to):
            if value_at(data, to) is not MISSING or to[: len(path)] == path:
                raise NotEditableError("something stands there already")
            value = _take(data, path)
            _put(data, to, value)
        case Rename(key=key):
            holder = value_at(data, path[:-1])
            if not isinstance(holder, dict) or path[-1] not in holder or key in holder:
                raise NotEditableError("the key is not there, or the new one is")
            holder[key] = holder.pop(str(path[-1]))
        case Quote():
            if isinstance(value_at(data, path), (str, dict, list)):
                raise NotEditableError("there is no number and no boolean")
            _put(data, path, written)
    return data


def _append(data: Any, path: Path, value: Any) -> None:
    found = value_at(data, path)
    if found is None or found is MISSING:
        _put(data, path, [value])
    elif isinstance(found, list):
        found.append(value)
    else:
        raise NotEditableError("there is no list")


def _take(data: Any, path: Path) -> Any:
    holder, step = value_at(data, path[:-1]), path[-1]
    if value_at(data, path) is MISSING:
        raise NotEditableError("there is nothing to take away")
    return holder.pop(step)


def _put(data: Any, path: Path, value: Any) -> None:
    """Set a value; mappings on the way are made, and a list grows by one element at most."""
    here = data
    for step, following in zip(path, (*path[1:], None), strict=True):
        last = following is None
        made: Any = value if last else ([] if isinstance(following, int) else {})
        if isinstance(here, dict) and isinstance(step, str):
            if last or here.get(step) is None:
                here[step] = made
        elif isinstance(here, list) and isinstance(step, int) and 0 <= step <= len(here):
            if step == len(here):
                here.append(made)
            elif last or here[step] is None:
                here[step] = made
        else:
            raise NotEditableError("another kind of value stands on the way")
        here = here[step]
