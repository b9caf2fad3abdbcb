"""What holds of dead ends that are only a note: they stay without affinity, spread and exclusivity (decision 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import yaml
from tests.fuzz.laws import Breach, is_packing
from tests.fuzz.structure import dumped, manifests, parsed
from tests.fuzz.worlds import World

from trainlint.model.known import Answer
from trainlint.result import GroupVerdict, Result

__all__ = ["breaches_of_packing", "unbound"]

BINDINGS = {"podAffinity", "podAntiAffinity", "topologySpreadConstraints"}
EXCLUSIVE = "exclusive-topology"
"""What the annotations of JobSet and LeaderWorkerSet have in common."""


def breaches_of_packing(result: Result, world: World, check: Callable[[World], Result]) -> Iterator[Breach]:
    """Groups with a note of packing that are placed well in every order once nothing binds their pods to each other."""
    noted = [group for group in result.groups if is_packing(group)]
    other = unbound(world) if noted else None
    if other is None:
        return
    after = {_name(group): group for group in check(other).groups}
    for group in noted:
        free = after.get(_name(group))
        if free is not None and free.exists is group.exists and free.for_all is Answer.PROVED:
            yield Breach("packing", f"{group.kind} has a dead end as a note, and none without affinity and spread")


def unbound(world: World) -> World | None:
    """The files without affinity between pods, spread and exclusive placement; ``None`` where one cannot be written."""
    found = dict(world)
    for name in manifests(world):
        read = parsed(world[name])
        if read is None:
            return None
        try:
            found[name] = dumped([_stripped(each) for each in read])
        except (yaml.YAMLError, RecursionError, TypeError, ValueError):
            return None
    return found


def _stripped(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: each for key, each in value.items() if key not in BINDINGS and EXCLUSIVE not in str(key)}
        return {key: _stripped(each) for key, each in kept.items()}
    return [_stripped(each) for each in value] if isinstance(value, list) else value


def _name(group: GroupVerdict) -> tuple[str, str, str]:
    return group.kind, group.name, group.snapshot
