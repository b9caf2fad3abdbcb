"""The fields of a kustomization that set values in other objects: which of them made a rendered value."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any, Final

from trainlint.finding import Location, Path
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import MISSING, Document, Field
from trainlint.source.patches import Documents, PatchTarget

__all__ = ["generator", "hashed", "setter"]

_GENERATORS: Final = {"ConfigMap": "configMapGenerator", "Secret": "secretGenerator"}
_LABELS: Final = ("labels", "matchLabels", "selector")
_HASH: Final = lazy_pattern(r"-[a-z0-9]{10}")
_STEP: Final = lazy_pattern(r"\[([^\]]*)\]|((?:\\.|[^.\[\\])+)")


def setter(
    document: Document, target: PatchTarget, path: Path, value: Any, written: Any, documents: Documents
) -> Location | None:
    """The place in a kustomization that set the value at a path of an object; ``None`` if none of its fields did.

    ``written`` is what the object's own file holds at that path.
    """
    root, last = document.root, path[-1]
    found = next(_replaced(root, target, path, documents), None)
    if found is not None:
        return found
    if last == "image" and isinstance(value, str):
        return _image(root, value)
    if path == ("spec", "replicas"):
        return next(
            (
                each["count"].at
                for each in root["replicas"].elements()
                if each["count"].value == value and target.is_named(each["name"].string or "")
            ),
            None,
        )
    own = target.kind == "Namespace" and path == ("metadata", "name")
    if (last == "namespace" or own) and value == root["namespace"].value:
        return root["namespace"].at
    labelled = _labelled(root, path, value)
    return _named(root, value, written) if labelled is None else labelled


def generator(document: Document, kind: str, target: PatchTarget, path: Path) -> Location | None:
    """The place in a kustomization that generated a ConfigMap or a Secret, or one entry of its data; ``None`` where
    none is named so.
    """
    field = document.root[_GENERATORS.get(kind, "")]
    named = [each for each in field.elements() if target.is_named(each["name"].string or "")]
    if not named:
        return None
    made = max(named, key=lambda each: len(each["name"].string or ""))
    if len(path) > 1 and path[0] in ("data", "stringData", "binaryData"):
        for each in (*made["literals"].elements(), *made["files"].elements()):
            text = each.string or ""
            name = text.partition("=")[0] if "=" in text else posixpath.basename(text)
            if name == path[1]:
                return each.at
    return made.at


def hashed(document: Document, value: str, written: str) -> Location | None:
    """The generator whose name is ``written`` in a reference to what it made, which ends with a hash; ``None`` where
    there is none.
    """
    if written and written in value and _HASH.fullmatch(value[-11:]):
        for name in _GENERATORS.values():
            for each in document.root[name].elements():
                if each["name"].string == written:
                    return each["name"].at
    return None


def _image(root: Field, value: str) -> Location | None:
    """What set the name, the tag or the digest of an image."""
    bare, _, digest = value.partition("@")
    name, colon, tag = bare.rpartition(":")
    if not colon or "/" in tag:
        name, tag = bare, ""
    for each in root["images"].elements():
        if name in ((each["newName"].string or each["name"].string), each["name"].string):
            for field, held in (("digest", digest), ("newTag", tag), ("newName", name)):
                if held and each[field].scalar == held:
                    return each[field].at
    return None


def _labelled(root: Field, path: Path, value: Any) -> Location | None:
    """Labels and annotations, one or all of them."""
    for length in (1, 2):
        above = path[-length] if len(path) >= length else None
        names = _LABELS if above in _LABELS else ("annotations",) if above == "annotations" else ()
        if not names:
            continue
        sources = [root["commonAnnotations"]]
        if above in _LABELS:
            sources = [root["commonLabels"], *(each["pairs"] for each in root["labels"].elements())]
        for source in sources:
            for key, each in source.items():
                held = value.get(key, MISSING) if length == 1 and isinstance(value, dict) else value
                if (length == 1 or path[-1] == key) and held == each.scalar:
                    return each.at
    return None


def _named(root: Field, value: Any, written: Any) -> Location | None:
    """A name that got a prefix or a suffix."""
    if not isinstance(value, str) or not isinstance(written, str) or not written or written not in value:
        return None
    before, _, after = value.partition(written)
    for name, held in (("namePrefix", before), ("nameSuffix", after)):
        text = root[name].string
        if text and text in held:
            return root[name].at
    return None


def _replaced(root: Field, target: PatchTarget, path: Path, documents: Documents) -> Iterator[Location]:
    """The replacements that write to a path."""
    directory = posixpath.dirname(root.document.file)
    for each in root["replacements"].elements():
        found = [each]
        if each["path"].string:
            file = posixpath.normpath(posixpath.join(directory, each["path"].string))
            tops = [inner.root for inner in documents(file)]
            found = [part for top in tops for part in (list(top.elements()) or [top])]
        for replacement in found:
            for aim in replacement["targets"].elements():
                select = aim["select"]
                kind, name = select["kind"].string, select["name"].string
                if (kind and kind != target.kind) or (name and not target.is_named(name)):
                    continue
                fields = [field.string or "" for field in aim["fieldPaths"].elements()] or ["metadata.name"]
                if any(_leads(text, path) for text in fields):
                    yield replacement.at


def _leads(text: str, path: Path) -> bool:
    """Whether a field path of kustomize (``spec.containers.[name=x].image``) is that of a value."""
    steps = [(match[1], match[2]) for match in _STEP.finditer(text)]
    return len(steps) == len(path) and all(
        isinstance(step, int) if chosen and "=" in chosen else _is_step(chosen or plain.replace("\\", ""), step)
        for (chosen, plain), step in zip(steps, path, strict=True)
    )


def _is_step(text: str, step: str | int) -> bool:
    return text == "*" or text == str(step)
