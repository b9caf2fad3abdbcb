"""What keeps pods in one domain beside their pod spec, as units of pods over domains of a key (S 2; W 5, 6, 8, 11)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import Colocation, PodSet
from trainlint.proof.ground import ProofGround

__all__ = ["UnitPods", "key_of", "parts_of", "sizes_of", "tiers_of"]

MAX_UNITS = 100_000
"""Units of a pod set up to which their sizes are told."""
MAX_PARTS = 12
"""Parts of a pod set that are placed one by one; where there are more, not all their placements are tried."""


@fact
class UnitPods:
    """Pods of a set that are in the same units: how many, and what each unit asks for, under its name."""

    count: int
    units: tuple[tuple[str, Colocation], ...] = ()


def key_of(together: Colocation) -> Known[str]:
    """The key whose values are the domains: a node label, or what stands for a tier of HyperNodes."""
    if together.key or isinstance(together.tier, Undetermined):
        return together.key or together.tier
    from trainlint.scheduling.hypernodes import hypernode_key  # noqa: PLC0415 (seldom needed)

    return hypernode_key(together.tier)


def tiers_of(pod_sets: Sequence[PodSet]) -> frozenset[str]:
    """The tiers of HyperNodes that workloads ask for."""
    asked = [each for pods in pod_sets for each in (pods.together, pods.parts) if each is not None]
    return frozenset(each.tier for each in asked if isinstance(each.tier, str) and each.tier)


def sizes_of(pods: PodSet, together: Colocation) -> Known[tuple[int, ...]]:
    """The pods of the set in each of its units; undetermined where a number is not known, or there are too many."""
    total = pods.replicas
    if isinstance(total, Undetermined) or not together.per_block:
        return total if isinstance(total, Undetermined) else (total,)
    size = together.size
    if size is None:
        count = pods.blocks
        if isinstance(count, Undetermined):
            return count
        if count > MAX_UNITS:
            return _too_many(pods)
        return (total // count,) * count if count > 0 else ()
    if isinstance(size, Undetermined):
        return size
    if size < 1:
        return Undetermined(Because(ProofGround.NO_UNIT_SIZE, (together.by,)))
    if total > MAX_UNITS * size:
        return _too_many(pods)
    return tuple(_blocks(total, size, size if together.first is None else together.first))


def _too_many(pods: PodSet) -> Undetermined:
    return Undetermined(Because(ProofGround.TOO_MANY_UNITS, (pods.name, f"{MAX_UNITS:,}")))


def _blocks(total: int, size: int, first: int) -> Iterator[int]:
    left, now = total, first
    while left > 0:
        yield min(now, left)
        left, now = left - now, size


def parts_of(pods: PodSet) -> Known[tuple[UnitPods, ...]]:
    """The pod set cut where its units end; undetermined where that is not known, or there are too many parts."""
    asked = [each for each in (pods.together, pods.parts) if each is not None]
    cut = next((each for each in asked if each.per_block), None)
    if not asked or cut is None:
        count = pods.replicas if isinstance(pods.replicas, int) else 1
        return (UnitPods(count, tuple((each.unit, each) for each in asked)),)
    if all(each.per_block for each in asked) and len(asked) > 1:
        return Undetermined(Because(ProofGround.TWO_KINDS_OF_PARTS, (pods.name,)))
    sizes = sizes_of(pods, cut)
    if isinstance(sizes, Undetermined):
        return sizes
    if len(sizes) > MAX_PARTS:
        return Undetermined(Because(ProofGround.TOO_MANY_PARTS, (len(sizes), pods.name)))
    whole = tuple((each.unit, each) for each in asked if each is not cut)
    return tuple(
        UnitPods(size, (*whole, (f"{cut.unit} {number}", cut))) for number, size in enumerate(sizes) if size > 0
    )
