"""The search for repairs on a small made-up model: which set of fixes is the cheapest, and what is no repair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from trainlint.engine.blame import Blame
from trainlint.engine.repair_search import (
    LARGEST,
    WIDEST,
    Goal,
    RepairedState,
    concerns,
    finding_goal,
    group_goal,
    search,
)
from trainlint.engine.trial import OpenedConnections, Trial, TrialJudge
from trainlint.finding import Append, Certainty, Finding, Fix, Location, Put, Related, Safety, Severity
from trainlint.model.known import Answer

REFUTED, UNKNOWN, CONDITIONAL, PROVED = Answer.REFUTED, Answer.UNKNOWN, Answer.CONDITIONAL, Answer.PROVED


def at(name: str, number: int = 0) -> Location:
    return Location("a.yaml", 0, (name, number))


def fix(name: str, safety: Safety = Safety.UNSAFE, edits: int = 1, opens: str = "") -> Fix:
    return Fix(name, tuple(Append(at(name, number), 1) for number in range(edits)), safety, opens)


def finding(name: str, severity: Severity = Severity.ERROR, **more: Any) -> Finding:
    return Finding(message=name, at=at(name), rule="r", severity=severity, id=name, **more)


class Model:
    """States are the names of the fixes that were made; ``news``, ``opened``, ``harmful`` and ``gone`` are told."""

    def __init__(
        self,
        *,
        news: Callable[[set[str]], Iterable[Finding]] = lambda names: (),
        opened: Callable[[set[str]], int] = lambda names: 0,
        harmful: Callable[[set[str]], bool] = lambda names: False,
        gone: Callable[[set[str]], int] = lambda names: 0,
        broken: Iterable[str] = (),
        left: int = 1,
    ) -> None:
        self.start = Trial(SimpleNamespace(), (), {})  # type: ignore[arg-type]
        self.left, self.tried = left, 0
        self._news, self._opened, self._harmful, self._gone, self._broken = news, opened, harmful, gone, set(broken)

    def after(self, before: Trial, fix: Fix) -> Trial | None:
        self.tried += 1
        fixes = (*before.fixes, fix)
        if fix.title in self._broken:
            return None
        return Trial(before.state, fixes, {each.title: b"" for each in fixes})

    def news(self, trial: Trial) -> tuple[Finding, ...]:
        return tuple(self._news(names(trial)))

    def harms(self, trial: Trial) -> bool:
        return self._harmful(names(trial))

    def gone(self, trial: Trial) -> int:
        return self._gone(names(trial))

    def opens(self, trial: Trial) -> OpenedConnections:
        gains = (SimpleNamespace(needed=False),) * self._opened(names(trial))
        return OpenedConnections((), gains)  # type: ignore[arg-type]


def names(trial: Trial) -> set[str]:
    return {each.title for each in trial.fixes}


def goal(*sets: set[str], of: Iterable[Fix] = (), bearable: Callable[[Finding], bool] = lambda _: False) -> Goal:
    """The goal is reached where one of the sets of fixes is made."""

    def proposals(trial: Trial) -> Iterator[Fix]:
        yield from (each for each in of if each.title not in names(trial))

    return Goal(lambda trial: any(each <= names(trial) for each in sets), bearable, proposals)


def best(model: Model, aim: Goal, trials: int = 100, worst: Safety = Safety.OPENING) -> list[str] | None:
    found = search(model, aim, trials, worst)  # type: ignore[arg-type]
    return None if found is None else sorted(names(found.trial))


A, B, C = fix("a"), fix("b"), fix("c")


def test_the_smallest_set_is_found() -> None:
    assert best(Model(), goal({"b"}, of=(A, B, C))) == ["b"]
    assert best(Model(), goal({"b", "c"}, of=(A, B, C))) == ["b", "c"]
    assert best(Model(), goal({"b", "c"}, {"a"}, of=(B, C, A))) == ["a"]
    assert best(Model(), goal({"x"}, of=(A, B, C))) is None


def test_nothing_is_tried_where_nothing_is_left() -> None:
    model = Model(left=0)
    assert best(model, goal({"a"}, of=(A,))) is None
    assert model.tried == 0


@pytest.mark.parametrize(("trials", "found"), [(1, None), (2, ["b"])])
def test_as_many_sets_are_tried_as_are_allowed(trials: int, found: list[str] | None) -> None:
    assert best(Model(), goal({"b"}, of=(A, B)), trials) == found


@pytest.mark.parametrize("number", [LARGEST, LARGEST + 1])
def test_four_fixes_are_the_most(number: int) -> None:
    every = [fix(f"f{each}") for each in range(number)]
    aim = goal({each.title for each in every}, of=every)
    found = best(Model(), aim, 100_000)
    assert found == (sorted(each.title for each in every) if number <= LARGEST else None)


@pytest.mark.parametrize(("place", "found"), [(WIDEST - 1, True), (WIDEST, False)])
def test_of_many_proposals_the_first_are_tried(place: int, found: bool) -> None:
    every = [fix(f"f{each}") for each in range(place + 1)]
    aim = Goal(
        lambda trial: f"f{place}" in names(trial), lambda _: False, lambda trial: iter(() if trial.fixes else every)
    )
    assert (best(Model(), aim) is not None) is found


def test_one_proposal_twice_is_tried_once() -> None:
    model = Model()
    assert best(model, goal({"x"}, of=(A, replace(A, title="again")))) is None
    assert model.tried < 4


def test_what_admits_traffic_comes_last_whatever_its_size() -> None:
    opening = fix("o", Safety.OPENING)
    assert best(Model(), goal({"o"}, {"a", "b", "c"}, of=(opening, A, B, C))) == ["a", "b", "c"]
    assert best(Model(), goal({"o"}, of=(opening, A))) == ["o"]
    assert best(Model(), goal({"o"}, of=(opening, A)), worst=Safety.UNSAFE) is None
    assert best(Model(), goal({"a"}, of=(A,)), worst=Safety.SAFE) is None
    assert best(Model(), goal({"s"}, of=(fix("s", Safety.SAFE),)), worst=Safety.SAFE) == ["s"]


def test_what_opens_more_than_is_needed_is_opening() -> None:
    model = Model(opened=lambda made: int("a" in made))
    assert best(model, goal({"a"}, {"b"}, of=(A, B))) == ["b"]
    assert best(model, goal({"a"}, of=(A,)), worst=Safety.UNSAFE) is None
    assert best(model, goal({"a"}, of=(A,))) == ["a"]


def test_of_two_that_open_the_one_that_opens_less() -> None:
    one, two = fix("one", Safety.OPENING), fix("two", Safety.OPENING)
    model = Model(opened=lambda made: 2 if "one" in made else 1)
    assert best(model, goal({"one"}, {"two"}, of=(one, two))) == ["two"]
    assert best(model, goal({"one"}, {"two"}, of=(two, one))) == ["two"]
    most = Model(gone=lambda made: 2 if "two" in made else 1)
    assert best(most, goal({"one"}, {"two"}, of=(one, two))) == ["two"]
    short = goal({"long"}, {"short"}, of=(fix("long", Safety.OPENING, 2), fix("short", Safety.OPENING)))
    assert best(Model(), short) == ["short"]


def test_a_fix_that_harms_or_brings_something_new_is_none() -> None:
    aim = goal({"a"}, {"b"}, of=(A, B))
    assert best(Model(harmful=lambda made: "a" in made), aim) == ["b"]
    assert best(Model(news=lambda made: [finding("new")] if "a" in made else []), aim) == ["b"]
    assert best(Model(broken=["a"]), aim) == ["b"]


def test_a_bearable_finding_is_left_behind_only_where_no_other_set_of_the_size_does() -> None:
    news = lambda made: [finding("useless")] if "a" in made else []  # noqa: E731
    aim = goal({"a"}, {"b"}, of=(A, B), bearable=lambda _: True)
    assert best(Model(news=news), aim) == ["b"]
    assert best(Model(news=news), goal({"a"}, of=(A, B), bearable=lambda _: True)) == ["a"]


def test_fixes_that_the_others_make_needless_are_left_out() -> None:
    model = Model()
    aim = Goal(
        lambda trial: "b" in names(trial),
        lambda _: False,
        lambda trial: iter((A,) if not trial.fixes else (B,)),
    )
    assert best(model, aim) == ["b"]


@pytest.mark.parametrize(
    ("safeties", "beyond", "expected"),
    [
        ((), 0, Safety.SAFE),
        ((Safety.SAFE,), 0, Safety.SAFE),
        ((Safety.SAFE, Safety.UNSAFE), 0, Safety.UNSAFE),
        ((Safety.OPENING, Safety.UNSAFE), 0, Safety.OPENING),
        ((Safety.SAFE,), 1, Safety.OPENING),
    ],
)
def test_a_repair_is_as_safe_as_its_worst_fix(safeties: tuple[Safety, ...], beyond: int, expected: Safety) -> None:
    trial = Trial(SimpleNamespace(), tuple(fix(str(number), each) for number, each in enumerate(safeties)))  # type: ignore[arg-type]
    gains = (SimpleNamespace(needed=False),) * beyond + (SimpleNamespace(needed=True),)
    made = RepairedState(trial, OpenedConnections((), gains))  # type: ignore[arg-type]
    assert made.safety is expected
    assert made.opened.beyond == beyond


def test_what_a_repair_opens_in_words() -> None:
    trial = Trial(SimpleNamespace())  # type: ignore[arg-type]
    assert RepairedState(trial, said=("the fix says",)).opens == ("the fix says",)
    assert RepairedState(trial, OpenedConnections(("a -> b",)), said=("the fix says",)).opens == ("a -> b",)


def state(*findings: Finding) -> Any:
    return SimpleNamespace(found={(each.id, each.at.file): each for each in findings}, facts=())


def test_the_goal_of_a_finding() -> None:
    proposed = fix("p")
    one = finding("one", fixes=lambda: iter([proposed]))
    new = finding("new", fixes=lambda: iter([A]))
    model = Model(news=lambda made: [new])
    aim = finding_goal(model, one)  # type: ignore[arg-type]
    there, gone = Trial(state(one)), Trial(state())
    assert (aim.reached(there), aim.reached(gone)) == (False, True)
    assert not aim.bearable(one)
    assert list(aim.proposals(there)) == [proposed]
    assert list(aim.proposals(gone)) == []
    assert list(aim.proposals(Trial(state(), (B,)))) == [A]


@pytest.mark.parametrize(
    ("answers", "doubts", "reached"),
    [
        ((PROVED, PROVED), set(), True),
        ((PROVED, CONDITIONAL), set(), True),
        ((PROVED, REFUTED), set(), False),
        ((REFUTED, PROVED), set(), False),
        ((UNKNOWN, PROVED), {"old"}, True),
        ((UNKNOWN, PROVED), {"old", "new"}, False),
        (None, set(), False),
    ],
)
def test_the_goal_of_a_group(answers: Any, doubts: set[str], reached: bool) -> None:
    judge = SimpleNamespace(start=SimpleNamespace(doubts=lambda name, snapshot: frozenset({"old"})))
    aim = group_goal(judge, "g", "s")  # type: ignore[arg-type]
    known = {} if answers is None else {("g", "s"): answers}
    trial = SimpleNamespace(answers=known, doubts=lambda name, snapshot: frozenset(doubts), findings=(), homes={})
    assert aim.reached(trial) is reached  # type: ignore[arg-type]


def test_a_group_is_repaired_by_what_its_findings_propose_the_worst_first() -> None:
    note = finding("n", Severity.NOTE, groups=("g",), snapshots=("s",), fixes=lambda: iter([A]))
    error = finding("e", groups=("g",), snapshots=("s",), fixes=lambda: iter([B]))
    other = finding("o", groups=("h",), snapshots=("s",), fixes=lambda: iter([C]))
    elsewhere = finding("x", groups=("g",), snapshots=("t",), fixes=lambda: iter([C]))
    judge = SimpleNamespace(start=SimpleNamespace(doubts=lambda name, snapshot: frozenset()))
    aim = group_goal(judge, "g", "s")  # type: ignore[arg-type]
    trial = SimpleNamespace(findings=(note, other, elsewhere, error), homes={}, answers={})
    assert list(aim.proposals(trial)) == [B, A]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("certainty", "severity", "bearable"),
    [
        (Certainty.LIKELY, Severity.NOTE, True),
        (Certainty.LIKELY, Severity.WARNING, True),
        (Certainty.LIKELY, Severity.ERROR, False),
        (Certainty.PROVEN, Severity.NOTE, False),
    ],
)
def test_what_a_repair_of_a_group_may_leave_behind(certainty: Certainty, severity: Severity, bearable: bool) -> None:
    judge = SimpleNamespace(start=SimpleNamespace(doubts=lambda name, snapshot: frozenset()))
    aim = group_goal(judge, "g", "s")  # type: ignore[arg-type]
    assert aim.bearable(finding("f", severity, certainty=certainty)) is bearable


def test_a_finding_is_about_a_group_by_name_or_by_place() -> None:
    trial: Any = SimpleNamespace(homes={("g", "s"): frozenset({("a.yaml", 0)})})
    assert concerns(finding("f", groups=("g",)), trial, "g", "t")
    assert concerns(finding("f"), trial, "g", "s")
    assert not concerns(finding("f"), trial, "g", "t")
    elsewhere = replace(finding("f"), at=Location("b.yaml", 0))
    assert not concerns(elsewhere, trial, "g", "s")
    assert not concerns(replace(elsewhere, at=Location("a.yaml", 1)), trial, "g", "s")
    assert concerns(replace(elsewhere, related=(Related("r", at("x")),)), trial, "g", "s")


@pytest.mark.parametrize(
    ("before", "now", "harms"),
    [
        ((PROVED, PROVED), (PROVED, PROVED), False),
        ((PROVED, PROVED), (PROVED, CONDITIONAL), True),
        ((CONDITIONAL, PROVED), (UNKNOWN, PROVED), True),
        ((UNKNOWN, UNKNOWN), (REFUTED, UNKNOWN), True),
        ((REFUTED, UNKNOWN), (PROVED, UNKNOWN), False),
        ((REFUTED, REFUTED), (REFUTED, REFUTED), False),
        ((REFUTED, REFUTED), None, True),
    ],
)
def test_a_state_harms_a_group(before: Any, now: Any, harms: bool) -> None:
    judge: Any = SimpleNamespace(start=SimpleNamespace(answers={"g": before}))
    trial: Any = SimpleNamespace(answers={} if now is None else {"g": now, "new": (REFUTED, REFUTED)})
    assert TrialJudge.harms(judge, trial) is harms


def test_what_is_gone_and_what_is_new() -> None:
    error, note = finding("e"), finding("n", Severity.NOTE)
    judge: Any = SimpleNamespace(start=Trial(state(error, note)))
    assert TrialJudge.gone(judge, Trial(state())) == 1
    assert TrialJudge.gone(judge, Trial(state(error))) == 0
    new, worse = finding("x"), replace(note, severity=Severity.ERROR)
    assert TrialJudge.news(judge, Trial(state(error, note, new))) == (new,)
    assert TrialJudge.news(judge, Trial(state(error, worse))) == (worse,)
    assert TrialJudge.news(judge, Trial(state())) == ()


def test_a_finding_of_a_state_that_is_there_by_identity_and_file() -> None:
    one = finding("e")
    moved = replace(one, at=Location("b.yaml", 0))
    assert Trial(state(one)).of(moved) is one  # the only one of its identity
    assert Trial(state(one, moved)).of(moved) is moved
    assert Trial(state(one, moved)).of(replace(one, at=Location("c.yaml", 0))) is None


def test_rules_that_are_not_blamed_keep_their_place() -> None:
    setup: Any = SimpleNamespace(rules=())
    one = finding("e")
    assert Blame(SimpleNamespace(), setup, setup, ["r"]).of(one) is one  # type: ignore[arg-type]


def test_a_place_is_put_once() -> None:
    put = Fix("p", (Put(at("x"), 1),))
    other = Fix("q", (Put(at("x"), 2),))
    aim = Goal(lambda trial: len(trial.fixes) == 2, lambda _: False, lambda trial: iter((put, other)))
    assert best(Model(), aim) is None
