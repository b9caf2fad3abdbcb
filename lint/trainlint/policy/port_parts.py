"""Ports cut into parts that fare alike; what many thousand ports of a policy say is worked out once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from trainlint.model.policy import Condition, PortRule
from trainlint.model.workload import PortRange

__all__ = ["Parts", "PortSpan", "condition", "cut", "parts_of", "without_ports"]

PortSpan = tuple[str, int, int, PortRule]
"""Protocol, first and last port, and the rule that says so."""

FEW: Final = 16
"""Spans of ports that are looked through one by one."""

Spans = tuple[PortSpan, ...]
Part = tuple[int, int, tuple[Condition, ...]]
"""First and last port, and what layer 7 must fulfil there."""
Parts = Mapping[str, tuple[Sequence[int], Sequence[Part]]]
"""By protocol: where each part begins, and the parts in order."""


def condition(spans: Spans, parts: Callable[[], Parts], protocol: str, port: int) -> tuple[Condition, ...] | None:
    """``None`` where no span holds the port, else what layer 7 must fulfil: nothing where one of them asks for nothing,
    what the last of them asks for else. ``parts`` are those of the spans, made where there are many.
    """
    if len(spans) > FEW:
        starts, mine = parts().get(protocol, ((), ()))
        at = bisect_right(starts, port)
        return mine[at - 1][2] if at and port <= mine[at - 1][1] else None
    found: tuple[Condition, ...] | None = None
    for name, first, last, rule in spans:
        if name == protocol and first <= port <= last:
            if not rule.only_if:
                return ()
            found = rule.only_if
    return found


def without_ports(spans: Spans, left_out: Spans) -> Spans:
    """The spans without the ports of others."""
    found: list[PortSpan] = []
    for protocol, first, last, rule in spans:
        at = first
        for start, end in sorted((one, two) for name, one, two, _ in left_out if name == protocol):
            if end < at or start > last:
                continue
            if start > at:
                found.append((protocol, at, start - 1, rule))
            at = max(at, end + 1)
        if at <= last:
            found.append((protocol, at, last, rule))
    return tuple(found)


def cut(
    changing: Iterable[tuple[int, Parts]], protocol: str, ports: PortRange
) -> Iterator[tuple[PortRange, tuple[tuple[int, tuple[Condition, ...]], ...]]]:
    """The ports in order, cut wherever an entry begins or ends, each part with the entries (by number) whose spans hold
    it, and what each asks for.
    """
    begins: dict[int, list[tuple[int, tuple[Condition, ...]]]] = defaultdict(list)
    ends: dict[int, list[int]] = defaultdict(list)
    for index, parts in changing:
        for first, last, asked in parts.get(protocol, ((), ()))[1]:
            if first <= ports.last and last >= ports.first:
                ends[last + 1].append(index)
                begins[max(first, ports.first)].append((index, asked))
    starts = sorted(each for each in {ports.first, *begins, *ends} if each <= ports.last)
    now: dict[int, tuple[Condition, ...]] = {}
    for start, following in zip(starts, [*starts[1:], ports.last + 1], strict=True):
        for index in ends.get(start, ()):
            del now[index]
        now.update(begins.get(start, ()))
        yield PortRange(start, following - 1), tuple(sorted(now.items()))


def parts_of(spans: Spans) -> Parts:
    """The parts that some span holds."""
    by_protocol: dict[str, list[PortSpan]] = defaultdict(list)
    for span in spans:
        by_protocol[span[0]].append(span)
    found: dict[str, tuple[Sequence[int], Sequence[Part]]] = {}
    for protocol, mine in by_protocol.items():
        parts = list(_painted(mine))
        found[protocol] = ([first for first, _, _ in parts], parts)
    return found


def _painted(spans: Sequence[PortSpan]) -> Iterator[Part]:
    """Those without a condition before all others, then the last ones first; each takes what is left of its ports."""
    cuts = sorted({end for _, first, last, _ in spans for end in (first, last + 1)})
    left = list(range(len(cuts) + 1))  # the next part that is not taken, reached in jumps

    def free(at: int) -> int:
        while left[at] != at:
            left[at] = left[left[at]]
            at = left[at]
        return at

    asked: dict[int, tuple[Condition, ...]] = {}
    ordered = [*(each for each in spans if not each[3].only_if), *(each for each in reversed(spans) if each[3].only_if)]
    for _, first, last, rule in ordered:
        at, end = free(bisect_left(cuts, first)), bisect_left(cuts, last + 1)
        while at < end:
            asked[at] = rule.only_if
            left[at] = at + 1
            at = free(at)
    before: Part | None = None
    for at in sorted(asked):
        part = (cuts[at], cuts[at + 1] - 1, asked[at])
        if before is not None and (before[1] + 1, before[2]) == (part[0], part[2]):
            before = (before[0], *part[1:])
            continue
        if before is not None:
            yield before
        before = part
    if before is not None:
        yield before
