"""What a deployer lets kustomize change: patches, with the objects that they are for."""

from __future__ import annotations

import re
from typing import Any

from trainlint.deploy.context import parsed, yaml_of
from trainlint.deploy.deployment import Transformation
from trainlint.deploy.patch import selects
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.values import is_placeholder, read_text
from trainlint.source.document import Field

__all__ = ["matches", "patch_of"]


def patch_of(entry: Field, what: str) -> Transformation:
    """An entry of ``patches``: ``patch`` is text in place; without a target it is for the object that it names."""
    content = _content(entry)
    target = entry["target"]
    if target.mapping is None:
        inside = parsed(entry["patch"]) or entry
        meta = read_meta(inside)
        return Transformation(what, meta.api_group, meta.kind, meta.name, meta.namespace, patch=content)
    return Transformation(
        what,
        group=read_text(target["group"]),
        kind=read_text(target["kind"]),
        name=read_text(target["name"]),
        namespace=read_text(target["namespace"]),
        labels=read_text(target["labelSelector"]),
        annotations=read_text(target["annotationSelector"]),
        patch=content,
    )


def _content(entry: Field) -> Any:
    """The patch itself; ``None`` where it is in a file, or no YAML."""
    text = entry["patch"]
    if text.string is None:
        written = entry["patch"].value if "patch" in (entry.mapping or {}) else entry.value
        return written if isinstance(written, (dict, list)) and "path" not in written else None
    found = yaml_of(text.string)
    return found if isinstance(found, (dict, list)) else None


def matches(change: Transformation, meta: Meta) -> bool:
    """Whether a change is for an object, as far as that is known."""
    return (
        _agrees(change.group, meta.api_group)
        and _agrees(change.kind, meta.kind)
        and _agrees(change.name, meta.name)
        and _agrees(change.namespace, meta.namespace)
        and selects(change.labels, meta.labels) is not False
        and selects(change.annotations, meta.annotations) is not False
    )


def _agrees(pattern: str, text: str) -> bool:
    if not pattern or not text or is_placeholder(text):
        return True
    try:
        return re.fullmatch(pattern, text) is not None
    except re.error:
        return True
