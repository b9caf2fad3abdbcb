"""What KubeRay does for a batch scheduler: PodGroups, labels and the scheduler's name (W 7)."""

from __future__ import annotations

from typing import Any, Final

from trainlint.operators.cluster import MadeObjects
from trainlint.operators.manifest import (
    Manifest,
    annotations_of,
    below,
    containers_of,
    count,
    drop_empty,
    items,
    labels_of,
    mapping,
    name_of,
    namespace_of,
    object_of,
    own_of,
    text,
)
from trainlint.operators.quantities import total_of
from trainlint.operators.ray_names import ORIGIN, ORIGIN_KIND, RAY, desired_workers

__all__ = ["join_gang", "make_gang"]

_GANG: Final = f"{RAY}gang-scheduling-enabled"
_PRIORITY: Final = f"{RAY}priority-class-name"
_QUEUE: Final = "volcano.sh/queue-name"
_TOPOLOGY: Final = "volcano.sh/network-topology-mode"
_TIER: Final = "volcano.sh/network-topology-highest-tier-allowed"


def join_gang(scheduler: str, parent: Manifest, child: Manifest, group: str) -> None:
    """Give a pod or a pod template to the batch scheduler."""
    if not scheduler:
        return
    metadata, spec = own_of(child, "metadata"), own_of(child, "spec")
    labels, own = own_of(metadata, "labels"), labels_of(parent)
    spec["schedulerName"] = "scheduler-plugins-scheduler" if scheduler == "scheduler-plugins" else scheduler
    copies = {
        "volcano": {_QUEUE: _QUEUE, _PRIORITY: _PRIORITY},
        "yunikorn": {"yunikorn.apache.org/app-id": "applicationId", "yunikorn.apache.org/queue": "queue"},
        "kai-scheduler": {"kai.scheduler/queue": "kai.scheduler/queue"},
    }.get(scheduler, {})
    labels.update({target: own[key] for key, target in copies.items() if own.get(key)})
    if scheduler == "scheduler-plugins" and _GANG in own:
        labels["scheduling.x-k8s.io/pod-group"] = name_of(parent)
    if scheduler == "volcano":
        annotations = own_of(metadata, "annotations")
        annotations |= {"scheduling.k8s.io/group-name": _group_name(parent), "volcano.sh/task-spec": group}


def _group_name(parent: Manifest) -> str:
    labels = labels_of(parent)
    name = text(labels.get(ORIGIN)) if labels.get(ORIGIN_KIND) == "RayJob" else ""
    return f"ray-{name or name_of(parent)}-pg"


def make_gang(cluster: MadeObjects, owner: Manifest, ray: Manifest, submitter: list[Manifest]) -> bool:
    """Make the PodGroup of a RayCluster, or of a RayJob with the requests of its ``submitter``.

    ``False`` where the scheduler does not take objects of this kind.
    """
    scheduler = cluster.options.gang_scheduler
    if scheduler == "volcano":
        if labels_of(owner).get(ORIGIN_KIND) != "RayJob":
            cluster.create(_volcano(owner, ray, submitter))
    elif scheduler == "scheduler-plugins":
        if owner["kind"] != "RayCluster":
            return False
        if _GANG in labels_of(owner):
            spec = {"minMember": _members(ray, "desired") + 1, "minResources": _resources(ray, "desired")}
            version = "scheduling.x-k8s.io/v1alpha1"
            cluster.create(object_of(version, "PodGroup", name_of(owner), namespace_of(owner), spec=spec))
    elif scheduler == "kai-scheduler":
        mode = text(below(owner, "spec", "submissionMode")) or "K8sJobMode"
        return owner["kind"] != "RayJob" or mode != "K8sJobMode"
    return True


def _volcano(owner: Manifest, ray: Manifest, submitter: list[Manifest]) -> Manifest:
    which = "least" if below(ray, "spec", "enableInTreeAutoscaling") is True else "desired"
    labels = labels_of(owner)
    spec: dict[str, Any] = {
        "minMember": _members(ray, which) + 1,
        "minResources": total_of([_resources(ray, which), *map(_wanted, submitter)]),
        "queue": labels.get(_QUEUE),
        "priorityClassName": labels.get(_PRIORITY),
    }
    if _TOPOLOGY in labels:
        tier = labels.get(_TIER)
        spec["networkTopology"] = drop_empty(
            {"mode": labels[_TOPOLOGY], "highestTierAllowed": int(tier) if tier is not None else None}
        )
    version = "scheduling.volcano.sh/v1beta1"
    annotations = dict(annotations_of(owner))
    return object_of(
        version, "PodGroup", _group_name(owner), namespace_of(owner), annotations=annotations, spec=drop_empty(spec)
    )


def _members(ray: Manifest, which: str) -> int:
    groups = items(below(ray, "spec", "workerGroupSpecs"))
    if which == "desired":
        return sum(map(desired_workers, groups))
    return sum(_least(each) for each in groups)


def _least(group: Manifest) -> int:
    if group.get("suspend") is True:
        return 0
    return count(group.get("minReplicas"), 0) * count(group.get("numOfHosts"), 1)


def _resources(ray: Manifest, which: str) -> dict[str, str]:
    """The requests of the head and of so many workers; replicas are taken as written, without their limits."""
    pods = [mapping(below(ray, "spec", "headGroupSpec", "template", "spec"))]
    for group in items(below(ray, "spec", "workerGroupSpecs")):
        if group.get("suspend") is True:
            continue
        wanted = count(group.get("replicas"), 0) * count(group.get("numOfHosts"), 1)
        pods += [mapping(below(group, "template", "spec"))] * (wanted if which == "desired" else _least(group))
    return total_of(_wanted(container) for pod in pods for container in containers_of(pod))


def _wanted(container: Manifest) -> dict[str, Any]:
    resources = mapping(container.get("resources"))
    return {**mapping(resources.get("limits")), **mapping(resources.get("requests"))}
