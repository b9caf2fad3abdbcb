"""Shell-like substitutions in text, to the letter as Flux reads them (fluxcd/pkg, envsubst)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["DeepError", "EnvsubstError", "Text", "Use", "parsed_text", "value_of"]

MAX_VALUE: Final = 3 << 20
"""Characters of a value: no object may be larger (the API server's limit of a request)."""
MAX_TRIMMED: Final = 4096
"""Characters of a value of which a pattern is cut off: for each of them it is matched once."""

MAX_DEPTH: Final = 50

_INTEGER: Final = lazy_pattern(r"[+-]?[0-9]{1,18}")
"""What Go's ``strconv.Atoi`` reads."""

_DEFAULTS: Final = frozenset({"=", ":=", ":-", ":?", ":+"})
"""Operators that put in their words where the variable is empty or not set: of all of them Flux makes the same."""


class EnvsubstError(Exception):
    """A text that is no substitution: the message says what is wrong; Flux refuses the object."""


class DeepError(EnvsubstError):
    """A text of substitutions that lie too deep to be read here; Flux may read it."""


@fact
class Text:
    """Text that stays what it is."""

    text: str


@fact
class Use:
    """A substitution: the variable, its operator (empty: none), the operator's words, and how all of it is written."""

    name: str
    operator: str
    words: tuple[Text | Use, ...]
    written: str


def parsed_text(text: str) -> tuple[Text | Use, ...]:
    """The parts of a text, in order. ``$$`` stands for one ``$``, and a ``$`` without a brace for itself.

    Raises:
        EnvsubstError: what follows a ``${`` is no substitution.
    """
    return tuple(_Parser(text).parts())


def value_of(use: Use, known: Callable[[str], str | None]) -> str | None:
    """What is put in place of a substitution.

    ``None`` where a variable that it needs is not known, or where it would be too long or too much work.
    """
    value = known(use.name)
    if value is None:
        return None
    words: list[str] = []
    left = MAX_VALUE
    for each in use.words:
        word = each.text if isinstance(each, Text) else value_of(each, known)
        if word is None:
            return None
        words.append(word)
        left -= len(word)
        if left < 0:
            return None
    if use.operator in _DEFAULTS:
        return value or "".join(words)
    return _changed(value, use.operator, words)


def _changed(value: str, operator: str, words: list[str]) -> str | None:
    match operator:
        case "#" if not words:
            return str(len(value.encode()))
        case ",," | "^^":
            return value.lower() if operator == ",," else value.upper()
        case "," | "^":
            return (value[:1].lower() if operator == "," else value[:1].upper()) + value[1:]
        case "/" | "//" if _grows(value, *words):
            return None
        case "/" | "//":
            return value.replace(words[0], words[1] if len(words) > 1 else "", 1 if operator == "/" else -1)
        case "/#" if len(words) > 1 and value.startswith(words[0]):
            return value.replace(words[0], words[1], 1)
        case "/%" if len(words) > 1 and value.endswith(words[0]):
            return value.removesuffix(words[0]) + words[1]
        case "#" | "##" | "%" | "%%":
            return _trimmed(value, operator, words[0]) if len(value) <= MAX_TRIMMED else None
        case ":":
            return _part(value, words)
        case _:
            return value


def _grows(value: str, old: str, new: str = "", *_: str) -> bool:
    """Whether a replacement of every ``old`` makes a value too long."""
    return len(value) + value.count(old) * max(len(new) - len(old), 0) > MAX_VALUE


def _trimmed(value: str, operator: str, pattern: str) -> str:
    cuts = range(1, len(value) + 1) if len(operator) == 1 else range(len(value), 0, -1)
    for cut in cuts:
        piece = value[:cut] if operator[0] == "#" else value[-cut:]
        if fnmatchcase(piece, pattern):
            return value[cut:] if operator[0] == "#" else value[:-cut]
    return value


def _part(value: str, words: list[str]) -> str:
    if not all(map(_INTEGER.fullmatch, words)):
        return value
    start, *length = map(int, words)
    start = max(len(value) + start, 0) if start < 0 else start
    return value[start:] if not length or start + length[0] >= len(value) else value[start : start + length[0]]


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def parts(self) -> Iterator[Text | Use]:
        text = ""
        while self._at < len(self._text):
            if self._follows("${"):
                if text:
                    yield Text(text)
                text = ""
                yield self._use()
            else:
                self._at += 1 if self._follows("$$") else 0
                text += self._text[self._at]
                self._at += 1
        if text:
            yield Text(text)

    def _follows(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _use(self) -> Use:
        start = self._at
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise DeepError(f"it holds more than {MAX_DEPTH} substitutions one in the other")
        self._at += 2
        if self._follows("#"):
            self._at += 1
            name = self._name(start)
            operator, words = "#", tuple[Text | Use, ...]()
        else:
            name = self._name(start)
            operator, words = self._operation(start)
        if not self._follows("}"):
            raise self._refusal(start)
        self._at += 1
        self._depth -= 1
        return Use(name, operator, words, self._text[start : self._at])

    def _name(self, start: int) -> str:
        begin = self._at
        while self._at < len(self._text) and (self._text[self._at].isalnum() or self._text[self._at] == "_"):
            self._at += 1
        if begin == self._at:
            raise self._refusal(start)
        return self._text[begin : self._at]

    def _operation(self, start: int) -> tuple[str, tuple[Text | Use, ...]]:
        here = self._text[self._at : self._at + 2]
        if here[:1] == "=" or (here[:1] == ":" and here[1:] in ("=", "-", "?", "+")):
            operator = self._taken(here[:1] if here[:1] == "=" else here)
            return operator, tuple(self._words())
        if here[:1] in (",", "^"):
            return self._taken(here if here[1:] in (",", "^") else here[:1]), ()
        if here[:1] in ("#", "%"):
            operator = self._taken(here if here[1:] == here[:1] else here[:1])
            return operator, (self._word("}", start),)
        if here[:1] == "/":
            operator = self._taken(here if here[1:] in ("/", "#", "%") else "/")
            first = self._word("/", start, escapes=True)
            if not self._follows("/"):
                raise self._refusal(start)
            self._at += 1
            return operator, (first,) if self._follows("}") else (first, self._word("}", start, escapes=True))
        if here[:1] == ":":
            self._at += 1
            first = self._word(":}", start)
            if not self._follows(":"):
                return ":", (first,)
            self._at += 1
            return ":", (first, self._word("}", start))
        return "", ()

    def _taken(self, operator: str) -> str:
        self._at += len(operator)
        return operator

    def _words(self) -> Iterator[Text | Use]:
        while self._at < len(self._text) and not self._follows("}"):
            yield self._word("}", self._at)

    def _word(self, ends: str, start: int, *, escapes: bool = False) -> Text | Use:
        """One word of an operator: another substitution, or text up to one of the ends, which may be escaped."""
        if self._follows("${"):
            return self._use()
        begin, text = self._at, ""
        while self._at < len(self._text) and not self._follows("${"):
            if escapes and any(map(self._follows, ("$$", "\\/", "\\\\"))):
                self._at += 1
            elif self._text[self._at] in ends:
                break
            text += self._text[self._at]
            self._at += 1
        if begin == self._at:
            raise self._refusal(start)
        return Text(text)

    def _refusal(self, start: int) -> EnvsubstError:
        line = self._text[start:].partition("\n")[0]
        end = line.find("}")
        return EnvsubstError(line[: end + 1] if end >= 0 else line[:40])
