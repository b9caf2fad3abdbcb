"""Ports cut into parts say of every port what its spans say one by one."""

from __future__ import annotations

import itertools
import random

import pytest

from trainlint.model.policy import Condition, PortRule
from trainlint.model.workload import PortRange
from trainlint.policy.port_parts import FEW, PortSpan, condition, cut, parts_of

LAST = 12
HTTP, DNS = (Condition.HTTP,), (Condition.DNS,)


def span(protocol: str, first: int, last: int, asked: tuple[Condition, ...]) -> PortSpan:
    return protocol, first, last, PortRule(protocol, PortRange(first, last), only_if=asked)


def drawn(random_: random.Random, count: int) -> tuple[PortSpan, ...]:
    made = []
    for _ in range(count):
        first = random_.randint(1, LAST)
        asked = random_.choice(((), HTTP, DNS, HTTP, DNS))
        made.append(span(random_.choice(("TCP", "TCP", "UDP")), first, random_.randint(first, LAST), asked))
    return tuple(made)


def plainly(spans: tuple[PortSpan, ...], protocol: str, port: int) -> tuple[Condition, ...] | None:
    """What is asked for at a port: nothing where one span asks for nothing, else what the last asks for."""
    asked = [rule.only_if for name, first, last, rule in spans if name == protocol and first <= port <= last]
    return None if not asked else () if () in asked else asked[-1]


@pytest.mark.parametrize("seed", range(60))
def test_a_port_is_asked_what_its_spans_say(seed: int) -> None:
    spans = drawn(random.Random(seed), 1 + seed % 6)
    many = (*spans, *(span("SCTP", 1, 1, ()) for _ in range(FEW)))
    for protocol in ("TCP", "UDP"):
        for port in range(LAST + 2):
            expected = plainly(spans, protocol, port)
            assert condition(spans, dict, protocol, port) == expected
            assert condition(many, lambda: parts_of(many), protocol, port) == expected


def test_a_few_spans_are_not_cut_and_one_more_is() -> None:
    def broken() -> dict[str, tuple[list[int], list[tuple[int, int, str]]]]:
        raise AssertionError("cut")

    few = (*(span("TCP", each, each, ()) for each in range(1, FEW)), span("UDP", 1, 1, ()))
    assert len(few) == FEW
    assert condition(few, broken, "TCP", 1) == ()
    with pytest.raises(AssertionError, match="cut"):
        condition((*few, span("TCP", 1, 1, ())), broken, "TCP", 1)


@pytest.mark.parametrize("seed", range(60))
def test_parts_touch_no_other_and_those_beside_each_other_differ(seed: int) -> None:
    spans = drawn(random.Random(seed), 1 + seed % 9)
    for protocol, (starts, parts) in parts_of(spans).items():
        assert list(starts) == [first for first, _, _ in parts]
        held = {port: asked for first, last, asked in parts for port in range(first, last + 1)}
        assert sum(last - first + 1 for first, last, _ in parts) == len(held)
        assert held == {
            port: asked for port in range(LAST + 2) if (asked := plainly(spans, protocol, port)) is not None
        }
        for (_, last, asked), (first, _, other) in itertools.pairwise(parts):
            assert (last + 1, asked) != (first, other)
            assert last < first


@pytest.mark.parametrize("seed", range(60))
def test_ports_are_cut_where_an_entry_begins_or_ends(seed: int) -> None:
    random_ = random.Random(seed)
    entries = {number: drawn(random_, 1 + seed % 3) for number in (4, 7, 9)}
    first = random_.randint(1, LAST)
    ports = PortRange(first, random_.randint(first, LAST + 1))
    pieces = list(cut([(number, parts_of(spans)) for number, spans in entries.items()], "TCP", ports))
    assert [each.first for each, _ in pieces] == [ports.first, *(each.last + 1 for each, _ in pieces[:-1])]
    assert pieces[-1][0].last == ports.last
    for piece, held in pieces:
        for port in range(piece.first, piece.last + 1):
            asked = [(number, plainly(spans, "TCP", port)) for number, spans in entries.items()]
            assert held == tuple((number, each) for number, each in asked if each is not None)
    assert list(cut([], "TCP", ports)) == [(ports, ())]
