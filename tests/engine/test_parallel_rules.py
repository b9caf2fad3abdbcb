"""Rules that speak in two processes: they say what they say in one, whatever happens to the other process."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import TODAY, write

from trainlint.engine import check
from trainlint.engine import parallel_rules as halves
from trainlint.engine.request import Repairs
from trainlint.finding import Finding, Severity
from trainlint.fork_worker import Child, fork
from trainlint.report import Options, reporter
from trainlint.result import Failure, Result
from trainlint.rule import Repository, Rule

pytestmark = [
    pytest.mark.needs("linux"),  # elsewhere one process says it all
    pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning"),  # those of pytest-xdist hold no locks
]

TESTS = Path(__file__).parent.parent
WORLDS = [TESTS / "lab", TESTS / "engine" / "fleet"]
WORLDS += sorted(path.parent for path in (TESTS / "cases").glob("*/*/case.yaml"))[::5]

WithRules = Callable[..., None]


def said(root: Path, **options: Any) -> Result:
    return check([root], today=TODAY, **options)


def shown(result: Result) -> str:
    return reporter("json")(result, Options()) + reporter("text")(result, Options())


@pytest.fixture
def divide(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[int]]:
    """Switches to two processes, however small the repository is; gives how many answers each run got from both."""
    answers: list[int] = []
    single = halves.said_by_halves

    def watched(*asked: Any) -> Mapping[halves.Asked, Sequence[Finding]]:
        found = single(*asked)
        answers.append(len(found))
        return found

    def switch() -> list[int]:
        monkeypatch.setattr(halves, "MANY", 0)
        monkeypatch.setattr("trainlint.engine.judge.said_by_halves", watched)
        monkeypatch.setattr(threading, "active_count", lambda: 1)
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
        return answers

    return switch


@pytest.mark.parametrize("root", WORLDS, ids=lambda root: f"{root.parent.name}/{root.name}")
def test_two_processes_say_what_one_says(root: Path, divide: Callable[[], list[int]]) -> None:
    alone = said(root)
    answers = divide()
    assert shown(said(root)) == shown(alone)
    assert answers
    assert answers[0] > 0


def rule(name: str, check: Callable[[Repository], Iterator[Finding]]) -> Rule:
    return Rule(name, "source", Severity.ERROR, "A page.", check, Repository)


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Lints one Pod with these rules."""

    def lint(*rules: Rule) -> Result:
        for module in ("judge", "setup"):
            monkeypatch.setattr(f"trainlint.engine.{module}.all_rules", lambda: rules)
        return said(write(tmp_path, {"pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}\n"}))

    return lint


def speaks(repository: Repository) -> Iterator[Finding]:
    for item in repository.objects:
        yield Finding(f"{os.getpid()}", item.field.at)


def heard(result: Result) -> list[tuple[str, bool]]:
    """Which rules found something, and whether this process let them speak."""
    return [(each.finding.rule, each.finding.message == str(os.getpid())) for each in result.findings]


def test_the_child_speaks_from_the_end_on_while_this_process_is_busy(
    only: Callable[..., Result], divide: Callable[[], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = os.getpid()
    born: list[Child] = []

    def watched(work: Callable[[], bytes]) -> Child | None:
        child = fork(work)
        assert child is not None
        born.append(child)
        return child

    def waits(repository: Repository) -> Iterator[Finding]:
        assert os.getpid() == mine, "this is for the parent"
        if born[0]._process:
            os.waitid(os.P_PID, born[0]._process, os.WEXITED | os.WNOWAIT)
        return speaks(repository)

    divide()
    monkeypatch.setattr(halves, "fork", watched)
    result = only(rule("a", waits), rule("b", speaks), rule("c", speaks))
    assert heard(result) == [("a", True), ("b", False), ("c", False)]


def test_a_rule_that_breaks_is_named_once_by_whichever_process_it_is_asked(
    only: Callable[..., Result], divide: Callable[[], list[int]]
) -> None:
    def breaks(repository: Repository) -> Iterator[Finding]:
        yield from speaks(repository)
        raise ZeroDivisionError("by nought")

    divide()
    result = only(rule("a", speaks), rule("b", breaks), rule("c", breaks), rule("d", speaks))
    assert [each.finding.rule for each in result.findings] == ["a", "d"]
    assert result.failures == tuple(Failure(name, "ZeroDivisionError: by nought") for name in "bc")


def test_what_a_child_that_dies_was_to_say_is_said(
    only: Callable[..., Result], divide: Callable[[], list[int]]
) -> None:
    mine = os.getpid()

    def dies(repository: Repository) -> Iterator[Finding]:
        if os.getpid() != mine:
            os._exit(3)
        return speaks(repository)

    divide()
    rules = [rule(name, dies) for name in "abcd"]
    assert heard(only(*rules)) == [(name, True) for name in "abcd"]


def test_what_no_process_can_hand_over_is_said_here(
    only: Callable[..., Result], divide: Callable[[], list[int]]
) -> None:
    def holds(repository: Repository) -> Iterator[Finding]:
        for finding in speaks(repository):
            yield replace(finding, evidence={"later": lambda: 1})

    divide()
    assert heard(only(rule("a", holds), rule("b", holds))) == [("a", True), ("b", True)]


def test_who_wants_repairs_gets_them_from_one_process(divide: Callable[[], list[int]]) -> None:
    root = TESTS / "lab"
    alone = said(root, repairs=Repairs.EACH)
    answers = divide()
    again = said(root, repairs=Repairs.EACH)
    assert answers == []
    assert again.repairs
    assert again.repairs == alone.repairs


@pytest.mark.parametrize("case", sorted(path.parent for path in (TESTS / "cases").glob("*/*/case.yaml")), ids=str)
def test_every_finding_can_be_handed_over(case: Path) -> None:
    for each in said(case).findings:
        finding = replace(each.finding, fixes=tuple)
        assert pickle.loads(pickle.dumps(finding)) == finding
