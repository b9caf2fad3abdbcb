"""Jobs that are meant for a queue of Kueue, and that Kueue leaves alone (S 2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Fix, Location, Move, Put, Rename
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.names import distance
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.settings import KueueManager
from trainlint.model.workload import Workload
from trainlint.queues.ground import MissedGround, QueueRole
from trainlint.queues.kueue_queues import Queueing
from trainlint.queues.missed_queue import MissedQueue
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Field
from trainlint.workload.kinds import kind_of
from trainlint.workload.managing_controllers import QUEUE_LABEL, manages, queue_label, queued_kind
from trainlint.workload.pod_manifest import template_of

__all__ = ["unmanaged"]

_DEFAULT_QUEUE: Final = "default"
_ALWAYS_SELECTED: Final = (0, 15)
"""Since when managedJobsNamespaceSelector counts for jobs that name a queue too
(ManagedJobsNamespaceSelectorAlwaysRespected, kubernetes-sigs/kueue:pkg/features)."""
_NO_ANNOTATION: Final = (0, 15)
"""Since when the queue name as an annotation is not read (QueueNameForObject)."""
_SINCE: Final = Because(MissedGround.SINCE, ("0.15",))
_NAMES: Final = frozenset(
    {"local-queue", "local-queue-name", "localqueue", "queue", "queue_name", "queuename", "queues"}
)
_DOMAINS: Final = frozenset({"kueue.k8s.io", "kueue.sigs.k8s.io", "kueue.x-k8s.io", "kueue.x.k8s.io", "x-k8s.io"})
_FARTHEST: Final = 2


def unmanaged(queueing: Queueing) -> Iterator[MissedQueue]:
    """The first reason for each object; nothing where Git says nothing of Kueue."""
    snapshot = queueing.snapshot
    if not (queueing.queues.local or queueing.queues.cluster or snapshot.settings.kueue):
        return
    left: list[MissedQueue] = []
    for workload in snapshot.workloads.objects:
        wrapped = "spec" in workload.field.path  # the queue of a wrapper is for what it holds
        if workload.field.document.file not in snapshot.unrendered and workload.pod_sets and not wrapped:
            case = _Case(queueing, workload, read_meta(workload.field))
            if left_out := case.kind_left_out():
                left.append(left_out)
            else:
                yield from list(case.causes())[:1]
    if left:
        yield _as_one(left, snapshot.settings.kueue)


def _as_one(left: Sequence[MissedQueue], manager: KueueManager | None) -> MissedQueue:
    """What the configuration leaves out is one cause, whatever it is of."""
    first = left[0]
    kinds = tuple(sorted({each.owner.kind for each in left}))
    enabled = tuple(sorted(manager.frameworks | manager.external)) if manager else ()
    return replace(
        first,
        why=Because(MissedGround.KIND_LEFT_OUT, (enabled, kinds)),
        others=len(left) - 1,
        places=(*first.places, *((Because(QueueRole.LEFT_OUT), each.at) for each in left[1:])),
    )


@fact(eq=False)
class _Case:
    """One object."""

    queueing: Queueing
    workload: Workload
    meta: Meta

    def causes(self) -> Iterator[MissedQueue]:
        """Every reason why Kueue does not queue it, although it is meant to."""
        label = queue_label(self.workload.field)
        if label.present:
            yield from self._namespace_left_out(label)
            return
        yield from self._on_the_maker(label)
        yield from self._annotation()
        yield from self._misspelt()
        yield from self._on_the_template()
        if (self.workload.owner.namespace, _DEFAULT_QUEUE) in self.queueing.queues.local:
            yield from self._namespace_left_out(None)
        yield from self._suspended()

    def kind_left_out(self) -> MissedQueue | None:
        """A kind that Kueue is not told to manage, although objects of it name a queue; ``None`` where there is no such
        kind.
        """
        manager = self.queueing.snapshot.settings.kueue
        label = queue_label(self.workload.field)
        if not label.present or manager is None or manages(manager, *queued_kind(self.workload.field)):
            return None
        places = ((Because(QueueRole.MANAGED_KINDS), manager.at),) if manager.at else ()
        return self._cause(Because(MissedGround.KIND_LEFT_OUT, ((), ())), label.at, places)

    def _namespace_left_out(self, label: Field | None) -> Iterator[MissedQueue]:
        """managedJobsNamespaceSelector: without a match the controller does nothing for the job, whatever it names."""
        settings, namespace = self.queueing.snapshot.settings, self.workload.owner.namespace
        manager = settings.kueue
        if manager is None or manager.namespaces is None or self._unstated:
            return
        if not manages(manager, *queued_kind(self.workload.field)):
            return
        old = manager.version is not None and manager.version < _ALWAYS_SELECTED
        if (old and label is not None) or self.queueing.selects(manager.namespaces, namespace) is not False:
            return
        keys = tuple(sorted({each.key for each in manager.namespaces.requirements}))
        if label is None:
            why = Because(MissedGround.DEFAULT_LEFT_OUT, (namespace, keys, _DEFAULT_QUEUE))
            at = self.workload.field["metadata"].at
        else:
            why, at = Because(MissedGround.NAMESPACE_LEFT_OUT, (namespace, keys)), label.at
        places = [(Because(QueueRole.NAMESPACE_SELECTOR), manager.selector_at)] if manager.selector_at else []
        places += [(Because(QueueRole.NAMESPACE), each.written) for each in self._namespaces()]
        assumes = None if manager.version or label is None else _SINCE
        yield self._cause(why, at, tuple(places), assumes=assumes)

    def _namespaces(self) -> Iterator[ApiObject]:
        for each in self.queueing.snapshot.objects:
            if each.meta.kind == "Namespace" and each.meta.name == self.workload.owner.namespace:
                yield each

    def _on_the_maker(self, right: Field) -> Iterator[MissedQueue]:
        """The label on a CronJob, which does not hand it on to its Jobs."""
        written = self.workload.field.down("metadata", "labels", QUEUE_LABEL)
        if written.present and written.path != right.path:
            why = Because(MissedGround.ON_MAKER, (QUEUE_LABEL, self.meta.kind))
            fix = Fix("label the Jobs that it makes", (Move(written.at, right.at.path),))
            yield self._cause(why, written.at, fixes=(fix,), key=True)

    def _annotation(self) -> Iterator[MissedQueue]:
        written = self.workload.field.down("metadata", "annotations", QUEUE_LABEL)
        manager = self.queueing.snapshot.settings.kueue
        old = manager is not None and manager.version is not None and manager.version < _NO_ANNOTATION
        if written.present and not old:
            to = (*written.path[:-2], "labels", QUEUE_LABEL)
            why = Because(MissedGround.ANNOTATION, (QUEUE_LABEL,))
            fix = Fix(f"make {QUEUE_LABEL} a label", (Move(written.at, to),))
            assumes = None if manager is not None and manager.version else _SINCE
            yield self._cause(why, written.at, fixes=(fix,), key=True, assumes=assumes)

    def _misspelt(self) -> Iterator[MissedQueue]:
        for key, written in self.workload.field.down("metadata", "labels").items():
            if _slip(key):
                fix = Fix(f"write {QUEUE_LABEL}", (Rename(written.at, QUEUE_LABEL),))
                why = Because(MissedGround.MISSPELT, (key, QUEUE_LABEL))
                yield self._cause(why, written.at, fixes=(fix,), key=True)

    def _on_the_template(self) -> Iterator[MissedQueue]:
        manager = self.queueing.snapshot.settings.kueue
        by_pods = manager is not None and "pod" in manager.frameworks
        if self._suspend is None or by_pods:
            return
        for pods in self.workload.pod_sets:
            written = template_of(self.workload, pods).down("metadata", "labels", QUEUE_LABEL)
            if written.present and template_of(self.workload, pods).path != self.workload.field.path:
                why = Because(MissedGround.ON_TEMPLATE, (QUEUE_LABEL, self.meta.kind))
                edit = Put(self.workload.field.at.child("metadata", "labels", QUEUE_LABEL), written.scalar)
                fix = Fix(f"label the {self.meta.kind} itself", (edit,))
                yield self._cause(why, written.at, fixes=(fix,), key=True)

    def _suspended(self) -> Iterator[MissedQueue]:
        """``suspend: true`` without a queue: where Git speaks of no other queue, nothing resumes the job."""
        manager, written = self.queueing.snapshot.settings.kueue, self._suspend
        namespace, local = self.workload.owner.namespace, self.queueing.queues.local
        if written is None or written.value is not True or (manager is not None and manager.all_jobs):
            return
        if self._unstated or (namespace, _DEFAULT_QUEUE) in local or self._managed_elsewhere:
            return
        names = sorted(name for home, name in local if home == namespace)
        if not names and self.queueing.snapshot.may_hold_more(namespace):
            return
        why = Because(MissedGround.SUSPENDED, (QUEUE_LABEL, names[0] if names else ""))
        yield self._cause(why, written.at)

    @property
    def _managed_elsewhere(self) -> bool:
        """Whether another controller is named for the job."""
        spec = self.workload.field["spec"]
        return spec["managedBy"].present or spec.down("runPolicy", "managedBy").present

    @property
    def _suspend(self) -> Field | None:
        """Where the kind is suspended; ``None`` for kinds that are not, or whose pods Kueue may admit one by one."""
        kind = kind_of(self.workload)
        return self.workload.field.down(*kind.suspend) if kind is not None and kind.suspend else None

    @property
    def _unstated(self) -> bool:
        """Whether the object names no namespace, so that it is unknown which queues it may use."""
        return not self.meta.namespace and not self.queueing.snapshot.settings.namespace

    def _cause(
        self,
        why: Because,
        at: Location,
        places: tuple[tuple[Because, Location], ...] = (),
        *,
        fixes: tuple[Fix, ...] = (),
        key: bool = False,
        assumes: Because | None = None,
    ) -> MissedQueue:
        pods = self.workload.pod_sets
        return MissedQueue("Kueue", self.workload.owner, pods, why, at, places, fixes, key, assumes=assumes)


@lru_cache(maxsize=4096)
def _slip(key: str) -> bool:
    """Whether a label was probably meant to be the queue name: another domain, another name, or a slip of the pen."""
    domain, slash, name = key.partition("/")
    if key == QUEUE_LABEL or not slash or is_placeholder(key):
        return False
    right = QUEUE_LABEL.partition("/")[2]
    if domain in _DOMAINS and (name in _NAMES or name == right):
        return True
    return abs(len(key) - len(QUEUE_LABEL)) <= _FARTHEST and distance(key, QUEUE_LABEL) <= _FARTHEST
