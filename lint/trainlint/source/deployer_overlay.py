"""A kustomization with what its deployer adds, as Flux and Argo CD write it into the file before they build it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from trainlint.finding import Path
from trainlint.source.document import Document
from trainlint.source.kustomization import is_remote
from trainlint.source.patch_targets import with_chosen_targets
from trainlint.source.rendered_root import Overlay
from trainlint.source.safe_kustomization import RefusedError

__all__ = ["named", "patch_files", "tolerant", "with_deployer_fields"]

_APPENDED: Final = ("patches", "components", "labels")
_BY_NAME: Final = ("images", "replicas")
_MERGED: Final = ("commonLabels", "commonAnnotations")


def with_deployer_fields(data: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """What a kustomization says with the fields of its deployer: lists grow, images and replicas go by their name,
    labels and annotations by their key, and everything else takes the place of what was there.
    """
    made = dict(data)
    for name, value in fields.items():
        before = made.get(name)
        if name in _APPENDED and isinstance(before, list) and isinstance(value, list):
            made[name] = [*before, *value]
        elif name in _BY_NAME and isinstance(before, list) and isinstance(value, list):
            new = {_name(each) for each in value}
            made[name] = [*(each for each in before if _name(each) not in new), *value]
        elif name in _MERGED and isinstance(before, dict) and isinstance(value, dict):
            made[name] = {**before, **value}
        else:
            made[name] = value
    return made


def named(overlay: Overlay) -> Iterator[tuple[Path, str]]:
    """The files and directories that an overlay names, from the directory of the kustomization on.

    Raises:
        RefusedError: one of them is elsewhere, and what it changes is unknown.
    """
    for name, key in (("components", ""), ("patches", "path")):
        entries = overlay.fields.get(name)
        for index, each in enumerate(entries if isinstance(entries, list) else ()):
            path: Path = (name, index, key) if key else (name, index)
            text = (each.get(key) if isinstance(each, dict) else None) if key else each
            if isinstance(text, str) and text:
                if is_remote(text):
                    why = f"{text} is elsewhere, and what it changes is unknown"
                    raise RefusedError(why, overlay.at(path), "keep a copy of it in Git")
                yield path, text


def patch_files(overlay: Overlay, directory: str) -> Iterator[str]:
    """The files that hold patches of an overlay: they hold no objects of their own."""
    for path, text in named(overlay):
        if path[0] == "patches":
            yield posixpath.normpath(posixpath.join(directory, text))


def tolerant(document: Document, patches: Any) -> Any:
    """Patches that may find nothing: what they are for may have been taken out."""
    made = with_chosen_targets(replace(document, data={"patches": patches}), {}, lambda name: ())
    return patches if made is None else made["patches"]


def _name(each: Any) -> Any:
    return each.get("name") if isinstance(each, dict) else None
