"""MPIJob of kubeflow.org/v1, which the training operator v1 runs with ``kubectl exec`` (W 2)."""

from __future__ import annotations

from typing import Final

from trainlint.operators.cluster import MadeObjects
from trainlint.operators.kubeflow_v1 import PREFIX
from trainlint.operators.kubeflow_v1_gang import decorate, pod_group
from trainlint.operators.manifest import (
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
    set_env,
    text,
)

__all__ = ["run_mpi_v1_job"]

_MANAGER: Final = "kubeflow.org/training-operator"
_FILES: Final = "/etc/mpi"
_KUBECTL: Final = "/opt/kube"
_DEFAULTS: Final = {"Launcher": 1, "Worker": 0}


def run_mpi_v1_job(cluster: MadeObjects, item: Manifest) -> None:
    """The PodGroup of a gang, the host file, the workers and then the launcher."""
    policy = mapping(below(item, "spec", "runPolicy"))
    if policy.get("suspend") is True or text(policy.get("managedBy")) not in {"", _MANAGER}:
        return
    roles = _roles(item)
    if "Launcher" not in roles:
        return
    if cluster.options.gang_scheduler and not cluster.create(
        pod_group(item, policy, roles, cluster.options.gang_scheduler)
    ):
        return
    cluster.create(_config(item, roles))
    workers = roles.get("Worker", {"replicas": 0})["replicas"]
    if cluster.create_pods(_worker(cluster, item, roles["Worker"], number) for number in range(workers)):
        cluster.create(_launcher(cluster, item, roles["Launcher"]))


def _roles(item: Manifest) -> dict[str, Manifest]:
    found: dict[str, Manifest] = {}
    for name, spec in mapping(below(item, "spec", "mpiReplicaSpecs")).items():
        if isinstance(spec, dict):
            role = name.capitalize()
            found[role] = copied(spec)
            found[role]["replicas"] = count(spec.get("replicas"), _DEFAULTS.get(role, 1))
            found[role]["restartPolicy"] = text(spec.get("restartPolicy")) or "Never"
    return dict(sorted(found.items()))


def _config(item: Manifest, roles: dict[str, Manifest]) -> Manifest:
    slots = count(below(item, "spec", "slotsPerWorker"), 1)
    hosts = [f"{name_of(item)}-launcher"] if _has_gpus(roles["Launcher"]) else []
    hosts += [f"{name_of(item)}-worker-{number}" for number in range(roles.get("Worker", {}).get("replicas", 0))]
    data = {"hostfile": "".join(f"{each} slots={slots}\n" for each in hosts)}
    labels = {"app": name_of(item)}
    return object_of("v1", "ConfigMap", f"{name_of(item)}-config", namespace_of(item), labels=labels, data=data)


def _has_gpus(launcher: Manifest) -> bool:
    """Whether a limit of the launcher has ``gpu`` in its name."""
    containers = containers_of(mapping(below(launcher, "template", "spec")))
    return any("gpu" in key for each in containers for key in mapping(below(each, "resources", "limits")))


def _pod(item: Manifest, spec: Manifest, role: str, end: str) -> Manifest:
    template = copied(mapping(spec.get("template")))
    labels = {
        **labels_of(template),
        f"{PREFIX}operator-name": "mpijob-controller",
        f"{PREFIX}job-name": name_of(item),
        f"{PREFIX}replica-type": role.lower(),
    }
    pod = own_of(template, "spec")
    pod["restartPolicy"] = "Never" if spec["restartPolicy"] == "ExitCode" else spec["restartPolicy"]
    metadata = {
        "name": f"{name_of(item)}-{end}",
        "namespace": namespace_of(item),
        "labels": labels,
        "annotations": {**annotations_of(template)},
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": drop_empty(metadata), "spec": pod}


def _worker(cluster: MadeObjects, item: Manifest, spec: Manifest, number: int) -> Manifest:
    pod = _pod(item, spec, "worker", f"worker-{number}")
    pod["metadata"]["labels"][f"{PREFIX}replica-index"] = str(number)
    for container in containers_of(pod["spec"])[:1]:
        if not container.get("command"):
            container.update(command=["sleep"], args=["365d"])
        _mount(container, "mpi-job-config", _FILES)
    _add_config(item, pod["spec"])
    decorate(pod["metadata"], pod["spec"], item, "worker", cluster.options.gang_scheduler)
    return pod


def _launcher(cluster: MadeObjects, item: Manifest, spec: Manifest) -> Manifest:
    pod = _pod(item, spec, "launcher", "launcher")
    pod["metadata"]["labels"][f"{PREFIX}job-role"] = "master"
    own = pod["spec"]
    own["serviceAccountName"] = text(own.get("serviceAccountName")) or f"{name_of(item)}-launcher"
    own["initContainers"] = [*items(own.get("initContainers")), _delivery(item)]
    for container in containers_of(own)[:1]:
        names = {each.get("name") for each in items(container.get("env"))}
        set_env(container, *_env(gpus=_has_gpus(spec), names=names))
        _mount(container, "mpi-job-kubectl", _KUBECTL)
        _mount(container, "mpi-job-config", _FILES)
    own["volumes"] = [*items(own.get("volumes")), {"name": "mpi-job-kubectl", "emptyDir": {}}]
    _add_config(item, own)
    decorate(pod["metadata"], own, item, "launcher", cluster.options.gang_scheduler)
    return pod


def _env(*, gpus: bool, names: set[object]) -> list[Manifest]:
    agent = f"{_FILES}/kubexec.sh"
    found = [
        {"name": "OMPI_MCA_plm_rsh_agent", "value": agent},
        {"name": "OMPI_MCA_orte_default_hostfile", "value": f"{_FILES}/hostfile"},
    ]
    if not gpus:
        found += [{"name": "NVIDIA_VISIBLE_DEVICES"}, {"name": "NVIDIA_DRIVER_CAPABILITIES"}]
    if "I_MPI_HYDRA_BOOTSTRAP" not in names:
        found.append({"name": "I_MPI_HYDRA_BOOTSTRAP", "value": "rsh"})
    if "I_MPI_HYDRA_BOOTSTRAP_EXEC" not in names:
        found.append({"name": "I_MPI_HYDRA_BOOTSTRAP_EXEC", "value": agent})
    return found


def _delivery(item: Manifest) -> Manifest:
    """The init container that copies kubectl."""
    resources = {"cpu": "100m", "memory": "512Mi", "ephemeral-storage": "5Gi"}
    return {
        "name": "kubectl-delivery",
        "image": "ghcr.io/kubeflow/training-v1/kubectl-delivery:latest",
        "env": [{"name": "TARGET_DIR", "value": _KUBECTL}, {"name": "NAMESPACE", "value": namespace_of(item)}],
        "resources": {"limits": dict(resources), "requests": dict(resources)},
        "volumeMounts": [
            {"name": "mpi-job-kubectl", "mountPath": _KUBECTL},
            {"name": "mpi-job-config", "mountPath": _FILES},
        ],
    }


def _mount(container: Manifest, name: str, path: str) -> None:
    container["volumeMounts"] = [*items(container.get("volumeMounts")), {"name": name, "mountPath": path}]


def _add_config(item: Manifest, pod: Manifest) -> None:
    source = {"name": f"{name_of(item)}-config"}
    pod["volumes"] = [*items(pod.get("volumes")), {"name": "mpi-job-config", "configMap": source}]
