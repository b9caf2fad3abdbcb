"""Every example in every rule's page, through the real pipeline.

A page holds fenced blocks: ``yaml given`` (shared by all), ``yaml settings`` (trainlint.yaml), ``yaml base`` (what the
example was in the base revision), ``yaml bad`` and ``yaml good``. ``# expect`` marks each line at which the rule must
report in the bad ones, ``# expect, repaired`` where one repair removes what is reported (tests/fix/test_proposals.py).
Nothing may be reported in the good ones. A line ``# file: NAME`` begins another file.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from tests.golden.golden import commit

from trainlint.engine import check
from trainlint.finding import Severity
from trainlint.rule import Rule, all_rules

BLOCK = re.compile(r"^```yaml (?P<role>given|settings|base|bad|good)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r" *# expect(?P<repaired>, repaired)?$", re.MULTILINE)
FILE = re.compile(r"^# file: (\S+)\n", re.MULTILINE)
TODAY = dt.date(2026, 6, 1)


def examples() -> Iterator[ParameterSet]:
    for rule in all_rules():
        blocks = [(match["role"], match["text"]) for match in BLOCK.finditer(rule.page)]
        shared = {role: text for role, text in blocks if role in {"given", "settings", "base"}}
        for number, (role, text) in enumerate(blocks):
            if role in {"bad", "good"}:
                yield pytest.param(rule, role, text, shared, id=f"{rule.name}-{role}-{number}")


def files_of(text: str, first: str) -> dict[str, str]:
    """The files of an example, each with its own lines."""
    head, *others = FILE.split(text)
    found = dict(zip(others[::2], others[1::2], strict=True))
    return found if found and not head else {first: head, **found}


def lay(directory: Path, text: str, shared: dict[str, str]) -> dict[str, str]:
    """Write an example as files; their texts, with the marks."""
    if "given" in shared:
        (directory / "given.yaml").write_text(MARK.sub("", shared["given"]), encoding="utf-8")
    if "settings" in shared:
        (directory / "trainlint.yaml").write_text(shared["settings"], encoding="utf-8")
    if "base" in shared:
        (directory / "example.yaml").write_text(shared["base"], encoding="utf-8")
        commit(directory)
    written = files_of(text, "example.yaml")
    for name, content in written.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(MARK.sub("", content), encoding="utf-8")
    return written


@pytest.mark.parametrize(("rule", "role", "text", "shared"), list(examples()))
def test_example(rule: Rule, role: str, text: str, shared: dict[str, str], tmp_path: Path) -> None:
    written = lay(tmp_path, text, shared)

    result = check([tmp_path], today=TODAY, base="HEAD" if "base" in shared else None)

    files = [*written.items(), ("given.yaml", shared.get("given", ""))]
    expected = {
        (name, number)
        for name, content in files
        for number, line in enumerate(content.splitlines(), 1)
        if "# expect" in line and role == "bad"
    }
    found = {(each.finding.at.file, each.span.line) for each in result.findings if each.finding.rule == rule.name}
    assert found == expected
    assert not result.failures
    if role == "good":
        others = [
            f"{each.finding.rule} at line {each.span.line}: {each.finding.message}"
            for each in result.findings
            if each.finding.severity is not Severity.NOTE or each.finding.rule == rule.name
        ]
        assert others == []


def test_every_rule_has_a_bad_and_a_good_example() -> None:
    for rule in all_rules():
        roles = {match["role"] for match in BLOCK.finditer(rule.page)}
        assert {"bad", "good"} <= roles, rule.name


def test_every_page_begins_with_one_sentence() -> None:
    for rule in all_rules():
        assert rule.summary.endswith("."), rule.name
        assert len(rule.summary) <= 120, rule.name
