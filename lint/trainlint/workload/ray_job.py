"""RayJob and RayCronJob (W 7): a cluster of their own, and a pod that submits the work."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from trainlint.kube.values import known_text, read_text
from trainlint.model.pod import PodSpec
from trainlint.model.refuser import Refuser
from trainlint.model.workload import Flow, FlowKind, ObjectRef, PodSet, PortRange
from trainlint.source.document import Field
from trainlint.workload import ray
from trainlint.workload.batch import job_labels
from trainlint.workload.domain_annotations import ray_ties
from trainlint.workload.expansion import Context, Expansion, injected, is_template, pod_set
from trainlint.workload.flows import dns
from trainlint.workload.kai_minimum import minimum_of_ray_job
from trainlint.workload.kueue_pod_sets import queued_ray_job
from trainlint.workload.ray import KUBERAY, expand_ray_spec
from trainlint.workload.ray_env import OF_SUBMITTER, submitter_container
from trainlint.workload.ray_services import job_service
from trainlint.workload.ray_spec import RayClusterSpec, random_name
from trainlint.workload.stages import ray_job_stages
from trainlint.workload.template_at import (
    ENDS,
    TemplateAt,
    ray_templates,
)
from trainlint.workload.workload_kind import LONGEST_NAME, HostNames, PodNames, Restarts, WorkloadKind

__all__ = ["KINDS", "RAY_CLUSTERS", "expand_ray_cron_job", "expand_ray_job"]

_CLUSTER: Final = "ray.io/cluster"


def expand_ray_job(job: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A cluster of its own, and a pod that submits the entrypoint to its head."""
    return _expand_job(job, job["spec"], owner, context)


def _expand_job(job: Field, spec: Field, owner: ObjectRef, context: Context) -> Expansion:
    mode = read_text(spec["submissionMode"])
    submitted = mode in {"", "K8sJobMode"}
    if spec["rayClusterSpec"].mapping is None:
        return _on_cluster(spec, owner, context) if submitted else Expansion()
    cluster = RayClusterSpec(
        spec["rayClusterSpec"],
        job,
        owner,
        random_name(owner),
        submitted=submitted,
        sidecar=mode == "SidecarMode",
    )
    found = _with_runtime_env(expand_ray_spec(cluster, context), spec["runtimeEnvYAML"])
    if found.pod_sets and mode != "InteractiveMode":
        found = replace(found, services=(*found.services, *job_service(cluster, found.pod_sets[0])))
    if not submitted or not found.pod_sets:
        return found
    submitter = _submitter(spec, owner, found.pod_sets[0])
    number = len(found.pod_sets)
    port = cluster.parameter("dashboard-port") or 8265
    why = f"the submitter sends the job to the head's dashboard (port {port})"
    call = Flow(number, 0, "TCP", PortRange(port, port), FlowKind.CALL, why, spec.at)
    return replace(
        found,
        pod_sets=(*found.pod_sets, submitter),
        flows=(*found.flows, call, *dns(number, "the submitter looks up the head's Service", spec.at)),
        helpers=frozenset({number}),
    )


def _on_cluster(spec: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A job on a cluster that is there already: only the pod that submits it, which calls the cluster's head."""
    name = read_text(spec.down("clusterSelector", _CLUSTER))
    chosen = context.objects.get(ObjectRef(ray.KINDS[0].name, owner.namespace, name))
    if not name or chosen is None:
        return Expansion()
    cluster = RayClusterSpec(chosen["spec"], chosen, ObjectRef(ray.KINDS[0].name, owner.namespace, name), name)
    heads = expand_ray_spec(cluster, context).pod_sets[:1]
    if not heads:
        return Expansion()
    port = cluster.parameter("dashboard-port") or 8265
    address = f"{cluster.head_service}.{owner.namespace}.svc.cluster.local:{port}"
    submitter = _submitter(spec, owner, heads[0], address)
    return Expansion((submitter,), helpers=frozenset({0}))


def _with_runtime_env(found: Expansion, written: Field) -> Expansion:
    """Ray starts the job's processes with the variables of its runtime environment, over the container's own."""
    text = written.string
    if text is None or "env_vars" not in text:
        return found
    from trainlint.source.events import TooDeepError, YamlError  # noqa: PLC0415 (YAML is loaded where it is needed)
    from trainlint.source.loader import load  # noqa: PLC0415

    try:
        variables = Field(written.document, written.path, load(text).data)["env_vars"]
    except (YamlError, TooDeepError):
        return found
    env = {name: known_text(value) for name, value in variables.items()}
    pod_sets = tuple(replace(pods, spec=injected(pods.spec, env, written.at, by_user=True)) for pods in found.pod_sets)
    return replace(found, pod_sets=pod_sets)


def expand_ray_cron_job(cron_job: Field, owner: ObjectRef, context: Context) -> Expansion:
    """The pods of one of the RayJobs that it makes."""
    return _expand_job(cron_job, cron_job.down("spec", "jobTemplate"), owner, context)


def _submitter(spec: Field, owner: ObjectRef, head: PodSet, address: str = "") -> PodSet:
    """The pod of the submitter Job; without a template of its own KubeRay makes a small one with the head's image."""
    labels = job_labels(owner.name, indexed=False) | {
        "ray.io/originated-from-cr-name": owner.name,
        "ray.io/originated-from-crd": "RayJob",
        "app.kubernetes.io/created-by": "kuberay-operator",
    }
    env = {**OF_SUBMITTER, "RAY_DASHBOARD_ADDRESS": address} if address else OF_SUBMITTER
    template = spec["submitterPodTemplate"]
    if is_template(template):
        return pod_set(owner, "submitter", 1, template, template.at, labels=labels, env=env)
    container = submitter_container(head.spec.containers[0].image if head.spec.containers else "", spec.at)
    pods = injected(PodSpec((container,), at=spec.at), env, spec.at)
    return PodSet(owner, "submitter", 1, labels, pods, at=spec.at, template=spec.at)


KINDS: Final = (
    WorkloadKind(
        group="ray.io",
        name="RayJob",
        expand=expand_ray_job,
        training=True,
        spec=("spec",),
        roles=("spec", "rayClusterSpec"),
        main_container="",
        name_limit=47,
        name_why="",
        label_checked_by=Refuser.KUBERAY,
        pod_names=PodNames.RANDOM,
        job_name="{}",
        host_names=HostNames.OTHER,
        subdomain=(),
        launcher="",
        restarts=Restarts.NONE,
        restart_default="",
        suspend=("spec", "suspend"),
        by_pods=False,
        interchangeable=False,
        creates=(("ray.io", "RayCluster"), ("batch", "Job")),
        waits=ray_job_stages,
        sets_dns_policy=False,
        mounts_shared_memory=True,
        ties=ray_ties,
        kai_minimum=minimum_of_ray_job,
        queued=queued_ray_job,
        templates=(
            *ray_templates(("spec", "rayClusterSpec")),
            TemplateAt(("spec", "submitterPodTemplate"), "submitter", restarts=ENDS, defaults=False, maker="Job"),
        ),
        operator=KUBERAY,
    ),
    WorkloadKind(
        group="ray.io",
        name="RayCronJob",
        expand=expand_ray_cron_job,
        training=True,
        spec=("spec", "jobTemplate"),
        roles=("spec", "jobTemplate", "rayClusterSpec"),
        main_container="",
        name_limit=LONGEST_NAME,
        name_why="",
        label_checked_by=None,
        pod_names=PodNames.RANDOM,
        job_name="",
        host_names=HostNames.OTHER,
        subdomain=(),
        launcher="",
        restarts=Restarts.NONE,
        restart_default="",
        suspend=(),
        by_pods=False,
        interchangeable=False,
        creates=(("ray.io", "RayJob"), ("ray.io", "RayCluster"), ("batch", "Job")),
        waits=None,
        sets_dns_policy=False,
        mounts_shared_memory=True,
        ties=ray_ties,
        kai_minimum=None,
        queued=None,
        templates=(),
        operator=KUBERAY,
    ),
)

RAY_CLUSTERS: Final = {kind.name: kind.roles for kind in (*ray.KINDS, *KINDS) if kind.spec == ("spec",)}
"""Where each kind has the spec of a Ray cluster, but for those that are made on a schedule: KubeRay's checks of these
come when it makes a RayJob of them."""
