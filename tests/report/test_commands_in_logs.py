"""What a runner would take for a command never stands in a log: GitHub, Azure and TeamCity (their documentation)."""

from __future__ import annotations

import pytest

from trainlint.report.commands import tamed
from trainlint.wording.listing import listed

RUNNERS = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
TEXT = "::error::x\n  ::set-output\na ::b\n##[group]x ##vso[y] ##teamcity[z]\n## a\n"


@pytest.fixture(autouse=True)
def _no_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in RUNNERS:
        monkeypatch.delenv(each, raising=False)


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("text", "\\x3a:error::x\n  \\x3a:set-output\na ::b\n#\\x23[group]x #\\x23vso[y] #\\x23teamcity[z]\n## a\n"),
        ("json", TEXT.replace("##[", "#\\u0023[").replace("##vso", "#\\u0023vso").replace("##team", "#\\u0023team")),
        ("sarif", TEXT.replace("##[", "#\\u0023[").replace("##vso", "#\\u0023vso").replace("##team", "#\\u0023team")),
        *(
            (
                form,
                "&#58;:error::x\n  &#58;:set-output\na ::b\n#&#35;[group]x #&#35;vso[y] #&#35;teamcity[z]\n## a\n",
            )
            for form in ("junit", "svg", "html", "graphml")
        ),
        ("github", TEXT),
    ],
)
def test_commands_are_escaped_as_the_format_has_it(
    monkeypatch: pytest.MonkeyPatch, runner: str, form: str, expected: str
) -> None:
    assert tamed(TEXT, form) == TEXT
    monkeypatch.setenv(runner, "1")
    assert tamed(TEXT, form) == expected


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "none"),
        (1, "a"),
        (2, "a and b"),
        (3, "a, b and c"),
        (7, "a, b, c, d, e, f and g"),
        (8, "a, b, c, d, e, f and 2 more"),
        (9, "a, b, c, d, e, f and 3 more"),
    ],
)
def test_names_in_one_phrase(number: int, text: str) -> None:
    names = list("abcdefghi"[:number])
    assert listed(names) == text
    assert listed([*names, *names]) == text
