"""``${NAME}`` in rendered objects, as Flux replaces it: spec.postBuild of a Kustomization.

Flux writes each object as YAML, replaces text, and reads it again: a value that was text may become a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from trainlint.deploy.deployment import Variables
from trainlint.deploy.envsubst import DeepError, EnvsubstError, Text, parsed_text, value_of
from trainlint.finding import Path
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load

__all__ = ["DISABLED", "has_substitutions", "refused", "substituted"]

MAX_TEXT: Final = 3 << 20
"""Characters that may be put into one text: no object may be larger (the API server's limit of a request)."""
DISABLED: Final = "kustomize.toolkit.fluxcd.io/substitute"
"""A label or annotation whose value ``disabled`` keeps an object as it is."""

_QUOTED: Final = lazy_pattern(r"""[\s!&*?|>%@`"'\[\]{},#:-]|.*(?::\s|\s\#|:\Z|\s\Z)""", re.DOTALL)
"""Text that a YAML emitter would put in quotes, so that it stays text whatever is put into it."""


def substituted(value: Any, variables: Variables) -> Any:
    """The value with everything replaced that is known; equal parts are the same objects as before."""
    if isinstance(value, str):
        return _text(value, variables) if "$" in value else value
    if isinstance(value, dict):
        made = {_key(key, variables): substituted(inner, variables) for key, inner in value.items()}
        same = all(key in value and made[key] is value[key] for key in made)
        return value if same and len(made) == len(value) else made
    if isinstance(value, list):
        elements = [substituted(inner, variables) for inner in value]
        return value if all(new is old for new, old in zip(elements, value, strict=True)) else elements
    return value


def _key(key: Any, variables: Variables) -> Any:
    return replaced(key, variables) if isinstance(key, str) and "$" in key else key


def _text(text: str, variables: Variables) -> Any:
    made = replaced(text, variables)
    if made == text:
        return text
    if "\n" in text or _QUOTED.match(text.replace("${", "")):
        return made
    try:
        return load(made).data
    except (TooDeepError, YamlError):
        return made


def replaced(text: str, variables: Variables) -> str:
    """The text with every variable replaced that is known; one that no source holds is empty, as Flux has it. What Flux
    refuses stays as it is.
    """

    def known(name: str) -> str | None:
        return variables.values.get(name, None if variables.missing else "")

    try:
        parts = parsed_text(text)
    except EnvsubstError:
        return text
    made: list[str] = []
    room = min(variables.room[0], MAX_TEXT)
    for each in parts:
        value = each.text if isinstance(each, Text) else value_of(each, known)
        made.append(each.written if value is None and not isinstance(each, Text) else value or "")
        if not isinstance(each, Text):
            room -= len(made[-1])
            if room < 0:
                return text
    variables.room[0] -= min(variables.room[0], MAX_TEXT) - room
    return "".join(made)


def refused(value: Any) -> tuple[Path, str] | None:
    """The path of the first text in a value that holds no substitution where one begins, and what is written there:
    Flux refuses the object; ``None`` where it takes all texts.
    """
    for path, text in _texts(value, ()):
        try:
            parsed_text(text)
        except DeepError:
            continue
        except EnvsubstError as error:
            return path, str(error)
    return None


def has_substitutions(value: Any) -> bool:
    """Whether any text in a value holds the beginning of one."""
    return next(_texts(value, ()), None) is not None


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        if "${" in value:
            yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
