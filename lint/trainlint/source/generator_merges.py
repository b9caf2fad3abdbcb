"""Generators that change a ConfigMap or Secret of a base that is elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from trainlint.finding import Path
from trainlint.source.document import Document
from trainlint.source.reading import objects

__all__ = ["without_target"]

_KINDS: Final = {"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"}
_WHY: Final = "what it changes is elsewhere, and nothing is fetched"


def without_target(
    document: Document, data: dict[str, Any], below: Iterable[Document], held: Iterable[Document]
) -> tuple[dict[str, Any], list[tuple[str, str, Path]]]:
    """A kustomization without the generators whose target is not among what the kustomizations ``below`` generate and
    the documents ``held`` in their files; and what was left out, why, and where it stood. ``data`` is what the
    kustomization says by now.
    """
    known = {(name, each["name"].string) for one in below for name in _KINDS for each in one.root[name].elements()}
    kinds = {kind: name for name, kind in _KINDS.items()}
    known |= {
        (kinds.get(item["kind"].string or "", ""), item["metadata"]["name"].string)
        for one in held
        for item in objects(one)
    }
    made, gone = dict(data), []
    for name, kind in _KINDS.items():
        for each in document.root[name].elements():
            behavior = each["behavior"].string  # in lower case only: every other text is create
            if behavior in ("merge", "replace") and (name, each["name"].string) not in known:
                what = f"the {kind} {each['name'].string or '?'}, which the kustomization {behavior}s"
                gone.append((what, _WHY, each.path))
                names = {each["name"].string}
                made[name] = [one for one in made.get(name) or () if not _is_one(one, names)]
    return made, gone


def _is_one(entry: Any, names: set[str | None]) -> bool:
    return isinstance(entry, dict) and entry.get("name") in names and entry.get("behavior") in ("merge", "replace")
