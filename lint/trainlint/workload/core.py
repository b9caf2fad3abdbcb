"""Pods of the core API: one pod each."""

from __future__ import annotations

from trainlint.model.workload import ObjectRef
from trainlint.source.document import Field
from trainlint.workload.expansion import Context, Expansion, is_template, pod_set

__all__ = ["expand_pod"]


def expand_pod(pod: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A Pod; its host name is its own name unless the spec says another."""
    del context
    if not is_template(pod):
        return Expansion()
    hostname = "" if pod.down("metadata", "name").scalar is None else owner.name
    found = pod_set(owner, "", 1, pod, pod.at)
    if not found.hostname:
        found = pod_set(owner, "", 1, pod, pod.at, hostname=hostname)
    return Expansion((found,))
