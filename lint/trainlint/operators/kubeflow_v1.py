"""The training operator v1: PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob (W 2). MPIJob v1 is in mpi_v1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from trainlint.operators.cluster import MadeObjects
from trainlint.operators.kubeflow_v1_env import ENV_OF, Roles
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
    text,
)

__all__ = ["JOBS", "PREFIX", "Job", "defaulted_roles", "run_v1_job"]

PREFIX: Final = "training.kubeflow.org/"
_MANAGER: Final = "kubeflow.org/training-operator"
_TRIES: Final = 100


@dataclass(frozen=True)
class Job:
    """What differs by kind: the map of roles in the spec, the main container, its port, and the roles by name.

    ``decides`` are the roles that decide success, the first that there is; ``masters`` says which pod has the role
    label.
    """

    roles_key: str
    container: str
    port_name: str
    port: int
    roles: tuple[str, ...]
    restart: str
    decides: tuple[str, ...]
    masters: Callable[[Mapping[str, Manifest], str, int], bool]


def _chief(*roles: str) -> Callable[[Mapping[str, Manifest], str, int], bool]:
    """The pods of these roles, or worker 0 where there are none."""

    def is_master(present: Mapping[str, Manifest], role: str, index: int) -> bool:
        if any(each in present for each in roles):
            return role in roles
        return role == "Worker" and index == 0

    return is_master


JOBS: Final[Mapping[str, Job]] = {
    "PyTorchJob": Job(
        "pytorchReplicaSpecs",
        "pytorch",
        "pytorchjob-port",
        23456,
        ("Master", "Worker"),
        "OnFailure",
        ("Master", "Worker"),
        _chief("Master"),
    ),
    "TFJob": Job(
        "tfReplicaSpecs",
        "tensorflow",
        "tfjob-port",
        2222,
        ("PS", "Worker", "Chief", "Master", "Evaluator"),
        "Never",
        ("Chief", "Master", "Worker"),
        _chief("Chief", "Master"),
    ),
    "XGBoostJob": Job(
        "xgbReplicaSpecs",
        "xgboost",
        "xgboostjob-port",
        9999,
        ("Master", "Worker"),
        "Never",
        ("Master",),
        lambda _, role, __: role == "Master",
    ),
    "PaddleJob": Job(
        "paddleReplicaSpecs",
        "paddle",
        "master",
        36543,
        ("Master", "Worker"),
        "OnFailure",
        ("Master", "Worker"),
        lambda _, role, __: role == "Master",
    ),
    "JAXJob": Job(
        "jaxReplicaSpecs",
        "jax",
        "jaxjob-port",
        6666,
        ("Worker",),
        "Never",
        ("Worker",),
        lambda _, __, index: index == 0,
    ),
}


def run_v1_job(cluster: MadeObjects, item: Manifest) -> None:
    """The PodGroup of a gang, then pods and Services role by role."""
    kind = text(item.get("kind"))
    job = JOBS[kind]
    policy = mapping(below(item, "spec", "runPolicy"))
    managed = text(policy.get("managedBy")) not in {"", _MANAGER} and kind != "JAXJob"
    if policy.get("suspend") is True or managed:
        return
    roles = defaulted_roles(item, job)
    if cluster.options.gang_scheduler:
        group = pod_group(item, policy, roles, cluster.options.gang_scheduler)
        if not cluster.create(group):
            return
    for role, spec in roles.items():
        numbers = range(_made(roles, role, job))
        if not cluster.create_pods(_pod(cluster, item, roles, role, number) for number in numbers):
            return
        ports = _ports(spec, job)
        if not all(cluster.create(_service(item, role, number, ports)) for number in numbers):
            return


def _made(roles: Roles, role: str, job: Job) -> int:
    """How many pods a role has and keeps: index 0 of none is made, and stays where the job is over by that."""
    replicas: int = roles[role]["replicas"]
    decides = next((each for each in job.decides if each in roles), "")
    over = decides != "" and roles[decides]["replicas"] == 0
    return max(replicas, 1 if over else 0)


def defaulted_roles(item: Manifest, job: Job) -> dict[str, Manifest]:
    """The roles by their right names, in the order of their names, with replicas, restart policy and port."""
    found: dict[str, Manifest] = {}
    spelled = {each.lower(): each for each in job.roles}
    for name, spec in mapping(below(item, "spec", job.roles_key)).items():
        if isinstance(spec, dict):
            found[spelled.get(name.lower(), name)] = _defaulted(copied(spec), job)
    return dict(sorted(found.items()))


def _defaulted(spec: Manifest, job: Job) -> Manifest:
    spec["replicas"] = count(spec.get("replicas"), 1)
    spec["restartPolicy"] = text(spec.get("restartPolicy")) or job.restart
    containers = containers_of(mapping(below(spec, "template", "spec")))
    main = next((each for each in containers if each.get("name") == job.container), None)
    main = main or next(iter(containers), None)
    if main is not None and all(each.get("name") != job.port_name for each in items(main.get("ports"))):
        main["ports"] = [*items(main.get("ports")), {"name": job.port_name, "containerPort": job.port}]
    return spec


def _labels(item: Manifest, role: str, number: int) -> dict[str, str]:
    return {
        f"{PREFIX}operator-name": f"{item['kind'].lower()}-controller",
        f"{PREFIX}job-name": name_of(item),
        f"{PREFIX}replica-type": role.lower(),
        f"{PREFIX}replica-index": str(number),
    }


def _pod(cluster: MadeObjects, item: Manifest, roles: Roles, role: str, number: int) -> Manifest:
    job, spec = JOBS[item["kind"]], roles[role]
    template = copied(mapping(spec.get("template")))
    labels = {**labels_of(template), **_labels(item, role, number)}
    if job.masters(roles, role, number):
        labels[f"{PREFIX}job-role"] = "master"
    pod = own_of(template, "spec")
    if item["kind"] == "PyTorchJob" and role == "Worker" and "Master" in roles:
        pod["initContainers"] = [*items(pod.get("initContainers")), _waiting(item)]
    ENV_OF[item["kind"]](item, roles, role, number, pod)
    pod["restartPolicy"] = "Never" if spec["restartPolicy"] == "ExitCode" else spec["restartPolicy"]
    metadata = {
        "name": f"{name_of(item)}-{role.lower()}-{number}",
        "namespace": namespace_of(item),
        "labels": labels,
        "annotations": {**annotations_of(template)},
    }
    decorate(metadata, pod, item, role, cluster.options.gang_scheduler)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": drop_empty(metadata), "spec": pod}


def _waiting(item: Manifest) -> Manifest:
    """The init container of workers, which waits for the master's name."""
    script = (
        f"err=1;for i in $(seq {_TRIES}); do if nslookup {name_of(item)}-master-0; then err=0 && break; fi;"
        "echo waiting for master; sleep 2; done; exit $err"
    )
    return {
        "name": "init-pytorch",
        "image": "alpine:3.10",
        "command": ["sh", "-c", script],
        "resources": {
            "limits": {"cpu": "100m", "memory": "20Mi"},
            "requests": {"cpu": "50m", "memory": "10Mi"},
        },
    }


def _ports(spec: Manifest, job: Job) -> list[Manifest]:
    """The ports of the main container by name: the last of two equal ones."""
    for container in containers_of(mapping(below(spec, "template", "spec"))):
        if container.get("name") == job.container:
            by_name = {text(each.get("name")): each.get("containerPort") for each in items(container.get("ports"))}
            return [drop_empty({"name": name, "port": number}) for name, number in by_name.items()]
    return []


def _service(item: Manifest, role: str, number: int, ports: list[Manifest]) -> Manifest:
    labels = _labels(item, role, number)
    spec = {"clusterIP": "None", "selector": labels, "ports": ports}
    name = f"{name_of(item)}-{role.lower()}-{number}"
    return object_of("v1", "Service", name, namespace_of(item), labels=labels, spec=spec)
