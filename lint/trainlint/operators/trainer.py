"""Kubeflow Trainer: a TrainJob and its runtime to a JobSet and a PodGroup (W 4)."""

from __future__ import annotations

from typing import Any, Final

from trainlint.operators.cluster import MadeObjects
from trainlint.operators.jobset import run_job_set
from trainlint.operators.manifest import (
    ANY,
    Manifest,
    annotations_of,
    below,
    containers_of,
    copied,
    count,
    every_container,
    items,
    labels_of,
    mapping,
    name_of,
    namespace_of,
    object_of,
    own_of,
    text,
)
from trainlint.operators.quantities import pod_requests, scaled, total_of
from trainlint.operators.shipped_runtimes import shipped_runtime
from trainlint.operators.strategic_merge import merged
from trainlint.operators.trainer_policies import TrainerPods, enforce, upsert_env

__all__ = ["run_train_job"]

_MANAGER: Final = "trainer.kubeflow.org/trainjob-controller"
_STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
_SYSTEM_CLASSES: Final = frozenset({"system-cluster-critical", "system-node-critical"})
_POD_FIELDS: Final = frozenset(
    {
        "serviceAccountName",
        "volumes",
        "initContainers",
        "containers",
        "imagePullSecrets",
        "securityContext",
        "nodeSelector",
        "affinity",
        "tolerations",
        "schedulingGates",
        "terminationGracePeriodSeconds",
    }
)
"""Of a pod spec, what a patch may hold: the schema prunes the rest."""
_CONTAINER_FIELDS: Final = frozenset({"name", "env", "volumeMounts", "securityContext"})


def run_train_job(cluster: MadeObjects, item: Manifest) -> None:
    """The PodGroup that the runtime asks for, and the JobSet with its Jobs and pods."""
    spec = mapping(item.get("spec"))
    runtime = _runtime(cluster, item)
    if runtime is None:
        cluster.refuse(item, "spec.runtimeRef", "it names a runtime that is not there")
        return
    if text(spec.get("managedBy")) not in {"", _MANAGER}:
        return
    policy = mapping(runtime.get("mlPolicy"))
    template = mapping(runtime.get("template"))
    job_set = _patched(item, mapping(template.get("spec")))
    metadata = _metadata(item, template)
    missing = _missing_class(cluster, mapping(runtime.get("podGroupPolicy")), job_set)
    if missing:
        why = f"the priority class {missing} is not there, and Volcano's gang needs it"
        cluster.refuse(item, "spec.templateSpec.priorityClassName", why)
        return
    pod_sets = [_pod_set(item, policy, each) for each in items(job_set.get("replicatedJobs"))]
    trainer = copied(mapping(spec.get("trainer"))) if isinstance(spec.get("trainer"), dict) else None
    enforce(item, trainer, policy, pod_sets)
    _count(pod_sets)
    for each in pod_sets:
        _initialize(each, mapping(spec.get("initializer")))
        _tell(each, trainer, policy)
    gang = mapping(runtime.get("podGroupPolicy"))
    group = _pod_group(item, gang, pod_sets, metadata)
    if group is not None:
        cluster.create(group)
        _join(item, gang, pod_sets)
    job_set["suspend"] = spec.get("suspend") is True
    made = object_of("jobset.x-k8s.io/v1alpha2", "JobSet", name_of(item), namespace_of(item), **metadata, spec=job_set)
    if cluster.create(made):
        run_job_set(cluster, made)


def _runtime(cluster: MadeObjects, item: Manifest) -> Manifest | None:
    """The spec of the runtime that is named: a given one, else the one that Trainer installs."""
    ref = mapping(below(item, "spec", "runtimeRef"))
    kind = text(ref.get("kind")) or "ClusterTrainingRuntime"
    for each in cluster.given:
        local = kind == "TrainingRuntime"
        there = not local or namespace_of(each) == namespace_of(item)
        if each.get("kind") == kind and name_of(each) == ref.get("name") and there:
            return mapping(each.get("spec"))
    shipped = shipped_runtime(text(ref.get("name"))) if kind == "ClusterTrainingRuntime" else None
    if shipped is None:
        return None
    spec: Manifest = copied(shipped["spec"])
    for job in items(below(spec, "template", "spec", "replicatedJobs")):
        for container in every_container(mapping(below(job, "template", "spec", "template", "spec"))):
            container.setdefault("image", ANY)
    return spec


def _missing_class(cluster: MadeObjects, gang: Manifest, job_set: Manifest) -> str:
    """A priority class of the pods of a gang of Volcano that is not there."""
    if not isinstance(gang.get("volcano"), dict):
        return ""
    there = {name_of(each) for each in cluster.given if each.get("kind") == "PriorityClass"} | _SYSTEM_CLASSES
    for job in items(job_set.get("replicatedJobs")):
        name = text(below(job, "template", "spec", "template", "spec", "priorityClassName"))
        if name and name not in there:
            return name
    return ""


def _patched(item: Manifest, spec: Manifest) -> Manifest:
    """The JobSet's spec with the runtime patches, in the runtime's order of jobs."""
    found: Manifest = copied(spec)
    order = {each.get("name"): number for number, each in enumerate(items(found.get("replicatedJobs")))}
    for patch in items(below(item, "spec", "runtimePatches")):
        change = below(patch, "trainingRuntimeSpec", "template", "spec")
        if isinstance(change, dict):
            found = merged(found, {"replicatedJobs": [_pruned(each) for each in items(change.get("replicatedJobs"))]})
    found["replicatedJobs"] = sorted(
        items(found.get("replicatedJobs")), key=lambda each: order.get(each.get("name"), 0)
    )
    return found


def _pruned(job: Manifest) -> Manifest:
    """A job of a patch without what the schema of patches does not have."""
    kept: Manifest = {key: copied(job[key]) for key in ("name", "template") if key in job}
    template = mapping(below(kept, "template", "spec", "template"))
    pod = mapping(template.get("spec"))
    for key in [each for each in pod if each not in _POD_FIELDS]:
        del pod[key]
    for container in every_container(pod):
        for key in [each for each in container if each not in _CONTAINER_FIELDS]:
            del container[key]
    return kept


def _metadata(item: Manifest, template: Manifest) -> dict[str, Manifest]:
    """The labels and annotations of the JobSet."""
    found = {"labels": {**labels_of(template)}, "annotations": {**annotations_of(template)}}
    for patch in items(below(item, "spec", "runtimePatches")):
        for key, values in found.items():
            values.update(mapping(below(patch, "trainingRuntimeSpec", "template", "metadata", key)))
    return found


def _pod_set(item: Manifest, policy: Manifest, job: Manifest) -> TrainerPods:
    """A job of the runtime with its number of pods, and with the resources that the TrainJob asks for."""
    inner = own_of(own_of(job, "template"), "spec")
    step = text(labels_of(mapping(job.get("template"))).get(_STEP))
    pods = count(inner.get("parallelism"), 1)
    if step == "trainer" and policy:
        pods = count(policy.get("numNodes"), 1)
    spec = own_of(own_of(inner, "template"), "spec")
    asked = below(item, "spec", "trainer", "resourcesPerNode")
    as_node = below(policy, "mpi", "runLauncherAsNode") is True and job.get("name") == "node"
    if isinstance(asked, dict) and ((step == "trainer" and policy) or as_node):
        for container in containers_of(spec):
            if container.get("name") == "node":
                container["resources"] = merged(mapping(container.get("resources")), asked)
                break
    return TrainerPods(job, step, max(pods, 1), spec, pod_requests(spec))


def _count(pod_sets: list[TrainerPods]) -> None:
    for each in pod_sets:
        each.job["template"]["spec"].update(parallelism=each.count, completions=each.count)


def _initialize(pods: TrainerPods, initializer: Manifest) -> None:
    """What the TrainJob says about the source of data or model."""
    part = {"dataset-initializer": "dataset", "model-initializer": "model"}.get(pods.step, "")
    if not part:
        return
    pods.job["replicas"] = 1
    source = initializer.get(part)
    for container in containers_of(pods.spec):
        if container.get("name") == pods.step and isinstance(source, dict):
            if source.get("storageUri") is not None:
                upsert_env(container, {"name": "STORAGE_URI", "value": source["storageUri"]})
            upsert_env(container, *items(source.get("env")))


def _tell(pods: TrainerPods, trainer: Manifest | None, policy: Manifest) -> None:
    """Image, command, arguments and variables of the TrainJob's trainer."""
    if pods.step == "trainer":
        pods.job["replicas"] = 1
    as_node = below(policy, "mpi", "runLauncherAsNode") is True and pods.job.get("name") == "node"
    if trainer is None or not (pods.step == "trainer" or as_node):
        return
    for container in containers_of(pods.spec):
        if container.get("name") != "node":
            continue
        if pods.step == "trainer":
            container |= {
                key: copied(trainer[key]) for key in ("image", "command", "args") if trainer.get(key) is not None
            }
        upsert_env(container, *items(trainer.get("env")))


def _pod_group(
    item: Manifest, gang: Manifest, pod_sets: list[TrainerPods], metadata: dict[str, Manifest]
) -> Manifest | None:
    """The PodGroup of all pods, or ``None`` where the runtime asks for none."""
    spec: dict[str, Any] = {
        "minMember": sum(each.count for each in pod_sets),
        "minResources": total_of(scaled(each.requests, each.count) for each in pod_sets),
    }
    if isinstance(gang.get("coscheduling"), dict):
        spec["scheduleTimeoutSeconds"] = count(gang["coscheduling"].get("scheduleTimeoutSeconds"), 60)
        spec = {key: value for key, value in spec.items() if value != {}}
        version = "scheduling.x-k8s.io/v1alpha1"
    elif isinstance(gang.get("volcano"), dict):
        classes = [text(each.spec.get("priorityClassName")) for each in pod_sets]
        spec["queue"] = metadata["annotations"].get("scheduling.volcano.sh/queue-name")
        spec["priorityClassName"] = next((each for each in reversed(classes) if each), None)
        spec["networkTopology"] = copied(gang["volcano"].get("networkTopology"))
        spec = {key: value for key, value in spec.items() if value is not None}
        version = "scheduling.volcano.sh/v1beta1"
    else:
        return None
    return object_of(version, "PodGroup", name_of(item), namespace_of(item), spec=spec)


def _join(item: Manifest, gang: Manifest, pod_sets: list[TrainerPods]) -> None:
    """Make the pods members of the gang."""
    for each in pod_sets:
        metadata = own_of(each.job["template"]["spec"]["template"], "metadata")
        if isinstance(gang.get("coscheduling"), dict):
            own_of(metadata, "labels")["scheduling.x-k8s.io/pod-group"] = name_of(item)
        else:
            own_of(metadata, "annotations")["scheduling.k8s.io/group-name"] = name_of(item)
