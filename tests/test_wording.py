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
from trainlint.proof.zone_reason import Obstacle, ZoneReason
from trainlint.queues.quota import QuotaCause
from trainlint.scheduling.refusal import Ground, Refusal
from trainlint.wording.refusals import TEXTS

LINT = Path(trainlint.__file__).parent
DATA = [*get_args(Obstacle), ZoneReason, *get_args(Subject), Constraint, Refusal, QuotaCause]
SENTENCES = {"message", "reason", "remedy", "role", "said", "sentence", "text", "why", "words"}
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
