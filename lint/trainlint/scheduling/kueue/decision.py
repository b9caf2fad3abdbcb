"""Whether a workload is ever admitted by its ClusterQueue, alone on an empty cluster (S 2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.fact import fact
from trainlint.scheduling.kueue.assignment import Assigner, Combination, FlavorAssignment, Memory
from trainlint.scheduling.kueue.match import KueueCode
from trainlint.scheduling.kueue.pod_set_groups import scaled
from trainlint.scheduling.kueue.requested import Team

__all__ = ["KueueDecision", "decide"]


@fact
class KueueDecision:
    """``admitted`` says whether some cycle reserves quota, then with which ``flavors`` and ``counts``; otherwise
    ``codes`` are the reasons of all cycles. ``delayed`` says that nodes are looked at later.
    """

    admitted: bool
    codes: frozenset[KueueCode]
    flavors: Combination | None = None
    counts: tuple[int, ...] = ()
    delayed: bool = False


def decide(assigner: Assigner, teams: Sequence[Team]) -> KueueDecision:
    """Cycle after cycle, each with what the one before remembers, until one admits the workload, nothing is left to
    try, or the memory comes back to an earlier state.
    """
    memory: Memory = {}
    seen: list[Memory] = []
    codes: set[KueueCode] = set()
    while memory not in seen:
        seen.append(memory)
        found = assigner.cycle(teams, memory)
        if found.fits:
            return _admitted(found, teams)
        partial = _partial(assigner, teams, memory)
        if partial is not None:
            return _admitted(*partial)
        codes |= found.codes
        if all(index == -1 for index in found.memory.values()) and not found.again:
            break
        memory = found.memory
    return KueueDecision(admitted=False, codes=frozenset(codes))


def _admitted(found: FlavorAssignment, teams: Sequence[Team]) -> KueueDecision:
    counts = tuple(team.count for team in teams)
    return KueueDecision(admitted=True, codes=frozenset(), flavors=found.flavors, counts=counts, delayed=found.delayed)


def _partial(
    assigner: Assigner, teams: Sequence[Team], memory: Memory
) -> tuple[FlavorAssignment, Sequence[Team]] | None:
    """The most pods that fit, where fewer are enough: fewer are taken to fit whenever more do."""
    lost = [0 if team.least is None else max(0, team.count - team.least) for team in teams]
    total = sum(lost)
    if total == 0:
        return None
    found: tuple[FlavorAssignment, Sequence[Team]] | None = None
    low, high = 0, total + 1
    while low < high:
        middle = (low + high) // 2
        fewer = [scaled(team, team.count - each * middle // total) for team, each in zip(teams, lost, strict=True)]
        tried = assigner.cycle(fewer, memory)
        if tried.fits:
            high, found = middle, (tried, fewer)
        else:
            low = middle + 1
    return found if low <= total else None
