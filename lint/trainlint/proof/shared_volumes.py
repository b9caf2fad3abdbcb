"""Claims of volumes that tie the pods of a group to where the first of them lands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.model.storage import Storage
from trainlint.proof.feasibility import Feasibility
from trainlint.scheduling.claims import class_of, pod_claims

__all__ = ["tied_volumes"]


def tied_volumes(own: Sequence[Feasibility], storage: Storage) -> Iterator[str]:
    """Claims that wait for their first pod and are used by several (S 1.8)."""
    pods: dict[tuple[str, str], int] = {}
    for each in own:
        for wanted in pod_claims(each.pod, storage):
            claim = wanted.claim
            chosen = class_of(claim, storage) if claim is not None else None
            if not wanted.ephemeral and claim is not None and not claim.bound and chosen is not None and chosen.delayed:
                replicas = each.pod_set.replicas
                key = (claim.namespace, claim.name)
                pods[key] = pods.get(key, 0) + (replicas if isinstance(replicas, int) else 2)
    yield from (name for (_, name), count in pods.items() if count > 1)
