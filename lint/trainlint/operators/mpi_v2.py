"""The MPI operator: MPIJob v2beta1 (W 3)."""

from __future__ import annotations

from typing import Final

from trainlint.operators.batch import run_job
from trainlint.operators.cluster import MadeObjects
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
from trainlint.operators.quantities import total_of

__all__ = ["run_mpi_job"]

_PREFIX: Final = "training.kubeflow.org/"
_MANAGER: Final = "kubeflow.org/mpi-operator"
_HOSTS: Final = "/etc/mpi/hostfile"
_ATTEMPTS: Final = "-o ConnectionAttempts=10"
_RESTARTS: Final = {"Launcher": "OnFailure", "Worker": "Never"}


def run_mpi_job(cluster: MadeObjects, item: Manifest) -> None:
    """The Service, host file and key, the PodGroup of a gang, the workers and the launcher's Job."""
    policy = mapping(below(item, "spec", "runPolicy"))
    if text(policy.get("managedBy")) not in {"", _MANAGER}:
        return
    roles = _roles(item)
    if "Launcher" not in roles:
        return
    if not cluster.create(_service(item)):
        return
    cluster.create(_config(item, roles))
    cluster.create(_key(item))
    suspended = policy.get("suspend") is True
    if not suspended:
        scheduler = cluster.options.gang_scheduler
        if scheduler and not cluster.create(_pod_group(item, policy, roles, scheduler)):
            return
        numbers = range(_workers(roles))
        if not cluster.create_pods(_worker(item, roles["Worker"], number, scheduler) for number in numbers):
            return
    job = _launcher(item, policy, roles["Launcher"], cluster.options.gang_scheduler, suspended=suspended)
    if cluster.create(job):
        run_job(cluster, job)


def _roles(item: Manifest) -> dict[str, Manifest]:
    found: dict[str, Manifest] = {}
    for name, spec in mapping(below(item, "spec", "mpiReplicaSpecs")).items():
        role = name.capitalize()
        if isinstance(spec, dict):
            found[role] = copied(spec)
            found[role]["replicas"] = count(spec.get("replicas"), 1 if role == "Launcher" else 0)
            found[role]["restartPolicy"] = text(spec.get("restartPolicy")) or _RESTARTS.get(role, "Never")
    return found


def _workers(roles: dict[str, Manifest]) -> int:
    replicas: int = roles.get("Worker", {"replicas": 0})["replicas"]
    return replicas


def _works(item: Manifest) -> bool:
    """Whether the launcher is a worker too."""
    return below(item, "spec", "runLauncherAsWorker") is True


def _service(item: Manifest) -> Manifest:
    selector = {f"{_PREFIX}operator-name": "mpi-operator", f"{_PREFIX}job-name": name_of(item)}
    spec = {"clusterIP": "None", "selector": selector, "publishNotReadyAddresses": _works(item)}
    labels = {"app": name_of(item)}
    return object_of("v1", "Service", name_of(item), namespace_of(item), labels=labels, spec=spec)


def _config(item: Manifest, roles: dict[str, Manifest]) -> Manifest:
    name, slots = name_of(item), count(below(item, "spec", "slotsPerWorker"), 1)
    domain = f"{name}.{namespace_of(item)}.svc"
    form = " slots={}" if _implementation(item) == "OpenMPI" else ":{}"
    hosts = [f"{name}-launcher.{domain}"] if _works(item) else []
    hosts += [f"{name}-worker-{number}.{domain}" for number in range(_workers(roles))]
    data = {
        "hostfile": "".join(f"{host}{form.format(slots)}\n" for host in hosts),
        "discover_hosts.sh": "#!/bin/sh\n" + "".join(f"echo {host}\n" for host in hosts),
    }
    return object_of("v1", "ConfigMap", f"{name}-config", namespace_of(item), labels={"app": name}, data=data)


def _key(item: Manifest) -> Manifest:
    name = name_of(item)
    return object_of(
        "v1", "Secret", f"{name}-ssh", namespace_of(item), labels={"app": name}, type="kubernetes.io/ssh-auth"
    )


def _implementation(item: Manifest) -> str:
    return text(below(item, "spec", "mpiImplementation")) or "OpenMPI"


def _template(item: Manifest, spec: Manifest, role: str, host: str) -> Manifest:
    """The template of a role's pods with labels, names in DNS, restart policy and volumes."""
    template: Manifest = copied(mapping(spec.get("template")))
    own_of(own_of(template, "metadata"), "labels").update(
        {
            f"{_PREFIX}operator-name": "mpi-operator",
            f"{_PREFIX}job-name": name_of(item),
            f"{_PREFIX}job-role": role,
        }
    )
    pod = own_of(template, "spec")
    pod |= {"hostname": host, "subdomain": name_of(item)}
    if pod.get("hostNetwork") is True:
        pod["dnsPolicy"] = "ClusterFirstWithHostNet"
    pod["restartPolicy"] = "Never" if spec["restartPolicy"] == "ExitCode" else spec["restartPolicy"]
    pod["volumes"] = [
        *items(pod.get("volumes")),
        {"name": "ssh-auth", "secret": {"secretName": f"{name_of(item)}-ssh"}},
    ]
    path = text(below(item, "spec", "sshAuthMountPath")) or "/root/.ssh"
    for container in containers_of(pod)[:1]:
        container["volumeMounts"] = [*items(container.get("volumeMounts")), {"name": "ssh-auth", "mountPath": path}]
    return template


def _join_gang(item: Manifest, template: Manifest, scheduler: str) -> None:
    """A scheduler that the template names is replaced."""
    if not scheduler:
        return
    template["spec"]["schedulerName"] = scheduler
    if scheduler == "volcano":
        own_of(template["metadata"], "annotations")["scheduling.k8s.io/group-name"] = name_of(item)
    else:
        template["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] = name_of(item)


def _worker(item: Manifest, spec: Manifest, number: int, scheduler: str) -> Manifest:
    name = f"{name_of(item)}-worker-{number}"
    template = _template(item, spec, "worker", name)
    template["metadata"]["labels"][f"{_PREFIX}replica-index"] = str(number + _works(item))
    pod = template["spec"]
    search = f"{name_of(item)}.{namespace_of(item)}.svc.cluster.local"
    dns = own_of(pod, "dnsConfig")
    dns["searches"] = [*(dns.get("searches") or []), search]
    for container in containers_of(pod)[:1]:
        if not container.get("command") and not container.get("args"):
            container["command"] = ["/usr/sbin/sshd", "-De"]
        set_env(container, {"name": "K_MPI_JOB_ROLE", "value": "worker"})
    _join_gang(item, template, scheduler)
    metadata = {
        "name": name,
        "namespace": namespace_of(item),
        "labels": labels_of(template),
        "annotations": annotations_of(template),
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": drop_empty(metadata), "spec": pod}


def _launcher(item: Manifest, policy: Manifest, spec: Manifest, scheduler: str, *, suspended: bool) -> Manifest:
    name = f"{name_of(item)}-launcher"
    template = _template(item, spec, "launcher", name)
    if _works(item):
        template["metadata"]["labels"][f"{_PREFIX}replica-index"] = "0"
    pod = template["spec"]
    config = {"name": "mpi-job-config", "configMap": {"name": f"{name_of(item)}-config"}}
    pod["volumes"] = [*items(pod.get("volumes")), config]
    for container in containers_of(pod)[:1]:
        set_env(container, *_env(item))
        mount = {"name": "mpi-job-config", "mountPath": "/etc/mpi"}
        container["volumeMounts"] = [*items(container.get("volumeMounts")), mount]
    _join_gang(item, template, scheduler)
    kept = ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")
    job = {key: policy.get(key) for key in kept} | {"podReplacementPolicy": "Failed", "template": template}
    if suspended:
        job["suspend"] = True
    labels = {"app": name_of(item)}
    own = {key: value for key, value in job.items() if value is not None}
    return object_of("batch/v1", "Job", name, namespace_of(item), labels=labels, spec=own)


def _env(item: Manifest) -> list[Manifest]:
    slots = str(count(below(item, "spec", "slotsPerWorker"), 1))
    values = {
        "OpenMPI": {
            "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
            "OMPI_MCA_orte_default_hostfile": _HOSTS,
            "OMPI_MCA_plm_rsh_args": _ATTEMPTS,
            "OMPI_MCA_orte_set_default_slots": slots,
        },
        "Intel": {
            "I_MPI_HYDRA_HOST_FILE": _HOSTS,
            "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": _ATTEMPTS,
            "I_MPI_PERHOST": slots,
        },
        "MPICH": {"HYDRA_HOST_FILE": _HOSTS, "HYDRA_LAUNCH_EXTRA_ARGS": _ATTEMPTS},
    }.get(_implementation(item), {})
    found = {"K_MPI_JOB_ROLE": "launcher", **values}
    if not _works(item):
        found |= {"NVIDIA_VISIBLE_DEVICES": "", "NVIDIA_DRIVER_CAPABILITIES": ""}
    return [drop_empty({"name": name, "value": value}) for name, value in found.items()]


def _pod_group(item: Manifest, policy: Manifest, roles: dict[str, Manifest], scheduler: str) -> Manifest:
    wanted = mapping(policy.get("schedulingPolicy"))
    minimum = count(wanted.get("minAvailable"), _workers(roles) + 1)
    resources = copied(wanted.get("minResources")) or (_resources(roles, minimum) if minimum else None)
    spec = {"minMember": minimum, "minResources": resources}
    if scheduler == "volcano":
        annotated = annotations_of(item).get("scheduling.volcano.sh/queue-name")
        spec |= {"queue": wanted.get("queue") or annotated, "priorityClassName": _priority(wanted, roles)}
        version = "scheduling.volcano.sh/v1beta1"
    else:
        spec |= {"scheduleTimeoutSeconds": count(wanted.get("scheduleTimeoutSeconds"), 0)}
        version = "scheduling.x-k8s.io/v1alpha1"
    return object_of(version, "PodGroup", name_of(item), namespace_of(item), spec=drop_empty(spec))


def _priority(wanted: Manifest, roles: dict[str, Manifest]) -> str:
    own = [text(wanted.get("priorityClass"))]
    own += [text(below(roles.get(role), "template", "spec", "priorityClassName")) for role in ("Launcher", "Worker")]
    return next((each for each in own if each), "")


def _resources(roles: dict[str, Manifest], minimum: int) -> dict[str, str]:
    """What the launcher and the first workers of the gang request."""
    names = ["Launcher", *["Worker"] * _workers(roles)][:minimum]
    containers = [each for name in names for each in containers_of(mapping(below(roles[name], "template", "spec")))]
    return total_of(
        {**mapping(below(each, "resources", "limits")), **mapping(below(each, "resources", "requests"))}
        for each in containers
    )
