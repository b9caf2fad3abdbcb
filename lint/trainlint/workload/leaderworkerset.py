"""LeaderWorkerSet (W 6): each replica is a group of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from trainlint.kube.values import read_int, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.operator import Operator
from trainlint.model.pod import EnvVar
from trainlint.model.refuser import Refuser
from trainlint.model.workload import PER_POD, ObjectRef, PodSet, Service
from trainlint.operators.lws import PREFIX, group_key
from trainlint.source.document import Field
from trainlint.workload.claims import with_claims
from trainlint.workload.domain_annotations import leader_worker_set_ties
from trainlint.workload.expansion import Context, Expansion, is_template, named, pod_set
from trainlint.workload.ground import PodGround
from trainlint.workload.kai_minimum import minimum_of_leader_worker_set
from trainlint.workload.kueue_pod_sets import queued_leader_worker_set
from trainlint.workload.ranks import computes, indexed_ranks
from trainlint.workload.stages import leader_worker_set_stages
from trainlint.workload.template_at import (
    EACH_ITEM,
    RUNS_ON,
    TemplateAt,
)
from trainlint.workload.workload_kind import LONGEST_NAME, HostNames, PodNames, Restarts, WorkloadKind

__all__ = ["KINDS", "LWS", "expand_leader_worker_set"]

_TPU: Final = Undetermined(Because(PodGround.SLICE_HOSTS))
_TPU_VARIABLES: Final = (
    "TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID", "TPU_NAME", "TPU_PROCESS_ADDRESSES", "TPU_PROCESS_PORT"
)  # fmt: skip
_MANY: Final = 1024
"""Services are listed for at most this many replicas."""


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
                labels=_labels(owner, role, replicas, index, template),
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
    pod_sets = [_with_tpus(with_claims(found, context.objects)) for found in pod_sets]
    ranks = {number for number, found in enumerate(pod_sets) if _is_rank(found)}
    services = tuple(_services(lws, owner, replicas, shared=shared))
    return Expansion(tuple(pod_sets), services=services, ranks=frozenset(ranks), training=True, instances=replicas)


def _with_tpus(found: PodSet) -> PodSet:
    """The pods with the variables by which hosts of a TPU slice find each other; a user's own keep all of them away."""
    if not any("google.com/tpu" in each.limits for each in found.spec.containers) or any(
        entry.name in {"TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID"}  # either of them keeps all away (lws-0146, lws-0147)
        for each in found.spec.containers
        for entry in each.env
    ):
        return found
    added = tuple(EnvVar(name, _TPU, injected=True, at=found.at) for name in _TPU_VARIABLES)
    containers = tuple(
        replace(each, env=each.env + added) if "google.com/tpu" in each.limits else each
        for each in found.spec.containers
    )
    return replace(found, spec=replace(found.spec, containers=containers))


def _services(lws: Field, owner: ObjectRef, replicas: Known[int], *, shared: bool) -> Iterator[Service]:
    """One headless Service for all, or one for each replica (with UniquePerReplica)."""
    of_all = {f"{PREFIX}name": owner.name}
    made = [(owner.name, of_all)]
    if not shared:
        count = min(replicas, _MANY) if isinstance(replicas, int) else 1
        made = [(f"{owner.name}-{number}", of_all | {f"{PREFIX}group-index": str(number)}) for number in range(count)]
    for name, selector in made:
        yield Service(
            ObjectRef("Service", owner.namespace, name),
            selector,
            headless=True,
            publish_not_ready=True,
            generated=True,
            at=lws.at,
        )


def _is_rank(found: PodSet) -> bool:
    return computes(found) or indexed_ranks(found)


def _labels(
    owner: ObjectRef, role: str, replicas: Known[int], index: Known[str], template: Field
) -> dict[str, Known[str]]:
    key = group_key(owner.namespace, f"{owner.name}-0")
    labels: dict[str, Known[str]] = {
        f"{PREFIX}name": owner.name,
        f"{PREFIX}group-index": "0" if replicas == 1 else PER_POD,
        f"{PREFIX}worker-index": index,
        f"{PREFIX}group-key": key if replicas == 1 else PER_POD,
        f"{PREFIX}template-revision-hash": Undetermined(Because(PodGround.TEMPLATE_HASH)),
        "apps.kubernetes.io/pod-index": PER_POD,
        "statefulset.kubernetes.io/pod-name": PER_POD,
        "controller-revision-hash": Undetermined(Because(PodGround.REVISION_HASH)),
    }
    excluded = read_text(template.down("subGroupPolicy", "subGroupPolicyType")) == "LeaderExcluded"
    if template["subGroupPolicy"].mapping is not None and not (excluded and role == "leader"):
        labels |= {f"{PREFIX}subgroup-index": PER_POD, f"{PREFIX}subgroup-key": PER_POD}
    return labels


LWS: Final = Operator(
    "LeaderWorkerSet",
    webhooks=("[mv]*.kb.io",),
    configurations=("lws-mutating-webhook-configuration", "lws-validating-webhook-configuration"),
    services=("lws-webhook-service",),
    namespace="lws-system",
    labels=(("app.kubernetes.io/name", "lws"),),
)

_TEMPLATE: Final = ("spec", "leaderWorkerTemplate")
_CLAIMS: Final = (*_TEMPLATE, "volumeClaimTemplates", EACH_ITEM, "metadata", "name")

KINDS: Final = (
    WorkloadKind(
        group="leaderworkerset.x-k8s.io",
        name="LeaderWorkerSet",
        expand=expand_leader_worker_set,
        training=True,
        spec=("spec",),
        roles=(),
        main_container="",
        name_limit=LONGEST_NAME,
        name_why="",
        label_checked_by=Refuser.LEADER_WORKER_SET,
        pod_names=PodNames.CHECKED,
        job_name="",
        host_names=HostNames.OPERATOR,
        subdomain=(),
        launcher="",
        restarts=Restarts.GROUP,
        restart_default="",
        suspend=(),
        by_pods=True,
        interchangeable=False,
        creates=(("apps", "StatefulSet"),),
        waits=leader_worker_set_stages,
        sets_dns_policy=False,
        mounts_shared_memory=False,
        ties=leader_worker_set_ties,
        kai_minimum=minimum_of_leader_worker_set,
        queued=queued_leader_worker_set,
        templates=tuple(
            TemplateAt(
                ("spec", "leaderWorkerTemplate", role), role, restarts=RUNS_ON, maker="StatefulSet", claims=_CLAIMS
            )
            for role in ("leaderTemplate", "workerTemplate")
        ),
        operator=LWS,
    ),
)
