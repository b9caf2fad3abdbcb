"""The decision: which entries of a pod match a connection, and what follows (P 0.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from math import inf

from trainlint.fact import fact, remembered
from trainlint.model.because import Because
from trainlint.model.policy import Action, Condition, ConditionChoice, Decision, Direction, Permission, PolicyEntry
from trainlint.model.workload import PortRange
from trainlint.policy.matching import ALL_PORTS, ReadyEntry
from trainlint.policy.port_parts import Parts, PortSpan, condition, cut, parts_of

__all__ = ["Matched", "decide", "intersect"]

Answers = frozenset[Permission]
ALLOW: Answers = frozenset({Permission.ALLOW})
DENY: Answers = frozenset({Permission.DENY})
EITHER = ALLOW | DENY


@fact
class Matched:
    """An entry whose subject and peer match a pair of endpoints, for certain or perhaps, and its ports for them.

    ``blocked`` marks an allow on condition of an authentication that never happens. ``ended`` are the entries that
    isolate where this stands for the end of their tier.
    """

    ready: ReadyEntry
    certain: bool
    spans: tuple[PortSpan, ...] | None
    blocked: bool = False
    ended: tuple[PolicyEntry, ...] = ()

    @property
    def level(self) -> tuple[int, float]:
        """The tier and the place in it; its end comes last."""
        entry = self.ready.entry
        return (entry.tier, inf if self.ended else entry.priority)

    @property
    def entry(self) -> PolicyEntry:
        """The entry."""
        return self.ready.entry

    def parts(self) -> Parts:
        """The parts into which its spans cut the ports; those of names differ from peer to peer."""
        return self.ready.parts if self.spans is self.ready.spans else _parts(self.spans or ())

    def condition(self, protocol: str, port: int) -> tuple[Condition, ...] | None:
        """``None`` where the ports do not match, else what layer 7 must fulfil (empty: nothing)."""
        return () if self.spans is None else condition(self.spans, self.parts, protocol, port)


_parts = remembered(parts_of, most=8)
Active = list[tuple[Matched, tuple[Condition, ...]]]
"""Entries that match a port, in the order of their levels, each with what layer 7 must fulfil."""


@fact
class _Outcome:
    answers: Answers
    deciding: tuple[PolicyEntry, ...] = ()
    perhaps: tuple[PolicyEntry, ...] = ()
    only_if: ConditionChoice = ConditionChoice()
    ended: tuple[PolicyEntry, ...] = ()


Levels = list[tuple[int, Active]]


def _levels(active: Active) -> Levels:
    """Entries of one tier and priority decide together; lower numbers first, as they come already."""
    grouped = groupby(active, key=lambda each: each[0].level)
    return [(tier, list(group)) for (tier, _), group in grouped]


@fact
class _Step:
    """What one level decides: ``answers`` beside those of what follows, unless it is ``final``.

    ``skip`` says whether what follows is the next tier; ``None``: that, or the next level.
    """

    answers: Answers
    final: bool = False
    deciding: tuple[PolicyEntry, ...] = ()
    perhaps: tuple[PolicyEntry, ...] = ()
    only_if: ConditionChoice = ConditionChoice()
    ended: tuple[PolicyEntry, ...] = ()
    skip: bool | None = False


def _walk(levels: Levels, default: Answers) -> _Outcome:
    """What the levels decide about one port, each asked until one is certain."""
    answers: Answers = frozenset()
    perhaps: tuple[PolicyEntry, ...] = ()
    other_ways: list[int] = []
    asked: set[int] = set()
    at, last = 0, _Step(default, final=True)
    while at < len(levels):
        asked.add(at)
        step = _step(levels[at][1])
        answers |= step.answers
        perhaps += step.perhaps
        if step.final:
            last = step
            break
        if step.skip is None:
            other_ways.append(_next_tier(levels, at))
        at = _next_tier(levels, at) if step.skip else at + 1
    else:
        answers |= default
    while other_ways:
        answers |= _answers(levels, other_ways, asked, default)
    return _Outcome(answers, last.deciding, perhaps, last.only_if, last.ended)


def _answers(levels: Levels, other_ways: list[int], asked: set[int], default: Answers) -> Answers:
    """What may be decided on one of the ways that a connection takes where an entry perhaps passes it on."""
    at, answers = other_ways.pop(), frozenset[Permission]()
    while at < len(levels):
        if at in asked:
            return answers
        asked.add(at)
        step = _step(levels[at][1])
        answers |= step.answers
        if step.final:
            return answers
        if step.skip is None:
            other_ways.append(_next_tier(levels, at))
        at = _next_tier(levels, at) if step.skip else at + 1
    return answers | default


def _next_tier(levels: Levels, at: int) -> int:
    tier = levels[at][0]
    return next((index for index in range(at + 1, len(levels)) if levels[index][0] != tier), len(levels))


def _step(entries: Active) -> _Step:
    first = entries[0][0]
    if first.ended:
        return _Step(DENY, first.certain, perhaps=() if first.certain else first.ended, ended=first.ended)
    sure: dict[Action, list[tuple[PolicyEntry, tuple[Condition, ...]]]] = {action: [] for action in Action}
    perhaps: dict[Action, list[PolicyEntry]] = {action: [] for action in Action}
    blocked: list[Matched] = []
    for each, asked in entries:
        if each.blocked:
            blocked.append(each)
        if each.certain:
            sure[each.entry.action].append((each.entry, asked))
        else:
            perhaps[each.entry.action].append(each.entry)
    if sure[Action.DENY]:
        return _Step(DENY, final=True, deciding=tuple(entry for entry, _ in sure[Action.DENY]))
    unsure = (*perhaps[Action.DENY], *perhaps[Action.ALLOW], *perhaps[Action.PASS])
    answers = DENY if perhaps[Action.DENY] or blocked else frozenset[Permission]()
    if any(each.certain for each in blocked):  # Nothing lifts authentication, see _conditions.
        return _Step(DENY, final=True, deciding=tuple(each.entry for each in blocked if each.certain))
    if sure[Action.ALLOW]:
        deciding, choice = tuple(entry for entry, _ in sure[Action.ALLOW]), _conditions(sure[Action.ALLOW])
        return _Step(answers | ALLOW, final=True, deciding=deciding, perhaps=unsure, only_if=choice)
    if perhaps[Action.ALLOW]:
        answers |= ALLOW
    skip = True if sure[Action.PASS] else None if perhaps[Action.PASS] else False
    return _Step(answers, perhaps=unsure, skip=skip)


def _conditions(allowing: Sequence[tuple[PolicyEntry, tuple[Condition, ...]]]) -> ConditionChoice:
    """What else must hold: an allow without layer 7 lifts layer-7 rules beside it, but nothing lifts authentication."""
    layer_seven = dict.fromkeys(condition for _, condition in allowing)
    authentication = dict.fromkeys(each for entry, _ in allowing for each in entry.only_if)
    return ConditionChoice(() if () in layer_seven else tuple(layer_seven), tuple(authentication))


def _outcomes(
    matched: Sequence[Matched], protocol: str, ports: PortRange, default: Answers
) -> Iterator[tuple[PortRange, _Outcome]]:
    """What is decided about the ports asked for, cut where some rule begins or ends: all ports of a part fare alike."""
    if ports.first == ports.last:
        found = ((each, each.condition(protocol, ports.first)) for each in matched)
        active = [(each, asked) for each, asked in found if asked is not None]
        yield ports, _walk(_levels(active), default)
        return
    always: dict[int, tuple[Condition, ...]] = {index: () for index, each in enumerate(matched) if each.spans is None}
    changing = ((index, each.parts()) for index, each in enumerate(matched) if each.spans is not None)
    known: dict[tuple[tuple[int, tuple[Condition, ...]], ...], _Outcome] = {}
    for part, matching in cut(changing, protocol, ports):
        if matching not in known:
            active = [(matched[index], asked) for index, asked in sorted({**always, **dict(matching)}.items())]
            known[matching] = _walk(_levels(active), default)
        yield part, known[matching]


def decide(
    direction: Direction,
    matched: Sequence[Matched],
    protocol: str,
    ports: PortRange | None,
    *,
    default: Answers,
    isolating: tuple[PolicyEntry, ...],
    why: Callable[[PolicyEntry], Because],
) -> Decision:
    """The decision of one end on ports of a protocol (``None``: all of them).

    ``matched`` are in the order of their levels. ``default`` is what happens where no entry matches; ``why`` says what
    is not known about an entry.
    """
    if not matched and default != EITHER:
        return _by_default(direction, ports or ALL_PORTS, default, isolating)
    parts = list(_outcomes(matched, protocol, ports or ALL_PORTS, default))
    outcomes = list({id(outcome): outcome for _, outcome in parts}.values())
    if any(outcome.answers == DENY for outcome in outcomes):
        answer = Permission.DENY
    elif all(outcome.answers == ALLOW for outcome in outcomes):
        answer = Permission.ALLOW
    else:
        answer = Permission.UNKNOWN
    telling = [each for each in outcomes if answer is not Permission.DENY or each.answers == DENY]
    perhaps = _distinct(entry for each in telling for entry in each.perhaps)
    unsure = (*perhaps, *(isolating if default == EITHER else ())) if answer is Permission.UNKNOWN else ()
    isolating = isolating or _distinct(entry for each in telling for entry in each.ended)
    return Decision(
        direction=direction,
        answer=answer,
        deciding=_distinct(entry for each in telling for entry in each.deciding),
        isolating=isolating,
        allowed=_joined(part for part, outcome in parts if outcome.answers == ALLOW),
        only_if=tuple(dict.fromkeys(each.only_if for each in telling if each.only_if != ConditionChoice())),
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
    """The ports that are in both. Neither list has ports twice; both are in order."""
    found: list[PortRange] = []
    one = two = 0
    while one < len(left) and two < len(right):
        first = max(left[one].first, right[two].first)
        last = min(left[one].last, right[two].last)
        if first <= last:
            found.append(PortRange(first, last))
        if left[one].last < right[two].last:
            one += 1
        else:
            two += 1
    return _joined(found)
