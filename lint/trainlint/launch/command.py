"""The commands that a container runs, from its ``command`` and ``args``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from trainlint.fact import fact, remembered
from trainlint.finding import Location
from trainlint.launch.shell import SHELLS, script_of, simple_commands
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Known
from trainlint.model.pod import Container, MountedFile

__all__ = ["DECLARATIONS", "Command", "Option", "Word", "commands", "place", "variables_of"]

_NOWHERE: Final = Location("", 0)
_ASSIGNMENT: Final = lazy_pattern(r"^([A-Za-z_]\w*)\+?=(.*)$", re.DOTALL)
DECLARATIONS: Final = frozenset({"export", "declare", "typeset", "readonly", "local"})
_NESTING: Final = 4
_NUMBER: Final = lazy_pattern(r"^-[\d.]+$")
_KEY: Final = lazy_pattern(r"^\+{0,2}[A-Za-z_][\w.\-]*$")
_SHELL_FILE: Final = lazy_pattern(r"\.(?:sh|bash)$")
_SHEBANG: Final = lazy_pattern(r"^#!\s*\S*/(?:env\s+)?(?:ba|da|z|k|a)?sh\b")
_OPTION: Final = lazy_pattern(r"^-[A-Za-z-]")
_PYTHON: Final = lazy_pattern(r"^(python|pypy)[\d.]*$")


@fact
class Word:
    """A word of a command line and the element of ``command`` or ``args`` that holds it."""

    text: str
    at: Location


@fact
class Option:
    """An option or ``key=value`` word: its name in lower case with dashes, its value, if any, and its place."""

    name: str
    value: str | None
    at: Location


@fact
class Command:
    """One simple command: the variables set for it, and its words, the program first."""

    words: tuple[Word, ...]
    assignments: tuple[tuple[str, str, Location], ...] = ()

    @property
    def program(self) -> str:
        """The file name of the program; empty for the image's own, and for a command that only sets variables."""
        return self.words[0].text.rpartition("/")[2] if self.words else ""

    @property
    def is_python(self) -> bool:
        """Whether it starts a Python interpreter."""
        return _PYTHON.match(self.program) is not None

    @property
    def module(self) -> str:
        """The module of ``python -m MODULE``, else empty."""
        if not self.is_python:
            return ""
        texts = [word.text for word in self.words]
        return texts[texts.index("-m") + 1] if "-m" in texts[:-1] else ""

    def options(self) -> Iterator[Option]:
        """The options with their values; a value is the rest after ``=``, or a next word that is no option itself."""
        for _, option in self._parsed():
            if option is not None:
                yield option

    def operands(self) -> Iterator[Word]:
        """The words after the program that are neither options nor values of options."""
        for word, option in self._parsed():
            if option is None:
                yield word

    def _parsed(self) -> tuple[tuple[Word, Option | None], ...]:
        return _parsed(self)

    def option(self, *names: str) -> Option | None:
        """The last option of one of these names, as command-line parsers take it; ``None`` where none is given."""
        found = None
        for option in self.options():
            if option.name in names:
                found = option
        return found


def place(container: Container) -> Location:
    """Where the container stands (a container that was made up by code stands nowhere)."""
    return container.at or _NOWHERE


@remembered
def commands(container: Container) -> tuple[Command, ...]:
    """The simple commands of the container: its argument vector or the script that it gives a shell, then its scripts.

    Scripts are split, not evaluated: every command of every branch is listed once. Elements that are no plain text are
    left out.
    """
    return _commands_of(container.command, container.args, container.files, place(container))


@lru_cache(maxsize=4096)
def _commands_of(
    command: tuple[Known[str], ...], args: tuple[Known[str], ...], files: tuple[MountedFile, ...], at: Location
) -> tuple[Command, ...]:
    words = [
        Word(word, at.child(field, index))
        for field, line in (("command", command), ("args", args))
        for index, word in enumerate(line)
        if isinstance(word, str)
    ]
    if words and words[0].text.startswith("-"):  # arguments of the image's own entrypoint
        words.insert(0, Word("", at))
    found = list(_commands(words, _NESTING))
    for script in _scripts(files, words):
        for line in simple_commands(script.text):
            found += _commands([Word(text, script.at) for text in line], _NESTING)
    return tuple(found)


def variables_of(command: Command) -> Iterator[tuple[str, str, Location]]:
    """The variables that a command sets: before it, by ``export``, or by ``env``."""
    yield from command.assignments
    if command.program in DECLARATIONS or command.program == "env":
        for word in command.words[1:]:
            if match := _ASSIGNMENT.match(word.text):
                yield match[1], match[2], word.at
            elif command.program == "env" and not word.text.startswith("-"):
                return


def _scripts(files: Sequence[MountedFile], words: Sequence[Word]) -> Iterator[MountedFile]:
    """The mounted shell scripts that the words name."""
    named = {piece for word in words for piece in word.text.split()}
    for file in files:
        if file.path in named and (_SHEBANG.match(file.text) or _SHELL_FILE.search(file.path)):
            yield file


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


@remembered
def _parsed(command: Command) -> tuple[tuple[Word, Option | None], ...]:
    return tuple(_options(command.words[1:]))


def _options(words: Sequence[Word]) -> Iterator[tuple[Word, Option | None]]:
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        name, equals, value = word.text.partition("=")
        dashed = word.text.startswith("-") and len(word.text) > 1 and not _NUMBER.match(word.text)
        if equals and (dashed or _KEY.match(name)):
            yield word, Option(_option_name(name), value, word.at)
        elif not dashed:
            yield word, None
        elif index < len(words) and not _OPTION.match(words[index].text):
            yield word, Option(_option_name(word.text), words[index].text, words[index].at)
            index += 1
        else:
            yield word, Option(_option_name(word.text), None, word.at)
