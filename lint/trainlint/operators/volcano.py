"""Volcano: a Job's defaults by its webhook, its controller and plugins (W 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from trainlint.operators.cluster import MadeObjects, OperatorOptions
from trainlint.operators.manifest import (
    ANY,
    Manifest,
    annotations_of,
    below,
    containers_of,
    copied,
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
from trainlint.operators.quantities import quota_usage, scaled, total_of
from trainlint.operators.volcano_plugin import TaskPod, VolcanoTask
from trainlint.operators.volcano_plugins import PLUGINS, made_by_plugins

__all__ = ["run_volcano_job"]

_PREFIX: Final = "volcano.sh/"
_COPIED: Final = ("preemptable", "cooldown-time")
"""Labels of the Job that its pods get."""
_FRAMEWORKS: Final = ("tensorflow", "mpi", "pytorch", "ray")


def run_volcano_job(cluster: MadeObjects, item: Manifest) -> None:
    """What the plugins make, the PodGroup, and the pods of each task."""
    spec = _defaulted(mapping(item.get("spec")))
    item = {**item, "spec": spec}
    tasks = [VolcanoTask(text(each.get("name")), each["replicas"], each) for each in spec["tasks"]]
    plugins = mapping(spec.get("plugins"))
    if not set(plugins) <= set(PLUGINS):
        return
    faults = dict(_refused(cluster.options, spec))
    for field, why in faults.items():
        cluster.refuse(item, field, why)
    if faults:
        return
    if not all(cluster.create(each) for each in made_by_plugins(item, tasks, plugins)):
        return
    if not _claims_are_there(cluster, item):
        return
    cluster.create(_pod_group(item))
    if "ray" in plugins and not PLUGINS["ray"].head(plugins["ray"], tasks):
        return
    made = {each.name for each in tasks if each.replicas == 0}
    waiting = list(tasks)
    while waiting:
        ready = [each for each in waiting if set(_depends(each)) <= made]
        if not ready:
            return
        for task in ready:
            waiting.remove(task)
            if cluster.create_pods(_pod(item, task, tasks, number) for number in range(task.replicas)):
                made.add(task.name)


def _refused(options: OperatorOptions, spec: Manifest) -> Iterator[tuple[str, str]]:
    """The fields that the webhook refuses because of queues and counts, and why."""
    queue = spec["queue"]
    if queue == "root" or (options.queues is not None and queue not in options.queues):
        yield "spec.queue", f"there is no open queue {queue} for Jobs"
    if any(task["minAvailable"] > task["replicas"] for task in spec["tasks"]):
        yield "spec.tasks", "a task asks for more pods at least than it has"
    if spec["minAvailable"] > sum(task["replicas"] for task in spec["tasks"]):
        yield "spec.minAvailable", "it is above the number of all pods"


def _depends(task: VolcanoTask) -> list[str]:
    names = mapping(task.spec.get("dependsOn")).get("name")
    return [text(each) for each in names] if isinstance(names, list) else []


def _defaulted(spec: Manifest) -> Manifest:
    spec = copied(spec)
    spec["queue"] = text(spec.get("queue")) or "default"
    spec["schedulerName"] = text(spec.get("schedulerName")) or "volcano"
    spec["tasks"] = items(spec.get("tasks"))
    for index, task in enumerate(spec["tasks"]):
        task["name"] = text(task.get("name")) or f"default{index}"
        task["replicas"] = count(task.get("replicas"), 0)
        pod = own_of(own_of(task, "template"), "spec")
        if pod.get("hostNetwork") is True and not pod.get("dnsPolicy"):
            pod["dnsPolicy"] = "ClusterFirstWithHostNet"
        if task.get("minAvailable") is None:
            parts = mapping(task.get("partitionPolicy"))
            least = count(parts.get("minPartitions"), 0) * count(parts.get("partitionSize"), 0)
            task["minAvailable"] = least if count(parts.get("minPartitions"), 0) > 0 else task["replicas"]
    if not spec.get("minAvailable"):
        spec["minAvailable"] = sum(count(task["minAvailable"], 0) for task in spec["tasks"])
    plugins = spec.get("plugins")
    if isinstance(plugins, dict):
        if any(each in plugins for each in _FRAMEWORKS):
            plugins.setdefault("svc", [])
        if "mpi" in plugins:
            plugins.setdefault("ssh", [])
    return spec


def _claims_are_there(cluster: MadeObjects, item: Manifest) -> bool:
    """Whether every claim that the Job mounts by name alone is there; one that it describes is made."""
    for volume in items(item["spec"].get("volumes")):
        name = text(volume.get("volumeClaimName"))
        if name and not isinstance(volume.get("volumeClaim"), dict):
            if cluster.find("PersistentVolumeClaim", name, namespace_of(item)) is None:
                return False
        elif isinstance(volume.get("volumeClaim"), dict):
            own = name or f"{name_of(item)}-{ANY}"
            spec = copied(volume["volumeClaim"])
            cluster.create(object_of("v1", "PersistentVolumeClaim", own, namespace_of(item), spec=spec))
    return True


def _pod(item: Manifest, task: VolcanoTask, tasks: Sequence[VolcanoTask], number: int) -> Manifest:
    spec = item["spec"]
    template = copied(mapping(task.spec.get("template")))
    pod = own_of(template, "spec")
    pod["schedulerName"] = text(pod.get("schedulerName")) or spec["schedulerName"]
    if not text(pod.get("priorityClassName")) and text(spec.get("priorityClassName")):
        pod["priorityClassName"] = spec["priorityClassName"]
    _mount(item, pod)
    labels = {
        **labels_of(template),
        f"{_PREFIX}task-index": str(number),
        f"{_PREFIX}job-name": name_of(item),
        f"{_PREFIX}task-spec": task.name,
        f"{_PREFIX}job-namespace": namespace_of(item),
        f"{_PREFIX}queue-name": spec["queue"],
    }
    own = labels_of(item)
    labels |= {f"{_PREFIX}{key}": own[f"{_PREFIX}{key}"] for key in _COPIED if f"{_PREFIX}{key}" in own}
    parts = task.spec.get("partitionPolicy")
    if isinstance(parts, dict):
        size = count(parts.get("partitionSize"), 0)
        labels[f"{_PREFIX}partition-id"] = str(number // size if size > 0 else 0)
    for name, arguments in sorted(mapping(spec.get("plugins")).items()):
        PLUGINS[name].change(TaskPod(item, tasks, task, number, pod), arguments)
    metadata = {
        "name": f"{name_of(item)}-{task.name}-{number}",
        "namespace": namespace_of(item),
        "labels": labels,
        "annotations": {**annotations_of(template), "scheduling.k8s.io/group-name": f"{name_of(item)}-{ANY}"},
    }
    _sort_added(task, pod)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod}


def _mount(item: Manifest, pod: Manifest) -> None:
    for volume in items(item["spec"].get("volumes")):
        name = f"{name_of(item)}-{ANY}"
        claim = {"claimName": text(volume.get("volumeClaimName")) or name}
        pod["volumes"] = [*items(pod.get("volumes")), {"name": name, "persistentVolumeClaim": claim}]
        for container in containers_of(pod):
            mount = {"name": name, "mountPath": volume.get("mountPath")}
            container["volumeMounts"] = [*items(container.get("volumeMounts")), mount]


def _sort_added(task: VolcanoTask, pod: Manifest) -> None:
    """Variables and ports that plugins added, by name: Volcano runs them in an order of its own each time."""
    for kind in ("containers", "initContainers"):
        written = items(below(task.spec, "template", "spec", kind))
        for at, container in enumerate(items(pod.get(kind))):
            for key in ("env", "ports"):
                own = len(items(written[at].get(key))) if at < len(written) else 0
                there = items(container.get(key))
                added = sorted(there[own:], key=lambda each: text(each.get("name")))
                if added:
                    container[key] = [*there[:own], *added]


def _pod_group(item: Manifest) -> Manifest:
    spec = item["spec"]
    groups = [_sub_group(each) for each in spec["tasks"] if isinstance(each.get("partitionPolicy"), dict)]
    own: dict[str, Any] = {
        "minMember": spec["minAvailable"] or None,
        "minTaskMember": {each["name"]: each["minAvailable"] for each in spec["tasks"]},
        "queue": spec["queue"],
        "minResources": _resources(spec),
        "priorityClassName": text(spec.get("priorityClassName")) or None,
        "networkTopology": _topology(spec.get("networkTopology")),
        "subGroupPolicy": groups or None,
    }
    return object_of(
        "scheduling.volcano.sh/v1beta1",
        "PodGroup",
        f"{name_of(item)}-{ANY}",
        namespace_of(item),
        labels=labels_of(item),
        annotations=annotations_of(item),
        spec={key: each for key, each in own.items() if each is not None},
    )


def _topology(given: Any) -> Manifest | None:
    if not isinstance(given, dict):
        return None
    names = ["mode", "highestTierAllowed" if given.get("highestTierAllowed") is not None else "highestTierName"]
    return drop_empty({"mode": "hard", **{key: given[key] for key in names if given.get(key)}})


def _sub_group(task: Manifest) -> Manifest:
    parts = task["partitionPolicy"]
    found = {
        "name": task["name"],
        "subGroupSize": count(parts.get("partitionSize"), 0),
        "minSubGroups": count(parts.get("minPartitions"), 0),
        "labelSelector": {"matchLabels": {f"{_PREFIX}task-spec": task["name"]}},
        "matchLabelKeys": [f"{_PREFIX}partition-id"],
        "networkTopology": copied(parts.get("networkTopology")),
    }
    return {key: each for key, each in found.items() if each is not None}


def _resources(spec: Manifest) -> dict[str, str]:
    """What the gang needs at least: of the first pods, or of the least of each task and then of more of them."""
    least = spec["minAvailable"]
    tasks = spec["tasks"]
    counts: list[tuple[Manifest, int]] = []
    if least < sum(task["minAvailable"] for task in tasks):
        left = least
        for task in tasks:
            counts.append((task, min(left, task["replicas"])))
            left -= counts[-1][1]
    else:
        left = least
        for task in tasks:
            counts.append((task, min(left, task["minAvailable"])))
            left -= counts[-1][1]
        for task in tasks:
            counts.append((task, min(left, task["replicas"] - task["minAvailable"])))
            left -= counts[-1][1]
    return total_of(
        scaled(quota_usage(mapping(below(task, "template", "spec"))), number) for task, number in counts if number > 0
    )
