"""The PodGroup that a TrainJob gets from its runtime's podGroupPolicy (W 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from trainlint.model.workload import ObjectRef, PodSet
from trainlint.source.document import Field
from trainlint.workload.expansion import MadeGang
from trainlint.workload.flows import total
from trainlint.workload.tier import tier_of

__all__ = ["grouped"]

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
