"""The whole report, with its repairs, on the bad examples of each rule's page: one golden file for each rule."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.golden.golden import HERE, agree, stale, told, written
from tests.test_rule_examples import BLOCK, TODAY, lay

from trainlint.engine import check
from trainlint.engine.request import Repairs
from trainlint.rule import Rule, all_rules

EXAMPLES = HERE / "examples"
RULES = pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.name) for rule in all_rules()])


def name(rule: Rule) -> str:
    return f"{rule.category}/{rule.name}.json"


def said(rule: Rule, root: Path) -> str:
    """The text of the rule's golden file."""
    blocks = [(match["role"], match["text"]) for match in BLOCK.finditer(rule.page)]
    shared = {role: text for role, text in blocks if role in {"given", "settings", "base"}}
    reports = {}
    for number, text in enumerate((text for role, text in blocks if role == "bad"), 1):
        folder = root / str(number)
        folder.mkdir(parents=True)
        lay(folder, text, shared)
        base = "HEAD" if "base" in shared else None
        reports[f"example {number}"] = told(check([folder], today=TODAY, base=base, repairs=Repairs.EACH))
    return written(reports)


@pytest.mark.needs("git", "kustomize", "helm")
@RULES
def test_the_bad_examples_of_a_rule_say_what_the_golden_file_says(
    rule: Rule, tmp_path: Path, update: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path))
    agree(EXAMPLES / name(rule), said(rule, tmp_path), update=update)


def test_every_golden_file_is_of_a_rule(update: bool) -> None:
    assert stale(EXAMPLES, map(name, all_rules()), update=update) == []
