"""YAML or JSON inside a string of a document, such as a file in a ConfigMap."""

from __future__ import annotations

from trainlint.source.document import Document, Field
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load

__all__ = ["embedded_document"]


def embedded_document(field: Field) -> Field | None:
    """The cursor at the top of the text's first document; ``None`` where it is no YAML.

    Its paths count from the top of the text, so places are those of the string that holds it.
    """
    text = field.string
    if text is None:
        return None
    try:
        data = load(text).data
    except (YamlError, TooDeepError):
        return None
    return Document(field.document.file, field.document.index, 1, text, data).root
