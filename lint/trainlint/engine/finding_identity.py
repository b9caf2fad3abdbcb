"""The identity of a finding: what it is about, not where it stands, so that it survives moved lines."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from typing import TypeVar

from trainlint.engine.repository_state import State
from trainlint.finding import Finding
from trainlint.snapshot.repository import Repository

__all__ = ["identified", "tell_apart"]

T = TypeVar("T")


def identified(finding: Finding, repository: Repository) -> Finding:
    """The finding with its id: rule, object, path inside the object, cause."""
    item = repository.object_at(finding.at)
    if item is not None:
        parts: list[object] = [
            item.ref.kind,
            item.ref.namespace,
            item.ref.name,
            finding.at.path[len(item.field.path) :],
        ]
    else:
        parts = [finding.at.file, finding.at.path]
    return replace(finding, id=_hash(finding.rule, *parts, finding.cause))


def tell_apart(state: State) -> None:
    """Give findings of one identity in several files (alternatives hold one object each) ids of their own."""
    files = Counter(identity for identity, _ in state.found)
    for identity, file in [key for key in state.found if files[key[0]] > 1]:
        own = _hash(identity, file)
        finding = state.found.pop((identity, file))
        state.found[own, file] = replace(finding, id=own)
        _move(state.roots, (identity, file), own)
        _move(state.objects, (identity, file), own)


def _move(known: dict[tuple[str, str], set[T]], key: tuple[str, str], own: str) -> None:
    if key in known:
        known[own, key[1]] = known.pop(key)


def _hash(*parts: object) -> str:
    text = "\0".join(str(each) for each in parts)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
