"""Words stand in one place: causes hold data, and what is said of them is made in ``wording``, of all their values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

import trainlint
from trainlint.causes.constraint import Constraint, Subject
from trainlint.control_plane.mesh import MeshDenial
from trainlint.control_plane.need import Need
from trainlint.finding import Finding, Location, Related
from trainlint.proof.zone_reason import Obstacle, ZoneReason
from trainlint.queues.quota import QuotaCause
from trainlint.scheduling.refusal import Ground, Refusal
from trainlint.wording.refusals import TEXTS

HERE = Location("nodes.yaml", 1)
LINT = Path(trainlint.__file__).parent
DATA = [*get_args(Obstacle), ZoneReason, *get_args(Subject), Constraint, Refusal, QuotaCause, Need, MeshDenial]
SENTENCES = {"breaks", "message", "reason", "remedy", "role", "said", "sentence", "text", "why", "words"}
"""Names that fields have in this project which hold a sentence."""


@pytest.mark.parametrize("kind", DATA, ids=lambda kind: kind.__name__)
def test_causes_hold_no_sentence(kind: type) -> None:
    """A sentence in a field is read by another module sooner or later."""
    assert [each.name for each in fields(kind) if each.name in SENTENCES and "str" in str(each.type)] == []


def test_each_ground_has_a_sentence() -> None:
    """Shortages are told one by one: each is a resource with its amounts."""
    assert set(Ground) - set(TEXTS) == {Ground.SHORTAGES}


def grounds() -> Iterator[tuple[str, Ground, int]]:
    """Where the program names a ground, which, and with how many values (those that stand there as a tuple)."""
    for path in sorted((LINT / "scheduling").glob("*.py")) + sorted((LINT / "queues").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function in (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)):
            for ground, values, line in _named(function):
                yield f"{path.name}:{line}", ground, values


def _named(function: ast.FunctionDef) -> Iterator[tuple[Ground, int, int]]:
    tuples = {
        target.id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Because":
            ground, *values = node.args
            assert isinstance(ground, ast.Attribute)
            given: ast.expr | None = values[0] if values else ast.Tuple([])
            given = tuples.get(given.id) if isinstance(given, ast.Name) else given
            if isinstance(given, ast.Tuple):
                yield Ground[ground.attr], len(given.elts), node.lineno


@pytest.mark.parametrize(("where", "ground", "values"), list(grounds()), ids=str)
def test_a_sentence_tells_all_values_of_its_ground(where: str, ground: Ground, values: int) -> None:
    """One value more is lost, one less breaks the report."""
    assert TEXTS[ground].count("{}") == values, where


def test_every_ground_is_used() -> None:
    """What no filter says needs no words."""
    assert {ground for _, ground, _ in grounds()} == set(TEXTS)


TAKING_APART = {"endswith", "partition", "removeprefix", "removesuffix", "rpartition", "rsplit", "split", "startswith"}
SAID = SENTENCES - {"text", "words"}
"""Texts and words are those of files, too."""
COMMANDS = {"start.py: unknown.remedy.partition", "start.py: ': ' in unknown.remedy"}
"""A remedy that ends with a command, of which the first look shows the command alone."""


def taken_apart(tree: ast.AST) -> Iterator[str]:
    """Where something takes a sentence of another module apart, or looks for words in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TAKING_APART:
            said = node.func.value
            if isinstance(said, ast.Attribute) and said.attr in SAID and node.args:
                yield ast.unparse(node.func)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            (right,) = node.comparators[-1:]
            if isinstance(right, ast.Attribute) and right.attr in SAID and _is_word(node.left):
                yield ast.unparse(node)


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def test_no_module_takes_a_sentence_apart() -> None:
    """What a sentence says stands in data beside it."""
    roots = (LINT, LINT.parent.parent / "rules" / "trainlint_rules")
    paths = [path for root in roots for path in sorted(root.rglob("*.py"))]
    found = {f"{path.name}: {each}" for path in paths for each in taken_apart(ast.parse(path.read_text("utf-8")))}
    assert found == COMMANDS


def test_places_are_worked_out_when_a_finding_is_shown() -> None:
    """The smallest sets of places are the dearest part of a proof: a rule leaves them for later."""
    asked: list[str] = []
    finding = Finding("it hangs", Location("job.yaml", 0), related=lambda: [Related(asked.append("now") or "", HERE)])
    assert asked == []
    assert [each.at for each in (*finding.places, *finding.places)] == [HERE, HERE]
    assert asked == ["now"]
