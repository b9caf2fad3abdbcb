"""Annotations, read back by the rules of the runner (actions/runner, ActionCommand: split at `::`, then unescape)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import pytest
from tests.report.samples import EVIL, everything, evil, many

from trainlint.finding import Span
from trainlint.report import Options, reporter
from trainlint.report.terminal import escape
from trainlint.result import Result

KINDS = {"error", "warning", "notice"}


@dataclass(frozen=True)
class Command:
    name: str
    properties: dict[str, str]
    data: str


def unescape(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for code, char in (*pairs, ("%25", "%")):
        text = text.replace(code, char)
    return text


def parse(line: str) -> Command:
    assert line.startswith("::")
    head, separator, data = line[2:].partition("::")
    assert separator
    name, _, listed = head.partition(" ")
    lines = (("%0D", "\r"), ("%0A", "\n"))
    properties = {}
    for part in listed.split(","):
        key, equals, value = part.partition("=")
        assert equals
        properties[key] = unescape(value, (*lines, ("%3A", ":"), ("%2C", ",")))
    return Command(name, properties, unescape(data, lines))


def commands(result: Result) -> list[Command]:
    return [parse(line) for line in reporter("github")(result, Options()).splitlines()]


def test_a_finding_is_an_annotation_at_its_place_with_its_remedy() -> None:
    (command,) = commands(everything())
    assert command.name == "error"
    assert command.properties == {
        "file": "broken/training.yaml",
        "line": "17",
        "col": "5",
        "endColumn": "9",
        "title": "no-viable-zone",
    }
    assert command.data.startswith("no zone can run speech/leader+trainers: ")
    assert "\nhelp: let the leader tolerate the taint of the pool east-gpu:\n      tolerations:" in command.data


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (Span(3, 2, 3, 5), {"line": "3", "col": "2", "endColumn": "4"}),
        (Span(3, 2, 3, 2), {"line": "3", "col": "2", "endColumn": "2"}),
        # GitHub refuses columns of an annotation over several lines.
        (Span(3, 2, 5, 4), {"line": "3", "endLine": "5"}),
        # The end is exclusive: nothing of line 5 belongs to it.
        (Span(3, 2, 5, 1), {"line": "3", "endLine": "4"}),
        (Span(3, 2, 4, 1), {"line": "3", "col": "2", "endColumn": "2"}),
    ],
)
def test_columns_are_given_within_one_line_only(span: Span, expected: dict[str, str]) -> None:
    result = everything()
    (command,) = commands(replace(result, findings=(replace(result.findings[0], span=span),)))
    found = {key: value for key, value in command.properties.items() if key not in {"file", "title"}}
    assert found == expected


@pytest.mark.parametrize(
    ("result", "counts", "rest"),
    [
        (many(10, 10, 10), {"error": 10, "warning": 10, "notice": 10}, None),
        (many(3), {"error": 3}, None),
        (many(12), {"error": 10, "notice": 1}, "and 2 errors more"),
        (many(11, 11, 11), {"error": 10, "warning": 10, "notice": 10}, "and 1 error, 1 warning, 2 notes more"),
        (many(0, 0, 12), {"notice": 10}, "and 3 notes more"),
        (many(11, 0, 9), {"error": 10, "notice": 10}, "and 1 error more"),
    ],
)
def test_no_more_annotations_than_github_shows_and_the_rest_is_counted(
    result: Result, counts: dict[str, int], rest: str | None
) -> None:
    found = commands(result)
    assert Counter(command.name for command in found) == counts
    assert all(count <= 10 for count in counts.values())
    if rest:
        assert found[-1].data.startswith(rest)


def test_the_most_severe_come_first() -> None:
    names = [command.name for command in commands(many(2, 2, 2))]
    assert names == ["error", "error", "warning", "warning", "notice", "notice"]


def test_a_rule_that_broke_is_an_error_and_takes_one_of_the_places() -> None:
    found = commands(replace(many(10), failures=evil().failures))
    assert found[0].properties["title"] == "trainlint: internal error"
    assert Counter(command.name for command in found) == {"error": 10, "notice": 1}


def test_text_from_manifests_gives_no_command_of_its_own_and_comes_back_whole() -> None:
    result = replace(evil(), failures=())
    lines = reporter("github")(result, Options()).splitlines()
    assert len(lines) == 1
    (command,) = commands(result)
    assert command.name == "error"
    assert command.properties["file"] == escape(EVIL)
    assert "\n::error::" in command.data  # as text of this annotation, in a line that the runner does not see
    assert set(command.properties) == {"file", "line", "col", "endColumn", "title"}


def test_what_stood_only_in_the_base_revision_is_at_no_line_of_this_one() -> None:
    result = everything()
    (command,) = commands(replace(result, findings=(replace(result.findings[0], base=True),)))
    assert set(command.properties) == {"title"}
    assert "broken/training.yaml:17 of the base revision" in command.data


def test_a_clean_run_says_nothing() -> None:
    assert reporter("github")(Result("/"), Options()) == ""
