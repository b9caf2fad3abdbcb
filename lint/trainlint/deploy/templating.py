"""The two languages in which ApplicationSets write their templates: ``{{name}}``, and Go's with some of its functions.

What is not understood stays as it is: a placeholder, which is never taken for a value.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["flat", "normalized", "rendered"]

_FIELD: Final = lazy_pattern(r"(?:\.[A-Za-z_][\w\-]*)+")


class _UnclearError(Exception):
    """An expression that is not understood."""


def rendered(value: Any, parameters: Mapping[str, Any], *, go: bool) -> Any:
    """The value with every text in it rendered."""
    return _Renderer(parameters, go=go).rendered(value)


class _Renderer:
    def __init__(self, parameters: Mapping[str, Any], *, go: bool) -> None:
        self._parameters = parameters
        self._go = go

    @cached_property
    def _plain(self) -> dict[str, str]:
        return flat(self._parameters)

    def rendered(self, value: Any) -> Any:
        """The value with every text in it rendered."""
        if isinstance(value, str):
            return self._text(value) if "{{" in value else value
        if isinstance(value, dict):
            return {self.rendered(key): self.rendered(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.rendered(inner) for inner in value]
        return value

    def _text(self, text: str) -> str:
        """The text with its tags filled in. It is searched from tag to tag: expressions that go back and forth in it
        would take the square of its length.
        """
        parts, at = [], 0
        while (start := text.find("{{", at)) >= 0 and (end := text.find("}}", start + 2)) >= 0:
            parts += [text[at:start], self._value(text[start + 2 : end], text[start : end + 2])]
            at = end + 2
        return "".join([*parts, text[at:]])

    def _value(self, inside: str, written: str) -> str:
        expression = inside.removeprefix("-").lstrip().removesuffix("-").rstrip()
        if not self._go:
            return self._plain.get(expression, written)
        try:
            return _shown(_pipeline(expression, self._parameters))
        except _UnclearError:
            return written


def flat(parameters: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Nested parameters under names joined by dots, elements of lists as ``name[0]``: those of the older language."""
    found: dict[str, str] = {}
    for key, value in parameters.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            found.update(flat(value, f"{name}."))
        elif isinstance(value, list):
            for index, element in enumerate(value):
                if isinstance(element, Mapping):
                    found.update(flat(element, f"{name}[{index}]."))
                else:
                    found[f"{name}[{index}]"] = _shown(element)
        else:
            found[name] = _shown(value)
    return found


def normalized(name: str) -> str:
    """The name as Argo CD makes a DNS name of it: lower case, other characters as dashes, 253 at most, dots stay."""
    return re.sub(r"[^-a-z0-9.]", "-", name.lower())[:253].strip("-.")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _pipeline(expression: str, parameters: Mapping[str, Any]) -> Any:
    if re.search(r"[()`]|:=|\b(?:if|else|end|range|with|define|template|block)\b", expression):
        raise _UnclearError
    before: list[Any] = []
    for stage in re.split(r"\s*\|\s*", expression):
        before = [_call(_words(stage), parameters, before)]
    return before[0]


def _words(stage: str) -> list[str]:
    lexer = shlex.shlex(stage, posix=False)
    lexer.whitespace_split, lexer.quotes, lexer.commenters = True, '"', ""
    try:
        return list(lexer)
    except ValueError:
        raise _UnclearError from None


def _call(words: list[str], parameters: Mapping[str, Any], before: list[Any]) -> Any:
    if not words:
        raise _UnclearError
    head, *rest = words
    if head not in _FUNCTIONS:
        if rest or before:
            raise _UnclearError
        return _operand(head, parameters)
    try:
        return _FUNCTIONS[head](*(_operand(word, parameters) for word in rest), *before)
    except (TypeError, ValueError, LookupError, AttributeError):
        raise _UnclearError from None


def _operand(word: str, parameters: Mapping[str, Any]) -> Any:
    if len(word) > 1 and word[0] == word[-1] == '"':
        return word[1:-1]
    if word.lstrip("-").isdecimal():
        return int(word)
    if _FIELD.fullmatch(word) is None:
        raise _UnclearError
    here: Any = parameters
    for step in word[1:].split("."):
        if not isinstance(here, Mapping) or step not in here:
            raise _UnclearError
        here = here[step]
    return here


def _index(value: Any, *steps: Any) -> Any:
    for step in steps:
        value = value[step]
    return value


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "default": lambda other, value=None: value or other,
    "index": _index,
    "last": lambda value: value[-1],
    "first": lambda value: value[0],
    "lower": lambda value: value.lower(),
    "normalize": normalized,
    "quote": lambda value: f'"{_shown(value)}"',
    "replace": lambda old, new, value: value.replace(old, new),
    "toString": _shown,
    "trim": lambda value: value.strip(),
    "trimPrefix": lambda prefix, value: value.removeprefix(prefix),
    "trimSuffix": lambda suffix, value: value.removesuffix(suffix),
    "upper": lambda value: value.upper(),
}
