"""YAML inside of a string of a manifest (kubeadm patches, user data)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import Field
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load

__all__ = ["embedded"]

_BETWEEN: Final = lazy_pattern(r"^---.*$", re.MULTILINE)


def embedded(text: Field) -> Iterator[Field]:
    """The documents in a string, each at the place of the string; what does not parse is left out."""
    for part in _BETWEEN.split(text.string or ""):
        if part.strip():
            try:
                data = load(part).data
            except (YamlError, TooDeepError):
                continue
            yield Field(text.document, text.path, data)
