"""The gangs that the training operator v1 makes, with Volcano or scheduler-plugins (W 2)."""

from __future__ import annotations

from typing import Final

from trainlint.operators.manifest import (
    Manifest,
    annotations_of,
    below,
    containers_of,
    copied,
    count,
    drop_empty,
    mapping,
    name_of,
    namespace_of,
    object_of,
    own_of,
    text,
)
from trainlint.operators.quantities import requests_of, total_of

__all__ = ["POD_GROUP_LABEL", "VOLCANO_GROUP", "decorate", "pod_group"]

VOLCANO_GROUP: Final = "scheduling.k8s.io/group-name"
POD_GROUP_LABEL: Final = "scheduling.x-k8s.io/pod-group"
_TASK: Final = "volcano.sh/task-spec"


def pod_group(item: Manifest, policy: Manifest, roles: dict[str, Manifest], scheduler: str) -> Manifest:
    """The PodGroup of a job: all pods, or as many as the scheduling policy says."""
    wanted = mapping(policy.get("schedulingPolicy"))
    total = sum(spec["replicas"] for spec in roles.values())
    minimum = count(wanted.get("minAvailable"), total)
    resources = copied(wanted.get("minResources")) or _resources(roles, minimum)
    spec = {"minMember": minimum, "minResources": resources}
    if scheduler == "volcano":
        spec |= {"queue": text(wanted.get("queue")) or "default", "priorityClassName": wanted.get("priorityClass")}
        version = "scheduling.volcano.sh/v1beta1"
    else:
        spec |= {"scheduleTimeoutSeconds": wanted.get("scheduleTimeoutSeconds")}
        version = "scheduling.x-k8s.io/v1alpha1"
    annotations = annotations_of(item)
    return object_of(
        version, "PodGroup", name_of(item), namespace_of(item), annotations=annotations, spec=drop_empty(spec)
    )


def _resources(roles: dict[str, Manifest], minimum: int) -> dict[str, str]:
    """What the first pods of the gang request."""
    templates = [mapping(below(spec, "template", "spec")) for spec in roles.values() for _ in range(spec["replicas"])][
        : max(minimum, 0)
    ]
    return total_of(requests_of(each) for template in templates for each in containers_of(template))


def decorate(metadata: Manifest, pod: Manifest, item: Manifest, role: str, scheduler: str) -> None:
    """Make a pod a member of the gang; a scheduler that its template names stays."""
    if not scheduler:
        return
    pod["schedulerName"] = text(pod.get("schedulerName")) or scheduler
    if scheduler == "volcano":
        own_of(metadata, "annotations").update({VOLCANO_GROUP: name_of(item), _TASK: role.lower()})
    else:
        own_of(metadata, "labels")[POD_GROUP_LABEL] = name_of(item)
