"""Comments that suppress findings: ``# trainlint: ignore[rule, category] reason until 2027-01-31`` (decision 10)."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import TODAY, by_rule, found, lint

from trainlint.result import Result

POD = """apiVersion: v1
kind: Pod
metadata:
  name: train
  labels:
    preemptible: no
spec: {{containers: [{{name: train, image: "registry.example/train:1"}}]}}
"""
BARE = POD.format()
LABEL = "    preemptible: no\n"


def check(root: Path, text: str, **options: Any) -> Result:
    return lint(root, {"pod.yaml": text}, **options)


def rules(result: Result) -> list[str]:
    return [each.finding.rule for each in result.findings]


def suppressed(result: Result) -> list[tuple[str, str]]:
    return [(each.finding.rule, each.reason) for each in result.suppressed]


def above(comment: str) -> str:
    return BARE.replace(LABEL, f"    {comment}\n{LABEL}")


def behind(comment: str) -> str:
    return BARE.replace(LABEL, f"    preemptible: no  {comment}\n")


def test_without_a_comment_there_is_a_finding(tmp_path: Path) -> None:
    assert found(check(tmp_path, BARE)) == [("unquoted-string", "pod.yaml:6")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (behind("# trainlint: ignore[unquoted-string] the reason"), "the reason"),
        (above("# trainlint: ignore[unquoted-string] the reason"), "the reason"),
        (above("#trainlint:ignore[unquoted-string]the reason"), "the reason"),
        (above("#   trainlint:   ignore [ unquoted-string ]   the reason   "), "the reason"),
        (above("# trainlint: ignore[unquoted-string]"), ""),
        (above("# trainlint: ignore[source] by category"), "by category"),
        (above("# trainlint: ignore[no-viable-zone, unquoted-string] two names"), "two names"),
        (above("# trainlint: ignore[unquoted-string] until 2027-01-31"), ""),
        (above("# trainlint: ignore[unquoted-string] waits until the pool is there, until 2027-01-31"), "waits until"),
        (above("# trainlint: ignore[unquoted-string] up to and with today until 2026-06-01"), "up to and with today"),
        (above("# first\n    # trainlint: ignore[unquoted-string] in a block\n    # last"), "in a block"),
        (behind("# a word before # trainlint: ignore[unquoted-string] second comment"), "second comment"),
    ],
)
def test_a_comment_on_the_line_or_right_above_suppresses_and_gives_its_reason(
    tmp_path: Path, text: str, reason: str
) -> None:
    result = check(tmp_path, text)
    assert "unquoted-string" not in rules(result)
    ((rule, said),) = suppressed(result)
    assert rule == "unquoted-string"
    assert said.startswith(reason)
    assert bool(said) == bool(reason)


@pytest.mark.parametrize(
    "text",
    [
        BARE.replace("  labels:\n", "  # trainlint: ignore[unquoted-string] too far up\n  labels:\n"),
        above("# trainlint: ignore[unquoted-string] a line between\n"),
        BARE.replace(LABEL, f"{LABEL}    # trainlint: ignore[unquoted-string] below\n"),
        above("# trainlint: ignore[syntax-error] another rule"),
        above("# trainlint: ignore[topology] another category"),
        above("# trainlint: ignore[unquoted] part of a name"),
        above("# trainlint: ignore[Unquoted-String] another case"),
        above("# trainlint: ignore[*] everything"),
        above("# trainlint: ignore no names"),
        above("# trainlint: ignore[] no names"),
        above("# trainlint: disable[unquoted-string] another word"),
        above("# noqa: unquoted-string"),
        above("# trainlint: ignore[unquoted-string] until tomorrow"),
        above("# trainlint: ignore[unquoted-string] until 2026-05-31"),
        BARE.replace(
            "  name: train\n", "  name: train\n  annotations: {a: '# trainlint: ignore[unquoted-string] text'}\n"
        ),
    ],
)
def test_what_is_no_suppression_of_this_finding_suppresses_nothing(tmp_path: Path, text: str) -> None:
    result = check(tmp_path, text)
    assert "unquoted-string" in rules(result)
    assert suppressed(result) == []


@pytest.mark.parametrize(
    "head",
    [
        "# trainlint: ignore[unquoted-string] all of it\n",
        "# licence\n#\n\n# trainlint: ignore[unquoted-string] all of it\n# more words\n",
        "---\n# trainlint: ignore[unquoted-string] all of it\n",
        "# trainlint: ignore[unquoted-string] all of it\n---\n",
    ],
)
def test_a_comment_at_the_head_of_a_document_is_about_all_of_it(tmp_path: Path, head: str) -> None:
    two = BARE.replace(LABEL, f"{LABEL}    other: yes\n")
    result = check(tmp_path, head + two)
    assert rules(result) == []
    assert suppressed(result) == [("unquoted-string", "all of it")] * 2


def test_the_head_of_one_document_says_nothing_about_the_next(tmp_path: Path) -> None:
    result = check(
        tmp_path, f"# trainlint: ignore[unquoted-string] this one\n{BARE}---\n{BARE.replace('train', 'b', 1)}"
    )
    assert found(result) == [("unquoted-string", "pod.yaml:15")]
    assert len(suppressed(result)) == 1


def test_the_head_of_a_later_document_is_about_that_one(tmp_path: Path) -> None:
    second = BARE.replace("name: train\n", "name: other\n")
    result = check(tmp_path, f"{BARE}---\n# trainlint: ignore[unquoted-string] the second\n{second}")
    assert found(result) == [("unquoted-string", "pod.yaml:6")]
    assert suppressed(result) == [("unquoted-string", "the second")]


def test_one_comment_suppresses_all_findings_of_its_rule_on_the_line(tmp_path: Path) -> None:
    text = BARE.replace("  labels:\n" + LABEL, "  labels: {a: no, b: yes}  # trainlint: ignore[unquoted-string] both\n")
    result = check(tmp_path, text)
    assert rules(result) == []
    assert len(suppressed(result)) == 2


def test_comments_of_json_files_do_not_exist(tmp_path: Path) -> None:
    lint(tmp_path, {"a.json": '{"kind": "Pod", "metadata": {"name": "# trainlint: ignore[x]"}}'})


def test_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    result = check(tmp_path, above("# trainlint: ignore[unquoted-string] the reason").replace("\n", "\r\n"))
    assert suppressed(result) == [("unquoted-string", "the reason")]


# --- what the linter says about the comments themselves ---


def test_a_suppression_that_finds_nothing_is_reported_at_the_comment(tmp_path: Path) -> None:
    result = check(tmp_path, BARE.replace("no\n", "'no'  # trainlint: ignore[unquoted-string] quoted since\n"))
    assert found(result) == [("unused-suppression", "pod.yaml:6")]
    assert by_rule(result, "unused-suppression").finding.evidence["suppresses"] == "unquoted-string"


def test_of_several_names_the_unused_ones_are_reported(tmp_path: Path) -> None:
    result = check(tmp_path, above("# trainlint: ignore[unquoted-string, no-viable-zone, syntax-error] x"))
    assert sorted(each.finding.evidence["suppresses"] for each in result.findings) == ["no-viable-zone", "syntax-error"]


@pytest.mark.parametrize(("name", "near"), [("unqoted-string", "unquoted-string"), ("topologie", "topology")])
def test_a_name_that_does_not_exist_is_reported_with_the_nearest_that_does(
    tmp_path: Path, name: str, near: str
) -> None:
    finding = by_rule(check(tmp_path, above(f"# trainlint: ignore[{name}] x")), "unused-suppression").finding
    assert name in finding.message
    assert near in finding.remedy


@pytest.mark.parametrize(
    "comment", ["# trainlint: ignore x", "# trainlint: disable[a]", "# trainlint: ignore[unquoted-string] until soon"]
)
def test_a_comment_that_is_none_of_ours_is_reported_and_not_ignored(tmp_path: Path, comment: str) -> None:
    assert found(check(tmp_path, above(comment))) == [
        ("unquoted-string", "pod.yaml:7"),
        ("unused-suppression", "pod.yaml:6"),
    ]


def test_after_its_last_day_a_suppression_is_expired_and_not_unused_as_well(tmp_path: Path) -> None:
    text = above("# trainlint: ignore[unquoted-string] x until 2026-06-01")
    assert rules(check(tmp_path, text, today=TODAY)) == []
    result = check(tmp_path, text, today=TODAY + dt.timedelta(days=1))
    assert found(result) == [("expired-suppression", "pod.yaml:6"), ("unquoted-string", "pod.yaml:7")]


def test_an_expired_suppression_that_finds_nothing_is_only_expired(tmp_path: Path) -> None:
    text = above("# trainlint: ignore[no-viable-zone] x until 2020-01-31")
    assert sorted(rules(check(tmp_path, text))) == ["expired-suppression", "unquoted-string"]


def test_suppressions_of_deselected_rules_are_not_unused(tmp_path: Path) -> None:
    text = above("# trainlint: ignore[unquoted-string, no-viable-zone] x")
    ignored = check(tmp_path, text, ignore=frozenset({"unquoted-string", "no-viable-zone"}))
    assert rules(ignored) == []
    selected = check(tmp_path, text, select=frozenset({"syntax-error", "unused-suppression"}))
    assert rules(selected) == []


def test_a_category_is_unused_only_if_its_rules_ran(tmp_path: Path) -> None:
    text = BARE.replace("no\n", "'no'  # trainlint: ignore[topology] x\n")
    assert rules(check(tmp_path, text)) == ["unused-suppression"]
    assert rules(check(tmp_path, text, ignore=frozenset({"topology"}))) == []


def test_the_report_about_comments_can_be_deselected(tmp_path: Path) -> None:
    text = above("# trainlint: ignore[no-such-rule] x")
    assert rules(check(tmp_path, text, ignore=frozenset({"unused-suppression"}))) == ["unquoted-string"]


def test_two_comments_for_one_finding_are_both_of_use(tmp_path: Path) -> None:
    text = above("# trainlint: ignore[unquoted-string] one").replace(
        LABEL, "    preemptible: no  # trainlint: ignore[unquoted-string] two\n"
    )
    result = check(tmp_path, text)
    assert rules(result) == []
    assert len(suppressed(result)) == 1


def test_a_suppression_stands_where_the_finding_points_not_where_it_is_related(tmp_path: Path) -> None:
    two = f"{BARE}---\n{BARE}"
    result = check(tmp_path, two.replace("no\n", "'no'\n"))
    assert rules(result) == ["duplicate-object"]
    first = "# trainlint: ignore[duplicate-object] first\n" + two.replace("no\n", "'no'\n")
    assert sorted(rules(check(tmp_path, first))) == ["duplicate-object", "unused-suppression"]
    second = two.replace("no\n", "'no'\n").replace("---\n", "---\n# trainlint: ignore[duplicate-object] second\n")
    assert suppressed(check(tmp_path, second)) == [("duplicate-object", "second")]


def test_a_comment_in_a_file_that_holds_no_objects_is_still_reported_if_it_is_of_no_use(tmp_path: Path) -> None:
    result = lint(tmp_path, {"values.yaml": "# trainlint: ignore[unquoted-string] x\na: no\n"})
    assert found(result) == [("unused-suppression", "values.yaml:1")]
