"""Selectors as fields hold them."""

from __future__ import annotations

from trainlint.kube.values import is_placeholder
from trainlint.model.selector import LabelCondition
from trainlint.policy.calico.language import LONGEST, SelectorError, parse
from trainlint.source.document import Field

__all__ = ["condition", "problem"]

_UNKNOWN = LabelCondition("unknown")


def condition(field: Field) -> LabelCondition:
    """The condition that a field states; unknown where its text is a template, or none that Calico takes."""
    text = field.scalar or ""
    if len(text) > LONGEST:
        return _UNKNOWN
    try:
        return parse(text)
    except SelectorError:
        return _UNKNOWN


def problem(field: Field) -> str:
    """Why Calico does not take the selector of a field; empty where it does."""
    text = field.scalar
    if text is None or is_placeholder(text):
        return ""
    if len(text) > LONGEST:
        return f"a selector has {LONGEST} characters at most"
    try:
        parse(text)
    except SelectorError as error:
        return f"{text.strip()!r} is no selector: {error}"
    return ""
