"""Text for GitHub's and GitLab's Markdown: nothing in it is markup, a link, a mention or a reference.

Plain words stay as they are. Everything else (names, labels, paths, values) becomes a code span, in which there
is no markup: so a name from a manifest cannot mention people, link to anything or end the table it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.report.terminal import escape

__all__ = ["cell", "clipped", "code", "code_cell", "fenced", "prose"]

# Seven hexadecimal digits may be a commit, which GitHub links.
_WORD: Final = lazy_pattern(r"(?!.*[0-9a-f]{7})[(\"']*(?:[^\W\d_]+(?:[-'][^\W\d_]+)*|\d+)[)\"'.,;:!?]*")
_NUMBER_WITH_DOT: Final = lazy_pattern(r"\d+[.)].*")
_ENDS: Final = ",;:!?.)"
_ARROWS: Final = {"->": "→", "-": "\\-"}


def clipped(text: str, length: int) -> str:
    """``text`` with at most ``length`` characters; what is cut is marked."""
    return text if len(text) <= length else text[: length - 3] + "..."


def code(text: str) -> str:
    """A code span that shows ``text`` in one line."""
    shown = escape(" ".join(text.split())) or " "
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def prose(text: str) -> str:
    """A sentence in one line, its names as code."""
    return " ".join(_token(word) for word in text.split())


def cell(text: str) -> str:
    """A sentence for a cell of a table."""
    return " ".join(_token(word, code_cell) for word in text.split())


def code_cell(text: str) -> str:
    """Code for a cell of a table, which a bar would end even inside of code: it is written as an escape.

    (``\\|`` would be a bar, but how it is read after more backslashes differs from one renderer to the next.)
    """
    return code(text.replace("|", "\\x7c"))


def fenced(lines: Iterable[str], language: str = "") -> str:
    """A block of code with these lines."""
    shown = [escape(line.expandtabs(4)) for line in lines]
    longest = max((len(run) for line in shown for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{language}", *shown, fence])


def _token(word: str, span: Callable[[str], str] = code) -> str:
    if word in _ARROWS:
        return _ARROWS[word]
    if _WORD.fullmatch(word) and not _NUMBER_WITH_DOT.fullmatch(word):
        return word
    core = word.rstrip(_ENDS)
    if not core:
        return span(word)
    opened = "(" if core.startswith("(") and len(core) > 1 else ""
    return f"{opened}{span(core.removeprefix(opened))}{word[len(core) :]}"
