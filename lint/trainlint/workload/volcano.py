"""Volcano's Job with its plugins (W 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from trainlint.finding import Unknown
from trainlint.kube.values import read_int, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.operator import Operator
from trainlint.model.workload import (
    PER_POD,
    ObjectRef,
    PodSet,
    Service,
    ServicePort,
)
from trainlint.source.document import Field
from trainlint.workload.claims import with_claims
from trainlint.workload.domain_annotations import volcano_ties
from trainlint.workload.expansion import Context, Expansion, is_template, pod_set
from trainlint.workload.ground import PodGround
from trainlint.workload.stages import volcano_stages
from trainlint.workload.template_at import EACH_ITEM, TemplateAt
from trainlint.workload.volcano_containers import head_ports, with_volcano_containers
from trainlint.workload.volcano_env import with_volcano_env
from trainlint.workload.volcano_frameworks import framework_flows
from trainlint.workload.volcano_plugins import Plugins, read_plugins
from trainlint.workload.workload_kind import LONGEST_NAME, HostNames, PodNames, Restarts, WorkloadKind

__all__ = ["KINDS", "VOLCANO_TASKS", "expand_volcano_cron_job", "expand_volcano_job"]

_PREFIX: Final = "volcano.sh/"
_LONGEST: Final = 63


def expand_volcano_job(job: Field, owner: ObjectRef, context: Context) -> Expansion:
    """Tasks of numbered pods; the svc plugin gives them names and shuts them off with a NetworkPolicy."""
    return _expand(job, owner, owner.name, context)


def _expand(job: Field, owner: ObjectRef, name: Known[str], context: Context) -> Expansion:
    spec = job["spec"]
    plugins = read_plugins(spec["plugins"])
    has_names = "svc" in plugins
    pod_sets: list[PodSet] = []
    for number, task in enumerate(spec["tasks"].elements()):
        if not is_template(task["template"]):
            continue
        role = read_text(task["name"]) or f"default{number}"
        labels: dict[str, Known[str]] = {
            f"{_PREFIX}job-name": name,
            f"{_PREFIX}job-namespace": owner.namespace,
            f"{_PREFIX}task-spec": role,
            f"{_PREFIX}task-index": PER_POD,
            f"{_PREFIX}queue-name": read_text(spec["queue"]) or "default",
        }
        if task["partitionPolicy"].mapping is not None:
            labels[f"{_PREFIX}partition-id"] = PER_POD
        served = has_names and isinstance(name, str)
        pods = pod_set(
            owner,
            role,
            read_int(task["replicas"], 0),
            task["template"],
            task.at,
            labels=labels,
            hostname=f"{name}-{role}-{{}}" if served and not _own(task, "hostname") else "",
            subdomain=owner.name if served and not _own(task, "subdomain") else "",
        )
        pods = with_claims(pods, context.objects)
        made = replace(
            pods.spec,
            scheduler_name=pods.spec.scheduler_name or read_text(spec["schedulerName"]) or "volcano",
            priority_class=pods.spec.priority_class or read_text(spec["priorityClassName"]),
            dns_policy=pods.spec.dns_policy or ("ClusterFirstWithHostNet" if pods.spec.host_network else ""),
        )
        pod_sets.append(replace(pods, spec=made))
    ranks, flows = framework_flows(plugins, pod_sets)
    pod_sets = list(with_volcano_containers(plugins, with_volcano_env(plugins, pod_sets, name), name))
    shut = plugins.option("svc", "disable-network-policy", "false") != "true"
    if not has_names or isinstance(name, Undetermined):
        missing = "which pods the NetworkPolicy of the svc plugin selects: the Job's name is made in the cluster"
        unknown = (Unknown(str(owner), missing, at=job.at),) if has_names and shut else ()
        return Expansion(tuple(pod_sets), flows, ranks=ranks, unknowns=unknown, training=True, several_jobs=True)
    selector = {f"{_PREFIX}job-name": owner.name, f"{_PREFIX}job-namespace": owner.namespace}
    service = Service(
        ObjectRef("Service", owner.namespace, owner.name),
        selector,
        headless=True,
        publish_not_ready=plugins.option("svc", "publish-not-ready-addresses", "false") == "true",
        generated=True,
        at=job.at,
    )
    return Expansion(
        tuple(pod_sets),
        flows,
        (service, *_head_services(job, owner, plugins, selector)),
        ranks=ranks,
        policies=(_policy(job, owner, selector),) if shut and len(owner.name) <= _LONGEST else (),
        training=True,
        several_jobs=True,
    )


def _head_services(job: Field, owner: ObjectRef, plugins: Plugins, selector: Mapping[str, str]) -> Iterator[Service]:
    """The Service in front of the head that the ray plugin makes."""
    if "ray" not in plugins:
        return
    head = plugins.option("ray", "head", "head")
    yield Service(
        ObjectRef("Service", owner.namespace, f"{owner.name}-head-svc"),
        {**selector, f"{_PREFIX}task-spec": head},
        tuple(ServicePort(port.number, port.name) for port in head_ports(plugins)),
        generated=True,
        at=job.at,
    )


def _own(task: Field, part: str) -> bool:
    """Whether the template has a host name or subdomain of its own, which the svc plugin leaves as it is."""
    return task.down("template", "spec", part).present


def expand_volcano_cron_job(cron_job: Field, owner: ObjectRef, context: Context) -> Expansion:
    """The pods of one of the Jobs that a Volcano CronJob makes; their names are made in the cluster."""
    name = Undetermined(Because(PodGround.JOB_NAME))
    return _expand(cron_job.down("spec", "jobTemplate"), owner, name, context)


def _policy(job: Field, owner: ObjectRef, selector: Mapping[str, str]) -> Field:
    """The policy that the svc plugin makes: ingress from the job's own pods, all ports."""
    peer = {"matchLabels": dict(selector)}
    return Field(
        job.document,
        job.path,
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": {"name": owner.name, "namespace": owner.namespace},
            "spec": {"podSelector": peer, "policyTypes": ["Ingress"], "ingress": [{"from": [{"podSelector": peer}]}]},
        },
    )


VOLCANO: Final = Operator(
    "Volcano",
    webhooks=("*.volcano.sh",),
    configurations=("volcano-admission-service-*",),
    services=("volcano-admission-service", "*-admission-service"),
    namespace="volcano-system",
)

VOLCANO_TASKS: Final = (TemplateAt(("spec", "tasks", EACH_ITEM, "template"), lent=None),)
"""The pod templates of tasks; which volumes plugins add is not known."""

KINDS: Final = (
    WorkloadKind(
        group="batch.volcano.sh",
        name="Job",
        expand=expand_volcano_job,
        training=True,
        spec=("spec",),
        roles=(),
        main_container="",
        name_limit=63,
        name_why="its pods carry it as a label, and Services and host names are made from it",
        label_checked_by=None,
        pod_names=PodNames.TASKS,
        job_name="",
        host_names=HostNames.OPERATOR,
        subdomain=(),
        launcher="",
        restarts=Restarts.POLICIES,
        restart_default="",
        suspend=(),
        by_pods=False,
        interchangeable=False,
        creates=(("scheduling.volcano.sh", "PodGroup"),),
        waits=volcano_stages,
        sets_dns_policy=True,
        mounts_shared_memory=False,
        ties=volcano_ties,
        kai_minimum=None,
        queued=None,
        templates=VOLCANO_TASKS,
        operator=VOLCANO,
    ),
    WorkloadKind(
        group="batch.volcano.sh",
        name="CronJob",
        expand=expand_volcano_cron_job,
        training=True,
        spec=("spec", "jobTemplate", "spec"),
        roles=(),
        main_container="",
        name_limit=LONGEST_NAME,
        name_why="",
        label_checked_by=None,
        pod_names=PodNames.RANDOM,
        job_name="",
        host_names=HostNames.OTHER,
        subdomain=(),
        launcher="",
        restarts=Restarts.POLICIES,
        restart_default="",
        suspend=(),
        by_pods=False,
        interchangeable=False,
        creates=(("batch.volcano.sh", "Job"), ("scheduling.volcano.sh", "PodGroup")),
        waits=None,
        sets_dns_policy=True,
        mounts_shared_memory=False,
        ties=volcano_ties,
        kai_minimum=None,
        queued=None,
        templates=(),
        operator=VOLCANO,
    ),
)
