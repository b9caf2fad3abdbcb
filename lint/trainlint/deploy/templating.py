"""The two languages in which ApplicationSets write their templates: ``{{name}}``, and Go's with some of its functions.

What is not understood stays as it is: a placeholder, which nobody takes for a value.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["flat", "normalized", "rendered"]

_TAG: Final = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_FIELD: Final = re.compile(r"(?:\.[A-Za-z_][\w\-]*)+")


class _UnclearError(Exception):
    """An expression that is not understood."""


def rendered(value: Any, parameters: Mapping[str, Any], *, go: bool) -> Any:
    """The value with every text in it rendered."""
    if isinstance(value, str):
        return _text(value, parameters, go=go) if "{{" in value else value
    if isinstance(value, dict):
        return {rendered(key, parameters, go=go): rendered(inner, parameters, go=go) for key, inner in value.items()}
    if isinstance(value, list):
        return [rendered(inner, parameters, go=go) for inner in value]
    return value


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
    """A name that is a DNS label: lower case, other characters as dashes, 63 at most."""
    return re.sub(r"[^-a-z0-9]", "-", name.lower())[:63].strip("-")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _text(text: str, parameters: Mapping[str, Any], *, go: bool) -> str:
    plain = {} if go else flat(parameters)

    def value(tag: re.Match[str]) -> str:
        if not go:
            return plain.get(tag[1], tag[0])
        try:
            return _shown(_pipeline(tag[1], parameters))
        except _UnclearError:
            return tag[0]

    return _TAG.sub(value, text)


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
