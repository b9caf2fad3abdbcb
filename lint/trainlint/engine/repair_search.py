"""The smallest set of fixes that reaches a goal: searched for breadth-first, every set tried on the model."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count

from trainlint.engine.trial import OpenedConnections, Trial, TrialJudge
from trainlint.fact import fact
from trainlint.finding import Certainty, Finding, Fix, Put, Safety, Severity
from trainlint.model.known import Answer

__all__ = ["LARGEST", "Goal", "RepairedState", "finding_goal", "group_goal", "search"]

LARGEST = 4
"""Fixes in one repair at most."""
WIDEST = 24
"""Fixes that are proposed for one state at most."""


RANKS = {Safety.SAFE: 0, Safety.UNSAFE: 1, Safety.OPENING: 2}


@fact
class Goal:
    """What is to be reached, which new findings that is worth, and what may help in a state that is not there yet."""

    reached: Callable[[Trial], bool]
    bearable: Callable[[Finding], bool]
    proposals: Callable[[Trial], Iterator[Fix]]


@fact
class RepairedState:
    """A state that reaches a goal, the connections that its fixes open, and the findings that it leaves behind.

    ``gone`` is how many errors and warnings are there no more, ``said`` what the fixes say of what they open.
    """

    trial: Trial
    opened: OpenedConnections = OpenedConnections()
    leaves: tuple[Finding, ...] = ()
    gone: int = 0
    said: tuple[str, ...] = ()

    @property
    def opens(self) -> tuple[str, ...]:
        """Every connection that is new, in words; what the fixes say themselves where no known pods gain one."""
        return self.opened.texts or self.said

    @property
    def safety(self) -> Safety:
        """That of the worst of its fixes."""
        each = {fix.safety for fix in self.trial.fixes}
        if self.opened.beyond or Safety.OPENING in each:
            return Safety.OPENING
        return Safety.UNSAFE if Safety.UNSAFE in each else Safety.SAFE


def search(judge: TrialJudge, goal: Goal, trials: int, worst: Safety = Safety.OPENING) -> RepairedState | None:
    """The cheapest set of fixes that reaches the goal, brings nothing new and makes no group worse.

    One that admits more traffic only where no other does at all; of one size those that leave no bearable finding
    behind, open least, fix most and edit least, in this order. ``trials`` bounds the search; nothing is proposed that
    is worse than ``worst``.
    """
    ticket = count()
    waiting: list[tuple[bool, int, int, int, Trial, Fix]] = []

    def propose(trial: Trial) -> None:
        seen: list[Fix] = []
        touched = [edit.at for fix in trial.fixes for edit in fix.edits if isinstance(edit, Put)]
        for fix in goal.proposals(trial):
            if len(seen) == WIDEST or not judge.left:
                break
            again = any(edit.at in touched for edit in fix.edits if isinstance(edit, Put))
            fits = not again and RANKS[fix.safety] <= RANKS[worst]
            if fits and all(fix.edits != other.edits for other in seen):
                seen.append(fix)
                opening = any(each.safety is Safety.OPENING for each in (*trial.fixes, fix))
                edits = sum(len(each.edits) for each in (*trial.fixes, fix))
                heapq.heappush(waiting, (opening, len(trial.fixes) + 1, edits, next(ticket), trial, fix))

    if not judge.left:
        return None
    propose(judge.start)
    expanded: set[frozenset[tuple[str, bytes]]] = set()
    best: RepairedState | None = None
    for _ in range(trials):
        if not waiting or (best is not None and waiting[0][:2] > _size(best)):
            break
        *_, before, fix = heapq.heappop(waiting)
        if best is not None and best.trial.fixes == (*before.fixes, replace(fix, edits=best.trial.fixes[-1].edits)):
            continue  # the same in another place
        trial = judge.after(before, fix)
        if trial is None:
            continue
        if _good(judge, goal, trial):
            found = _reduced(judge, goal, _found(judge, trial))
            if found.safety is not Safety.OPENING and not found.leaves:
                return found
            if RANKS[found.safety] <= RANKS[worst]:
                best = min(filter(None, (best, found)), key=_price)
        key = frozenset(trial.changed.items())
        if len(trial.fixes) < LARGEST and key not in expanded:
            expanded.add(key)
            propose(trial)
    return best


def _found(judge: TrialJudge, trial: Trial) -> RepairedState:
    said = tuple(dict.fromkeys(fix.opens for fix in trial.fixes if fix.opens))
    return RepairedState(trial, judge.opens(trial), judge.news(trial), judge.gone(trial), said)


def _good(judge: TrialJudge, goal: Goal, trial: Trial) -> bool:
    """Whether a state reaches the goal at no price but a bearable one."""
    return goal.reached(trial) and not judge.harms(trial) and all(map(goal.bearable, judge.news(trial)))


def _size(found: RepairedState) -> tuple[bool, int]:
    return found.safety is Safety.OPENING, len(found.trial.fixes)


def _price(found: RepairedState) -> tuple[bool, int, int, int, int, int]:
    """What a repair costs, by weight: it opens something, its fixes, what it leaves behind, connections that no group
    needs, findings that stay, and its edits.
    """
    edits = sum(len(each.edits) for each in found.trial.fixes)
    return *_size(found), len(found.leaves), found.opened.beyond, -found.gone, edits


def _reduced(judge: TrialJudge, goal: Goal, found: RepairedState) -> RepairedState:
    """The same without the fixes that the others make needless."""
    fixes = found.trial.fixes
    for left_out in range(len(fixes) if len(fixes) > 1 else 0):
        trial: Trial | None = judge.start
        for number, fix in enumerate(fixes):
            if number != left_out and trial is not None:
                trial = judge.after(trial, fix)
        if trial is None or not _good(judge, goal, trial):
            continue
        less = _found(judge, trial)
        if len(less.leaves) <= len(found.leaves) and less.opened.beyond <= found.opened.beyond:
            return _reduced(judge, goal, less)
    return found


def finding_goal(judge: TrialJudge, finding: Finding) -> Goal:
    """The finding is gone. What its fixes bring to light is fixed with it."""

    def proposals(trial: Trial) -> Iterator[Fix]:
        if not trial.fixes:
            now = trial.of(finding)
            yield from () if now is None else now.fixes()
            return
        for each in judge.news(trial):
            yield from each.fixes()

    return Goal(lambda trial: trial.of(finding) is None, lambda _: False, proposals)


def group_goal(judge: TrialJudge, name: str, snapshot: str) -> Goal:
    """Both answers about the group are proved, or unknown for want of what was not known before either."""
    doubts = judge.start.doubts(name, snapshot)

    def proposals(trial: Trial) -> Iterator[Fix]:
        for each in sorted(trial.findings, key=lambda each: each.severity.rank if each.severity else 0):
            if snapshot in each.snapshots and concerns(each, trial, name, snapshot):
                yield from each.fixes()

    def reached(trial: Trial) -> bool:
        answers = trial.answers.get((name, snapshot))
        if answers is None or Answer.REFUTED in answers:
            return False
        return Answer.UNKNOWN not in answers or trial.doubts(name, snapshot) <= doubts

    return Goal(reached, _is_left_behind, proposals)


def _is_left_behind(finding: Finding) -> bool:
    """Whether a finding only says that something may be of no use any more: a policy that the pods do not need now."""
    return finding.certainty is Certainty.LIKELY and finding.severity is not Severity.ERROR


def concerns(finding: Finding, trial: Trial, group: str, snapshot: str) -> bool:
    """Whether a finding is about a group: it says so, or stands at an object that makes its pods."""
    if group in finding.groups:
        return True
    places = trial.homes.get((group, snapshot), frozenset())
    spots = [finding.at, *(related.at for related in finding.places)]
    return any((at.file, at.document) in places and not at.base for at in spots)
