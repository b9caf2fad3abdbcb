"""Pods in a PodGroup whose scheduler does not read it, and pods that name a scheduler which is not there (S 2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.finding import Fix, Put
from trainlint.kube.meta import read_meta
from trainlint.model.because import Because
from trainlint.model.workload import PodSet, Workload
from trainlint.queues.ground import MissedGround, QueueRole
from trainlint.queues.missed_queue import MissedQueue
from trainlint.queues.schedulers import COSCHEDULERS, meant_scheduler, profiles
from trainlint.snapshot.build import Snapshot
from trainlint.workload.operator_gangs import KAI
from trainlint.workload.pod_manifest import template_of
from trainlint.workload.podgroups import COSCHEDULING, DEFAULT_SCHEDULERS, VOLCANO, named_group
from trainlint.workload.tier import VOLCANO_SCHEDULERS

__all__ = ["missed_pod_groups"]

_SYSTEMS: Final = {COSCHEDULING: "the coscheduling plugin", VOLCANO: "Volcano"}
_USUAL: Final = {COSCHEDULING: min(COSCHEDULERS), VOLCANO: "volcano"}
_NAMED_BY_OPERATORS: Final = frozenset({"kubeflow.org", "ray.io"})
"""API groups whose operators may name the scheduler in the pods that they make."""


def missed_pod_groups(snapshot: Snapshot) -> Iterator[MissedQueue]:
    """One for each object: pods under a scheduler that is not there, else pods that are placed one by one although
    they name a PodGroup which Git holds.
    """
    described = profiles(snapshot.objects)
    groups = {
        (each.meta.api_group, each.ref.namespace, each.meta.name)
        for each in snapshot.objects
        if each.meta.kind == "PodGroup"
    }
    for workload in snapshot.workloads.objects:
        if workload.field.document.file not in snapshot.unrendered:
            found = [*_misspelt(workload, described), *_placed_singly(workload, described, groups)]
            yield from found[:1]


def _misspelt(workload: Workload, described: Mapping[str, bool]) -> Iterator[MissedQueue]:
    for pods in workload.pod_sets:
        name = pods.spec.scheduler_name
        meant = meant_scheduler(name, described) if pods.replicas != 0 else ""
        written = template_of(workload, pods).down("spec", "schedulerName")
        if meant and written.present:
            why = Because(MissedGround.NO_SCHEDULER, (name, meant))
            fix = Fix(f"write {meant}", (Put(written.at, meant),))
            yield MissedQueue(_system(meant), workload.owner, (pods,), why, written.at, fixes=(fix,))


def _system(scheduler: str) -> str:
    if scheduler == KAI:
        return "KAI"
    return "Volcano" if scheduler in VOLCANO_SCHEDULERS else f"The scheduler {scheduler}"


def _placed_singly(
    workload: Workload, described: Mapping[str, bool], groups: set[tuple[str, str, str]]
) -> Iterator[MissedQueue]:
    """Pods of the default scheduler, which reads neither PodGroups of Volcano nor, without the plugin, coscheduling's.

    Operators that name a scheduler themselves are left out.
    """
    if not groups or read_meta(workload.field).api_group in _NAMED_BY_OPERATORS:
        return
    for api_group, system in _SYSTEMS.items():
        if api_group == COSCHEDULING and described.get("default-scheduler"):
            continue
        found = [pods for pods in workload.pod_sets if _is_past(pods, workload, api_group, groups)]
        if not found:
            continue
        written = named_group(api_group, template_of(workload, found[0]))
        with_plugin = sorted(name for name, runs in described.items() if runs and api_group == COSCHEDULING)
        scheduler = with_plugin[0] if with_plugin else _USUAL[api_group]
        names = " and ".join(each.name for each in found)
        places = tuple(
            (Because(QueueRole.OTHER_SCHEDULER, (scheduler, each.name)), each.spec.at or each.template)
            for each in found
        )
        why = Because(MissedGround.POD_GROUP_SCHEDULER, (written.scalar or "", names, scheduler))
        yield MissedQueue(
            system,
            workload.owner,
            tuple(found),
            why,
            written.at,
            places,
            assumes=Because(MissedGround.WITHOUT_PLUGIN) if api_group == COSCHEDULING else None,
        )


def _is_past(pods: PodSet, workload: Workload, api_group: str, groups: set[tuple[str, str, str]]) -> bool:
    if pods.replicas == 0 or pods.spec.scheduler_name not in DEFAULT_SCHEDULERS:
        return False
    written = named_group(api_group, template_of(workload, pods))
    return (api_group, pods.namespace, written.scalar or "") in groups
