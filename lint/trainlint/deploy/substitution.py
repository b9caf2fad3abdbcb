"""``${NAME}`` in rendered objects, as Flux replaces it: spec.postBuild of a Kustomization.

Flux writes each object as YAML, replaces text, and reads it again: a value that was text may become a number.
"""

from __future__ import annotations

import re
from typing import Any, Final

from trainlint.deploy.deployment import Variables
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load

__all__ = ["DISABLED", "substituted"]

DISABLED: Final = "kustomize.toolkit.fluxcd.io/substitute"
"""A label or annotation whose value ``disabled`` keeps an object as it is."""

_VARIABLE: Final = re.compile(
    r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?:(?P<operator>:=|:-|=|-|:\+|\+)(?P<default>[^}]*))?\}"
)
_QUOTED: Final = re.compile(r"""[\s!&*?|>%@`"'\[\]{},#:-]|.*(?::\s|\s\#|:\Z|\s\Z)""", re.DOTALL)
"""Text that a YAML emitter would put in quotes, so that it stays text whatever is put into it."""


def substituted(value: Any, variables: Variables) -> Any:
    """The value with everything replaced that is known; equal parts are the same objects as before."""
    if isinstance(value, str):
        return _text(value, variables) if "${" in value else value
    if isinstance(value, dict):
        made = {_key(key, variables): substituted(inner, variables) for key, inner in value.items()}
        same = all(key in value and made[key] is value[key] for key in made)
        return value if same and len(made) == len(value) else made
    if isinstance(value, list):
        elements = [substituted(inner, variables) for inner in value]
        return value if all(new is old for new, old in zip(elements, value, strict=True)) else elements
    return value


def _key(key: Any, variables: Variables) -> Any:
    return replaced(key, variables) if isinstance(key, str) and "${" in key else key


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
    """The text with every variable replaced that is known; one that no source holds is empty, as Flux has it."""

    def value(found: re.Match[str]) -> str:
        if found["name"] is None:  # $${NAME} stands for ${NAME}
            return "${"
        known = variables.values.get(found["name"])
        operator, default = found["operator"], found["default"] or ""
        if known is None and variables.missing:
            return found[0]
        if operator in (":+", "+"):
            return default if known else ""
        if operator and (known is None or (not known and operator.startswith(":"))):
            return default
        return known or ""

    return _VARIABLE.sub(value, text)
