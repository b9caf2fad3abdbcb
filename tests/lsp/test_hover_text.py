"""The text under the cursor, with everything that a verdict may hold."""

from __future__ import annotations

import pytest

from trainlint.model.known import Answer
from trainlint.result import GroupVerdict

pytest.importorskip("lsprotocol")

from trainlint.lsp.hover import _lines

FULL = GroupVerdict(
    "ml/train",
    "Job",
    "east",
    4,
    Answer.PROVED,
    Answer.REFUTED,
    viable_zones=("a", "b"),
    witness={"train": {"a": 4}},
    counterexample={"train": {"a": 1, "b": 3}},
    missing=("the nodes",),
    notes=("an elastic group",),
)


def test_everything_that_is_known_is_told_in_this_order() -> None:
    assert list(_lines(FULL, several=True)) == [
        "**ml/train** (Job) in `east`",
        "",
        "- runs in some zone: **proved** (a, b)",
        "- whatever the scheduler chooses: **refuted**",
        "- works: train: 4 in a",
        "- does not: train: 1 in a, 3 in b",
        "- unknown: the nodes",
        "- note: an elastic group",
        "",
        "`trainlint explain ml/train`",
    ]


def test_what_is_not_there_leaves_no_line() -> None:
    bare = GroupVerdict("ml/train", "Job", "east", 4, Answer.UNKNOWN, Answer.UNKNOWN)
    assert list(_lines(bare, several=False)) == [
        "**ml/train** (Job)",
        "",
        "- runs in some zone: **unknown**",
        "- whatever the scheduler chooses: **unknown**",
        "",
        "`trainlint explain ml/train`",
    ]
