"""Deployment, ReplicaSet, StatefulSet (W 10).

A DaemonSet is no pod set: its pods are bound to nodes one by one and are as many as the nodes, so no replica count and
no placement question exists for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from trainlint.finding import Path
from trainlint.kube.values import read_int, read_text
from trainlint.kube.volumes import read_claim_templates
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Volume
from trainlint.model.workload import PER_POD, ObjectRef, PodSet
from trainlint.source.document import Field
from trainlint.workload.expansion import Context, Expander, Expansion, is_template, pod_set
from trainlint.workload.ground import PodGround
from trainlint.workload.kueue_pod_sets import Queued, queued_stateful_set
from trainlint.workload.ranks import proved_ranks
from trainlint.workload.stages import stateful_set_stages
from trainlint.workload.template_at import EACH_ITEM, RUNS_ON, TemplateAt
from trainlint.workload.workload_kind import LONGEST_NAME, HostNames, PodNames, Restarts, Waits, WorkloadKind

__all__ = ["KINDS", "expand_deployment", "expand_replica_set", "expand_stateful_set"]

_HASH = Undetermined(Because(PodGround.POD_TEMPLATE_HASH))


def expand_deployment(deployment: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A Deployment: its pods have random names."""
    del context
    return _expand(deployment, owner, {"pod-template-hash": _HASH})


def expand_replica_set(replica_set: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A ReplicaSet (also ReplicationController)."""
    del context
    return _expand(replica_set, owner, {})


def expand_stateful_set(stateful_set: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A StatefulSet: numbered names under the Service that ``serviceName`` names."""
    del context
    labels: dict[str, Known[str]] = {
        "statefulset.kubernetes.io/pod-name": PER_POD,
        "apps.kubernetes.io/pod-index": PER_POD,
        "controller-revision-hash": Undetermined(Because(PodGround.REVISION_HASH)),
    }
    service = read_text(stateful_set.down("spec", "serviceName"))
    found = _expand(stateful_set, owner, labels, hostname=f"{owner.name}-{{}}", subdomain=service)
    claims = read_claim_templates(stateful_set.down("spec", "volumeClaimTemplates"))
    return replace(found, pod_sets=tuple(_with_claims(each, claims) for each in found.pod_sets)) if claims else found


def _with_claims(pods: PodSet, claims: tuple[Volume, ...]) -> PodSet:
    """The claim of a template takes the place of a volume of the same name."""
    names = {claim.name for claim in claims}
    kept = tuple(volume for volume in pods.spec.volumes if volume.name not in names)
    return replace(pods, spec=replace(pods.spec, volumes=(*kept, *claims)))


def _expand(
    workload: Field, owner: ObjectRef, labels: Mapping[str, Known[str]], *, hostname: str = "", subdomain: str = ""
) -> Expansion:
    spec = workload["spec"]
    if not is_template(spec["template"]):
        return Expansion()
    replicas = read_int(spec["replicas"], 1)
    found = pod_set(
        owner, "", replicas, spec["template"], workload.at, labels=labels, hostname=hostname, subdomain=subdomain
    )
    return Expansion((found,), ranks=frozenset({0}) if proved_ranks(found) else frozenset())


def _kind(
    group: str,
    name: str,
    expand: Expander,
    host_names: HostNames = HostNames.OTHER,
    pod_names: PodNames = PodNames.RANDOM,
    subdomain: tuple[str, ...] = (),
    creates: tuple[tuple[str, str], ...] = (),
    queued: Queued | None = None,
    claims: Path = (),
    *,
    waits: Waits | None = None,
    by_pods: bool = False,
) -> WorkloadKind:
    """A kind of equal pods that keep running and train nothing by themselves; what is not given is the same for all."""
    return WorkloadKind(
        group=group,
        name=name,
        expand=expand,
        training=False,
        spec=("spec",),
        roles=(),
        main_container="",
        name_limit=LONGEST_NAME,
        name_why="",
        label_checked_by=None,
        pod_names=pod_names,
        job_name="",
        host_names=host_names,
        subdomain=subdomain,
        launcher="",
        restarts=Restarts.NONE,
        restart_default="",
        suspend=(),
        by_pods=by_pods,
        interchangeable=pod_names is PodNames.RANDOM,
        creates=creates,
        waits=waits,
        sets_dns_policy=False,
        mounts_shared_memory=False,
        ties=None,
        kai_minimum=None,
        queued=queued,
        templates=(TemplateAt(("spec", "template"), name, restarts=RUNS_ON, claims=claims),),
        operator=None,
    )


KINDS: Final = (
    _kind("", "ReplicationController", expand_replica_set),
    _kind("apps", "Deployment", expand_deployment, HostNames.SERVICE, creates=(("apps", "ReplicaSet"),), by_pods=True),
    _kind("apps", "ReplicaSet", expand_replica_set),
    _kind(
        "apps",
        "StatefulSet",
        expand_stateful_set,
        HostNames.SERVICE,
        PodNames.CHECKED,
        subdomain=("spec", "serviceName"),
        queued=queued_stateful_set,
        waits=stateful_set_stages,
        claims=("spec", "volumeClaimTemplates", EACH_ITEM, "metadata", "name"),
        by_pods=True,
    ),
)
