"""Whether KAI may preempt the pods of a job: those that it may not stay within the quota of their queue (S 2.3).

As NVIDIA/KAI-Scheduler:pkg/podgrouper/podgrouper/plugins/defaultgrouper and pkg/common/podgroup/preemptible.go decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from trainlint.kube.values import read_int
from trainlint.model.workload import Workload
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Field
from trainlint.workload.kinds import kind_of
from trainlint.workload.pod_manifest import template_of

__all__ = ["is_preemptible"]

_INSTALLED: Final = {"train": 50, "build-preemptible": 75, "build": 100, "inference": 125}
"""The priority classes of KAI's installation, with their values."""
_FIXED_FROM: Final = 100
"""The priority from which jobs cannot be preempted."""
_PREEMPTIBILITY: Final = "kai.scheduler/preemptibility"
_RAY_PRIORITY: Final = "ray.io/priority-class-name"


def is_preemptible(workload: Workload, objects: Iterable[ApiObject]) -> bool:
    """Whether KAI may preempt the pods: what the label says, of the object before its pods; else whether the priority
    is below 100. Without a class that is known it is that for inference of a Deployment, else that for training.
    """
    labels = [workload.field.down("metadata", "labels")]
    labels += [template_of(workload, each).down("metadata", "labels") for each in workload.pod_sets]
    for each in labels:
        if each[_PREEMPTIBILITY].scalar in {"preemptible", "non-preemptible"}:
            return each[_PREEMPTIBILITY].scalar == "preemptible"
    kind = kind_of(workload)
    # of the controllers of apps, a Deployment alone makes others that make its pods: a ReplicaSet of its own trains
    serves = kind is not None and kind.interchangeable and kind.group == "apps" and bool(kind.creates)
    default = "inference" if serves else "train"
    values = {**_values(objects), **_INSTALLED}
    name = next((name for name in _names(workload, labels) if name in values), default)
    return values.get(name, 0) < _FIXED_FROM


def _names(workload: Workload, labels: list[Field]) -> Iterator[str]:
    """The priority classes that are named, the one that counts first."""
    ray = labels[0][_RAY_PRIORITY].scalar
    if ray and workload.api_version.startswith("ray.io/"):
        yield ray
    written = (each["priorityClassName"].scalar for each in labels)
    classes = (template_of(workload, each).down("spec", "priorityClassName").scalar for each in workload.pod_sets)
    yield from (name for name in (*written, *classes) if name)


def _values(objects: Iterable[ApiObject]) -> Mapping[str, int]:
    """The values of the priority classes in Git."""
    found = {each.meta.name: read_int(each.field["value"]) for each in objects if each.meta.kind == "PriorityClass"}
    return {name: value for name, value in found.items() if isinstance(value, int)}
