"""Selectors as fields hold them."""

from __future__ import annotations

from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.selector import LabelCondition
from trainlint.policy.calico.language import LONGEST, SelectorError, parse
from trainlint.policy.calico_ground import CalicoGround
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


def problem(field: Field) -> Because | None:
    """Why Calico does not take the selector of a field; ``None`` where it does."""
    text = field.scalar
    if text is None or is_placeholder(text):
        return None
    if len(text) > LONGEST:
        return Because(CalicoGround.LONG_SELECTOR, (LONGEST,))
    try:
        parse(text)
    except SelectorError as error:
        return Because(CalicoGround.NO_SELECTOR, (repr(text.strip()), error.why))
    return None
