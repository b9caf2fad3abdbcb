"""Dependencies of Flux deployers that nothing in Git provides: such deployers never apply anything."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.workload import ObjectRef
from trainlint.references.references import ReferenceCause
from trainlint.snapshot.snapshot import Snapshot

__all__ = ["undepended"]

_KINDS: Final = frozenset({("kustomize.toolkit.fluxcd.io", "Kustomization"), ("helm.toolkit.fluxcd.io", "HelmRelease")})
_HARMLESS: Final = frozenset({"HelmRelease", "HelmChart"})
"""Charts bring no deployers of Flux, as a rule; everything else that is not in Git may."""


def undepended(snapshot: Snapshot) -> Iterator[ReferenceCause]:
    """One for each deployer and name in its ``dependsOn`` of which the snapshot holds nothing, where Git holds all."""
    if any(each.kind not in _HARMLESS for each in snapshot.opened.values()):
        return
    deployers = [each for each in snapshot.objects if (each.meta.api_group, each.meta.kind) in _KINDS]
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in deployers:
        names[each.meta.kind, each.ref.namespace].add(each.meta.name)
    if any(map(is_placeholder, (name for found in names.values() for name in found))):
        return
    for each in deployers:
        for entry in each.field.down("spec", "dependsOn").elements():
            name, namespace = read_text(entry["name"]), read_text(entry["namespace"]) or each.ref.namespace
            there = names[each.meta.kind, namespace]
            if not name or name in there or is_placeholder(name) or is_placeholder(namespace):
                continue
            near = difflib.get_close_matches(name, sorted(there), n=1)
            target = ObjectRef(each.meta.kind, namespace, name)
            yield ReferenceCause(each.ref, target, entry["name"].at, near[0] if near else "")
