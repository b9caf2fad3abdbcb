"""The changes of one value that turn a recorded object which is taken into one that is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.conformance.expansion import Record, read_records

REMOVED: Final = object()
"""Stands for a value that is no longer there."""
_ATOMS: Final = (str, int, float, bool, type(None))

Where = tuple[str | int, ...]


@dataclass(frozen=True)
class SingleMutation:
    """In the record of this id a value at a path of objects that are taken, and the fields that the refusal names."""

    id: str
    kind: str
    taken: list[dict[str, Any]]
    where: Where
    value: Any
    fields: tuple[str, ...]


def single_mutations(paths: Sequence[Path]) -> Iterator[SingleMutation]:
    """One for each refused record that differs from a record that is taken by one value."""
    for path in paths:
        records = [record for record in read_records(path) if not record.get("config")]
        taken = [record for record in records if "output" in record and not record.get("child_rejected")]
        for record in records:
            if "rejected" in record:
                yield from _mutation(record, taken)


def _mutation(record: Record, taken: Sequence[Record]) -> Iterator[SingleMutation]:
    kind = kind_of(record["input"])
    leaves = dict(_leaves(record["input"]))
    for other in taken:
        if kind_of(other["input"]) != kind or len(other["input"]) != len(record["input"]):
            continue
        before = dict(_leaves(other["input"]))
        differing = {where for where in {*leaves, *before} if leaves.get(where, REMOVED) != before.get(where, REMOVED)}
        if len(differing) == 1:
            where = differing.pop()
            fields = tuple(each.get("field", "") for each in record["rejected"])
            yield SingleMutation(record["id"], kind, other["input"], where, leaves.get(where, REMOVED), fields)
            return


def kind_of(items: Sequence[Mapping[str, Any]]) -> str:
    """The API version and kind of the first object."""
    return f"{items[0]['apiVersion']} {items[0]['kind']}"


def _leaves(value: Any, at: Where = ()) -> Iterator[tuple[Where, Any]]:
    """The values that hold no others, each with its path."""
    if isinstance(value, _ATOMS) or not value:
        yield at, value
    else:
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(each, (*at, key))


def mutated(items: list[dict[str, Any]], mutation: SingleMutation) -> bool:
    """Apply a mutation to objects; ``False`` where they have no place for it."""
    here: Any = items
    for step in mutation.where[:-1]:
        if isinstance(here, dict):
            here = here.setdefault(step, {})
        elif isinstance(here, list) and isinstance(step, int) and step < len(here):
            here = here[step]
        else:
            return False
    last = mutation.where[-1]
    if isinstance(here, dict):
        if mutation.value is REMOVED:
            return here.pop(last, REMOVED) is not REMOVED
        here[last] = mutation.value
        return True
    if isinstance(here, list) and isinstance(last, int) and last < len(here) and mutation.value is not REMOVED:
        here[last] = mutation.value
        return True
    return False
