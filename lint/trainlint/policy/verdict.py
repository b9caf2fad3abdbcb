"""The decision: which entries of a pod match a connection, and what follows (P 0.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

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


Levels = list[tuple[int, Active]]


def _levels(active: Active) -> Levels:
    """Entries of one tier and priority decide together; lower numbers first, as they come already."""
    grouped = groupby(active, key=lambda each: (each[0].entry.tier, each[0].entry.priority))
    return [(tier, list(group)) for (tier, _), group in grouped]


def _walk(levels: Levels, start: int, default: Answers) -> _Outcome:
    """What levels from ``start`` on decide about one port."""
    if start == len(levels):
        return _Outcome(default)
    tier, entries = levels[start]
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
    follow = _walk(levels, next_tier if sure[Action.PASS] else start + 1, default)
    answers |= follow.answers
    if perhaps[Action.PASS] and not sure[Action.PASS]:
        answers |= _walk(levels, next_tier, default).answers
    return _Outcome(answers, follow.deciding, unsure + follow.perhaps, follow.only_if)


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
        yield ports, _walk(_levels(active), 0, default)
        return
    always: dict[int, tuple[Condition, ...]] = {index: () for index, each in enumerate(matched) if each.spans is None}
    changing = ((index, each.parts()) for index, each in enumerate(matched) if each.spans is not None)
    known: dict[tuple[tuple[int, tuple[Condition, ...]], ...], _Outcome] = {}
    for part, matching in cut(changing, protocol, ports):
        if matching not in known:
            active = [(matched[index], asked) for index, asked in sorted({**always, **dict(matching)}.items())]
            known[matching] = _walk(_levels(active), 0, default)
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
