"""Objects that are refused, by whatever rule says so: nothing is proved of a group while one of its objects is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from trainlint.admission.flaws import FlawRole, ObjectFlaw
from trainlint.admission.ground import RefusedPart
from trainlint.admission.kinds.core_kinds import CORE_KINDS
from trainlint.admission.kinds.ray import KUEUE
from trainlint.admission.object_names import of_name
from trainlint.admission.pod_fqdn import of_full_names
from trainlint.admission.problem import Problem
from trainlint.admission.refusals import demands, problems
from trainlint.checks.native_groups import release_problems
from trainlint.checks.queue_trees import queue_tree_problems
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.meta import read_meta
from trainlint.kube.strings import unquoted
from trainlint.kube.values import read_text
from trainlint.model.because import Because
from trainlint.model.definition import Definition
from trainlint.model.refuser import Refuser
from trainlint.model.root import Root
from trainlint.model.workload import ObjectRef, PodSet, Workload
from trainlint.operators.shipped_runtimes import shipped_runtime
from trainlint.proof.ground import ProofGround
from trainlint.scheduling.requests import invalid_resources
from trainlint.snapshot.build import Snapshot
from trainlint.source.document import Field
from trainlint.workload.checks.containers import missing_main_containers
from trainlint.workload.checks.elastic import elastic_faults
from trainlint.workload.checks.fields import misplaced_fields_of
from trainlint.workload.checks.names import long_names
from trainlint.workload.hyperpod import is_closed

if TYPE_CHECKING:
    from trainlint.installed.gates import RefusedByPolicy

__all__ = ["Refused", "RefusedObject", "refusals", "refused"]

_NAMED: Final = frozenset(
    {"ConfigMap", "DaemonSet", "LimitRange", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "PriorityClass"}
    | {"ClusterQueue", "LocalQueue", "ResourceClaim", "ResourceClaimTemplate", "ResourceFlavor", "ResourceQuota"}
    | {"Secret", "Service", "ServiceAccount", "StorageClass"}
)
"""Other kinds whose names are checked: what pods refer to."""
_BESIDE: Final = CORE_KINDS | frozenset(
    {"AdmissionCheck", "ClusterQueue", "Cohort", "HyperNode", "LocalQueue", "PodGroup", "Queue", "ResourceFlavor"}
    | {"Topology", "Workload"}
)
"""Kinds without pods of which something is demanded: those of Kueue and Volcano, and what pods rely on."""
_RUNTIMES: Final = frozenset({"TrainingRuntime", "ClusterTrainingRuntime"})


@fact
class RefusedObject:
    """Something that is refused of an object, with the places in its manifest."""

    owner: ObjectRef
    problem: Problem
    item: Field
    pod_sets: tuple[PodSet, ...] = ()
    elsewhere: tuple[tuple[Because, Location], ...] = ()
    """What refuses it, where that stands in Git."""

    @property
    def at(self) -> Location:
        """Where the fault stands; its parent where something is missing."""
        return self.item.down(*self.problem.at).at


@fact
class Refused:
    """The pods that are never made because their object, or they themselves, are refused.

    ``certain`` is false where it depends on what Git does not say; ``why`` then says on what.
    """

    root: Root
    pod_sets: tuple[PodSet, ...]
    certain: bool = True
    why: Because | None = None


def refusals(snapshot: Snapshot) -> Iterator[RefusedObject]:
    """What is refused of every object that makes pods, and of training runtimes."""
    version, defined = snapshot.settings.kubernetes, snapshot.settings.definitions
    runtimes = {
        (each.ref.kind, each.ref.namespace, each.ref.name): each.field
        for each in snapshot.objects
        if each.meta.kind in _RUNTIMES
    }
    for workload in snapshot.workloads.objects:
        runtime = _runtime(workload, runtimes) if workload.owner.kind == "TrainJob" else None
        for problem in problems(workload.field, version, runtime, _defined(workload.field, defined)):
            if (known := _by_release(_by_kueue(problem, workload, snapshot), snapshot)) is not None:
                yield RefusedObject(workload.owner, known, workload.field, workload.pod_sets)
        for pods, problem in of_full_names(workload):
            yield RefusedObject(workload.owner, problem, workload.field, (pods,))
    alone = [(each.ref, each.field) for each in snapshot.objects if each.meta.kind in _RUNTIMES]
    for ref, item in (*alone, *_without_pods(snapshot)):
        for problem in problems(item, version, definition=_defined(item, defined)):
            if (known := _by_release(problem, snapshot)) is not None:
                yield RefusedObject(ref, known, item)
    yield from map(_by_policy, snapshot.refused)
    yield from (
        RefusedObject(each.owner, each.problem, each.item, each.pod_sets) for each in release_problems(snapshot)
    )
    yield from _beside(snapshot)


def _defined(item: Field, definitions: Mapping[tuple[str, str], Definition]) -> Definition | None:
    """The CRD of an object, where the repository holds it."""
    if not definitions:
        return None
    meta = read_meta(item)
    return definitions.get((meta.api_group, meta.kind))


def _without_pods(snapshot: Snapshot) -> Iterator[tuple[ObjectRef, Field]]:
    """TrainJobs whose runtime is not in Git, so that no pods are known of them."""
    expanded = {each.owner for each in snapshot.workloads.objects}
    for each in snapshot.objects:
        if each.meta.kind == "TrainJob" and each.ref not in expanded:
            yield each.ref, each.field


def _beside(snapshot: Snapshot) -> Iterator[RefusedObject]:
    """What is refused of objects without pods."""
    for queue, problem in queue_tree_problems(snapshot.objects):
        if (known := _by_release(problem, snapshot)) is not None:
            yield RefusedObject(queue.ref, known, queue.field)
    for each in snapshot.objects:
        if each.meta.kind in _BESIDE:
            for problem in demands(each.field, _defined(each.field, snapshot.settings.definitions)):
                if (known := _by_release(problem, snapshot)) is not None:
                    yield RefusedObject(each.ref, known, each.field)
        if each.meta.kind in _NAMED:
            for problem in of_name(each.meta, each.field.value):
                yield RefusedObject(each.ref, problem, each.field)


def _by_policy(refused: RefusedByPolicy) -> RefusedObject:
    """What an admission policy of the repository refuses."""
    problem = Problem(
        refused.path,
        Because(ObjectFlaw.BY_POLICY, (refused.message, refused.expression)),
        f"{refused.policy} {refused.rule.path}",
        Because(Refuser.ADMISSION_POLICY, (refused.policy,)),
        Because(RefusedPart.EVERY_POD) if refused.pods else None,
        evidence={"expression": refused.expression},
        assumes=refused.assumes,
    )
    places = ((Because(FlawRole.POLICY_RULE), refused.rule), (Because(FlawRole.POLICY_BINDING), refused.binding))
    return RefusedObject(refused.owner, problem, refused.item, refused.pod_sets, places)


def _by_kueue(problem: Problem, workload: Workload, snapshot: Snapshot) -> Problem | None:
    """What Kueue refuses it refuses only of kinds that it manages: for certain where its configuration says so."""
    manager = snapshot.settings.kueue
    if problem.by != KUEUE or manager is None:
        return problem
    return replace(problem, assumes=()) if f"ray.io/{workload.owner.kind.lower()}" in manager.frameworks else None


def _by_release(problem: Problem | None, snapshot: Snapshot) -> Problem | None:
    """What only newer releases of an operator refuse is certain, or no refusal, where Git says which is installed."""
    if problem is None or problem.since is None:
        return problem
    operator, since = problem.since
    installed = snapshot.settings.operators.get(operator)
    if installed is None:
        return problem
    return replace(problem, assumes=(), since=None) if installed >= since else None


def _runtime(workload: Workload, runtimes: Mapping[tuple[str, str, str], Field]) -> Any:
    """The plain runtime that a TrainJob names; ``None`` where it is unknown."""
    reference = workload.field.down("spec", "runtimeRef")
    kind, name = read_text(reference["kind"]) or "ClusterTrainingRuntime", read_text(reference["name"])
    namespace = "" if kind == "ClusterTrainingRuntime" else workload.owner.namespace
    found = runtimes.get((kind, namespace, name))
    if found is not None:
        return found.value
    return shipped_runtime(name) if kind == "ClusterTrainingRuntime" else None


def refused(snapshot: Snapshot, found: Iterable[RefusedObject]) -> Iterator[Refused]:
    """Everything that keeps pods from being made because something is refused, whatever rule says so."""
    for each in found:
        if each.pod_sets:
            problem = each.problem
            why = Because(ProofGround.TAKEN, (problem.by, each.owner, problem.why))
            yield Refused(Root.OBJECT, each.pod_sets, not (problem.assumes or problem.unknown), why)
    for workload in snapshot.workloads.objects:
        yield from _by_other_rules(workload)
        if is_closed(workload.owner.kind):
            why = Because(ProofGround.CLOSED_OPERATOR, (workload.owner,))
            yield Refused(Root.OBJECT, workload.pod_sets, certain=False, why=why)
        for fault in misplaced_fields_of(workload.field, snapshot.settings):
            why = Because(ProofGround.FIELD, (workload.owner, fault.path))
            yield Refused(Root.FIELD, workload.pod_sets, certain=False, why=why)


def _by_other_rules(workload: Workload) -> Iterator[Refused]:
    for root, faults in (
        (Root.UNQUOTED, unquoted(workload.field)),
        (Root.NAME_LENGTH, long_names(workload)),
        (Root.CONTAINER_NAME, missing_main_containers(workload)),
        (Root.ELASTIC_POLICY, (fault for fault in elastic_faults(workload) if fault.refused)),
    ):
        if any(True for _ in faults):
            yield Refused(root, workload.pod_sets)
    for pods in workload.pod_sets:
        if any(True for _ in invalid_resources(pods.spec)):
            yield Refused(Root.EXTENDED_RESOURCE, (pods,))
