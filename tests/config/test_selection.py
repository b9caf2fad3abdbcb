"""Which rules run: the command line has the first word; names count before categories, ignore before select."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from trainlint.config.choices import Choices
from trainlint.config.load import configuration_document, load_configuration
from trainlint.engine.selection import select
from trainlint.finding import Finding, Severity, UsageError
from trainlint.rule import Facts, Rule


def check(facts: Facts) -> Iterator[Finding]:
    return iter(())


def rule(name: str, category: str) -> Rule:
    return Rule(name, category, Severity.ERROR, "One line.", check, Facts)


RULES = (rule("flow-denied", "policy"), rule("no-viable-zone", "topology"), rule("split-cut", "topology"))


@dataclass(frozen=True)
class Case:
    file: str
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (Case(""), {"flow-denied", "no-viable-zone", "split-cut"}),
        (Case("rules: {select: [topology]}"), {"no-viable-zone", "split-cut"}),
        (Case("rules: {ignore: [topology]}"), {"flow-denied"}),
        (Case("rules: {select: [topology], ignore: [split-cut]}"), {"no-viable-zone"}),
        (Case("rules: {select: [split-cut], ignore: [topology]}"), {"split-cut"}),
        (Case("rules: {select: [split-cut], ignore: [split-cut]}"), set()),
        (Case("rules: {severity: {split-cut: off}}"), {"flow-denied", "no-viable-zone"}),
        (Case("rules: {select: [topology], severity: {split-cut: off}}"), {"no-viable-zone"}),
        # The command line has the first word.
        (Case("rules: {select: [topology]}", select=("flow-denied",)), {"flow-denied"}),
        (Case("rules: {ignore: [split-cut]}", select=("topology",)), {"no-viable-zone", "split-cut"}),
        (Case("rules: {severity: {split-cut: off}}", select=("split-cut",)), {"split-cut"}),
        (Case("rules: {select: [split-cut]}", ignore=("topology",)), set()),
        (Case("rules: {select: [topology]}", ignore=("split-cut",)), {"no-viable-zone"}),
        (Case("rules: {ignore: [policy]}", ignore=("split-cut",)), {"no-viable-zone"}),
        (Case("", select=("topology",), ignore=("split-cut",)), {"no-viable-zone"}),
    ],
)
def test_what_runs(case: Case, expected: set[str]) -> None:
    given = Choices(select=frozenset(case.select), ignore=frozenset(case.ignore))
    document = configuration_document("trainlint.yaml", case.file.encode())
    chosen = select(RULES, given, load_configuration(document).choices, document)
    assert {each.name for each in chosen.rules} == expected


def test_severities_are_those_of_the_file_without_off() -> None:
    document = configuration_document("t.yaml", b"rules: {severity: {flow-denied: note, split-cut: off}}")
    chosen = select(RULES, Choices(), load_configuration(document).choices, document)
    assert chosen.severities == {"flow-denied": Severity.NOTE}


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("rules: {select: [topologie]}", "1:18: rules.select.0: there is no rule or category topologie; did you"),
        (
            "rules:\n  ignore: [flow-denid]",
            "2:12: rules.ignore.0: there is no rule or category flow-denid; did you mean",
        ),
        # A category has no severity of its own.
        ("rules:\n  severity: {policy: note}", "2:14: rules.severity.policy: there is no rule policy"),
        (
            "ignore:\n  - {paths: [a], rules: [xxx]}",
            "2:26: ignore.0.rules.0: there is no rule or category xxx; `trainlint",
        ),
    ],
)
def test_a_name_that_no_object_has_is_refused_with_its_line(file: str, message: str) -> None:
    document = configuration_document("t.yaml", file.encode())
    with pytest.raises(UsageError) as raised:
        select(RULES, Choices(), load_configuration(document).choices, document)
    assert str(raised.value).replace(" configuration:", "", 1).startswith(f"t.yaml:{message}")
