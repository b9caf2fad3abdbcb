"""The smallest change of labels or ports after which a denied connection is allowed: searched for, and tried."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import combinations, count, islice

from trainlint.fact import fact
from trainlint.model.policy import Action, Decision, Direction, Permission, Verdict
from trainlint.policy.edits import (
    WAYS,
    Edit,
    Editor,
    Edits,
    LabelEdit,
    PortEdit,
    Question,
    burden,
    consistent,
    order,
    with_ports,
)
from trainlint.policy.explanation import entries_about
from trainlint.policy.matching import ready
from trainlint.policy.policyset import PolicySet

__all__ = ["OpeningEdits", "opening_edits"]

TRIALS = 400
"""Combinations of edits that are tried at most."""

ALTERNATIVES = 3
LARGEST = 6


@fact
class OpeningEdits:
    """Edits after which the denied directions allow the connection, with the verdict of the trial."""

    edits: tuple[Edit, ...]
    verdict: Verdict


def opening_edits(policies: PolicySet, question: Question) -> tuple[OpeningEdits, ...]:
    """The smallest sets of edits that open a denied connection; none where it is not denied, or nothing helps.

    Every set was tried: an entry of each direction that was denied allows the connection after it, and no direction
    denies it. Pods are never taken out of the policies that isolate them.
    """
    found = list(islice(_Search(policies, question).run(), ALTERNATIVES))
    fewest = min((len(each.edits) for each in found), default=0)
    return tuple(each for each in found if len(each.edits) == fewest)


class _Search:
    """Uniform cost search over sets of edits; the cost of a set is how many edits it holds."""

    def __init__(self, policies: PolicySet, question: Question) -> None:
        self._question = question
        namespaces = {"", *(end.namespace for end in question.placed(frozenset()))}
        self._policies = policies.with_entries(each for each in policies.entries if each.namespace in namespaces)
        self._editor = Editor(self._policies, question)
        self._edited: dict[Edits, PolicySet] = {}

    def run(self) -> Iterator[OpeningEdits]:
        start = self._verdict(frozenset())
        denied = _denied(start)
        if not denied:
            return
        ticket = count()
        queue: list[tuple[int, int, int, Edits]] = [(0, 0, next(ticket), frozenset())]
        seen: set[Edits] = {frozenset()}
        shown: set[Edits] = set()
        best = LARGEST
        for _ in range(TRIALS):
            if not queue or queue[0][0] > best:
                return
            _, _, _, edits = heapq.heappop(queue)
            verdict = self._verdict(edits)
            left = _denied(verdict)
            if _opens(start, verdict):
                needed = self._needed(edits, start)
                best = min(best, len(needed))
                if needed not in shown:
                    shown.add(needed)
                    yield OpeningEdits(tuple(sorted(needed, key=order)), self._verdict(needed))
                continue
            for direction in left[:1]:
                for way in islice(self._ways(direction, edits, _of(verdict, direction)), WAYS):
                    more = _with(edits, way)
                    if more not in seen and len(more) <= best and consistent(more):
                        seen.add(more)
                        heapq.heappush(queue, (len(more), _weight(more, self._question), next(ticket), more))

    def _needed(self, edits: Edits, start: Verdict) -> Edits:
        """The smallest part of the edits that does the same: a later edit may make an earlier one needless."""
        for size in range(len(edits)):
            for part in map(frozenset, combinations(sorted(edits, key=order), size)):
                if _opens(start, self._verdict(part)):
                    return part
        return edits

    def _set(self, edits: Edits) -> PolicySet:
        ports: Edits = frozenset(each for each in edits if isinstance(each, PortEdit))
        if not ports:
            return self._policies
        if ports not in self._edited:
            self._edited[ports] = self._policies.with_entries(
                with_ports(entry, ports) for entry in self._policies.entries
            )
        return self._edited[ports]

    def _verdict(self, edits: Edits) -> Verdict:
        source, target = self._question.placed(edits)
        return self._set(edits).verdict(source, target, self._question.protocol, self._question.ports)

    def _ways(self, direction: Direction, edits: Edits, decision: Decision) -> Iterator[Edits]:
        """What would change the decision of one direction: sets of edits, each enough for one entry."""
        ends = self._question.placed(edits)
        here = 0 if direction is Direction.EGRESS else 1
        subject, peer = ends[here], ends[1 - here]
        denying = [entry for entry in decision.deciding if entry.action is Action.DENY]
        if denying:
            for entry in denying:
                yield from self._editor.evading(ready(entry, 0), subject, peer, here)
            return
        found = [
            way
            for entry in entries_about(self._set(edits), subject, direction)
            if entry.action is Action.ALLOW and entry.peers is not None
            for way in self._editor.admitting(ready(entry, 0), subject, peer, here)
        ]
        yield from sorted(found, key=lambda way: (len(way), _weight(way, self._question)))


def _opens(start: Verdict, verdict: Verdict) -> bool:
    """Whether no direction denies the connection any more, and each that denied it allows it now."""
    return not _denied(verdict) and all(_opened(_of(start, each), _of(verdict, each)) for each in _denied(start))


def _with(edits: Edits, way: Edits) -> Edits:
    """Edits and more of them; a label that was to go and is to be set is set."""
    wanted = {(each.end, each.key, each.of_namespace) for each in way if isinstance(each, LabelEdit)}
    kept = (
        each
        for each in edits
        if not isinstance(each, LabelEdit)
        or each.value is not None
        or (each.end, each.key, each.of_namespace) not in wanted
    )
    return frozenset((*kept, *way))


def _opened(before: Decision, after: Decision) -> bool:
    """Whether an entry allows what was denied, or the deny does not match any more: not just no policy at all."""
    evaded = any(entry.action is Action.DENY for entry in before.deciding)
    return after.answer is Permission.ALLOW and (evaded or bool(after.deciding))


def _denied(verdict: Verdict) -> list[Direction]:
    return [each.direction for each in (verdict.egress, verdict.ingress) if each.answer is Permission.DENY]


def _of(verdict: Verdict, direction: Direction) -> Decision:
    return verdict.egress if direction is Direction.EGRESS else verdict.ingress


def _weight(edits: Edits, question: Question) -> int:
    return sum(burden(each, question) for each in edits)
