"""Where a user writes what a TrainJob's pods hold: in its trainer section, in a runtime patch, or in the runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from trainlint.finding import Location
from trainlint.model.workload import PodSet
from trainlint.source.document import Field
from trainlint.workload.trainer_template import is_told

__all__ = ["written_places"]

_CONTAINERS: Final = ("template", "spec", "template", "spec", "containers")
_KEYS: Final = ("name", "mountPath", "containerPort", "key", "ip")
_WHOLE: Final = frozenset({"image", "command", "args"})

Steps = tuple[str | int, ...]


def written_places(
    pods: PodSet, job: Field, runtime: Field | None, made: Mapping[str, Any], *, launcher_is_node: bool
) -> PodSet:
    """The pod set whose pod spec knows the places that a user wrote.

    ``made`` is the JobSet's spec, below which the spec has its places so far; ``runtime`` the runtime's object, if a
    document holds it.
    """
    moved = _Places(job, runtime, made, launcher_is_node=launcher_is_node)
    return replace(pods, spec=_relocated(pods.spec, moved))


def _relocated(value: Any, moved: Callable[[Location], Location]) -> Any:
    """The value with all places in it moved."""
    if isinstance(value, Location):
        return moved(value)
    if isinstance(value, tuple):
        return tuple(_relocated(each, moved) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _relocated(getattr(value, each.name), moved) for each in fields(value)})
    return value


class _Places:
    """Moves a place of the JobSet that Trainer makes to where its value is written."""

    def __init__(self, job: Field, runtime: Field | None, made: Mapping[str, Any], *, launcher_is_node: bool) -> None:
        self._job = job
        self._runtime = runtime
        self._made = made
        self._launcher_is_node = launcher_is_node

    def __call__(self, at: Location) -> Location:
        steps = at.path[len(self._job.path) :]
        if at.file != self._job.document.file or at.document != self._job.document.index or steps[:1] != ("spec",):
            return at
        steps = steps[1:]
        named = tuple(_named(self._made, steps))
        if (found := self._by_trainer(steps)) is not None:
            return found
        own = None if self._runtime is None else _reached(self._runtime.down("spec", "template", "spec"), named)
        if own is not None and own[1] and isinstance(_below(self._made, steps), dict):
            return own[0]  # patches only add to it
        for patch in reversed([*self._job.down("spec", "runtimePatches").elements()]):
            found, whole = _reached(patch.down("trainingRuntimeSpec", "template", "spec"), named)
            if whole:
                return found
        if own is None:
            trainer = self._job.down("spec", "trainer")
            return trainer.at if trainer.present else self._job["spec"].at
        return own[0]

    def _by_trainer(self, steps: Steps) -> Location | None:
        """The place in the trainer section, where it decides what stands below a container."""
        trainer = self._job.down("spec", "trainer")
        if len(steps) < 9 or steps[0] != "replicatedJobs" or steps[2:7] != _CONTAINERS or trainer.mapping is None:
            return None
        job, container = _below(self._made, steps[:2]), _below(self._made, steps[:8])
        key, rest = str(steps[8]), steps[9:]
        if not is_told(job, container, key, launcher_is_node=self._launcher_is_node):
            return None
        if key in _WHOLE and trainer[key].present:
            return trainer.down(key, *rest).at
        asked = trainer["resourcesPerNode"]
        if key == "resources" and (asked["limits"].present or asked["requests"].present):
            return asked.down(*rest).at
        if key == "env" and rest:
            entry = _below(self._made, steps[:10])
            for element in reversed([*trainer["env"].elements()]):
                if isinstance(entry, dict) and element["name"].value == entry.get("name"):
                    return element.down(*rest[1:]).at
        return None


def _named(value: Any, steps: Sequence[str | int]) -> Iterator[tuple[str | int, Any]]:
    """The steps, each with the value below it: elements of lists are found again by what names them."""
    for step in steps:
        value = _below(value, (step,))
        yield step, value


def _below(value: Any, steps: Sequence[str | int]) -> Any:
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _reached(field: Field, named: Sequence[tuple[str | int, Any]]) -> tuple[Location, bool]:
    """How far the steps lead below a field, and whether that is all the way; keys that are missing there are added."""
    for number, (step, value) in enumerate(named):
        if isinstance(step, int):
            same = next((each for each in field.elements() if _alike(each.value, value)), None)
            if same is None:
                return field.at, False
            field = same
        else:
            field = field[step]
            if not field.present:
                rest = [each for each, _ in named[number + 1 :]]
                return (field.at if int in map(type, rest) else field.down(*rest).at), False
    return field.at, True


def _alike(one: Any, other: Any) -> bool:
    """Whether two elements are the same entry of a list: by the first key that names entries, else by their value."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in _KEYS:
            if key in one or key in other:
                return bool(one.get(key) == other.get(key))
    return bool(one == other)
