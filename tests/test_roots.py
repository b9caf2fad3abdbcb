"""Causes are data: rules alone have names, and each root of a refutation is told by one of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import trainlint
from trainlint.model.root import Root
from trainlint.rule import all_rules, told_by

SOURCES = sorted(Path(trainlint.__file__).parent.rglob("*.py"))
WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")


def test_names_of_rules_stand_in_rules_only() -> None:
    """What follows from facts knows no rule: rules know what they tell. Comments count too."""
    names = {each.name for each in all_rules()}
    assert {path.name: found for path in SOURCES if (found := names & {*WORD.findall(path.read_text("utf-8"))})} == {}


@pytest.mark.parametrize("root", Root)
def test_one_rule_tells_each_root(root: Root) -> None:
    """A root that no rule tells would be refuted in silence, and one that two rules tell would be reported twice."""
    assert [each.name for each in all_rules() if root in each.tells] == [told_by()[root]]
