"""Job and CronJob (W 9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.finding import Location
from trainlint.kube.values import read_int, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import PER_POD, ObjectRef, PodSet
from trainlint.source.document import Field
from trainlint.workload.claims import with_claims
from trainlint.workload.expansion import Context, Expansion, is_template, pod_set
from trainlint.workload.flows import maybe_several
from trainlint.workload.ground import PodGround
from trainlint.workload.kueue_pod_sets import queued_job
from trainlint.workload.ranks import indexed_ranks, proved_ranks
from trainlint.workload.template_at import ENDS, TemplateAt
from trainlint.workload.workload_kind import HostNames, PodNames, Restarts, WorkloadKind

__all__ = ["KINDS", "expand_cron_job", "expand_job", "job_labels", "job_pods", "pods_at_once"]

_UID = Undetermined(Because(PodGround.JOB_UID))
_RUN_NAME = Undetermined(Because(PodGround.JOB_NAME))


def expand_job(job: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A Job; with ``generateName`` its name is unknown."""
    named = job.down("metadata", "name").scalar is not None
    return _expansion(job, owner, owner.name if named else _RUN_NAME, context)


def expand_cron_job(cron_job: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A CronJob: the pods of one of its Jobs."""
    return _expansion(cron_job.down("spec", "jobTemplate"), owner, _RUN_NAME, context)


def job_labels(name: Known[str], *, indexed: bool) -> dict[str, Known[str]]:
    """The labels that the Job controller adds."""
    labels: dict[str, Known[str]] = {
        "batch.kubernetes.io/job-name": name,
        "job-name": name,
        "batch.kubernetes.io/controller-uid": _UID,
        "controller-uid": _UID,
    }
    if indexed:
        labels["batch.kubernetes.io/job-completion-index"] = PER_POD
    return labels


def pods_at_once(spec: Field) -> Known[int]:
    """min(parallelism, completions); unset completions with parallelism make a work queue of that many pods."""
    parallelism, completions = read_int(spec["parallelism"], 1), read_int(spec["completions"], -1)
    if isinstance(parallelism, Undetermined) or isinstance(completions, Undetermined):
        unknown = parallelism if isinstance(parallelism, Undetermined) else completions
        return 0 if 0 in (parallelism, completions) else unknown
    return max(0, parallelism if completions < 0 else min(parallelism, completions))


def job_pods(
    spec: Field,
    owner: ObjectRef,
    role: str,
    replicas: Known[int],
    at: Location,
    *,
    labels: Mapping[str, Known[str]],
    hostname: str = "",
    subdomain: str = "",
    blocks: Known[int] = 1,
) -> PodSet:
    """The pods of a JobSpec."""
    return pod_set(
        owner,
        role,
        replicas,
        spec["template"],
        at,
        labels=labels,
        hostname=hostname,
        subdomain=subdomain,
        blocks=blocks,
        env={"JOB_COMPLETION_INDEX": PER_POD} if _needs_index(spec, labels) else None,
    )


def _needs_index(spec: Field, labels: Mapping[str, Known[str]]) -> bool:
    """Whether the controller adds JOB_COMPLETION_INDEX; a value that the user sets wins (W 9)."""
    if "batch.kubernetes.io/job-completion-index" not in labels:
        return False
    containers = spec.down("template", "spec", "containers")
    return not any(
        read_text(entry["name"]) == "JOB_COMPLETION_INDEX"
        for container in containers.elements()
        for entry in container["env"].elements()
    )


def _expansion(job: Field, owner: ObjectRef, name: Known[str], context: Context) -> Expansion:
    spec = job["spec"]
    if not is_template(spec["template"]):
        return Expansion()
    indexed = read_text(spec["completionMode"]) == "Indexed"
    found = job_pods(
        spec,
        owner,
        "",
        pods_at_once(spec),
        job.at if not job.path else spec.at,
        labels=job_labels(name, indexed=indexed),
        hostname=f"{name}-{{}}" if indexed and isinstance(name, str) else "",
    )
    found = with_claims(found, context.objects)
    return Expansion((found,), ranks=frozenset({0}) if _ranks(found, spec, indexed=indexed) else frozenset())


def _ranks(found: PodSet, spec: Field, *, indexed: bool) -> bool:
    if not maybe_several(found.replicas):
        return proved_ranks(found) is not None
    together = indexed and read_int(spec["completions"], -1) == read_int(spec["parallelism"], 1)
    return indexed_ranks(found) if together else proved_ranks(found) is not None


KINDS: Final = (
    WorkloadKind(
        group="batch",
        name="Job",
        expand=expand_job,
        training=False,
        spec=("spec",),
        roles=(),
        main_container="",
        name_limit=63,
        name_why="",
        label_checked_by=None,
        pod_names=PodNames.INDEXED,
        job_name="{}",
        host_names=HostNames.SERVICE,
        subdomain=(),
        launcher="",
        restarts=Restarts.JOB,
        restart_default="",
        suspend=("spec", "suspend"),
        by_pods=False,
        interchangeable=False,
        creates=(),
        waits=None,
        sets_dns_policy=False,
        mounts_shared_memory=False,
        ties=None,
        kai_minimum=None,
        queued=queued_job,
        templates=(TemplateAt(("spec", "template"), "Job", restarts=ENDS, defaults=False),),
        operator=None,
    ),
    WorkloadKind(
        group="batch",
        name="CronJob",
        expand=expand_cron_job,
        training=False,
        spec=("spec", "jobTemplate", "spec"),
        roles=(),
        main_container="",
        name_limit=52,
        name_why="",
        label_checked_by=None,
        pod_names=PodNames.RANDOM,
        job_name="",
        host_names=HostNames.OTHER,
        subdomain=(),
        launcher="",
        restarts=Restarts.JOB,
        restart_default="",
        suspend=(),
        by_pods=False,
        interchangeable=False,
        creates=(("batch", "Job"),),
        waits=None,
        sets_dns_policy=False,
        mounts_shared_memory=False,
        ties=None,
        kai_minimum=None,
        queued=None,
        templates=(TemplateAt(("spec", "jobTemplate", "spec", "template"), "Job", restarts=ENDS, defaults=False),),
        operator=None,
    ),
)
