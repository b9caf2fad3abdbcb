"""Source lines with carets below them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.finding import Span
from trainlint.report.excerpt import Frame, excerpt
from trainlint.report.terminal import Paint, cells, width


def shown(lines: list[str], span: Span, label: str = "", columns: int = 60) -> list[str]:
    frame = Frame(span.line + len(lines) - 1, Paint(color=False), columns)
    return list(excerpt(frame, lines, span, "frame" if label else "error", label))


def test_carets_stand_below_the_span() -> None:
    assert shown(["  replicas: 3"], Span(7, 3, 7, 14)) == [
        "   |",
        " 7 |   replicas: 3",
        "   |   ^^^^^^^^^^^",
    ]


def test_the_role_of_a_related_place_stands_behind_its_dashes() -> None:
    assert shown(["taints: []"], Span(7, 1, 7, 7), "who blocks it")[-1] == "   | ------ who blocks it"


def test_a_role_that_does_not_fit_behind_goes_below() -> None:
    assert shown(["key: " + "v" * 20], Span(7, 6, 7, 26), "the policy that blocks it", columns=40)[-2:] == [
        "   |      --------------------",
        "   | the policy that blocks it",
    ]


@pytest.mark.parametrize(
    ("source", "column", "mark_at"),
    [
        ("\tkey: x", 2, 4),
        ("訓練: x", 5, 6),
        ("🚀🚀: x", 5, 6),
        ("e\u0301: x", 5, 3),
        ("\x1b[2J: x", 7, 9),
    ],
)
def test_tabs_wide_and_escaped_characters_before_the_mark_do_not_move_it(
    source: str, column: int, mark_at: int
) -> None:
    end = len(source) + 1
    _, line, marks = shown([source], Span(1, column, 1, end))
    text, mark = line.partition("| ")[2], marks.partition("| ")[2]
    assert len(mark) - len(mark.lstrip()) == mark_at
    # The marks end where the shown text ends.
    assert width(mark) == width(text)


def test_a_wide_character_takes_two_carets() -> None:
    assert shown(["訓練: x"], Span(1, 1, 1, 3))[-1] == "   | ^^^^"


def test_a_manifest_cannot_write_escape_sequences() -> None:
    assert "\x1b" not in "".join(shown(["name: \x1b]0;owned\x07"], Span(1, 1, 1, 5)))


def test_a_long_line_is_cut_behind_a_mark_near_its_start() -> None:
    _, line, marks = shown(["key: " + "a" * 200], Span(1, 1, 1, 4), columns=40)
    assert line == " 1 | key: " + "a" * (35 - 5 - 3) + "..."
    assert marks == "   | ^^^"
    assert width(line) == 40


def test_a_long_line_is_cut_on_both_sides_of_a_mark_in_its_middle() -> None:
    source = "a" * 100 + " target " + "b" * 100
    _, line, marks = shown([source], Span(1, 102, 1, 108), columns=60)
    assert line.startswith(" 1 | ...a")
    assert line.endswith("b...")
    assert width(line) <= 60
    at = len(marks) - len(marks.lstrip(" |"))
    assert line[at : at + 6] == "target"
    assert marks.strip(" |") == "^" * 6


@pytest.mark.parametrize("column", range(1, 120))
def test_wherever_the_mark_is_it_stays_inside_of_the_shown_line(column: int) -> None:
    source = ("訓a🚀\t" * 30)[:120]
    _, line, marks = shown([source], Span(1, column, 1, column + 1), columns=50)
    assert width(line) <= 50
    assert width(marks) <= width(line)
    assert "^" in marks


def test_a_span_of_several_lines_has_an_edge_and_an_end() -> None:
    assert shown(["spec:", "  a: 1", "  b: 2"], Span(9, 1, 11, 7)) == [
        "   |",
        " 9 | / spec:",
        "10 | |   a: 1",
        "11 | |   b: 2",
        "   | |_^",
    ]


def test_a_span_that_ends_at_the_start_of_a_line_does_not_show_that_line() -> None:
    assert shown(["spec:", "next: 1"], Span(9, 1, 10, 1)) == ["   |", " 9 | spec:", "   | ^^^^^"]


def test_lines_that_are_left_out_are_marked() -> None:
    assert shown(["spec:", "  a: 1"], Span(9, 1, 40, 7)) == [
        "   |",
        " 9 | / spec:",
        "10 | |   a: 1",
        "   | | ...",
        "   | |_^",
    ]


def test_without_source_only_the_role_is_shown() -> None:
    assert shown([], Span(9, 1, 9, 2), "who needs it") == ["   = who needs it"]
    assert shown([], Span(9, 1, 9, 2)) == []


def test_an_empty_span_and_one_beyond_the_line_still_show_a_mark() -> None:
    assert shown(["a: 1"], Span(1, 2, 1, 2))[-1] == "   |  ^"
    assert shown(["a: 1"], Span(1, 40, 1, 44))[-1] == "   |     ^"


POSITIONS = st.integers(1, 60)


@given(st.lists(st.text(max_size=120), max_size=4), POSITIONS, POSITIONS, POSITIONS, st.text(max_size=40))
def test_any_text_and_any_span_give_lines_that_are_safe_and_within_the_width(
    lines: list[str], line: int, column: int, length: int, label: str
) -> None:
    span = Span(line, column, line + length % 5, max(1, (column * 7 + length) % 60))
    for text in shown(lines, span, label):
        assert not {unicodedata.category(char) for char in text} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
        assert width(text) <= 60 or " " not in text[5:].strip()


@pytest.mark.parametrize("before", [1025, 3000, 5000, 100_000])
def test_of_a_very_long_line_only_what_is_near_the_mark_is_looked_at(
    before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []

    def counted(line: str) -> list[tuple[str, int]]:
        looked_at.append(line)
        return cells(line)

    monkeypatch.setattr("trainlint.report.excerpt.cells", counted)
    source = "x" * before + " the mark " + "y" * 1_000_000
    _, line, marks = shown([source], Span(1, before + 2, 1, before + 10))
    short = "x" * 100 + " the mark " + "y" * 100
    assert [line, marks] == shown([short], Span(1, 102, 1, 110))[1:]
    assert max(map(len, looked_at)) <= 4096
