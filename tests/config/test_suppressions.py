"""Findings that an annotation or an entry of trainlint.yaml suppresses, and reasons that are required."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import TODAY, found, lint

from trainlint.finding import Location
from trainlint.result import Result
from trainlint.suppression import read_annotation

POD = """apiVersion: v1
kind: Pod
metadata:
  name: {name}
  annotations: {annotations}
  labels:
    preemptible: no
spec: {{containers: [{{name: train, image: "registry.example/train:1"}}]}}
"""
RULE, UNUSED, EXPIRED = "unquoted-string", "unused-suppression", "expired-suppression"
HERE = Location("a.yaml", 0, ("metadata", "annotations", "trainlint.io/ignore"))


def pod(ignore: str | None = None, name: str = "train") -> str:
    return POD.format(name=name, annotations="{}" if ignore is None else f'{{trainlint.io/ignore: "{ignore}"}}')


def suppressed(result: Result) -> list[tuple[str, str]]:
    return [(each.finding.rule, each.reason) for each in result.suppressed]


def message(result: Result, rule: str) -> str:
    (only,) = (each for each in result.findings if each.finding.rule == rule)
    return f"{only.finding.message}; {only.finding.remedy}"


@pytest.mark.parametrize(
    ("text", "names", "reason", "until"),
    [
        ("a-rule", ("a-rule",), "", None),
        ("a-rule, policy: known, see the wiki", ("a-rule", "policy"), "known, see the wiki", None),
        ("a-rule: a reason: with a colon", ("a-rule",), "a reason: with a colon", None),
        ("a-rule: reason until 2027-01-31", ("a-rule",), "reason", dt.date(2027, 1, 31)),
        ("a-rule until 2027-01-31", ("a-rule",), "", dt.date(2027, 1, 31)),
        (" a-rule :\n  over\n  lines until 2027-01-31\n", ("a-rule",), "over\n  lines", dt.date(2027, 1, 31)),
        ("a-rule: we wait until the pool moves", ("a-rule",), "we wait until the pool moves", None),
    ],
)
def test_the_grammar_of_the_annotation(text: str, names: tuple[str, ...], reason: str, until: dt.date | None) -> None:
    read = read_annotation(text, HERE, Location("a.yaml", 0))
    assert (read.names, read.reason, read.until, read.malformed) == (names, reason, until, "")


@pytest.mark.parametrize("text", ["", ":", ": reason", " , ", "a-rule: x until soon"])
def test_an_annotation_that_is_wrong_says_so(text: str) -> None:
    assert read_annotation(text, HERE, Location("a.yaml", 0)).malformed


def test_an_annotation_suppresses_the_findings_on_its_object_only(tmp_path: Path) -> None:
    text = "---\n".join([pod(f"{RULE}: it is a word", "one"), pod(None, "two")])
    result = lint(tmp_path, {"pod.yaml": text})
    assert found(result) == [(RULE, "pod.yaml:16")]
    assert suppressed(result) == [(RULE, "it is a word")]


def test_an_annotation_in_a_list_is_about_its_item(tmp_path: Path) -> None:
    items = "".join(
        "  - " + text.replace("\n", "\n    ").rstrip() + "\n" for text in (pod(f"{RULE}: x", "one"), pod(None, "two"))
    )
    result = lint(tmp_path, {"pods.yaml": f"apiVersion: v1\nkind: List\nitems:\n{items}"})
    assert [rule for rule, _ in found(result)] == [RULE]
    assert len(result.suppressed) == 1


@pytest.mark.parametrize("name", [RULE, "source"])
def test_names_of_rules_and_of_categories_count(tmp_path: Path, name: str) -> None:
    assert found(lint(tmp_path, {"pod.yaml": pod(name)})) == []


def test_an_annotation_of_no_use_is_reported_at_its_line(tmp_path: Path) -> None:
    result = lint(tmp_path, {"pod.yaml": pod("flow-denied: nothing there")})
    assert found(result) == [(RULE, "pod.yaml:7"), (UNUSED, "pod.yaml:5")]
    assert "remove the name from the annotation" in message(result, UNUSED)


def test_a_misspelt_name_is_reported_with_the_right_one(tmp_path: Path) -> None:
    result = lint(tmp_path, {"pod.yaml": pod("unqoted-string: oh")})
    assert f"did you mean {RULE}?" in message(result, UNUSED)


def test_an_expired_annotation_suppresses_nothing_and_is_not_unused_as_well(tmp_path: Path) -> None:
    result = lint(tmp_path, {"pod.yaml": pod(f"{RULE}: soon until 2026-05-31")})
    assert found(result) == [(EXPIRED, "pod.yaml:5"), (RULE, "pod.yaml:7")]
    last = lint(tmp_path, {"pod.yaml": pod(f"{RULE}: soon until 2026-06-01")})
    assert dt.date(2026, 6, 1) == TODAY
    assert found(last) == []


def entry(paths: str, rules: str = RULE, more: str = "") -> str:
    return f"ignore:\n  - paths: {paths}\n    rules: [{rules}]\n{more}"


FILES = {"a/pod.yaml": pod(None, "one"), "b/c/pod.yaml": pod(None, "two"), "b/job.yaml": pod(None, "three")}


@pytest.mark.parametrize(
    ("paths", "left"),
    [
        ("[a]", ["b/c/pod.yaml", "b/job.yaml"]),
        ("[b/]", ["a/pod.yaml"]),
        ("[pod.yaml]", ["b/job.yaml"]),
        ("[/pod.yaml, b/c]", ["a/pod.yaml", "b/job.yaml"]),
        ('["b/**/pod.yaml"]', ["a/pod.yaml", "b/job.yaml"]),
        ('["*.yaml", "!job.yaml"]', ["b/job.yaml"]),
    ],
)
def test_the_paths_of_an_entry_are_those_of_a_gitignore_file(tmp_path: Path, paths: str, left: list[str]) -> None:
    result = lint(tmp_path, {**FILES, "trainlint.yaml": entry(paths)})
    assert sorted(each.finding.at.file for each in result.findings if each.finding.rule == RULE) == left


def test_paths_count_from_the_directory_of_the_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    files = {**FILES, "b/trainlint.yaml": entry("[/c/]"), "a/c/pod.yaml": pod(None, "four")}
    result = lint(tmp_path, files, "b")
    assert found(result) == [(RULE, "b/job.yaml:7")]


def test_an_entry_gives_its_reason(tmp_path: Path) -> None:
    text = entry("[a, b]", more="    reason: |\n      known since\n      spring\n")
    result = lint(tmp_path, {**FILES, "trainlint.yaml": text})
    assert suppressed(result) == [(RULE, "known since spring")] * 3


def test_an_entry_of_no_use_is_reported_at_its_line(tmp_path: Path) -> None:
    result = lint(tmp_path, {**FILES, "trainlint.yaml": entry("[a, b]", f"{RULE}, flow-denied")})
    assert found(result) == [(UNUSED, "trainlint.yaml:2")]
    assert result.findings[0].lines == ("  - paths: [a, b]",)
    assert "flow-denied finds nothing here; remove the name from the entry" in message(result, UNUSED)


def test_an_entry_about_files_that_were_not_linted_is_not_called_unused(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    files = {**FILES, "trainlint.yaml": entry("[a]")}
    assert found(lint(tmp_path, files, "b")) == [(RULE, "b/c/pod.yaml:7"), (RULE, "b/job.yaml:7")]
    assert [rule for rule, _ in found(lint(tmp_path, files, "b/job.yaml"))] == [RULE]


def test_an_expired_entry_suppresses_nothing(tmp_path: Path) -> None:
    result = lint(tmp_path, {"pod.yaml": pod(), "trainlint.yaml": entry("[pod.yaml]", more="    until: 2020-01-01\n")})
    assert found(result) == [(EXPIRED, "trainlint.yaml:2"), (RULE, "pod.yaml:7")]


def test_an_entry_can_be_about_suppressions_themselves(tmp_path: Path) -> None:
    files = {"old/pod.yaml": pod(f"{RULE}, flow-denied: x"), "trainlint.yaml": entry("[old]", UNUSED)}
    result = lint(tmp_path, files)
    assert found(result) == []
    assert sorted(rule for rule, _ in suppressed(result)) == [RULE, UNUSED]


REASONS: dict[str, Any] = {"require_reason": True}


@pytest.mark.parametrize(
    ("without", "line"),
    [
        ({"pod.yaml": pod(RULE)}, "pod.yaml:5"),
        ({"pod.yaml": pod().replace("no\n", f"no  # trainlint: ignore[{RULE}]\n")}, "pod.yaml:7"),
        ({"pod.yaml": pod(), "trainlint.yaml": entry("[pod.yaml]")}, "trainlint.yaml:2"),
    ],
    ids=["annotation", "comment", "entry"],
)
def test_where_reasons_are_required_none_suppresses_without(tmp_path: Path, without: dict[str, str], line: str) -> None:
    assert found(lint(tmp_path, without)) == []
    result = lint(tmp_path, without, **REASONS)
    assert found(result) == sorted([(RULE, "pod.yaml:7"), (UNUSED, line)])
    assert "it gives no reason" in message(result, UNUSED)
    assert "say in it why" in message(result, UNUSED)


def test_a_reason_is_enough_where_one_is_required(tmp_path: Path) -> None:
    assert found(lint(tmp_path, {"pod.yaml": pod(f"{RULE}: it is a word")}, **REASONS)) == []


def test_the_configuration_can_require_reasons(tmp_path: Path) -> None:
    files = {"pod.yaml": pod(RULE), "trainlint.yaml": "require_reason: true\n"}
    assert [rule for rule, _ in found(lint(tmp_path, files))] == [RULE, UNUSED]


def test_an_expired_suppression_without_a_reason_is_only_expired(tmp_path: Path) -> None:
    result = lint(tmp_path, {"pod.yaml": pod(f"{RULE} until 2020-01-01")}, **REASONS)
    assert [rule for rule, _ in found(result)] == [EXPIRED, RULE]


def test_a_suppression_whose_date_is_none_does_not_suppress(tmp_path: Path) -> None:
    # It says of itself that it suppresses nothing.
    comment = f"# trainlint: ignore[{RULE}] soon until tomorrow"
    result = lint(tmp_path, {"pod.yaml": pod().replace("no\n", f"no  {comment}\n")})
    assert found(result) == [(RULE, "pod.yaml:7"), (UNUSED, "pod.yaml:7")]


def test_severities_of_the_file_replace_those_of_rules(tmp_path: Path) -> None:
    for level in ("error", "warning", "note"):
        result = lint(tmp_path, {"pod.yaml": pod(), "trainlint.yaml": f"rules: {{severity: {{{RULE}: {level}}}}}\n"})
        assert [each.finding.severity for each in result.findings] == [level]
    assert found(lint(tmp_path, {"trainlint.yaml": f"rules: {{severity: {{{RULE}: off}}}}\n"})) == []
