"""LeaderWorkerSet (W 6): each replica is a group of its own."""

from __future__ import annotations

import hashlib
from typing import Final

from trainlint.kube.values import read_int, read_text
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import PER_POD, ObjectRef, PodSet, Service
from trainlint.source.document import Field
from trainlint.workload.claims import with_claims
from trainlint.workload.expansion import Context, Expansion, is_template, named, pod_set
from trainlint.workload.ranks import computes, indexed_ranks

__all__ = ["expand_leader_worker_set"]

_PREFIX: Final = "leaderworkerset.sigs.k8s.io/"


def expand_leader_worker_set(lws: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A leader and ``size - 1`` workers for each replica; without a leader template the leader is like the workers."""
    spec = lws["spec"]
    template = spec["leaderWorkerTemplate"]
    worker = template["workerTemplate"]
    leader = template["leaderTemplate"] if is_template(template["leaderTemplate"]) else worker
    if not is_template(leader):
        return Expansion()
    replicas, size = read_int(spec["replicas"], 1), read_int(template["size"], 1)
    shared = read_text(spec.down("networkConfig", "subdomainPolicy")) != "UniquePerReplica"
    subdomain = owner.name if shared else f"{owner.name}-0" if replicas == 1 else f"{owner.name}-{{}}"
    workers: Known[int] = size if isinstance(size, Undetermined) else max(0, size - 1)
    pod_sets: list[PodSet] = []
    for role, count, pods in (("leader", 1, leader), ("worker", workers, worker)):
        if not is_template(pods):
            continue
        index: Known[str] = "0" if role == "leader" else "1" if count == 1 else PER_POD
        address = f"{owner.name}-0.{named(subdomain)}.{owner.namespace}"
        pod_sets.append(
            pod_set(
                owner,
                role,
                count,
                pods,
                pods.at,
                labels=_labels(owner, replicas, index, template),
                hostname=f"{owner.name}-{{}}" if role == "leader" else f"{owner.name}-{{}}-{{}}",
                subdomain=subdomain,
                instances=replicas,
                env={
                    "LWS_LEADER_ADDRESS": address,
                    "LWS_GROUP_SIZE": size if isinstance(size, Undetermined) else str(size),
                    "LWS_WORKER_INDEX": index,
                },
            )
        )
    service = Service(
        ObjectRef("Service", owner.namespace, named(subdomain)),
        {f"{_PREFIX}name": owner.name},
        headless=True,
        publish_not_ready=True,
        generated=True,
        at=lws.at,
    )
    pod_sets = [with_claims(found, context.objects) for found in pod_sets]
    ranks = {number for number, found in enumerate(pod_sets) if _is_rank(found)}
    return Expansion(tuple(pod_sets), services=(service,), ranks=frozenset(ranks), training=True, instances=replicas)


def _is_rank(found: PodSet) -> bool:
    return computes(found) or indexed_ranks(found)


def _labels(owner: ObjectRef, replicas: Known[int], index: Known[str], template: Field) -> dict[str, Known[str]]:
    key = hashlib.sha1(f"{owner.namespace}/{owner.name}-0".encode(), usedforsecurity=False).hexdigest()
    labels: dict[str, Known[str]] = {
        f"{_PREFIX}name": owner.name,
        f"{_PREFIX}group-index": "0" if replicas == 1 else PER_POD,
        f"{_PREFIX}worker-index": index,
        f"{_PREFIX}group-key": key if replicas == 1 else PER_POD,
        f"{_PREFIX}template-revision-hash": Undetermined("the hash of the template is computed in the cluster"),
        "apps.kubernetes.io/pod-index": PER_POD,
        "statefulset.kubernetes.io/pod-name": PER_POD,
        "controller-revision-hash": Undetermined("the hash of the revision is computed in the cluster"),
    }
    if template["subGroupPolicy"].mapping is not None:
        labels |= {f"{_PREFIX}subgroup-index": PER_POD, f"{_PREFIX}subgroup-key": PER_POD}
    return labels
