"""A result as text for people or data for programs: one module per format, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from trainlint.report.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trainlint.result import Result

__all__ = ["DRAWN", "FORMATS", "Options", "reporter"]

FORMATS: Final[Mapping[str, str]] = {
    "text": "trainlint.report.text",
    "concise": "trainlint.report.concise",
    "json": "trainlint.report.json",
    "sarif": "trainlint.report.sarif",
    "github": "trainlint.report.github",
    "gitlab": "trainlint.report.gitlab",
    "junit": "trainlint.report.junit",
    "markdown": "trainlint.report.markdown",
    "html": "trainlint.report.html",
}
"""The formats, each with the module whose ``render(result, options) -> str`` writes it, last newline included."""

DRAWN: Final = frozenset({"html"})
"""The formats that show the graphs of groups: who asks for one of them asks the engine for these."""


MORE: Final[Mapping[str, str]] = {"diff": "trainlint.report.diff"}
"""Formats that an option of their own asks for."""


def reporter(name: str) -> Callable[[Result, Options], str]:
    """The function that writes a result in the format ``name``; ``KeyError`` for one that there is not."""
    return cast("Callable[[Result, Options], str]", import_module(FORMATS.get(name) or MORE[name]).render)
