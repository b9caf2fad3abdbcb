"""The PodGroup that a TrainJob gets from its runtime's podGroupPolicy, or from KAI (W 4; S 2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from trainlint.finding import Location
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.source.document import Field
from trainlint.workload.expansion import MadeGang
from trainlint.workload.flows import total
from trainlint.workload.kai_minimum import KAI
from trainlint.workload.tier import tier_of

__all__ = ["grouped", "kai_gangs_of"]

_LABEL: Final = "scheduling.x-k8s.io/pod-group"
_ANNOTATION: Final = "scheduling.k8s.io/group-name"


def grouped(
    runtime: dict[str, Any], pod_sets: Sequence[PodSet], owner: ObjectRef, spec: Field
) -> tuple[tuple[PodSet, ...], tuple[MadeGang, ...]]:
    """The pod sets as members of the PodGroup, and the PodGroup: all pods, those of the initializers too.

    Trainer annotates the pods for Volcano and leaves their scheduler as the runtime names it: any other one reads none
    of it.
    """
    policy = Field(spec.document, spec["runtimeRef"].path, runtime.get("podGroupPolicy"))
    volcano, coscheduling = policy["volcano"], policy["coscheduling"]
    by_volcano = volcano.mapping is not None and all(
        each.spec.scheduler_name not in {"", "default-scheduler"} for each in pod_sets
    )
    if not by_volcano and coscheduling.mapping is None:
        return tuple(pod_sets), ()
    at = spec["runtimeRef"].at
    gang = MadeGang(
        f"minMember of the PodGroup that {owner.name} gets from the podGroupPolicy of its runtime",
        total(each.replicas for each in pod_sets),
        tuple(range(len(pod_sets))),
        at,
    )
    if not by_volcano:
        return tuple(replace(each, labels={**each.labels, _LABEL: owner.name}) for each in pod_sets), (gang,)
    whole = tier_of(volcano["networkTopology"], "", "podGroupPolicy.volcano.networkTopology")
    return tuple(
        replace(
            each,
            annotations={**each.annotations, _ANNOTATION: owner.name},
            together=None if whole is None else replace(whole, at=at),
        )
        for each in pod_sets
    ), (gang,)


def kai_gangs_of(
    job_set: dict[str, Any], pod_sets: Sequence[PodSet], owner: ObjectRef, at: Location
) -> tuple[MadeGang, ...]:
    """What KAI groups the pods of a TrainJob to, where all of them name its scheduler: those of its JobSet, the
    initializers too, or each replicated job by itself where the runtime starts them in order
    (NVIDIA/KAI-Scheduler:pkg/podgrouper/podgrouper/plugins/skiptopowner and jobset). ``at`` names the runtime.
    """
    if not pod_sets or any(each.spec.scheduler_name != KAI for each in pod_sets):
        return ()
    policy = job_set.get("startupPolicy")
    if isinstance(policy, dict) and policy.get("startupPolicyOrder") == "InOrder":
        return tuple(
            MadeGang(f"the gang that KAI makes of {each.name}", each.replicas, (index,), at)
            for index, each in enumerate(pod_sets)
        )
    everything = total(each.replicas for each in pod_sets)
    return (MadeGang(f"the gang that KAI makes of {owner.name}", everything, tuple(range(len(pod_sets))), at),)
