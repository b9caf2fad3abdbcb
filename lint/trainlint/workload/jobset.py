"""JobSet (W 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.kube.values import read_int, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.operator import Operator
from trainlint.model.refuser import Refuser
from trainlint.model.workload import PER_POD, ObjectRef, PodSet, Service
from trainlint.operators.jobset import COORDINATOR, PREFIX, PRIORITY, coordinator_host, job_key, job_labels
from trainlint.source.document import Field
from trainlint.workload.batch import job_labels as batch_labels
from trainlint.workload.batch import job_pods, pods_at_once
from trainlint.workload.claims import with_claims
from trainlint.workload.domain_annotations import job_set_ties
from trainlint.workload.exclusive_jobs import placed_by_labels
from trainlint.workload.expansion import Context, Expansion, is_template
from trainlint.workload.flows import product, total
from trainlint.workload.ground import PodGround
from trainlint.workload.kai_minimum import minimum_of_job_set
from trainlint.workload.kueue_pod_sets import queued_job_set
from trainlint.workload.ranks import indexed_ranks, proved_ranks
from trainlint.workload.stages import job_set_stages
from trainlint.workload.template_at import EACH_ITEM, job_set_templates
from trainlint.workload.workload_kind import LONGEST_NAME, HostNames, PodNames, Restarts, WorkloadKind

__all__ = ["JOBSET", "KINDS", "expand_job_set"]


def expand_job_set(job_set: Field, owner: ObjectRef, context: Context) -> Expansion:
    """Child Jobs of equal pods, all under one headless Service."""
    spec = job_set["spec"]
    name = read_text(spec.down("network", "subdomain")) or owner.name
    entries = [
        entry for entry in spec["replicatedJobs"].elements() if is_template(entry.down("template", "spec", "template"))
    ]
    jobs = total(read_int(entry["replicas"], 1) for entry in entries)
    named = spec.down("network", "enableDNSHostnames").value is not False
    domain = name if named else ""
    pod_sets = tuple(with_claims(_pods(entry, owner, domain, jobs, job_set), context.objects) for entry in entries)
    publish = spec.down("network", "publishNotReadyAddresses").value
    service = Service(
        ObjectRef("Service", owner.namespace, name),
        {f"{PREFIX}jobset-name": owner.name},
        headless=True,
        publish_not_ready=publish is not False,
        generated=True,
        at=job_set.at,
    )
    return Expansion(
        pod_sets,
        services=(service,) if named else (),
        ranks=frozenset(_ranks(entries, pod_sets)),
        training=True,
        several_jobs=True,
    )


def _pods(entry: Field, owner: ObjectRef, subdomain: str, jobs: Known[int], job_set: Field) -> PodSet:
    name, spec = read_text(entry["name"]), job_set["spec"]
    job = entry.down("template", "spec")
    count = read_int(entry["replicas"], 1)
    indexed = read_text(job["completionMode"]) in {"", "Indexed"}
    single = count == 1
    group = read_text(entry["groupName"]) or "default"
    in_group = total(
        read_int(each["replicas"], 1)
        for each in spec["replicatedJobs"].elements()
        if (read_text(each["groupName"]) or "default") == group
    )
    priority = read_text(job.down("template", "spec", "priorityClassName"))
    job_name = f"{owner.name}-{name}-0"
    labels: dict[str, Known[str]] = job_labels(
        job_set=(owner.name, Undetermined(Because(PodGround.JOBSET_UID)), Undetermined(Because(PodGround.RESTARTS))),
        role=(name, group),
        key=job_key(owner.namespace, job_name) if single else PER_POD,
        counts=(_text(count), _text(jobs), _text(in_group)),
        indices=(_index(count), _index(jobs), _index(in_group)),
    )
    if not placed_by_labels(job_set, entry):
        labels[PRIORITY] = Undetermined(Because(PodGround.PRIORITY)) if priority else "0"
    coordinator = spec["coordinator"]
    if coordinator.mapping is not None:
        job_index, pod_index = (str(read_int(coordinator[key])) for key in ("jobIndex", "podIndex"))
        pod = (read_text(coordinator["replicatedJob"]), job_index, pod_index)
        domain = read_text(spec.down("network", "subdomain")) or owner.name
        labels[COORDINATOR] = coordinator_host(owner.name, pod, domain)
    return job_pods(
        job,
        owner,
        name,
        product(count, pods_at_once(job)),
        entry.at,
        labels=labels | batch_labels(job_name if single else PER_POD, indexed=indexed),
        hostname=f"{owner.name}-{name}-{{}}-{{}}" if indexed else "",
        subdomain=subdomain,
        blocks=count,
    )


def _index(count: Known[int]) -> Known[str]:
    """The number of a Job among some; where there are several, each has its own."""
    return "0" if count == 1 else PER_POD


def _text(count: Known[int]) -> Known[str]:
    return count if isinstance(count, Undetermined) else str(count)


def _ranks(entries: Sequence[Field], pod_sets: Sequence[PodSet]) -> Iterator[int]:
    """Roles that compute on accelerators or run what ranks run, and that do not end before the others begin."""
    first = {
        read_text(dependency["name"])
        for entry in entries
        for dependency in entry["dependsOn"].elements()
        if read_text(dependency["status"]) == "Complete"
    }
    for index, found in enumerate(pod_sets):
        if found.role not in first and (indexed_ranks(found) if found.hostname else proved_ranks(found)):
            yield index


JOBSET: Final = Operator(
    "JobSet",
    webhooks=("[mv]*.kb.io", "*.x-k8s.io"),
    configurations=("jobset-mutating-webhook-configuration", "jobset-validating-webhook-configuration"),
    services=("jobset-webhook-service", "*jobset*-webhook-service"),
    namespace="jobset-system",
    labels=(("app.kubernetes.io/name", "jobset"),),
)

KINDS: Final = (
    WorkloadKind(
        group="jobset.x-k8s.io",
        name="JobSet",
        expand=expand_job_set,
        training=True,
        spec=("spec",),
        roles=(),
        main_container="",
        name_limit=LONGEST_NAME,
        name_why="",
        label_checked_by=Refuser.JOBSET,
        pod_names=PodNames.CHILD_JOBS,
        job_name="",
        host_names=HostNames.OPERATOR,
        subdomain=("spec", "network", "subdomain"),
        launcher="",
        restarts=Restarts.CHILD_JOBS,
        restart_default="",
        suspend=("spec", "suspend"),
        by_pods=False,
        interchangeable=False,
        creates=(("batch", "Job"),),
        waits=lambda job_set, pod_sets: job_set_stages(job_set["spec"], pod_sets),
        sets_dns_policy=False,
        mounts_shared_memory=False,
        ties=job_set_ties,
        kai_minimum=minimum_of_job_set,
        queued=queued_job_set,
        templates=job_set_templates(
            ("spec",), claims=("spec", "volumeClaimPolicies", EACH_ITEM, "templates", EACH_ITEM, "metadata", "name")
        ),
        operator=JOBSET,
    ),
)
