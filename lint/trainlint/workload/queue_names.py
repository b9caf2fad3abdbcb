"""For which queue of Volcano or KAI an object's pods are (S 2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.values import is_placeholder, known_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.scheduler_queue import KAI_QUEUES, VOLCANO_QUEUES, QueueName
from trainlint.model.workload import PodSet, Workload
from trainlint.source.document import Field
from trainlint.workload.operator_gangs import KAI
from trainlint.workload.pod_manifest import template_of
from trainlint.workload.tier import VOLCANO_SCHEDULERS

__all__ = ["KAI_LABEL", "VOLCANO_ANNOTATION", "VOLCANO_DEFAULT", "QueueDoubt", "queue_name"]

KAI_LABEL: Final = "kai.scheduler/queue"
KAI_DEFAULT: Final = "default-queue"
VOLCANO_ANNOTATION: Final = "scheduling.volcano.sh/queue-name"
VOLCANO_DEFAULT: Final = "default"
_RAY_LABEL: Final = "volcano.sh/queue-name"
_PROJECT: Final = "project"
_NODE_POOL: Final = "kai.scheduler/node-pool"
_POLICY: Final = ("spec", "runPolicy", "schedulingPolicy", "queue")


class QueueDoubt(Enum):
    """What must hold beside what Git says for a queue to count; beside each are the values of its ``Because``."""

    GANG_SCHEDULER = auto()
    NAMESPACE = auto()  # the namespace


def queue_name(workload: Workload, schedulers: Mapping[str, str | None]) -> QueueName | None:
    """The queue that an object's pods wait in; ``None`` where neither Volcano nor KAI places them.

    ``schedulers`` says for which scheduler an operator makes PodGroups, by API version: empty for none, ``None``
    where its Deployment is not in Git.
    """
    meta, item = read_meta(workload.field), workload.field
    if workload.owner.kind == "Job.batch.volcano.sh":
        return _named(VOLCANO_QUEUES, item.down("spec", "queue"), VOLCANO_DEFAULT, item.down("spec"))
    by = {pods.spec.scheduler_name for pods in workload.pod_sets}
    if by == {KAI}:
        return _kai(workload, meta)
    if workload.api_version.startswith("kubeflow.org/"):
        return _kubeflow(workload, schedulers.get(workload.api_version), volcano=by <= VOLCANO_SCHEDULERS)
    if meta.api_group == "ray.io" and meta.labels.get("ray.io/scheduler-name") == "volcano":
        label = item.down("metadata", "labels", _RAY_LABEL)
        return _named(VOLCANO_QUEUES, label, VOLCANO_DEFAULT, item["metadata"])
    if by <= VOLCANO_SCHEDULERS and workload.pod_sets:
        return _annotated(workload)
    return None


def _named(system: str, written: Field, default: str, parent: Field, doubt: Because | None = None) -> QueueName:
    if not written.present:
        return QueueName(system, default, parent.at, written=False, doubt=doubt)
    return QueueName(system, known_text(written), written.at, doubt=doubt)


def _kai(workload: Workload, meta: Meta) -> QueueName:
    """The label of the object, else that of its pods; KAI's own ``project`` label names a queue too. A TrainJob is
    taken for its JobSet, which has the labels of its spec before its own.
    """
    item = workload.field
    places = [item.down("metadata", "labels"), *_labels(workload)]
    if item.down("spec", "runtimeRef").present:
        places = [item.down("spec", "labels"), *places]
    for labels in places:
        if labels[KAI_LABEL].present:
            return QueueName(KAI_QUEUES, known_text(labels[KAI_LABEL]), labels[KAI_LABEL].at)
    for labels in places:
        project = labels[_PROJECT]
        if project.present:
            pool = next((each[_NODE_POOL] for each in places[1:] if each[_NODE_POOL].present), None)
            return QueueName(KAI_QUEUES, _with_pool(known_text(project), pool), project.at)
    return QueueName(KAI_QUEUES, KAI_DEFAULT, item["metadata"].at, written=False)


def _with_pool(project: Known[str], pool: Field | None) -> Known[str]:
    """The queue of a project: one for each node pool that pods name."""
    name = None if pool is None else known_text(pool)
    if name is None or isinstance(project, Undetermined):
        return project
    return name if isinstance(name, Undetermined) else f"{project}-{name}"


def _labels(workload: Workload) -> list[Field]:
    return [template_of(workload, pods).down("metadata", "labels") for pods in workload.pod_sets]


def _kubeflow(workload: Workload, scheduler: str | None, *, volcano: bool) -> QueueName | None:
    """``schedulingPolicy.queue``, else the annotation of the object, where the operator makes Volcano's PodGroups."""
    if scheduler is None and not volcano:
        return None
    if scheduler is not None and scheduler not in VOLCANO_SCHEDULERS:
        return _annotated(workload) if volcano else None
    item = workload.field
    doubt = None if scheduler else Because(QueueDoubt.GANG_SCHEDULER)
    annotation = item.down("metadata", "annotations", VOLCANO_ANNOTATION)
    policy = item.down(*_POLICY)
    return _named(VOLCANO_QUEUES, policy if policy.present else annotation, VOLCANO_DEFAULT, item["spec"], doubt)


def _annotated(workload: Workload) -> QueueName | None:
    """The annotation of the pods, of which Volcano makes a PodGroup; one in a PodGroup of its own names its queue."""
    for pods in workload.pod_sets:
        template = template_of(workload, pods)
        if template.down("metadata", "annotations", "scheduling.k8s.io/group-name").present:
            return None
        written = template.down("metadata", "annotations", VOLCANO_ANNOTATION)
        if written.present and not is_placeholder(written.scalar or ""):
            return QueueName(VOLCANO_QUEUES, known_text(written), written.at)
    owned = workload.field.down("metadata", "annotations", VOLCANO_ANNOTATION)
    if owned.present:  # Volcano inherits it from the object that owns the pods
        return QueueName(VOLCANO_QUEUES, known_text(owned), owned.at)
    first: PodSet = workload.pod_sets[0]
    return QueueName(VOLCANO_QUEUES, VOLCANO_DEFAULT, first.template, written=False)
