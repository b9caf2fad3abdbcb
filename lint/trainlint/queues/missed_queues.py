"""Jobs that are meant for a queue of Volcano or KAI and that miss it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Fix, Move, Put, Rename
from trainlint.kube.meta import read_meta
from trainlint.kube.names import distance
from trainlint.model.because import Because
from trainlint.model.scheduler_queue import KAI_QUEUES, VOLCANO_QUEUES
from trainlint.model.workload import PodSet, Workload
from trainlint.queues.ground import MissedGround, QueueRole
from trainlint.queues.missed_queue import MissedQueue
from trainlint.queues.queue_refusals import SchedulerQueues
from trainlint.snapshot.snapshot import Snapshot
from trainlint.source.document import Field
from trainlint.workload.operator_gangs import KAI
from trainlint.workload.pod_manifest import template_of
from trainlint.workload.queue_names import KAI_LABEL, VOLCANO_ANNOTATION
from trainlint.workload.tier import VOLCANO_SCHEDULERS

__all__ = ["missed_queues"]

_DEFAULT_SCHEDULER: Final = frozenset({"", "default-scheduler"})
_KAI: Final = "KAI"
_VOLCANO: Final = "Volcano"
_VOLCANO_LABEL: Final = "volcano.sh/queue-name"
_FARTHEST: Final = 2
_OLD_KAI_LABEL: Final = "runai/queue"
"""What KAI read before 0.6."""


def missed_queues(snapshot: Snapshot, queues: SchedulerQueues) -> Iterator[MissedQueue]:
    """The first reason for each object; nothing where Git holds no queue of the system."""
    for workload in snapshot.workloads.objects:
        if workload.field.document.file in snapshot.unrendered:
            continue
        case = _Case(workload, queues.schedulers.get(workload.api_version))
        found: list[MissedQueue] = []
        file = workload.field.document.file
        if queues.known(KAI_QUEUES, file):
            found += case.of_kai()
        if queues.known(VOLCANO_QUEUES, file):
            found += case.of_volcano()
        yield from found[:1]


@fact(eq=False)
class _Case:
    """One object. ``scheduler`` is the one for which its operator makes PodGroups, if that is known."""

    workload: Workload
    scheduler: str | None

    def of_kai(self) -> Iterator[MissedQueue]:
        """The label that KAI reads, of the object or of its pods, and the scheduler that reads it."""
        label = next((each[KAI_LABEL] for each in self._labels() if each[KAI_LABEL].present), None)
        by_kai = [pods for pods in self._pods if pods.spec.scheduler_name == KAI]
        by_default = [pods for pods in self._pods if pods.spec.scheduler_name in _DEFAULT_SCHEDULER]
        if label is not None:
            if by_default and not self._is_sent_to_kai:
                yield self._past_kai(label, by_default)
            return
        if not by_kai:
            return
        for each in self._annotations():
            if each[KAI_LABEL].present:
                yield self._annotated(each[KAI_LABEL])
        for labels in self._labels():
            for key, written in labels.items():
                if key == _OLD_KAI_LABEL or _slip(key, KAI_LABEL):
                    why = Because(MissedGround.KAI_MISSPELT, (key, KAI_LABEL))
                    yield self._queue_missed(_KAI, why, written, f"write {KAI_LABEL}", Rename(written.at, KAI_LABEL))

    @property
    def _is_sent_to_kai(self) -> bool:
        """Whether an operator names the scheduler in the pods that it makes: KubeRay's options are seldom in Git."""
        return self.scheduler == KAI or read_meta(self.workload.field).api_group == "ray.io"

    def _past_kai(self, label: Field, pods: list[PodSet]) -> MissedQueue:
        edits = [
            Put(each.template.child("spec", "schedulerName"), KAI, ("containers",))
            for each in pods
            if template_of(self.workload, each)["spec"].mapping is not None
        ]
        fixes = (Fix(f"let {KAI} place the pods", tuple(edits)),) if len(edits) == len(pods) else ()
        names = " and ".join(each.name for each in pods)
        why = Because(MissedGround.KAI_SCHEDULER, (KAI_LABEL, label.scalar or "", names, KAI))
        places = tuple(
            (Because(QueueRole.OTHER_SCHEDULER, (KAI, each.name)), each.spec.at or each.template) for each in pods
        )
        return MissedQueue(_KAI, self.workload.owner, tuple(pods), why, label.at, places, fixes)

    def _annotated(self, written: Field) -> MissedQueue:
        to = (*written.path[:-2], "labels", KAI_LABEL)
        why = Because(MissedGround.KAI_ANNOTATION, (KAI_LABEL, written.scalar))
        return self._queue_missed(_KAI, why, written, f"make {KAI_LABEL} a label", Move(written.at, to))

    def of_volcano(self) -> Iterator[MissedQueue]:
        """spec.queue of Volcano's Job, the annotation of other pods; both only where Volcano places them."""
        meta, item = read_meta(self.workload.field), self.workload.field
        if self.workload.owner.kind == "Job.batch.volcano.sh":
            yield from self._of_volcano_job(item)
            return
        if meta.api_group == "ray.io":
            return
        by_volcano = all(pods.spec.scheduler_name in VOLCANO_SCHEDULERS for pods in self._pods)
        found = (each[VOLCANO_ANNOTATION] for each in self._annotations()[1:])
        annotation = next((each for each in found if each.present), None)
        by_default = [pods for pods in self._pods if pods.spec.scheduler_name in _DEFAULT_SCHEDULER]
        if annotation is not None and len(by_default) == len(self._pods) and meta.api_group != "kubeflow.org":
            why = Because(MissedGround.VOLCANO_SCHEDULER, (VOLCANO_ANNOTATION, annotation.scalar))
            yield self._queue_missed(_VOLCANO, why, annotation)
        if not by_volcano or annotation is not None or self._annotations()[0][VOLCANO_ANNOTATION].present:
            return
        for labels in self._labels():
            if labels[VOLCANO_ANNOTATION].present:
                written = labels[VOLCANO_ANNOTATION]
                why = Because(MissedGround.VOLCANO_LABEL, (VOLCANO_ANNOTATION,))
                to = (*written.path[:-2], "annotations", VOLCANO_ANNOTATION)
                yield self._queue_missed(_VOLCANO, why, written, "make it an annotation", Move(written.at, to))

    def _of_volcano_job(self, item: Field) -> Iterator[MissedQueue]:
        if item.down("spec", "queue").present:
            return
        for part in ("labels", "annotations"):
            for key in (_VOLCANO_LABEL, VOLCANO_ANNOTATION):
                written = item.down("metadata", part, key)
                if written.present:
                    why = Because(MissedGround.VOLCANO_JOB, (part, written.scalar))
                    edit = Put(item.at.child("spec", "queue"), written.scalar, ("tasks",))
                    yield self._queue_missed(_VOLCANO, why, written, f"write spec.queue: {written.scalar}", edit)

    @property
    def _pods(self) -> list[PodSet]:
        """The pods of the job itself: what only submits it may be placed by any scheduler."""
        return [each for each in self.workload.pod_sets if each.replicas != 0 and each.role != "submitter"]

    def _labels(self) -> list[Field]:
        """The labels of the object, then those of each pod template."""
        return self._metadata("labels")

    def _annotations(self) -> list[Field]:
        return self._metadata("annotations")

    def _metadata(self, part: str) -> list[Field]:
        item = self.workload.field
        templates = (template_of(self.workload, each) for each in self._pods)
        own = (each.down("metadata", part) for each in templates if each.path != item.path)
        return [item.down("metadata", part), *own]

    def _queue_missed(
        self, system: str, why: Because, written: Field, title: str = "", *edits: Move | Put | Rename
    ) -> MissedQueue:
        """A queue that the system does not see, with what repairs it."""
        fixes = (Fix(title, edits),) if edits else ()
        return MissedQueue(
            system,
            self.workload.owner,
            self.workload.pod_sets,
            why,
            written.at,
            fixes=fixes,
            of_key=True,
            seen=True,
        )


def _slip(key: str, meant: str) -> bool:
    """Whether a key was probably meant for another one: in its domain, or a few letters off."""
    if key == meant or "/" not in key:
        return False
    (domain, name), (right, last) = key.split("/", 1), meant.split("/", 1)
    same_domain = domain == right and name in {f"{last}-name", f"{last}s", f"{last}name", f"{last}_name"}
    return same_domain or distance(key, meant) <= _FARTHEST
