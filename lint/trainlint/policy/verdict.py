"""The decision: which entries of a pod match a connection, and what follows (P 0.3)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import groupby
from typing import Final

from trainlint.fact import fact
from trainlint.model.policy import Action, Decision, Direction, Permission, PolicyEntry
from trainlint.model.workload import PortRange
from trainlint.policy.matching import ALL_PORTS, PortSpan, ReadyEntry

__all__ = ["Matched", "decide", "intersect"]

FEW: Final = 16
"""Spans of ports that are looked through one by one."""

Answers = frozenset[Permission]
ALLOW: Answers = frozenset({Permission.ALLOW})
DENY: Answers = frozenset({Permission.DENY})
EITHER = ALLOW | DENY


@fact(slots=False)
class Matched:
    """An entry whose subject and peer match a pair of endpoints, for certain or perhaps, and its ports for them.

    ``blocked`` marks an allow on condition of an authentication that never happens.
    """

    ready: ReadyEntry
    certain: bool
    spans: tuple[PortSpan, ...] | None
    blocked: bool = False

    @property
    def entry(self) -> PolicyEntry:
        """The entry."""
        return self.ready.entry

    def condition(self, protocol: str, port: int) -> str | None:
        """``None`` where the ports do not match, else what layer 7 must fulfil (empty: nothing)."""
        if self.spans is None:
            return ""
        found: str | None = None
        spans = self.spans
        if len(spans) > FEW:
            free, spans = self._index
            starts, ends = free.get(protocol, ((), ()))
            at = bisect_right(starts, port)
            if at and port <= ends[at - 1]:
                return ""
        for name, first, last, rule in spans:
            if name == protocol and first <= port <= last:
                if not rule.only_if:
                    return ""
                found = rule.only_if
        return found

    @cached_property
    def _index(self) -> tuple[dict[str, tuple[list[int], list[int]]], tuple[PortSpan, ...]]:
        """The first and last ports of what is open without layer 7, by protocol; all other spans."""
        free: dict[str, tuple[list[int], list[int]]] = {}
        spans = self.spans or ()
        for name, first, last, rule in sorted(spans, key=lambda span: span[:3]):
            if rule.only_if:
                continue
            starts, ends = free.setdefault(name, ([], []))
            if ends and first <= ends[-1] + 1:
                ends[-1] = max(ends[-1], last)
            else:
                starts.append(first)
                ends.append(last)
        return free, tuple(span for span in spans if span[3].only_if)


@fact
class _Outcome:
    answers: Answers
    deciding: tuple[PolicyEntry, ...] = ()
    perhaps: tuple[PolicyEntry, ...] = ()
    only_if: str = ""


Levels = list[tuple[int, list[Matched]]]


def _levels(matched: Sequence[Matched]) -> Levels:
    """Entries of one tier and priority decide together; lower numbers first, as they come already."""
    grouped = groupby(matched, key=lambda each: (each.entry.tier, each.entry.priority))
    return [(tier, list(group)) for (tier, _), group in grouped]


def _walk(levels: Levels, start: int, protocol: str, port: int, default: Answers) -> _Outcome:
    """What levels from ``start`` on decide about one port."""
    if start == len(levels):
        return _Outcome(default)
    tier, entries = levels[start]
    sure: dict[Action, list[tuple[PolicyEntry, str]]] = {action: [] for action in Action}
    perhaps: dict[Action, list[PolicyEntry]] = {action: [] for action in Action}
    blocked: list[Matched] = []
    for each in entries:
        condition = each.condition(protocol, port)
        if condition is None:
            continue
        if each.blocked:
            blocked.append(each)
        if each.certain:
            sure[each.entry.action].append((each.entry, condition))
        else:
            perhaps[each.entry.action].append(each.entry)
    if sure[Action.DENY]:
        return _Outcome(DENY, tuple(entry for entry, _ in sure[Action.DENY]))
    unsure = (*perhaps[Action.DENY], *perhaps[Action.ALLOW], *perhaps[Action.PASS])
    answers = DENY if perhaps[Action.DENY] or blocked else frozenset()
    if any(each.certain for each in blocked):  # Nothing lifts authentication, see _conditions.
        return _Outcome(DENY, tuple(each.entry for each in blocked if each.certain))
    if sure[Action.ALLOW]:
        return _Outcome(
            answers | ALLOW, tuple(entry for entry, _ in sure[Action.ALLOW]), unsure, _conditions(sure[Action.ALLOW])
        )
    if perhaps[Action.ALLOW]:
        answers |= ALLOW
    next_tier = next((index for index in range(start + 1, len(levels)) if levels[index][0] != tier), len(levels))
    follow = _walk(levels, next_tier if sure[Action.PASS] else start + 1, protocol, port, default)
    answers |= follow.answers
    if perhaps[Action.PASS] and not sure[Action.PASS]:
        answers |= _walk(levels, next_tier, protocol, port, default).answers
    return _Outcome(answers, follow.deciding, unsure + follow.perhaps, follow.only_if)


def _conditions(allowing: Sequence[tuple[PolicyEntry, str]]) -> str:
    """What else must hold: an allow without layer 7 lifts layer-7 rules beside it, but nothing lifts authentication."""
    layer_seven = dict.fromkeys(condition for _, condition in allowing)
    authentication = dict.fromkeys(entry.only_if for entry, _ in allowing if entry.only_if)
    both = ("" if "" in layer_seven else " or ".join(layer_seven), " and ".join(authentication))
    return " and ".join(filter(None, both))


def _segments(matched: Sequence[Matched], protocol: str, ports: PortRange) -> list[PortRange]:
    """The ports asked for, cut where some rule begins or ends: all ports of a segment fare alike."""
    if ports.first == ports.last:
        return [ports]
    starts = {ports.first}
    for each in matched:
        for name, first, last, _ in each.spans or ():
            if name == protocol:
                starts.update(cut for cut in (first, last + 1) if ports.first < cut <= ports.last)
    ordered = sorted(starts)
    return [PortRange(first, after - 1) for first, after in zip(ordered, [*ordered[1:], ports.last + 1], strict=True)]


def decide(
    direction: Direction,
    matched: Sequence[Matched],
    protocol: str,
    ports: PortRange | None,
    *,
    default: Answers,
    isolating: tuple[PolicyEntry, ...],
    why: Callable[[PolicyEntry], str],
) -> Decision:
    """The decision of one end on ports of a protocol (``None``: all of them).

    ``matched`` are in the order of their levels. ``default`` is what happens where no entry matches; ``why`` says what
    is not known about an entry.
    """
    if not matched and default != EITHER:
        return _by_default(direction, ports or ALL_PORTS, default, isolating)
    levels = _levels(matched)
    segments = _segments(matched, protocol, ports or ALL_PORTS)
    outcomes = [_walk(levels, 0, protocol, segment.first, default) for segment in segments]
    if any(outcome.answers == DENY for outcome in outcomes):
        answer = Permission.DENY
    elif all(outcome.answers == ALLOW for outcome in outcomes):
        answer = Permission.ALLOW
    else:
        answer = Permission.UNKNOWN
    telling = [each for each in outcomes if answer is not Permission.DENY or each.answers == DENY]
    perhaps = _distinct(entry for each in telling for entry in each.perhaps)
    unsure = (*perhaps, *(isolating if default == EITHER else ())) if answer is Permission.UNKNOWN else ()
    return Decision(
        direction=direction,
        answer=answer,
        deciding=_distinct(entry for each in telling for entry in each.deciding),
        isolating=isolating,
        allowed=_joined(segment for segment, each in zip(segments, outcomes, strict=True) if each.answers == ALLOW),
        only_if=" or ".join(dict.fromkeys(each.only_if for each in telling if each.only_if)),
        uncertain=tuple(dict.fromkeys(why(entry) for entry in unsure)),
    )


def _by_default(
    direction: Direction, ports: PortRange, default: Answers, isolating: tuple[PolicyEntry, ...]
) -> Decision:
    if default == ALLOW:
        return Decision(direction, Permission.ALLOW, isolating=isolating, allowed=(ports,))
    return Decision(direction, Permission.DENY, isolating=isolating)


def _distinct(entries: Iterable[PolicyEntry]) -> tuple[PolicyEntry, ...]:
    return tuple({id(entry): entry for entry in entries}.values())


def _joined(ranges: Iterable[PortRange]) -> tuple[PortRange, ...]:
    """Ranges in order, neighbours made one."""
    joined: list[PortRange] = []
    for each in ranges:
        if joined and joined[-1].last + 1 == each.first:
            joined[-1] = PortRange(joined[-1].first, each.last)
        else:
            joined.append(each)
    return tuple(joined)


def intersect(left: Sequence[PortRange], right: Sequence[PortRange]) -> tuple[PortRange, ...]:
    """The ports that are in both."""
    pairs = ((max(one.first, two.first), min(one.last, two.last)) for one in left for two in right)
    return _joined(sorted(PortRange(first, last) for first, last in pairs if first <= last))
