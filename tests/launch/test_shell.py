"""Shell text is split as a POSIX shell would split it (Shell Command Language 2.2, 2.3, 2.7), and not evaluated."""

from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.launch.shell import script_of, simple_commands


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        pytest.param("a b; c d && e || f | g &", [["a", "b"], ["c", "d"], ["e"], ["f"], ["g"]], id="operators end it"),
        pytest.param("a \\\n  b\nc", [["a", "b"], ["c"]], id="a backslash joins lines"),
        pytest.param("a \\\r\n  b", [["a", "b"]], id="also with carriage returns"),
        pytest.param("a 'b c' \"d e\"f", [["a", "b c", "d ef"]], id="quotes group words"),
        pytest.param("a b#c # d e", [["a", "b#c"]], id="a comment begins a word"),
        pytest.param("a http://b/#c", [["a", "http://b/#c"]], id="a fragment is no comment"),
        pytest.param("a --x=$(b | c) $D", [["a", "--x=$(b | c)", "$D"]], id="substitutions stay"),
        pytest.param("a $((1 + (2))) ${B:-c d} `e f`", [["a", "$((1 + (2)))", "${B:-c d}", "`e f`"]], id="all of them"),
        pytest.param("cat <<EOF > f\na: b\nEOF\nc", [["cat"], ["c"]], id="here-documents are no commands"),
        pytest.param("a 2>&1 > f < g b", [["a", "b"]], id="redirections are no words"),
        pytest.param("if a; then b; else c; fi", [["a"], ["b"], ["c"], ["fi"]], id="both branches"),
        pytest.param("exec a", [["a"]], id="exec is not the program"),
        pytest.param("a 'b", [["a", "'b"]], id="an open quote loses nothing"),
    ],
)
def test_scripts_are_split_into_simple_commands(script: str, commands: list[list[str]]) -> None:
    assert list(simple_commands(script)) == commands


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), min_size=1))
def test_quoted_words_come_back_unchanged(words: list[str]) -> None:
    line = "run " + " ".join(shlex.quote(word) for word in words)
    assert list(simple_commands(line)) == [["run", *words]]


@given(st.text(alphabet="ab '\"\\$(){}`;&|<>#\n-=", max_size=60))
def test_no_text_raises(script: str) -> None:
    list(simple_commands(script))


@pytest.mark.parametrize("unit", ["$(", "((", '"$((', "'a", "`", "<<a\n", "${", "\\"])
def test_hostile_text_takes_no_long_time(unit: str) -> None:
    start = time.perf_counter()
    list(simple_commands(unit * 5_000))
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    ("words", "index"),
    [
        (["/bin/bash", "-c", "x"], 2),
        (["bash", "-euo", "pipefail", "-c", "x"], 4),
        (["sh", "-ec", "x", "name"], 2),
        (["tini", "--", "bash", "-lc", "x"], 4),
        (["bash", "/run.sh", "-c", "x"], None),
        (["python", "-c", "x"], None),
    ],
)
def test_the_script_is_what_follows_the_shells_c_option(words: list[str], index: int | None) -> None:
    assert script_of(words) == index
