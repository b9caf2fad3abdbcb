"""What a change opens, in words, and the ports that are new (decision: each pair of ends is named once)."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from trainlint.model.workload import PortRange
from trainlint.questions.opened_connections import EVERY_PORT, PROTOCOLS, Gain, Ranges, without
from trainlint.questions.opened_connections_text import gained, ports_text

WEB: Ranges = (("TCP", (PortRange(80, 80),)),)
EVERY: Ranges = tuple((each, (EVERY_PORT,)) for each in PROTOCOLS)


def gain(source: str, target: str, ports: Ranges = WEB, *, sure: bool = True, single: str = "") -> Gain:
    """A pair; the names in ``single`` are one pod each."""
    return Gain(source, target, ports, sure, False, (source in single.split(), target in single.split()))


@pytest.mark.parametrize(
    ("ports", "text"),
    [
        (WEB, "TCP 80"),
        ((("TCP", (PortRange(80, 90), PortRange(443, 443))),), "TCP 80-90, 443"),
        ((("TCP", (PortRange(53, 53),)), ("UDP", (PortRange(53, 53),))), "TCP and UDP 53"),
        ((("TCP", (PortRange(80, 80),)), ("UDP", (PortRange(53, 53),))), "TCP 80; UDP 53"),
        (EVERY, "every port"),
        ((("TCP", (EVERY_PORT,)),), "TCP, every port"),
        ((("TCP", (EVERY_PORT,)), ("UDP", (EVERY_PORT,))), "TCP and UDP, every port"),
        ((("TCP", (EVERY_PORT,)), ("UDP", (PortRange(53, 53),))), "TCP, every port; UDP 53"),
        ((("TCP", (PortRange(1, 65534),)),), "TCP 1-65534"),
    ],
)
def test_ports_in_words(ports: Ranges, text: str) -> None:
    assert ports_text(ports) == text


MANY = {"n": tuple(f"n/{number}" for number in range(9)), "few": tuple(f"few/{number}" for number in range(8))}


def to(*targets: str) -> list[Gain]:
    return [gain("x", each) for each in targets]


@pytest.mark.parametrize(
    ("gains", "sentences"),
    [
        ([], ()),
        ([gain("a", "b")], ("a to b on TCP 80",)),
        ([gain("a", "b", sure=False)], ("a to b on TCP 80, as far as is known",)),
        ([gain("a", "b"), gain("c", "b")], ("a, c to b on TCP 80",)),
        ([gain("a", "b"), gain("a", "c")], ("a to b, c on TCP 80",)),
        ([gain("a", "b"), gain("a", "c", EVERY)], ("a to b on TCP 80", "a to c on every port")),
        ([gain("a", "b"), gain("c", "b"), gain("c", "d")], ("a to b on TCP 80", "c to b, d on TCP 80")),
        ([gain("a", "a")], ("the pods of a among each other on TCP 80",)),
        ([gain("a", "b"), gain("b", "a")], ("a to b on TCP 80", "b to a on TCP 80")),
        (
            [gain("a", "a"), gain("a", "b"), gain("b", "a"), gain("b", "b")],
            ("a and b among each other on TCP 80",),
        ),
        (
            [gain("a", "b", single="a b"), gain("b", "a", single="a b")],
            ("a and b among each other on TCP 80",),
        ),
        (
            [gain("a", "a"), gain("a", "b", single="b"), gain("b", "a", single="b")],
            ("a and b among each other on TCP 80",),
        ),
        (
            [gain("a", "a"), gain("a", "b"), gain("b", "a"), gain("b", "b"), gain("a", "c")],
            ("a and b among each other on TCP 80", "a to c on TCP 80"),
        ),
        (to(*MANY["n"]), ("x to all pods of namespace n on TCP 80",)),
        (to(*MANY["n"][:8]), (f"x to {', '.join(MANY['n'][:8])} on TCP 80",)),
        (to(*MANY["few"]), (f"x to {', '.join(MANY['few'])} on TCP 80",)),
        (to(*MANY["n"], "y"), ("x to all pods of namespace n, y on TCP 80",)),
    ],
)
def test_each_pair_is_named_once(gains: Iterable[Gain], sentences: tuple[str, ...]) -> None:
    assert gained(gains, MANY) == sentences


def test_ports_that_are_left_are_those_in_no_other_range() -> None:
    """Compared port by port with sets of numbers."""
    random_ = random.Random(7)

    def ranges() -> list[PortRange]:
        cuts = sorted(random_.sample(range(1, 20), 2 * random_.randint(0, 4)))
        return [PortRange(first, last - 1) for first, last in zip(cuts[::2], cuts[1::2], strict=True)]

    for _ in range(500):
        some, taken = ranges(), ranges()
        left = list(without(some, taken))
        ports = [port for each in left for port in range(each.first, each.last + 1)]
        one, other = ({port for each in part for port in range(each.first, each.last + 1)} for part in (some, taken))
        assert ports == sorted(one - other)
        assert all(each.first <= each.last for each in left)
        assert len(left) <= len(some) + len(taken)
