"""The fuzz program itself: it is reproducible, it notices each kind of fault, and it shrinks what fails."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from tests.fuzz.laws import Breach, breaches
from tests.fuzz.mutations import KINDS, Mutation, Recipe, made, recipe
from tests.fuzz.order import breaches_of_order, reordered
from tests.fuzz.packing import breaches_of_packing
from tests.fuzz.repairs import applied, breaches_of_repairs
from tests.fuzz.run import fuzz
from tests.fuzz.shrink import shrunk
from tests.fuzz.trial import Sample, Trial
from tests.fuzz.worlds import World, seed_world
from tests.report.samples import everything

from trainlint.engine import check
from trainlint.engine.request import Repairs
from trainlint.finding import Severity, Span
from trainlint.fix.diff import unified
from trainlint.model.known import Answer
from trainlint.result import Failure, GroupVerdict, PlacedUnknown, Result

CASE = Path(__file__).parents[1] / "cases" / "placement" / "dangling-reference--configmap-one-letter-off"


def laws(world: World, result: Result) -> set[str]:
    return {breach.law for breach in breaches(world, result)}


def files(home: Path) -> World:
    found = (path for path in home.rglob("*") if path.is_file() and path.name != "case.yaml")
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in found}


def test_equal_seeds_make_equal_repositories_and_others_do_not() -> None:
    worlds = [[made(recipe(seed, number)) for number in range(20)] for seed in ("a", "a", "b")]
    assert worlds[0] == worlds[1] != worlds[2]


@pytest.mark.parametrize("name", KINDS)
def test_every_mutation_changes_most_repositories(name: str) -> None:
    changed = 0
    for number in range(30):
        world = seed_world(random.Random(number))
        before = dict(world)
        changed += KINDS[name](world, random.Random(number)) != world
        assert world == before
    assert changed >= 8


def test_a_run_counts_what_it_looked_at() -> None:
    summary = fuzz("test", 12, 60)
    assert summary.looked["repository"] == 12
    assert summary.looked["formats"] == 2
    assert summary.looked["groups"] > 5


def test_places_outside_of_files_are_noticed() -> None:
    result = everything()
    place = result.findings[0].finding.at.file
    related = {each.file for each in result.findings[0].related}
    world = dict.fromkeys({place, *related}, b"x" * 100 + b"\n" + b" " * 200 + b"\n" * 200)
    moved = [Span(1, 1, 400, 1), Span(0, 1, 1, 1), Span(3, 1, 2, 1), Span(1, 300, 1, 301), Span(1, 5, 1, 2)]
    good = replace(result.findings[0], span=Span(1, 5, 1, 9), related=())
    bare = Result("/", findings=(good,))
    assert "place" not in laws(world, bare)
    for span in moved:
        assert "place" in laws(world, replace(bare, findings=(replace(good, span=span),)))
    assert "place" in laws({}, bare)
    assert "place" in laws(world, Result("/", unknowns=(PlacedUnknown("a", "b", file=place, line=999),)))


def test_answers_that_contradict_are_noticed() -> None:
    def group(exists: Answer, for_all: Answer, **more: object) -> Result:
        return Result("/", groups=(replace(GroupVerdict("a/b", "Job", "", 1, exists, for_all), **more),))  # type: ignore[arg-type]

    assert laws({}, group(Answer.REFUTED, Answer.PROVED)) >= {"answers", "heard"}
    assert laws({}, group(Answer.UNKNOWN, Answer.UNKNOWN)) == {"reason"}
    assert laws({}, group(Answer.UNKNOWN, Answer.UNKNOWN, missing=("nodes",))) == set()
    assert laws({}, group(Answer.PROVED, Answer.PROVED)) == {"witness"}
    assert laws({}, Result("/", failures=(Failure("x", "y"),))) == {"exit 70"}


def test_a_note_of_packing_is_heard_and_its_dead_end_must_stay_without_affinity(tmp_path: Path) -> None:
    """Decision 2: dead ends that affinity leads into are findings, others are notes."""
    note = "an unlucky order of placement fills the nodes so that the last pods find no room"
    verdict = GroupVerdict("a/b", "Job", "s", 1, Answer.PROVED, Answer.REFUTED, notes=(note,))
    noted, free = (Result("/", groups=(replace(verdict, for_all=each),)) for each in (Answer.REFUTED, Answer.PROVED))
    assert "heard" not in laws({}, noted)
    assert "heard" in laws({}, replace(noted, groups=(replace(noted.groups[0], notes=()),)))
    asked: list[World] = []

    def check_of(after: Result) -> set[str]:
        found = breaches_of_packing(noted, WORLD, lambda world: asked.append(world) or after)  # type: ignore[func-returns-value]
        return {breach.law for breach in found}

    assert check_of(noted) == set()
    assert check_of(free) == {"packing"}
    assert yaml.safe_load(asked[0]["a.yaml"]) == {"spec": {"affinity": {"nodeAffinity": {}}, "replicas": 2}}


WORLD = {
    "a.yaml": b"spec: {affinity: {podAffinity: {x: 1}, nodeAffinity: {}}, topologySpreadConstraints: [], replicas: 2}",
    "b.txt": b"podAffinity",
}


def test_proofs_beside_an_error_that_denies_them_are_noticed() -> None:
    placed = everything().findings[0]
    finding = replace(placed.finding, cause="a/b", assumes=(), snapshots=("s",), severity=Severity.ERROR)
    verdict = GroupVerdict("a/b", "Job", "s", 1, Answer.CONDITIONAL, Answer.CONDITIONAL)
    assert "contradicted" in laws({}, Result("/", findings=(replace(placed, finding=finding),), groups=(verdict,)))


def test_repairs_that_do_nothing_or_harm_are_noticed(tmp_path: Path) -> None:
    world = files(CASE)
    for name, content in world.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    result = check([tmp_path], repairs=Repairs.EACH)
    assert result.repairs
    clean = replace(result, findings=())

    def found(after: Result) -> set[str]:
        return {breach.law for breach in breaches_of_repairs(world, result, lambda _: after)}

    assert found(clean) == set()
    assert found(result) == {"repair fixes nothing"}
    placed = everything().findings[0]
    new = replace(placed, finding=replace(placed.finding, rule="flow-denied", severity=Severity.ERROR))
    assert found(replace(clean, findings=(new,))) == {"repair brings an error"}
    other: World = dict.fromkeys(world, b"something else")
    assert {breach.law for breach in breaches_of_repairs(other, result, lambda _: clean)} == {"edit"}


@pytest.mark.parametrize(
    ("before", "after"),
    [("a\nb\nc\n", "a\nx\nc\n"), ("", "a\n"), ("a\n", ""), ("a\nb", "a\nc"), ("a\n" * 50, "x\n" + "a\n" * 48 + "y\n")],
)
def test_diffs_are_applied(before: str, after: str) -> None:
    text = unified("f.yaml", before.encode(), after.encode())
    assert applied(text, before.splitlines()) == after.splitlines()
    with pytest.raises(ValueError, match="no head"):
        applied(text.replace("@@ -", "@@ +"), before.splitlines())


def test_what_another_order_changes_is_noticed() -> None:
    world = {"a.yaml": b"kind: Job\nmetadata: {name: a}\n---\nkind: Job\nmetadata: {name: b}\n"}
    others = [reordered(world, random.Random(seed)) for seed in range(20)]
    assert {len(each) for each in others if each} == {1, 2}
    assert any(each and each.get("a.yaml", b"").startswith(b"kind: Job\nmetadata: {name: b}") for each in others)
    assert list(breaches_of_order(everything(), everything())) == []
    assert list(breaches_of_order(everything(), Result("/")))


def test_what_fails_is_shrunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five mutations the one that matters is left, and of the files those that matter."""
    monkeypatch.setitem(KINDS, "boom", lambda world, _: {**world, "boom.yaml": b"kind: Pod\n# boom\n"})
    names = ("shuffle", "labels", "boom", "names", "numbers")
    wanted = Recipe("s 1", tuple(Mutation(name, number) for number, name in enumerate(names)))

    def noticed(world: World, *_: object) -> Trial:
        return Trial([Breach("law", "boom")] if "boom.yaml" in world else [])

    monkeypatch.setattr("tests.fuzz.shrink.try_world", noticed)
    mutations, world = shrunk(wanted, frozenset({"law: boom"}), tmp_path, Sample())
    assert [each.name for each in mutations] == ["boom"]
    assert list(world) == ["boom.yaml"]
