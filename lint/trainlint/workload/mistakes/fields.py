"""Fields that a kind does not have where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trainlint.finding import Fix, Move, Path, Rename
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.structure import Misplaced, structure_of
from trainlint.model.workload import Workloads
from trainlint.source.document import Field
from trainlint.workload.mistakes.fault import Fault

__all__ = ["misplaced_fields"]

_WHOLE = frozenset({"TrainingRuntime", "ClusterTrainingRuntime", "DisaggregatedSet"})
"""Kinds that are whole although their pods are those of other objects: of TrainJobs, of the set's roles."""


def misplaced_fields(workloads: Workloads, objects: Iterable[tuple[Meta, Field]]) -> Iterator[Fault]:
    """The misplaced and misspelt fields of every object that makes pods, and of runtimes.

    An object that makes none may be a patch, so of it only what looks like a slip of the pen is reported.
    """
    made = {(each.field.document, each.field.path) for each in workloads.objects}
    for workload in workloads.objects:
        yield from _faults(read_meta(workload.field), workload.field, whole=True)
    for meta, item in objects:
        if (item.document, item.path) not in made:
            yield from _faults(meta, item, whole=meta.kind in _WHOLE)


def _faults(meta: Meta, item: Field, *, whole: bool) -> Iterator[Fault]:
    for found in item.once(_misplaced):
        if whole or found.meant:
            yield _fault(meta, item, found)


def _misplaced(item: Field) -> tuple[Misplaced, ...]:
    meta = read_meta(item)
    structure = structure_of(meta.api_version, meta.kind)
    return () if structure is None else tuple(structure.misplaced(item))


def _fault(meta: Meta, item: Field, found: Misplaced) -> Fault:
    path = ".".join(str(step) for step in found.field.path[len(item.path) :])
    key = str(found.field.path[-1])
    if found.meant:
        hint, remedy = f"did you mean {found.meant}?", f"write {found.meant}"
    elif found.belongs:
        hint, remedy = f"it belongs in {found.belongs}", f"move it to {found.belongs}"
    elif found.version:
        hint, remedy = f"{meta.kind} of {found.version} has it", "remove it"
    else:
        hint, remedy = "no place nearby has one either", "remove it"
    return Fault(
        f"{path} is no field of {meta.kind} ({meta.api_version}), so it is refused or dropped: {hint}",
        found.field.at,
        remedy,
        evidence={"field": path, "instead": found.meant or found.belongs},
        cause=key,
        fixes=tuple(_fixes(item, found)),
        of_key=True,
    )


def _fixes(item: Field, found: Misplaced) -> Iterator[Fix]:
    """The right name, or the right place if its parents are not in a list of several."""
    at, key = found.field.at, str(found.field.path[-1])
    if found.meant:
        yield Fix(f"write {found.meant} for {key}", (Rename(at, found.meant),))
    elif found.belongs:
        to = _within(item, tuple(found.belongs.split(".")), found.field.path[len(item.path) :])
        if to is not None:
            yield Fix(f"move {key} to {found.belongs}", (Move(at, (*at.path[: len(at.path) - len(to[1])], *to[0])),))


def _within(item: Field, belongs: Sequence[str], own: Path) -> tuple[Path, Path] | None:
    """The path of the right place in this object, and that of the wrong one; ``None`` where there are several.

    Where the way leads through a list, it is the element that holds the field, or the only one.
    """
    here, path = item, list[str | int]()
    for step in belongs:
        while isinstance(here.value, list):
            shared = tuple(path) == own[: len(path)] and len(own) > len(path)
            index = own[len(path)] if shared else 0
            if not isinstance(index, int) or (not shared and len(here.value) != 1):
                return None
            path.append(index)
            here = here[index]
        path.append(step)
        here = here[step]
    return (tuple(path), own) if not here.present else None
