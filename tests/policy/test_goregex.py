"""Regular expressions for Go (https://github.com/google/re2/wiki/Syntax)."""

from __future__ import annotations

import pytest

from trainlint.policy.goregex import regex_problem


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/v1/.*",
        "GET|POST",
        "[a-z]+",
        "[]a]",
        "[^]]",
        "[[:alpha:]]+",
        r"\pL\p{Greek}",
        r"\Qa(b\E",
        r"(?i)abc",
        r"(?i:abc)(?P<name>x)(?<other>y)",
        "a{2,3}",
        "a{,3}",
        "a{x}",
        "a+?",
        r"\x41\x{1F600}",
        r"\012",
        r"[\w\d-]",
        "()",
        "(|a)*",
        "^$",
        "^*",
    ],
)
def test_go_takes_it(text: str) -> None:
    assert regex_problem(text) == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(", "missing closing )"),
        ("a)", "unexpected )"),
        ("[", "missing closing ]"),
        ("[z-a]", "bad range"),
        ("*a", "nothing before"),
        ("a|*", "nothing before"),
        ("(+)", "nothing before"),
        ("a**", "a repetition of a repetition"),
        ("a{2}{3}", "a repetition of a repetition"),
        ("a{1001}", "a bad count"),
        ("a{3,2}", "a bad count"),
        ("(?=a)", "an unknown kind of group"),
        ("(?<!a)b", "an unknown kind of group"),
        (r"(a)\1", "back references"),
        ("a\\", "trailing backslash"),
        (r"\y", "bad escape"),
        (r"\xZ", "bad \\x escape"),
        (r"\p", "bad character class"),
    ],
)
def test_go_refuses_it(text: str, problem: str) -> None:
    assert regex_problem(text).startswith(problem)
