"""The answers about each group before and after a change, and what of them got worse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import groupby

from trainlint.fact import fact
from trainlint.model.known import Answer
from trainlint.model.needs import Needs
from trainlint.model.workload import Group, ObjectRef
from trainlint.proof.group import GroupProof
from trainlint.rule import Change, Facts
from trainlint_rules.placement.answer_worsened.growth import Growth, More, growths

__all__ = ["Aspect", "Worsening", "worsenings"]

RANKS = {Answer.REFUTED: 0, Answer.UNKNOWN: 1, Answer.CONDITIONAL: 2, Answer.PROVED: 3}


class Aspect(StrEnum):
    """What an answer is about."""

    PLACEMENT = "can run"
    NEED = "needs more"
    EVERY = "every placement"
    CONNECTIONS = "connections"


@fact
class Worsening:
    """One answer about a group that is worse than before; ``growths`` are what there is more of in its needs."""

    before: GroupProof
    now: GroupProof
    aspect: Aspect
    growths: tuple[Growth, ...] = ()

    @property
    def more(self) -> str:
        """What there is more of; empty where the answer itself is another one."""
        return self.growths[0].more if self.growths else ""


def worsenings(change: Change) -> Iterator[Worsening]:
    """What got worse for groups that were there before, in each snapshot that is in both states."""
    for before, after in change.pairs():
        if before.snapshot is after.snapshot:
            continue
        known = _Known(before.proofs)
        for now in after.proofs:
            old = known.of(now.group)
            if old is not None and old is not now:
                yield from (each for each in _worse(old, now) if not _told(each, after))


class _Known:
    """The proofs of the base revision, by the group and by the objects that make it."""

    def __init__(self, proofs: Iterable[GroupProof]) -> None:
        self._named: dict[tuple[str, str], list[GroupProof]] = defaultdict(list)
        self._owned: dict[ObjectRef, list[GroupProof]] = defaultdict(list)
        for proof in proofs:
            self._named[proof.group.kind, proof.group.name].append(proof)
            for owner in _owners(proof.group):
                self._owned[owner].append(proof)

    def of(self, group: Group) -> GroupProof | None:
        """What was proved about the group, or about those that became it; ``None`` for one that is new."""
        named = self._named.get((group.kind, group.name), ())
        if named:
            return min(named, key=lambda each: _file(each.group) != _file(group))
        found = {id(each): each for owner in _owners(group) for each in self._owned.get(owner, ())}
        return _together(list(found.values()))


def _owners(group: Group) -> dict[ObjectRef, None]:
    """The objects that make the pods of a group, apart from what other groups use too."""
    return dict.fromkeys(each.owner for at, each in enumerate(group.members) if at not in group.dependencies)


def _file(group: Group) -> str:
    return (group.at or group.members[0].at).file


def _together(proofs: Sequence[GroupProof]) -> GroupProof | None:
    """The proofs of several groups as that of one: its answers are the worst ones, its needs all of theirs."""
    if len(proofs) < 2:
        return proofs[0] if proofs else None
    needs = [each.needs for each in proofs if each.needs is not None]
    return replace(
        proofs[0],
        exists=Answer.of_all(each.exists for each in proofs),
        for_all=Answer.of_all(each.for_all for each in proofs),
        connections=Answer.of_all(each.connections for each in proofs),
        needs=_all_of(needs) if len(needs) == len(proofs) else None,
    )


def _all_of(needs: Sequence[Needs]) -> Needs:
    first = needs[0]
    return replace(
        first,
        roles=tuple(role for each in needs for role in each.roles),
        objects=tuple(need for each in needs for need in each.objects),
        shared=tuple(key for each in needs for key in each.shared),
        others=tuple(text for each in needs for text in each.others),
    )


def _told(worse: Worsening, facts: Facts) -> bool:
    """Whether other rules report why it is not known any more whether the group can run."""
    if worse.aspect is not Aspect.PLACEMENT or worse.now.exists is not Answer.UNKNOWN:
        return False
    told = facts.groups.told(worse.now)
    return any(each in told for each in worse.now.missing)


def _worse(before: GroupProof, now: GroupProof) -> Iterator[Worsening]:
    if Answer.REFUTED in (now.exists, now.connections):
        return  # other rules say why
    cut = before.connections is Answer.PROVED and now.connections is Answer.UNKNOWN
    if cut:
        yield Worsening(before, now, Aspect.CONNECTIONS)
    if cut and now.exists is Answer.UNKNOWN:
        return  # one cause
    if RANKS[now.exists] < RANKS[before.exists] or _nodes_gone(before, now):
        yield Worsening(before, now, Aspect.PLACEMENT)
    elif now.exists is Answer.CONDITIONAL and before.needs is not None and now.needs is not None:
        grown = sorted(growths(before.needs, now.needs), key=lambda each: list(More).index(each.more))
        for _, alike in groupby(grown, key=lambda each: each.more):
            yield Worsening(before, now, Aspect.NEED, tuple(alike))
        if _breadth(now) < _breadth(before) and _several(before):
            yield Worsening(before, now, Aspect.EVERY)
    elif _breadth(now) < _breadth(before) and not (now.for_all is Answer.REFUTED and now.causes):
        yield Worsening(before, now, Aspect.EVERY)


def _nodes_gone(before: GroupProof, now: GroupProof) -> bool:
    """Whether the nodes were known, so that nothing but objects was needed, and are not any more."""
    return (
        before.exists is now.exists is Answer.CONDITIONAL
        and before.needs is not None
        and now.needs is not None
        and bool(now.needs.roles)
        and not before.needs.roles
    )


def _breadth(proof: GroupProof) -> int:
    """How good the answer about every placement is: no, unknown, if all nodes are in one domain, yes."""
    if proof.for_all is Answer.CONDITIONAL:
        return 2 if proof.needs is not None and proof.needs.together else 3
    return RANKS[proof.for_all]


def _several(proof: GroupProof) -> bool:
    """Whether the group has more than one pod: one pod alone is in one domain."""
    return sum(each.replicas if isinstance(each.replicas, int) else 2 for each in proof.group.members) > 1
