"""The commands that a container runs, from its ``command`` and ``args``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trainlint.finding import Location
from trainlint.launch.shell import SHELLS, script_of, simple_commands
from trainlint.model.pod import Container

__all__ = ["Command", "Option", "Word", "commands", "place", "variables_of"]

_NOWHERE: Final = Location("", 0)
_ASSIGNMENT: Final = re.compile(r"^([A-Za-z_]\w*)\+?=(.*)$", re.DOTALL)
_DECLARATIONS: Final = frozenset({"export", "declare", "typeset", "readonly", "local"})
_NESTING: Final = 4
_PYTHON: Final = re.compile(r"^(python|pypy)[\d.]*$")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command line and the element of ``command`` or ``args`` that holds it."""

    text: str
    at: Location


@dataclass(frozen=True, slots=True)
class Option:
    """An option or ``key=value`` word: its name in lower case with dashes, its value, if any, and its place."""

    name: str
    value: str | None
    at: Location


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command: the variables set for it, and its words, the program first."""

    words: tuple[Word, ...]
    assignments: tuple[tuple[str, str, Location], ...] = ()

    @property
    def program(self) -> str:
        """The file name of the program; empty for a command that only sets variables."""
        return self.words[0].text.rpartition("/")[2] if self.words else ""

    @property
    def module(self) -> str:
        """The module of ``python -m MODULE``, else empty."""
        if not _PYTHON.match(self.program):
            return ""
        texts = [word.text for word in self.words]
        return texts[texts.index("-m") + 1] if "-m" in texts[:-1] else ""

    def options(self) -> Iterator[Option]:
        """The options with their values; a value is the rest after ``=``, or a next word that is no option itself."""
        for index, word in enumerate(self.words):
            text = word.text
            dashed = text.startswith("-") and len(text) > 1
            name, equals, value = text.partition("=")
            if equals and (dashed or re.fullmatch(r"[+]{0,2}[A-Za-z_][\w.\-]*", name)):
                yield Option(_option_name(name), value, word.at)
            elif dashed and not re.fullmatch(r"-[\d.]+", text):
                follower = self.words[index + 1] if index + 1 < len(self.words) else None
                if follower is None or re.match(r"-[A-Za-z-]", follower.text):
                    yield Option(_option_name(text), None, word.at)
                else:
                    yield Option(_option_name(text), follower.text, follower.at)

    def option(self, *names: str) -> Option | None:
        """The last option of one of these names, as command-line parsers take it."""
        found = None
        for option in self.options():
            if option.name in names:
                found = option
        return found


def place(container: Container) -> Location:
    """Where the container stands (a container that was made up by code stands nowhere)."""
    return container.at or _NOWHERE


def commands(container: Container) -> tuple[Command, ...]:
    """The simple commands of the container: its argument vector or the script that it gives a shell, then its scripts.

    Scripts are split, not evaluated: every command of every branch is listed once. Elements that are no plain text are
    left out.
    """
    at = place(container)
    words = [
        Word(word, at.child(field, index))
        for field, line in (("command", container.command), ("args", container.args))
        for index, word in enumerate(line)
        if isinstance(word, str)
    ]
    found = list(_commands(words, _NESTING))
    for script in container.scripts:
        for line in simple_commands(script.text):
            found += _commands([Word(text, script.at) for text in line], _NESTING)
    return tuple(found)


def variables_of(command: Command) -> Iterator[tuple[str, str, Location]]:
    """The variables that a command sets: before it, by ``export``, or by ``env``."""
    yield from command.assignments
    if command.program in _DECLARATIONS or command.program == "env":
        for word in command.words[1:]:
            if match := _ASSIGNMENT.match(word.text):
                yield match[1], match[2], word.at
            elif command.program == "env" and not word.text.startswith("-"):
                return


def _commands(words: Sequence[Word], depth: int) -> Iterator[Command]:
    if not words:
        return
    texts = [word.text for word in words]
    script = script_of(texts) if depth else None
    if script is not None:
        before = next(index for index, text in enumerate(texts) if text.rpartition("/")[2] in SHELLS)
        if before:  # env A=b bash -c, tini -- bash -c
            yield _simple(words[:before])
        for line in simple_commands(texts[script]):
            yield from _commands([Word(text, words[script].at) for text in line], depth - 1)
        return
    yield _simple(words)


def _simple(words: Sequence[Word]) -> Command:
    assignments = []
    first = 0
    while first < len(words) and (match := _ASSIGNMENT.match(words[first].text)):
        assignments.append((match[1], match[2], words[first].at))
        first += 1
    return Command(tuple(words[first:]), tuple(assignments))


def _option_name(text: str) -> str:
    return text.lstrip("-+").lower().replace("_", "-")
