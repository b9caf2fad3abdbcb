"""Code, pages, messages, tests and cases are plain: no riddles about who does something, one word for one meaning."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("lint", "rules", "schemas", "docs")
ALL = (*FOLDERS, "tests", ".github", ".ci")
TEXTS = (".py", ".md", ".json", ".js", ".css", ".html", ".yaml", ".yml", ".sh", "")
RECORDED = ("tests/conformance/data/", "tests/golden/", "schemas/trainlint_schemas/kinds/")
"""What was recorded from other programs, or is generated from what the other folders say."""

EVERYWHERE = re.compile(r"(some|no|every|any)body(?![a-z])|\bwhoever\b|\bfor\s+ever\b", re.IGNORECASE)
"""Say which pods, objects or programs are meant; ``unknown``; ``stays Pending``, ``hangs``."""
SYNONYMS = re.compile(r"(?<![A-Za-z])mend(s|ed|ing)?(?![a-z])", re.IGNORECASE)
"""Words for which another one is used (docs/glossary.md): fix and repair."""
IN_MESSAGES = re.compile(r"\b(counts? too|isolates and does not admit|and still isolates)\b(?! its)", re.IGNORECASE)
"""Of what users read: ``fix``, ``also counted``; what a policy admits, and which pods it isolates."""


def places(text: str, words: re.Pattern[str]) -> list[str]:
    """Each line and word that matches."""
    return [f"{text.count(chr(10), 0, found.start()) + 1}: {found[0]}" for found in words.finditer(text)]


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every literal of a module that is a sentence: no docstring, no key, no name."""
    tree = ast.parse(source)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and id(node) not in alone
        ):
            yield node.lineno, node.value


def texts(folders: tuple[str, ...], *suffixes: str) -> Iterator[Path]:
    """The files with one of some suffixes below some folders, but for this test and what was recorded."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in suffixes and path.is_file() and path != Path(__file__) and not name.startswith(RECORDED):
                yield path


def found_in(paths: Iterable[Path], words: re.Pattern[str]) -> dict[str, list[str]]:
    """The words that each file holds, by its path from the root; a file that is no text holds none."""
    found = {}
    for path in paths:
        if b"\0" not in (content := path.read_bytes()) and (here := places(content.decode("utf-8", "replace"), words)):
            found[path.relative_to(ROOT).as_posix()] = here
    return found


def test_no_sentence_is_about_somebody() -> None:
    assert found_in(texts(ALL, *TEXTS), EVERYWHERE) == {}


def test_one_meaning_has_one_word() -> None:
    assert found_in(texts(ALL, *(suffix for suffix in TEXTS if suffix != ".md")), SYNONYMS) == {}
    assert found_in(texts(("docs", "rules", "tests"), ".md"), SYNONYMS) == {}


@pytest.mark.parametrize("words", [EVERYWHERE, SYNONYMS])
def test_files_and_folders_are_named_by_the_same_words(words: re.Pattern[str]) -> None:
    names = [path.relative_to(ROOT).as_posix() for path in texts(ALL, *TEXTS)]
    assert len(names) > 1500
    assert [name for name in names if words.search(name)] == []


def test_messages_use_todays_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in texts(FOLDERS, ".py")
        for line, text in messages(path.read_text(encoding="utf-8"))
        if IN_MESSAGES.search(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\nNobody knows", ["2: Nobody"]),
        ("waits for\n    ever", ["1: for\n    ever"]),
        ("unknown forever", []),
        ("def test_nobody_knows", ["1: nobody"]),
    ],
)
def test_the_words_are_noticed(text: str, found: list[str]) -> None:
    assert places(text, EVERYWHERE) == found


@pytest.mark.parametrize(("text", "found"), [("a_mended file", ["mended"]), ("recommended, amends", [])])
def test_synonyms_are_noticed(text: str, found: list[str]) -> None:
    assert [match[0] for match in SYNONYMS.finditer(text)] == found


def test_docstrings_are_no_messages() -> None:
    source = '"""counts too"""\ntext = "counts too", "x"\n'
    assert list(messages(source)) == [(2, "counts too")]
