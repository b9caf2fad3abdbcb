"""Sections of the report at their limits, word for word: what is shown, what is counted, singular and plural."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.report.samples import likely_note

from trainlint.finding import Certainty, Finding, Location, Severity, Span
from trainlint.model.known import Answer
from trainlint.report.concern import groups_of
from trainlint.report.diagnostic import diagnostic, place
from trainlint.report.excerpt import Frame, excerpt
from trainlint.report.overview import overview, summary
from trainlint.report.table import table
from trainlint.report.terminal import Paint
from trainlint.result import (
    Baseline,
    BaselineEntry,
    Comparison,
    Failure,
    GroupVerdict,
    Placed,
    PlacedRelated,
    PlacedUnknown,
    Result,
    RoleVerdict,
    SnapshotSummary,
)

PLAIN, COLOUR = Paint(color=False), Paint(color=True)
ONE = SnapshotSummary("lab", 3)


def sections(result: Result, *, verbose: bool = True) -> str:
    return "\n".join(overview(result, PLAIN, 80, verbose=verbose))


def last(result: Result) -> str:
    return "\n".join(summary(result, PLAIN, 200))


def found(severity: Severity | None, number: int = 1) -> tuple[Placed, ...]:
    finding = Finding(message="harm", at=Location("a.yaml", 0), rule="some-rule", severity=severity)
    return (Placed(finding, Span(1, 1, 1, 2)),) * number


def group(name: str, exists: Answer = Answer.PROVED, for_all: Answer = Answer.PROVED, **more: Any) -> GroupVerdict:
    pods = more.pop("pods", 2)
    return GroupVerdict(name, "Job", "lab", pods, exists, for_all, **{"connections": Answer.PROVED, **more})


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "no findings; 0 groups"),
        ({"findings": found(Severity.ERROR)}, "1 error; 0 groups"),
        ({"findings": found(None, 2)}, "2 errors; 0 groups"),
        (
            {"findings": (*found(Severity.NOTE), *found(Severity.ERROR), *found(Severity.WARNING, 2))},
            "1 error, 2 warnings, 1 note; 0 groups",
        ),
        ({"suppressed": found(Severity.NOTE, 2)}, "no findings (2 suppressed); 0 groups"),
        ({"groups": (group("a"),)}, "no findings; 1 group: 1 proved"),
        ({"groups": (group("a"), group("b"))}, "no findings; 2 groups: 2 proved"),
        ({"unknowns": (PlacedUnknown("a", "b"),)}, "no findings; 0 groups; 1 unknown fact"),
        ({"unknowns": (PlacedUnknown("a", "b"),) * 2}, "no findings; 0 groups; 2 unknown facts"),
        ({"failures": (Failure("a", "b"),)}, "no findings; 0 groups; 1 rule failed"),
        ({"failures": (Failure("a", "b"),) * 2}, "no findings; 0 groups; 2 rules failed"),
        (
            {"analysed": False, "snapshots": (ONE,)},
            "no findings; 0 groups; nothing to analyse: no training workload was found in 3 documents",
        ),
        (
            {"analysed": False, "snapshots": (SnapshotSummary("a", 1),)},
            "no findings; 0 groups; nothing to analyse: no training workload was found in 1 document",
        ),
        ({"comparison": Comparison("main", "")}, "no new findings; 0 groups"),
        ({"comparison": Comparison("main", ""), "findings": found(Severity.ERROR)}, "1 new error; 0 groups"),
    ],
)
def test_the_last_line(changes: dict[str, Any], text: str) -> None:
    assert last(Result(root="/", **changes)) == text


@pytest.mark.parametrize(
    ("severities", "style"),
    [
        ((), "32"),
        ((Severity.NOTE,), "1;36"),
        ((Severity.NOTE, Severity.WARNING), "1;33"),
        ((Severity.ERROR, Severity.NOTE), "1;31"),
    ],
)
def test_the_colour_of_the_last_line_is_that_of_the_worst(severities: tuple[Severity, ...], style: str) -> None:
    findings = tuple(each for severity in severities for each in found(severity))
    (line,) = summary(Result(root="/", findings=findings), COLOUR, 200)
    assert line.startswith(f"\x1b[{style}m")
    assert line.endswith("\x1b[0m")


def test_nothing_to_say_is_no_section() -> None:
    assert sections(Result(root="/", snapshots=(ONE,))) == ""


def test_snapshots_are_told_where_there_are_several() -> None:
    result = Result(root="/", snapshots=(ONE, SnapshotSummary("prod", 12, "two clusters")))
    assert sections(result) == ("snapshots\n  name  documents  why\n  lab   3\n  prod  12         two clusters\n")


def test_groups_stand_with_the_worst_first_and_remarks_once() -> None:
    groups = (
        group("ml/a", notes=("judged at its maximum",)),
        group("ml/b", Answer.REFUTED, Answer.REFUTED, connections=Answer.REFUTED, pods=None),
        group("ml/c", Answer.UNKNOWN, Answer.UNKNOWN, connections=Answer.UNKNOWN, missing=("the nodes", "told")),
        group("ml/d", notes=("judged at its maximum",)),
    )
    told = PlacedUnknown("group ml/c", "told", "look")
    assert sections(Result(root="/", groups=groups, unknowns=(told,), snapshots=(ONE,))) == (
        "groups\n"
        "  name  pods  can run  every placement  connections\n"
        "  ml/b  ?     no       no               denied\n"
        "  ml/c  2     unknown  unknown          unknown\n"
        "  ml/a  2     yes      yes              ok\n"
        "  ml/d  2     yes      yes              ok\n"
        "  note: ml/a, ml/d: judged at its maximum\n"
        "  unknown: ml/c: the nodes\n"
        "\n"
        "unknown\n"
        "  - told\n"
        "      group ml/c\n"
        "      help: look\n"
    )


def test_with_several_snapshots_a_group_says_which() -> None:
    groups = (group("ml/a", notes=("n",)), replace(group("ml/a", notes=("n",)), snapshot="prod"))
    text = sections(Result(root="/", groups=groups, snapshots=(ONE, SnapshotSummary("prod", 3))))
    assert text.partition("groups\n")[2] == (
        "  name  snapshot  pods  can run  every placement  connections\n"
        "  ml/a  lab       2     yes      yes              ok\n"
        "  ml/a  prod      2     yes      yes              ok\n"
        "  note: ml/a (lab), ml/a (prod): n\n"
    )


def test_unknowns_of_one_kind_stand_together() -> None:
    unknowns = [
        PlacedUnknown("one", "it is missing", "", "a.yaml", 3),
        PlacedUnknown("two", "it is missing", "", "b.yaml"),
        PlacedUnknown("three", "it is not read", "look"),
        PlacedUnknown("two", "it is missing", "", "b.yaml"),
    ]
    assert sections(Result(root="/", unknowns=tuple(unknowns))) == (
        "unknown\n"
        "  - it is missing (3 times)\n"
        "      one (a.yaml:3)\n"
        "      two (b.yaml)\n"
        "      help: write the value in Git, or run on the rendered manifests\n"
        "  - it is not read\n"
        "      three\n"
        "      help: look\n"
    )


@pytest.mark.parametrize(("number", "more"), [(5, ""), (6, "      and 1 more\n"), (7, "      and 2 more\n")])
def test_five_subjects_are_named(number: int, more: str) -> None:
    unknowns = tuple(PlacedUnknown(f"s{each}", "m", "r") for each in range(number))
    named = "".join(f"      s{each}\n" for each in range(5))
    assert sections(Result(root="/", unknowns=unknowns)) == (
        f"unknown\n  - m ({number} times)\n{named}{more}      help: r\n"
    )


@pytest.mark.parametrize("number", [5, 6, 7, 8])
def test_six_kinds_of_unknowns_and_assumptions_are_shown(number: int) -> None:
    unknowns = tuple(PlacedUnknown("s", f"m{each}", "r") for each in range(number))
    result = Result(root="/", unknowns=unknowns, assumptions=tuple(f"a{each}" for each in range(number)))
    folded = sections(result, verbose=False)
    shown = min(number, 6)
    assert [line for line in folded.split("\n") if line.startswith("  - m")] == [
        f"  - m{each}" for each in range(shown)
    ]
    assert [line for line in folded.split("\n") if line.startswith("  - a")] == [
        f"  - a{each}" for each in range(shown)
    ]
    more = f"  and {number - 6} more: --verbose shows all of them"
    assert folded.split("\n").count(more) == (2 if number > 6 else 0)
    whole = sections(result)
    assert whole.count("  - m") == whole.count("  - a") == number
    assert "more" not in whole


def test_an_assumption_is_said_once() -> None:
    assert sections(Result(root="/", assumptions=("a", "b", "a"))) == "assumed\n  - a\n  - b\n"


@pytest.mark.parametrize(("commit", "said"), [("", " (no commit yet)"), ("0123456789abcdef", " (0123456789ab)")])
def test_a_comparison(commit: str, said: str) -> None:
    compared = Comparison("main", commit, fixed=found(Severity.ERROR), unchanged=3)
    assert sections(Result(root="/", comparison=compared, findings=found(Severity.ERROR, 2))) == (
        f"compared\n  with main{said}: 2 new, 1 fixed, 3 unchanged\n"
    )


def stale(number: int) -> tuple[BaselineEntry, ...]:
    return tuple(BaselineEntry("id", f"r{each}", "error", "a.yaml", "", "gone") for each in range(number))


@pytest.mark.parametrize(
    ("baseline", "text"),
    [
        (Baseline("b.json"), "  b.json: 0 findings accepted\n"),
        (Baseline("b.json", accepted=found(None)), "  b.json: 1 finding accepted\n"),
        (Baseline("b.json", written=True), "  b.json: written, 0 findings accepted\n"),
        (Baseline("b.json", stale=stale(1), written=True), "  b.json: written, 0 findings accepted\n"),
        (
            Baseline("b.json", stale=stale(1)),
            (
                "  b.json: 0 findings accepted\n"
                "  1 entry is stale: its finding is gone; write it anew with --write-baseline\n"
                "  - r0 in a.yaml: gone\n"
            ),
        ),
        (
            Baseline("b.json", stale=stale(5)),
            "  b.json: 0 findings accepted\n"
            "  5 entries are stale: no such finding; write it anew with --write-baseline\n"
            + "".join(f"  - r{each} in a.yaml: gone\n" for each in range(5)),
        ),
        (
            Baseline("b.json", stale=stale(7)),
            "  b.json: 0 findings accepted\n"
            "  7 entries are stale: no such finding; write it anew with --write-baseline\n"
            + "".join(f"  - r{each} in a.yaml: gone\n" for each in range(5))
            + "    and 2 more\n",
        ),
    ],
)
def test_a_baseline(baseline: Baseline, text: str) -> None:
    assert sections(Result(root="/", baseline=baseline)) == f"baseline\n{text}"


def test_rules_that_broke() -> None:
    assert sections(Result(root="/", failures=(Failure("r", "it broke"),))) == (
        "internal errors\n  - rule r broke: it broke\n"
        "  What these rules would have found is missing above. This is a fault of\n"
        "  trainlint: please report it.\n"
    )


ROWS = [("a", "one two three four", "x"), ("bb", "five", "yes")]


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (30, ["n   words               k", "a   one two three four  x", "bb  five                yes"]),
        (27, ["n   words               k", "a   one two three four  x", "bb  five                yes"]),
        (26, ["n   words              k", "a   one two three      x", "    four", "bb  five               yes"]),
        (21, ["n   words         k", "a   one two       x", "    three four", "bb  five          yes"]),
        (12, ["n", "    words         k", "a", "    one two       x", "    three four", "bb", "    five          yes"]),
    ],
)
def test_a_table_wraps_its_flexible_column_then_stacks(columns: int, lines: list[str]) -> None:
    made = list(table(("n", "words", "k"), ROWS, PLAIN, columns, flexible=1))
    assert [" ".join(line.split()) for line in made] == [" ".join(line.split()) for line in lines]
    if columns > 20:
        assert max(map(len, made)) <= columns


def test_words_of_a_table_have_colours() -> None:
    header, row = table(("n", "k"), [("a", "yes")], COLOUR, 80, flexible=0)
    assert header == "\x1b[1mn\x1b[0m  \x1b[1mk\x1b[0m"
    assert row == "a  \x1b[32myes\x1b[0m"


def shown(lines: tuple[str, ...], span: Span, columns: int = 40, style: str = "error", label: str = "") -> list[str]:
    return list(excerpt(Frame(span.end_line, PLAIN, columns), lines, span, style, label))


@pytest.mark.parametrize(
    ("lines", "span", "style", "label", "text"),
    [
        (("abc def",), Span(3, 5, 3, 8), "error", "", ["   |", " 3 | abc def", "   |     ^^^"]),
        (("abc def",), Span(3, 5, 3, 8), "frame", "why", ["   |", " 3 | abc def", "   |     --- why"]),
        (("abc",), Span(3, 2, 3, 2), "error", "", ["   |", " 3 | abc", "   |  ^"]),
        (("abc  ",), Span(3, 2, 4, 1), "error", "", ["   |", " 3 | abc", "   |  ^^"]),
        (("a:", "  b"), Span(3, 1, 4, 4), "error", "", ["   |", " 3 | / a:", " 4 | |   b", "   | |_^"]),
        (("a:", "  b"), Span(3, 1, 5, 1), "frame", "why", ["   |", " 3 | / a:", " 4 | |   b", "   | |_- why"]),
        (("a:",), Span(3, 1, 9, 4), "error", "", ["   |", " 3 | / a:", "   | | ...", "   | |_^"]),
        ((), Span(3, 1, 3, 2), "error", "", []),
        ((), Span(3, 1, 3, 2), "error", "why", ["   = why"]),
    ],
)
def test_an_excerpt(lines: tuple[str, ...], span: Span, style: str, label: str, text: list[str]) -> None:
    assert shown(lines, span, style=style, label=label) == text


def test_a_label_that_does_not_fit_stands_below() -> None:
    source, room = "x" * 20, 35
    fits = "w" * (room - 21)
    assert shown((source,), Span(1, 1, 1, 21), label=fits)[-1] == f"   | {'^' * 20} {fits}"
    assert shown((source,), Span(1, 1, 1, 21), label=f"{fits}w")[-2:] == [f"   | {'^' * 20}", f"   | {fits}w"]


def test_a_long_line_is_cut_around_its_mark() -> None:
    source = "".join(f"{number:04}" for number in range(50))
    assert len(source) == 200
    _, line, mark = shown((source,), Span(1, 1, 1, 5))
    assert line == f" 1 | {source[:32]}..."
    assert mark == "   | ^^^^"
    _, line, mark = shown((source,), Span(1, 101, 1, 105))
    assert line == f" 1 | ...{source[84:113]}..."
    assert mark == f"   | {' ' * 19}^^^^"
    _, line, mark = shown((source,), Span(1, 197, 1, 201))
    assert line == f" 1 | ...{source[180:]}"
    assert mark == f"   | {' ' * 19}^^^^"
    exact = source[:35]
    assert shown((exact,), Span(1, 1, 1, 2))[1] == f" 1 | {exact}"
    assert shown((f"{exact}x",), Span(1, 1, 1, 2))[1] == f" 1 | {exact[:32]}..."


def test_of_a_line_of_megabytes_only_what_is_near_is_looked_at() -> None:
    source = "a" * 5000 + "MARK" + "b" * 100_000
    _, line, mark = shown((source,), Span(1, 5001, 1, 5005))
    assert line == f" 1 | ...{'a' * 16}MARK{'b' * 9}..."
    assert mark == f"   | {' ' * 19}^^^^"


@pytest.mark.parametrize(("line", "gutter"), [(1, 2), (99, 2), (100, 3), (1000, 4)])
def test_the_gutter_is_as_wide_as_the_last_number(line: int, gutter: int) -> None:
    frame = Frame(line, PLAIN, 80)
    assert (frame.gutter, frame.room) == (gutter, 77 - gutter)
    assert frame.row("x", line) == f"{line:>{gutter}} | x"
    assert Frame(1, PLAIN, 20).room == 24


def test_a_place() -> None:
    assert place("a.yaml", Span(1, 2, 3, 4)) == "a.yaml:1:2"
    assert place("a.yaml", Span(1, 2, 3, 4), base=True) == "a.yaml:1:2 (in the base revision)"


def test_a_finding_with_everything_that_a_footer_can_say() -> None:
    note = likely_note()
    finding = replace(
        note.finding,
        certainty=Certainty.LIKELY,
        evidence={"a": 1},
        counterexample={"w": {"east": 2, "west": 1}, "m": "east"},
        remedy="change it",
        assumes=("b",),
        snapshots=("s1", "s2", "s3", "s4", "s5", "s6"),
        id="0123456789abcdef",
        rule="some-rule",
    )
    related = PlacedRelated("why", "b.yaml", Span(9, 1, 9, 2), (), ("x",), cause=1)
    placed = replace(note, finding=finding, related=(related,), reason="known")
    lines = list(diagnostic(placed, PLAIN, 80, several_snapshots=True))
    assert lines == [
        "note[some-rule]: only a preference keeps the group together",
        "  --> jobs/a.yaml:3:1",
        "   |",
        " 3 | spec: {}",
        "   | ^^^^",
        "  ::: b.yaml:9:1",
        "   |",
        " 9 | x",
        "   | - why",
        "   |",
        "   = values: a: 1",
        "   = counterexample: w -> 2 in east, 1 in west",
        "                     m -> east",
        "   = certainty: likely: rests on experience, not on a proof",
        "   = help: change it",
        "   = proof: trainlint explain 01234567",
        *[line for line in lines if " page: " in line],
        "   = assumes: b",
        "   = snapshots: s1, s2, s3, s4 and 2 more",
        "   = suppressed: known",
    ]
    quiet = list(diagnostic(replace(placed, related=(), reason=""), PLAIN, 80))
    assert not [line for line in quiet if "proof:" in line or "snapshots:" in line or "suppressed:" in line]


@pytest.mark.parametrize(("number", "excerpts"), [(6, 6), (7, 6)])
def test_six_related_places_are_shown_with_their_source(number: int, excerpts: int) -> None:
    related = tuple(
        PlacedRelated(f"role {each}", "b.yaml", Span(each, 1, each, 2), (), (f"source{each}",))
        for each in range(1, number + 1)
    )
    text = "\n".join(diagnostic(replace(likely_note(), related=related), PLAIN, 80))
    assert text.count("source") == excerpts
    assert text.count(":::") == text.count("role") == number


def role(path: tuple[str | int, ...], file: str = "a.yaml", number: int = 0) -> RoleVerdict:
    return RoleVerdict("r", 1, (), at=Location(file, number, path))


def test_the_groups_that_a_finding_is_about() -> None:
    one = group("ml/one", roles=(role(("spec", "a")),))
    two = group("ml/two", roles=(role(("spec", "b")), role((), "b.yaml")))
    other = replace(group("ml/one", roles=(role(("spec", "a")),)), snapshot="prod")
    nowhere = group("ml/none", roles=(RoleVerdict("r", 1, ()),))
    groups = (one, two, other, nowhere)

    def about(at: Location, **more: Any) -> tuple[GroupVerdict, ...]:
        finding = Finding(message="m", at=at, rule="r", **more)
        return groups_of(Placed(finding, Span(1, 1, 1, 2)), groups)

    assert about(Location("a.yaml", 0, ("spec", "a", "x")), snapshots=("lab",)) == (one,)
    assert about(Location("a.yaml", 0, ("spec", "a"))) == (one, other)
    assert about(Location("a.yaml", 0, ("spec", "a")), snapshots=("gone",)) == (one, other)
    assert about(Location("a.yaml", 0, ("spec",))) == ()
    assert about(Location("a.yaml", 1, ("spec", "a"))) == ()
    assert about(Location("b.yaml", 0, ("x",))) == (two,)
    assert about(Location("b.yaml", 0, ("x",)), groups=("ml/one",), snapshots=("prod",)) == (other,)
