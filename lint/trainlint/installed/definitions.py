"""The kinds that the repository itself defines: the CRDs of a cluster, those of kinds whose objects are there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from trainlint.finding import Unknown
from trainlint.kube.definitions import defined_kind, is_left_out, read_definition
from trainlint.kube.meta import Meta
from trainlint.model.definition import Definition
from trainlint.source.document import Document, Field
from trainlint.source.prefilter import DEFINITION

__all__ = ["GROUPS", "definitions"]

GROUPS: Final = (
    "batch.volcano.sh",
    "disaggregatedset.x-k8s.io",
    "jobset.x-k8s.io",
    "kubeflow.org",
    "kueue.x-k8s.io",
    "leaderworkerset.x-k8s.io",
    "ray.io",
    "sagemaker.amazonaws.com",
    "scheduling.volcano.sh",
    "topology.volcano.sh",
    "trainer.kubeflow.org",
)
"""The API groups of operators whose kinds are read."""

Kind = tuple[str, str]
"""API group and name."""


def definitions(
    objects: Iterable[tuple[Meta, Field]],
    kinds: Callable[[Meta], bool],
    document_of: Callable[[Field], Document | None],
) -> tuple[Mapping[Kind, Definition], tuple[Unknown, ...]]:
    """The definition of each kind of which objects are there, and what is not known of them.

    ``kinds`` says which objects are judged by definitions, ``document_of`` in which document a rendered object was
    written. Of several that differ none counts.
    """
    listed = list(objects)
    used = {(meta.api_group, meta.kind) for meta, _ in listed if kinds(meta)}
    found: dict[Kind, Definition] = {}
    disputed: dict[Kind, tuple[Definition, Definition]] = {}
    unknowns: list[Unknown] = []
    for meta, item in listed:
        if meta.kind != DEFINITION or (kind := defined_kind(item)) not in used:
            continue
        written = _written(item, document_of)
        if written is None:
            unknowns.append(_unread(item, kind, "the structure of its CRD stands in no file that is read here"))
            continue
        made = read_definition(written)
        before = found.setdefault(kind, made)
        if before is not made and not _are_equal(before, made):
            disputed[kind] = (before, made)
    for kind, (one, other) in disputed.items():
        del found[kind]
        files = f"{one.item.document.file} and {other.item.document.file}"
        unknowns.append(_unread(other.item, kind, f"which CRD counts: {files} differ"))
    for kind, made in found.items():
        for version in made.versions.values():
            if version.fault:
                where = ".".join(map(str, version.path))
                unknowns.append(_unread(made.item, kind, f"its CRD cannot be read: {version.fault} ({where})"))
    return found, tuple(unknowns)


def _written(item: Field, document_of: Callable[[Field], Document | None]) -> Field | None:
    """The definition where its structures stand."""
    if not is_left_out(item):
        return item
    document = document_of(item)
    if document is None:
        return None
    source = document.root
    same = source.down("metadata", "name").value == item.down("metadata", "name").value
    return source if same and not is_left_out(source) else None


def _are_equal(one: Definition, other: Definition) -> bool:
    return one.versions.keys() == other.versions.keys() and all(
        (mine.served, mine.tree, mine.fault) == (theirs.served, theirs.tree, theirs.fault)
        for mine, theirs in zip(one.versions.values(), map(other.versions.get, one.versions), strict=True)
        if theirs is not None
    )


def _unread(item: Field, kind: Kind, why: str) -> Unknown:
    return Unknown(f"what the cluster demands of a {kind[1]} ({kind[0]})", why, at=item.at)
