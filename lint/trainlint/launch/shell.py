"""Shell text as simple commands: quotes, comments, here-documents, control operators; nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["SHELLS", "script_of", "simple_commands"]

SHELLS: Final = frozenset({"sh", "bash", "ash", "dash", "ksh", "zsh"})

_SHELL_OPTION: Final = lazy_pattern(r"^[-+]")
_SHELL_COMMAND_OPTION: Final = lazy_pattern(r"^-[a-zA-Z]*c$")
_OPTION_WITH_VALUE: Final = lazy_pattern(r"^[-+][a-zA-Z]*[oO]$")
_KEYWORDS: Final = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "exec", "nohup"})

_SUBSTITUTION: Final = r"\$\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)"
_TOKEN: Final = lazy_pattern(
    rf"""
    (?P<blank>(?:[ \t\r\f\v]|\\\r?\n)++)
  | (?P<comment>\#[^\n]*+)
  | (?P<here><<-?[ \t]*+(?P<quote>['"]?)(?P<label>\w++)(?P=quote))
  | (?P<redirect>\d*+(?:<<<|>>|>\||<>|[<>]&?|&>>?))
  | (?P<end>\n|;;?&?|&&?|\|[|&]?|\(|\))
  | (?P<word>(?:
        \\. | '[^']*+' | "(?:\\.|{_SUBSTITUTION}|[^"\\])*+" | {_SUBSTITUTION} | \$\{{[^}}]*+\}} | `[^`]*+`
      | [^\s;&|()<>'"\\$`]++ | ['"\\$`]
    )++)
    """,
    re.VERBOSE | re.DOTALL,
)
_WORD_PIECE: Final = lazy_pattern(
    rf"""\\(?P<escaped>.) | '(?P<single>[^']*+)' | "(?P<double>(?:\\.|{_SUBSTITUTION}|[^"\\])*+)" """
    rf"""| (?P<plain>{_SUBSTITUTION} | \$\{{[^}}]*+\}} | `[^`]*+` | [^'"\\$`]++ | .)""",
    re.VERBOSE | re.DOTALL,
)


def script_of(words: list[str]) -> int | None:
    """The index of the word that a shell among the words is given as its script (``bash -ec SCRIPT``); ``None`` where
    there is none.
    """
    for index, word in enumerate(words):
        if word.rpartition("/")[2] in SHELLS:
            wants_script = False
            skip = False
            for offset, option in enumerate(words[index + 1 :], start=index + 1):
                if skip:
                    skip = False
                elif _SHELL_COMMAND_OPTION.match(option):
                    wants_script = True
                elif _OPTION_WITH_VALUE.match(option):
                    wants_script = wants_script or "c" in option
                    skip = True
                elif not _SHELL_OPTION.match(option):
                    return offset if wants_script else None
            return None
    return None


def simple_commands(script: str) -> Iterator[list[str]]:
    """The words of each simple command of a script, in the order of the text, whatever control flow surrounds them.

    Quotes are removed; substitutions and variables stay as written. Text that no shell would accept gives the words
    that can be told apart.
    """
    words: list[str] = []
    skip_word = False
    here: list[str] = []
    position = 0
    while position < len(script):
        token = _TOKEN.match(script, position)
        if token is None:  # not reached: every character begins a token
            break
        position = token.end()
        kind = token.lastgroup
        if kind == "here":
            here.append(token["label"])
        elif kind == "redirect":
            skip_word = True
        elif kind == "word":
            if not skip_word:
                words.append(_unquoted(token["word"]))
            skip_word = False
        elif kind == "end":
            if words and (command := _without_keywords(words)):
                yield command
            words, skip_word = [], False
            if token["end"] == "\n" and here:
                position = _after_here_documents(script, position, here)
                here = []
    if words and (command := _without_keywords(words)):
        yield command


def _unquoted(word: str) -> str:
    text: list[str] = []
    for piece in _WORD_PIECE.finditer(word):
        if (double := piece["double"]) is not None:
            text.append(re.sub(r"\\([$`\"\\\n])", lambda found: found[1].strip("\n"), double))
        elif (escaped := piece["escaped"]) is not None:
            text.append(escaped.strip("\n"))
        else:
            text.append(piece["single"] if piece["single"] is not None else piece["plain"])
    return "".join(text)


def _without_keywords(words: list[str]) -> list[str]:
    first = 0
    while first < len(words) and words[first] in _KEYWORDS:
        first += 1
    return words[first:]


def _after_here_documents(script: str, position: int, labels: list[str]) -> int:
    for label in labels:
        end = re.compile(rf"^[ \t]*{re.escape(label)}[ \t\r]*$", re.MULTILINE).search(script, position)
        if end is None:
            return len(script)
        position = end.end()
    return position
