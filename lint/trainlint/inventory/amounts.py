"""Resources of nodes that a list does not name: their amounts are unknown or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from trainlint.inventory.ground import PoolGround
from trainlint.inventory.instance_types import ALLOCATABLE_LEFT_OPEN
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pool import KUBELET_LABELS, Pool
from trainlint.model.quantity import QuantityError, parse_quantity

__all__ = ["DEFAULT_MAX_PODS", "as_written", "at_least", "least_amounts"]

DEFAULT_MAX_PODS: Final = "110"
"""The kubelet's default for maxPods."""

_SIZES: Final = ("cpu", "memory")
"""Every kubelet reports these: a list with both of them says what the node has, and one without is an extract."""


def as_written(pool: Pool, *, devices: bool = False) -> Pool:
    """The pool with what its source does not say.

    A list with cpu and memory names every device of the node: what it leaves out is not there. Huge pages and local
    disks are unknown where they are not written, as is everything that a list without cpu or memory leaves out (but for
    devices where ``devices`` says that the source lists all of them). For the number of pods the kubelet's default is
    taken, and a note says so. Labels that every kubelet sets are unknown where they are not written.
    """
    labels = {key: Because(PoolGround.KUBELET_LABEL, (key,)) for key in KUBELET_LABELS if key not in pool.labels}
    pool = replace(pool, undetermined={**labels, **pool.undetermined})
    if pool.allocatable is None:
        return pool
    notes = pool.notes
    if "pods" not in pool.allocatable and not devices:
        said = f"{pool.name}: room for {DEFAULT_MAX_PODS} pods, the kubelet's default; its allocatable does not say it"
        notes = (*notes, said)
    whole = all(name in pool.allocatable for name in _SIZES)
    unsaid = _unsaid() if whole else _unsaid(*_SIZES)
    return replace(
        pool,
        allocatable={**unsaid, "pods": DEFAULT_MAX_PODS, **pool.allocatable},
        open_resources=pool.open_resources or not (whole or devices),
        notes=notes,
    )


def _unsaid(*names: str) -> Mapping[str, Known[str]]:
    return {name: Undetermined(Because(PoolGround.NOT_WRITTEN, (name,))) for name in (*names, *ALLOCATABLE_LEFT_OPEN)}


def least_amounts(lists: Sequence[Mapping[str, Known[str]]]) -> Iterator[tuple[str, Known[str]]]:
    """Each resource that all lists have, with its least amount; undetermined where a list leaves it open."""
    for name, first in lists[0].items():
        amounts = [each[name] for each in lists if name in each]
        if len(amounts) < len(lists):
            continue
        known = [amount for amount in amounts if not isinstance(amount, Undetermined)]
        if len(known) < len(amounts):
            yield name, next(amount for amount in amounts if isinstance(amount, Undetermined))
            continue
        try:
            yield name, min(known, key=parse_quantity)
        except QuantityError:
            yield name, first


def at_least(one: Mapping[str, Known[str]], other: Mapping[str, Known[str]]) -> bool:
    """Whether a list of resources surely has as much of each as another one states."""
    for name, wanted in other.items():
        if isinstance(wanted, Undetermined):
            continue
        offered = one.get(name, "0")
        try:
            if isinstance(offered, Undetermined) or parse_quantity(offered) < parse_quantity(wanted):
                return False
        except QuantityError:
            return False
    return True
