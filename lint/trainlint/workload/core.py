"""Pods of the core API: one pod each."""

from __future__ import annotations

from dataclasses import replace

from trainlint.model.workload import ObjectRef
from trainlint.source.document import Field
from trainlint.workload.expansion import Context, Expansion, is_template, pod_set
from trainlint.workload.ranks import proved_ranks

__all__ = ["expand_pod"]


def expand_pod(pod: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A Pod; its host name is its own name unless the spec says another."""
    del context
    if not is_template(pod):
        return Expansion()
    found = pod_set(owner, "", 1, pod, pod.at)
    if not found.hostname and pod.down("metadata", "name").scalar is not None:
        found = replace(found, hostname=owner.name)
    return Expansion((found,), ranks=frozenset({0}) if proved_ranks(found) else frozenset())
