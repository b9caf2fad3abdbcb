"""One more document in a file, written as another one is: its indentation, its quotes, its brackets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trainlint.finding import Add
from trainlint.fix.editable_nodes import NotEditableError, parse
from trainlint.fix.snippet import Style, style_of
from trainlint.fix.surrounding_style import Writer, brackets
from trainlint.source.document import Document
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load

__all__ = ["added", "object_text"]


def added(document: Document, edit: Add, like: Document | None) -> Document:
    """The document with another one behind it: its text then holds two.

    Raises:
        NotEditableError: the file holds JSON, the document was rendered, or the new text reads as something else.
    """
    if document.origin is not None:
        raise NotEditableError("it was rendered: the text is another one")
    if document.file.endswith(".json") or document.text.lstrip().startswith(("{", "[")):
        raise NotEditableError("a JSON file holds one document")
    text = object_text(edit.value, like)
    try:
        loaded = load(text)
    except (YamlError, TooDeepError) as error:
        raise NotEditableError(f"what came out is no YAML: {error}") from None
    if loaded.data != edit.value:
        raise NotEditableError("what came out reads as something else than was meant")
    before = document.text
    if before and not before.endswith("\n"):
        before += "\n"
        text = text.removesuffix("\n")
    return replace(document, text=f"{before}---\n{text}")


def object_text(value: dict[str, Any], like: Document | None = None) -> str:
    """The text of an object, as YAML that ends with a line feed."""
    top = None
    if like is not None and like.origin is None:
        try:
            top = parse(like)
        except NotEditableError:
            top = None
    style = Style(dash=0) if top is None else replace(style_of(like.text if like else "", top), json=False)
    return "".join(f"{line}\n" for line in Writer(style, brackets(top)).mapping(value, 0, top))
