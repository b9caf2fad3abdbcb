"""v1 Node to a pool of one node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from trainlint.kube.meta import read_meta
from trainlint.kube.values import known_text, read_text
from trainlint.model.known import Known
from trainlint.model.pool import Pool, Taint
from trainlint.source.document import Field

__all__ = [
    "CONDITION_TAINTS",
    "HOSTNAME",
    "is_momentary",
    "read_node",
    "read_quantities",
    "read_taints",
    "without_condition_taints",
]

HOSTNAME = "kubernetes.io/hostname"

_CORDON = "node.kubernetes.io/unschedulable"
CONDITION_TAINTS = frozenset(
    {
        "node.cloudprovider.kubernetes.io/uninitialized",
        "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/memory-pressure",
        "node.kubernetes.io/network-unavailable",
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/pid-pressure",
        "node.kubernetes.io/unreachable",
        _CORDON,
    }
)
"""Taints that controllers put on nodes and take away again (S 1.2). A cordon stands in ``unschedulable`` as well."""

_MOMENTARY: Final = frozenset(
    {
        "DeletionCandidateOfClusterAutoscaler",
        "ToBeDeletedByClusterAutoscaler",
        "cloud.google.com/impending-node-termination",
        "karpenter.sh/disrupted",
        "karpenter.sh/unregistered",
    }
)
_MOMENTARY_PARTS: Final = (
    "aws-node-termination-handler/",
    "ignore-taint.cluster-autoscaler.kubernetes.io/",
    "readiness.k8s.io/",
    "startup-taint.cluster-autoscaler.kubernetes.io/",
)
_NOT_READY: Final = "/agent-not-ready"
"""How Cilium, the CSI drivers of AWS and others call the taint that they take away when their agent runs."""


def is_momentary(taint: Taint) -> bool:
    """Whether a controller puts the taint on a node and takes it away again, or the node with it."""
    key = taint.key
    return key in CONDITION_TAINTS | _MOMENTARY or key.endswith(_NOT_READY) or key.startswith(_MOMENTARY_PARTS)


def read_quantities(field: Field) -> Mapping[str, Known[str]]:
    """A resource list: quantities as text, or why they are not known."""
    return {name: known_text(value) for name, value in field.items()}


def read_taints(field: Field) -> tuple[Taint, ...]:
    """A list of taints."""
    return tuple(
        Taint(read_text(element["key"]), read_text(element["value"]), read_text(element["effect"]), at=element.at)
        for element in field.elements()
        if element.mapping is not None
    )


def read_node(field: Field) -> Pool:
    """The node at the cursor, its taints as written. Capacity stands in for allocatable where that is missing."""
    meta = read_meta(field)
    labels = dict(meta.labels)
    notes = []
    if meta.name:
        labels.setdefault(HOSTNAME, meta.name)
    allocatable: Mapping[str, Known[str]] | None = None
    if field.down("status", "allocatable").mapping:
        allocatable = read_quantities(field.down("status", "allocatable"))
    elif field.down("status", "capacity").mapping:
        allocatable = read_quantities(field.down("status", "capacity"))
        notes.append(f"node {meta.name}: capacity is taken for allocatable, which is not given and somewhat smaller")
    return Pool(
        name=meta.name,
        labels=labels,
        taints=read_taints(field.down("spec", "taints")),
        allocatable=allocatable,
        unschedulable=field.down("spec", "unschedulable").value is True,
        node_name=meta.name,
        notes=tuple(notes),
        at=field.at,
    )


def without_condition_taints(pool: Pool) -> Pool:
    """The pool as it is when its nodes are healthy; a note says which taints were left out.

    The taint of a cordon is left out without a note: ``unschedulable`` says the same, and counts.
    """
    taints = tuple(taint for taint in pool.taints if not is_momentary(taint))
    if taints == pool.taints:
        return pool
    silent = {_CORDON} if pool.unschedulable else set()
    dropped = [taint for taint in pool.taints if is_momentary(taint) and taint.key not in silent]
    notes = (f"node {pool.name}: taken as healthy, without its taints {_keys(dropped)}",) if dropped else ()
    return replace(pool, taints=taints, notes=(*pool.notes, *notes))


def _keys(taints: Iterable[Taint]) -> str:
    return ", ".join(sorted({taint.key for taint in taints}))
