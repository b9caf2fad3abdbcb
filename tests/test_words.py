"""Code, pages and messages are plain: no riddles about who does something, and no old words in what users read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("lint", "rules", "schemas", "docs")
TEXTS = {".py", ".md", ".json", ".js", ".css", ".html", ".yaml"}

EVERYWHERE = re.compile(r"(some|no|every|any)body(?![a-z])|\bwhoever\b|\bfor\s+ever\b", re.IGNORECASE)
"""Say which pods, objects or programs are meant; ``unknown``; ``stays Pending``, ``hangs``."""
IN_MESSAGES = re.compile(
    r"\b(mends?|counts? too|isolates and does not admit|and still isolates)\b(?! its)", re.IGNORECASE
)
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


def texts(*suffixes: str) -> list[Path]:
    return [
        path
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in suffixes and path.is_file() and "kinds" not in path.parts[-2:-1]
    ]


def test_no_sentence_is_about_somebody() -> None:
    found = {
        str(path.relative_to(ROOT)): here
        for path in texts(*TEXTS)
        if (here := places(path.read_text(encoding="utf-8"), EVERYWHERE))
    }
    assert found == {}


def test_messages_use_todays_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in texts(".py")
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
    ],
)
def test_the_words_are_noticed(text: str, found: list[str]) -> None:
    assert places(text, EVERYWHERE) == found


def test_docstrings_are_no_messages() -> None:
    source = '"""counts too"""\ntext = "counts too", "mends"\n'
    assert list(messages(source)) == [(2, "counts too")]
