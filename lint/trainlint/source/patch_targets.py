"""Patches that may reach nothing: what they are for may have been taken out of the copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from trainlint.source.document import Document, Field
from trainlint.source.documents import every_document

__all__ = ["with_chosen_targets"]


def with_chosen_targets(
    document: Document, data: dict[str, Any], documents: Callable[[str], tuple[Document, ...]]
) -> dict[str, Any] | None:
    """A kustomization whose patches all choose their targets: kustomize refuses others that find none.

    ``data`` is what it says by now, ``documents`` gives those of a patch's file. ``None`` if nothing is to be changed.
    """
    root = document.root
    merges = [*root["patchesStrategicMerge"].elements()]
    patches: list[Any] = []
    changed = bool(merges)
    for each in merges:
        patches += _merges(each.string or "", document, documents)
    for each in root["patches"].elements():
        text = each["patch"].string or each["path"].string or ""
        if each["target"].present or not text:
            patches.append(each.value)
        else:
            patches += _merges(text, document, documents)
            changed = True
    for each in root["patchesJson6902"].elements():
        target = each["target"].mapping or {}
        patches.append({**(each.mapping or {}), "target": {**target, "name": _pattern(target.get("name"))}})
        changed = True
    if not changed:
        return None
    others = {key: value for key, value in data.items() if key not in ("patchesStrategicMerge", "patchesJson6902")}
    return {**others, "patches": patches}


def _merges(
    text: str, document: Document, documents: Callable[[str], tuple[Document, ...]]
) -> Iterator[dict[str, Any]]:
    inside = every_document(document.file, text.encode()) if "\n" in text or ":" in text else documents(text)
    if not inside:
        yield {"path": text}  # kustomize says what is wrong with it
    for each in inside:
        yield {"patch": each.text, "target": _target(each.root)} if each.root.mapping else {"patch": each.text}


def _target(patch: Field) -> dict[str, Any]:
    group, _, version = (patch["apiVersion"].string or "").rpartition("/")
    target = {"group": group, "version": version, "kind": patch["kind"].string}
    metadata = patch["metadata"]
    target |= {"name": _pattern(metadata["name"].scalar), "namespace": _pattern(metadata["namespace"].scalar)}
    return {key: value for key, value in target.items() if value}


def _pattern(name: Any) -> str:
    """The pattern that only this name matches."""
    return name.replace(".", "\\.") if isinstance(name, str) else ""
