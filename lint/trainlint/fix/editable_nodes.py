"""The nodes of a document that an edit may change: those that share their text with no other node."""

from __future__ import annotations

from trainlint.finding import Path
from trainlint.source.document import Document
from trainlint.source.events import YamlError
from trainlint.source.yaml_tree import Entry, TextNode, TextShape, tree_of

__all__ = ["NotEditableError", "entry_of", "parse", "resolve"]


class NotEditableError(Exception):
    """The text at a place is not the value's own, or it cannot be changed without touching more; says why."""


def parse(document: Document) -> TextNode:
    """The top node of a document. Raises NotEditableError for what is no YAML that can be edited."""
    try:
        top = tree_of(document)
    except YamlError:
        top = None
    if top is None:
        raise NotEditableError("the document cannot be parsed")
    return top


def entry_of(node: TextNode, step: str | int) -> Entry | None:
    """The entry under a key or index of its own; ``None`` where there is none.

    Raises:
        NotEditableError: the key stands twice, or may be merged in.
    """
    found = [each for each in node.entries if each.name == step and not each.merge]
    if len(found) > 1:
        raise NotEditableError(f"the key {step} stands twice")
    if not found and any(each.merge for each in node.entries):
        raise NotEditableError(f"{step} may be merged in from an anchor")
    return found[0] if found else None


def resolve(top: TextNode, path: Path) -> TextNode | None:
    """The node at a path, by its own text alone; ``None`` where nothing is written there.

    Raises:
        NotEditableError: something on the way is an alias, is merged in, or stands twice.
    """
    here: TextNode | None = top
    for step in path:
        if here is None:
            return None
        if here.shape is TextShape.ALIAS:
            raise NotEditableError("the value is written at an anchor that others use too")
        entry = entry_of(here, step)
        here = None if entry is None else entry.value
    if here is not None and here.shape is TextShape.ALIAS:
        raise NotEditableError("the value is written at an anchor that others use too")
    return here
