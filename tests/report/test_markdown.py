"""The summary of a pull request."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.report.samples import EVIL, everything, evil, many

from trainlint.finding import Severity
from trainlint.model.known import Answer
from trainlint.report import Options, reporter
from trainlint.report.markdown import LIMIT
from trainlint.report.terminal import escape
from trainlint.result import Baseline, BaselineEntry, Comparison, GroupVerdict, PlacedUnknown, Result

PARSER = MarkdownIt("commonmark").enable("table").enable("strikethrough")
COMMENT = 65_536
"""The characters that GitHub takes for a comment."""


def render(result: Result, **options: bool) -> str:
    return reporter("markdown")(result, Options(**options))  # type: ignore[arg-type]


def headline(result: Result) -> str:
    return render(result).partition("\n")[0].removeprefix("### ")


def group(name: str, exists: Answer, for_all: Answer) -> GroupVerdict:
    return GroupVerdict(name, "Job", "", 2, exists, for_all)


def tables(text: str) -> list[list[str]]:
    """The rows of each table, as their cells' source."""
    found: list[list[str]] = []
    for token in PARSER.parse(text):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append("")
        elif token.type == "inline" and found and token.level >= 4:
            found[-1][-1] += f"{token.content} | "
    return found


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (everything(), "trainlint: `speech/leader+trainers` cannot run"),
        (many(2, 1), "trainlint: 2 errors, 1 warning"),
        (replace(many(0, 2), comparison=Comparison("main", "0" * 40)), "trainlint: 2 new warnings"),
        (Result("/"), "trainlint: no findings"),
        (Result("/", analysed=False), "trainlint: nothing to analyse"),
        (Result("/", comparison=Comparison("main", "0" * 40)), "trainlint: no new findings"),
        (
            Result("/", groups=(group("a/b", Answer.PROVED, Answer.PROVED),)),
            "trainlint: no findings, every group is proved",
        ),
        # An unknown is never shown as fine.
        (
            Result("/", groups=(group("a/b", Answer.PROVED, Answer.UNKNOWN),)),
            "trainlint: no findings; 1 group: 1 unknown",
        ),
        (replace(everything(), failures=evil().failures), "trainlint itself broke: nothing is proved"),
    ],
)
def test_the_headline_says_what_happened(result: Result, expected: str) -> None:
    assert headline(result) == expected


def test_a_group_that_runs_in_some_placements_is_not_said_to_be_unable_to() -> None:
    result = everything()
    groups = tuple(replace(each, exists=Answer.PROVED) for each in result.groups)
    assert headline(replace(result, groups=groups)) == "trainlint: 1 error"


def test_an_error_of_another_kind_does_not_say_that_the_group_cannot_run() -> None:
    # In no single zone, but perhaps over several.
    result = everything()
    finding = replace(result.findings[0].finding, rule="gloo-interface-syntax", category="fabric")
    assert headline(replace(result, findings=(replace(result.findings[0], finding=finding),))) == "trainlint: 1 error"


def test_what_breaks_comes_first_with_its_job_and_its_place() -> None:
    breaks, groups = tables(render(everything()))
    assert breaks[1].startswith("error | `speech/leader+trainers` | no zone can run ")
    assert breaks[1].endswith("(`no-viable-zone`) | `broken/training.yaml:17` | ")
    assert groups[0] == "group | snapshot | pods | can run | every placement | connections | "
    assert groups[1:] == [
        "`speech/leader+trainers` | `broken` | 4 | **no** | **no** | **denied** | ",
        "`lab/elastic` | `fixed` | ? | unknown | unknown | unknown | ",
        "`speech/leader+trainers` | `fixed` | 4 | yes (east) | yes | ok | ",
    ]


def test_the_worst_findings_come_first_and_the_rest_is_counted() -> None:
    (breaks,) = tables(render(many(3, 0, 30)))
    assert [row.partition(" ")[0] for row in breaks[1:5]] == ["error", "error", "error", "note"]
    assert "and 23 more, below" in breaks[-1]


def test_what_a_change_did_is_said_in_one_line() -> None:
    result = everything()
    compared = Comparison("origin/main", "0" * 40, fixed=result.findings * 2, unchanged=7)
    text = render(replace(many(0, 1), comparison=compared))
    assert "\nCompared with `origin/main`: 1 new, 2 fixed (`no-viable-zone`), 7 unchanged.\n" in text


def test_what_a_baseline_hides_is_counted() -> None:
    stale = (BaselineEntry("1", "flow-denied", "error", "a.yaml", "", "gone"),)
    text = render(Result("/", baseline=Baseline(".baseline.json", everything().findings, stale)))
    assert "\nAccepted by `.baseline.json`: 1, 1 stale.\n" in text


def test_details_are_folded() -> None:
    text = render(everything(), show_suppressed=True)
    opened, closed = text.count("<details><summary>"), text.count("</details>")
    assert opened == closed == 4
    assert text.index("<details>") > text.index("```mermaid")
    assert text.index("unknown: 3 facts") < text.index("details: error")
    # Markdown inside of HTML is read only after an empty line.
    assert all(part.startswith("\n\n") for part in text.split("</summary>")[1:])


def test_quiet_leaves_only_the_findings() -> None:
    text = render(everything(), quiet=True)
    assert "```mermaid" not in text
    assert "unknown: " not in text
    assert text.count("<details>") == 1


def test_a_clean_run_has_no_picture() -> None:
    text = render(Result("/", groups=(group("a/b", Answer.PROVED, Answer.PROVED),)))
    assert "mermaid" not in text
    assert "<details>" not in text


def long(text: str, times: int) -> Result:
    result = evil()
    placed = result.findings[0]
    finding = replace(placed.finding, message=text * times, cause=text * times, remedy=text * times)
    verdict = replace(result.groups[0], name=text * times)
    unknown = PlacedUnknown(text * times, text * times, text * times)
    return replace(
        result,
        findings=(replace(placed, finding=finding),) * 50,
        groups=(verdict,) * 50,
        unknowns=tuple(replace(unknown, missing=f"{n}{text * times}") for n in range(40)),
        assumptions=tuple(f"{n}{text * times}" for n in range(40)),
    )


@pytest.mark.parametrize(
    "result",
    [many(500), many(20_000), long("a|b ", 1), long("a|b ", 800), long("訓練" * 20 + " ", 300), long("|" * 100, 90)],
    ids=["500", "20000", "bars", "long", "wide", "entities"],
)
def test_a_summary_fits_a_comment_and_says_what_is_left_out(result: Result) -> None:
    text = render(result, show_suppressed=True)
    assert len(text) <= LIMIT < COMMENT
    assert re.search(r"and \d+ more", text)
    assert text.count("<details>") == text.count("</details>")
    assert text.count("\n```") % 2 == 0


def walk(tokens: list[Token]) -> list[Token]:
    return [each for token in tokens for each in (token, *walk(token.children or []))]


def test_nothing_from_a_manifest_is_markup_a_link_or_a_mention() -> None:
    found = walk(PARSER.parse(render(evil(), show_suppressed=True)))
    assert not {"link_open", "image", "em_open", "s_open"} & {token.type for token in found}
    for token in found:
        if token.type == "text":
            assert not re.search(r"@|#\d|://|www\.|<|`", token.content), token.content
        if token.type == "html_inline":
            assert token.content in {"<code>", "</code>"}
        if token.type == "html_block":
            inside = re.sub(r"<code>[^<>]*</code>", "", token.content)
            assert re.fullmatch(r"(<details><summary>[\w :-]*</summary>|</details>)\n?", inside), token.content


def test_the_picture_is_a_block_that_names_cannot_leave() -> None:
    blocks = [token for token in PARSER.parse(render(evil())) if token.type == "fence"]
    assert [block.info for block in blocks] == ["mermaid", "text"]
    assert EVIL[:20] not in blocks[0].content
    assert escape(EVIL)[:40] in blocks[1].content


def test_severities_are_told_apart() -> None:
    (breaks,) = tables(render(many(1, 1, 1)))
    assert [row.partition(" ")[0] for row in breaks[1:]] == [severity.value for severity in Severity]
