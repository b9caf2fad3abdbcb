"""Golden files: what trainlint says, word for word, kept in a file that a reviewer reads.

They guard the words and the format, not the truth: what is true is checked elsewhere (``tests/cases``,
``tests/conformance``). ``make golden`` writes them anew; read what has changed before you commit it.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from trainlint import __version__
from trainlint.report.json import data
from trainlint.result import Result

__all__ = ["HERE", "agree", "commit", "stale", "told", "written"]

HERE = Path(__file__).parent
_SPAN = ("line", "column", "end_line", "end_column")


def told(result: Result) -> dict[str, Any]:
    """The whole JSON report, with each place and each diff in the form that is read best.

    A place is ``file:line:column-line:column path``, a diff is a list of lines. The version of trainlint and the
    directory are left out, and so are empty lists and mappings.
    """
    report = {key: value for key, value in data(result).items() if key not in {"schema", "trainlint", "analysed"}}
    shown: dict[str, Any] = _shown(report)
    return shown


def written(value: Mapping[str, Any]) -> str:
    """The text of a golden file."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def agree(file: Path, text: str, *, update: bool) -> None:
    """Compare ``text`` with the golden file, or write it there.

    Raises:
        AssertionError: the file is not there, or says something else.
    """
    text = text.replace(f"trainlint {__version__}", "trainlint VERSION")
    if update:
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
        return
    assert file.exists(), f"{file.relative_to(HERE)} is not there: make golden"
    assert text.splitlines() == file.read_text(encoding="utf-8").splitlines(), (
        f"tests/golden/{file.relative_to(HERE)} says something else; if it should: make golden, and read its diff"
    )


def stale(folder: Path, names: Iterable[str], *, update: bool) -> list[str]:
    """The golden files below ``folder`` of which there is nothing any more; with ``update`` they are removed."""
    known = {folder / name for name in names}
    found = [file for file in sorted(folder.rglob("*")) if file.is_file() and file not in known]
    if update:
        for file in found:
            file.unlink()
        return []
    return [str(file.relative_to(folder)) for file in found]


def commit(directory: Path) -> None:
    """Make ``directory`` a Git repository with one commit, whose hash depends on nothing but its files."""
    names = [
        f"{key}={value}"
        for key, value in (
            ("user.name", "example"),
            ("user.email", "example@example.invalid"),
            ("init.defaultBranch", "main"),
            ("commit.gpgsign", "false"),
        )
    ]
    options = [part for name in names for part in ("-c", name)]
    time = {"GIT_AUTHOR_DATE": "2026-06-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-06-01T00:00:00Z"}
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "base"]):
        subprocess.run(
            ["git", *options, *arguments], cwd=directory, check=True, capture_output=True, env={**os.environ, **time}
        )


def _shown(value: Any) -> Any:
    match value:
        case dict() if set(_SPAN) <= set(value) and "text" in value:  # an edit: the diff shows its text
            return _span(value)
        case dict() if set(_SPAN) <= set(value):
            kept = {key: each for key, each in value.items() if key not in {*_SPAN, "file", "path", "base"}}
            at = f"{value['file']}:{_span(value)} {'/'.join(map(str, value['path']))}".rstrip()
            at += " (in the base)" if value.get("base") else ""
            return {**kept, "at": at} if kept else at
        case dict():
            shown = {key: _shown(each) for key, each in value.items()}
            return {key: each for key, each in shown.items() if each not in ([], {})}
        case list():
            return [_shown(each) for each in value]
        case str() if value.startswith("--- "):
            return value.splitlines()
        case _:
            return value


def _span(value: Mapping[str, Any]) -> str:
    line, column, end_line, end_column = (value[key] for key in _SPAN)
    return f"{line}:{column}-{end_line}:{end_column}"
