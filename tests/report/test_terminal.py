"""Text for a terminal: a manifest cannot steer it, and columns are counted as a terminal counts them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.report.terminal import Paint, cells, escape, paragraphs, width, wrap


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("bell\x07 del\x7f", "bell\\x07 del\\x7f"),
        ("c1 \x9b31m", "c1 \\x9b31m"),
        ("a\tb\r\n", "a\\tb\\r\\n"),
        ("right\u202eto left", "right\\u202eto left"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("no-break\xa0space", "no-break\\xa0space"),
        ("line\u2028separator", "line\\u2028separator"),
        ("lone \ud800 surrogate", "lone \\ud800 surrogate"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("Größe 訓練 🚀", "Größe 訓練 🚀"),
    ],
)
def test_what_is_invisible_or_steers_the_terminal_is_written_as_an_escape(text: str, shown: str) -> None:
    assert escape(text) == shown


@given(st.text())
def test_no_control_or_format_character_survives_in_any_text(text: str) -> None:
    shown = escape(text)
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert escape(shown) == shown
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("訓練", 4), ("🚀", 2), ("é", 1), ("e\u0301", 1), ("\uff46", 2), ("", 0)]
)
def test_width_counts_columns_of_a_terminal(text: str, columns: int) -> None:
    assert width(text) == columns


def test_cells_say_at_which_column_each_character_begins() -> None:
    assert cells("a\t訓\x1bb") == [("a", 0), ("   ", 1), ("訓", 4), ("\\x1b", 6), ("b", 10), ("", 11)]


def test_wrapping_breaks_at_spaces_and_never_inside_of_a_path() -> None:
    path = "clusters/production-europe-west4/training/overlays/h100/deployment.yaml"
    assert wrap(f"see {path} for more", 20) == ["see", path, "for more"]


@given(st.text(alphabet="ab /訓🚀\x1b", max_size=80), st.integers(1, 30))
def test_wrapped_lines_hold_all_words_and_are_too_wide_only_for_one_word(text: str, columns: int) -> None:
    lines = wrap(text, columns)
    assert " ".join(lines).split(" ") == (escape(" ".join(text.split())).split(" "))
    assert all(width(line) <= columns or " " not in line for line in lines)


def test_indented_lines_of_a_remedy_stay_as_they_are() -> None:
    snippet = "    tolerations:\n      - {key: gpu, operator: Exists}\n"
    text = f"add a toleration that names the taint:\n{snippet}then lint again"
    assert list(paragraphs(text, 24)) == [
        "add a toleration that",
        "names the taint:",
        "  tolerations:",
        "    - {key: gpu, operator: Exists}",
        "then lint again",
    ]


def test_without_colour_there_is_no_escape_sequence() -> None:
    assert Paint(color=False)("error", "text") == "text"
    assert Paint(color=True)("error", "text") == "\x1b[1;31mtext\x1b[0m"
