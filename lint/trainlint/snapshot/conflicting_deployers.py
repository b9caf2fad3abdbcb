"""Deployers in conflict: two that apply different versions of one object to one cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from trainlint.deploy.deployment import Deployment
from trainlint.deploy.kinds import DEPLOYER_KINDS, SOURCE_KINDS
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.snapshot.cluster_builder import Cluster
from trainlint.snapshot.duplicates import Duplicate
from trainlint.snapshot.objects import ApiObject, Key

__all__ = ["conflicts"]

_SHARED: Final = frozenset({("", "Namespace")}) | DEPLOYER_KINDS | SOURCE_KINDS
"""Kinds that many define, each for itself, and those that only deployers read: what they bring speaks for itself."""

_LEFT_ALONE: Final = {
    "kustomize.toolkit.fluxcd.io/reconcile": "disabled",
    "kustomize.toolkit.fluxcd.io/ssa": "",
    "argocd.argoproj.io/compare-options": "",
}
"""Annotations by which a deployer does not insist on what is written, with the value that says so (empty: any)."""


def conflicts(clusters: Iterable[Cluster]) -> Iterator[Duplicate]:
    """Two deployers of a cluster that apply an object differently, by the first such object: that is one fault.

    What was not rendered, holds a placeholder at the place, or is applied once only (charts) proves nothing.
    """
    for cluster in clusters:
        by_key: dict[Key, list[tuple[ApiObject, Deployment]]] = {}
        for item, deployment in cluster.brought:
            if item.key is not None and _insists(item, deployment):
                by_key.setdefault(item.key, []).append((item, deployment))
        told: set[frozenset[str]] = set()
        for found in by_key.values():
            for each in _conflicts_of(cluster.name, found):
                pair = frozenset(by for by, _ in each.deployers)
                if pair not in told:
                    told.add(pair)
                    yield each


def _insists(item: ApiObject, deployment: Deployment) -> bool:
    """Whether a deployer puts the object back whenever it is changed."""
    left = any(
        item.meta.annotations.get(name) == value if value else name in item.meta.annotations
        for name, value in _LEFT_ALONE.items()
    )
    return deployment.insists and not left and (item.meta.api_group, item.meta.kind) not in _SHARED


def _conflicts_of(cluster: str, found: list[tuple[ApiObject, Deployment]]) -> Iterator[Duplicate]:
    """Of one object the first pair that differs."""
    for index, (second, later) in enumerate(found):
        for first, earlier in found[:index]:
            if earlier.by == later.by:
                continue
            path = next(_differ(_applied(first), _applied(second), ()), None)
            if path is not None:
                deployers = ((earlier.by, earlier.at), (later.by, later.at))
                yield Duplicate(first, second, cluster, deployers, path)
                return


def _applied(item: ApiObject) -> Any:
    """What an object says beside its metadata, in which several may have a part."""
    value = item.field.value
    return {key: inner for key, inner in value.items() if key not in ("metadata", "status", "apiVersion")}


def _differ(one: Any, other: Any, path: Path) -> Iterator[Path]:
    """Where both say something, and not the same: what only one of them says may stand beside the other."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in (key for key in one if key in other):
            yield from _differ(one[key], other[key], (*path, key))
    elif one != other and not _open(one) and not _open(other):
        yield path


def _open(value: Any) -> bool:
    """Whether anything in a value is filled in later."""
    if isinstance(value, dict):
        return any(map(_open, value.values()))
    if isinstance(value, list):
        return any(map(_open, value))
    return value is None or (isinstance(value, str) and is_placeholder(value))
