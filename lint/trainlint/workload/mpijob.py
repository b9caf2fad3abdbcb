"""MPIJob of kubeflow.org/v2beta1 (W 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from trainlint.kube.values import read_int, read_text
from trainlint.launch.command import commands
from trainlint.launch.environment import environment
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import PodSpec
from trainlint.model.refuser import Refuser
from trainlint.model.workload import EPHEMERAL, PER_POD, Flow, FlowKind, ObjectRef, PodSet, PortRange, Service
from trainlint.source.document import Field
from trainlint.workload.batch import job_labels
from trainlint.workload.expansion import Context, Expansion, is_template, pod_set
from trainlint.workload.flows import dns
from trainlint.workload.kai_minimum import minimum_of_mpi
from trainlint.workload.kueue_pod_sets import queued_roles
from trainlint.workload.stages import mpi_stages
from trainlint.workload.template_at import (
    EACH_KEY,
    MPI_VOLUMES,
    TemplateAt,
)
from trainlint.workload.workload_kind import LONGEST_NAME, HostNames, PodNames, Restarts, WorkloadKind

__all__ = ["KINDS", "expand_mpi_job", "mpi_flows", "ssh_arguments_lost", "ssh_port", "ssh_ports"]

_PREFIX: Final = "training.kubeflow.org/"
_SSH_PORT_OPTION: Final = lazy_pattern(r"(?:^|\s)-(?:p|oPort=|o\s*Port=)\s*(\d{1,5})\b")
_RSH_VARIABLES: Final = (
    "OMPI_MCA_plm_rsh_args",
    "PRTE_MCA_plm_ssh_args",
    "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS",
    "HYDRA_LAUNCH_EXTRA_ARGS",
)
_HOST_FILE: Final = "/etc/mpi/hostfile"
_RSH_ARGUMENTS: Final = "-o ConnectionAttempts=10"
_OF_LAUNCHER: Final[dict[str, dict[str, Known[str]]]] = {
    "OpenMPI": {
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_orte_default_hostfile": _HOST_FILE,
        "OMPI_MCA_plm_rsh_args": _RSH_ARGUMENTS,
    },
    "Intel": {"I_MPI_HYDRA_HOST_FILE": _HOST_FILE, "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": _RSH_ARGUMENTS},
    "MPICH": {"HYDRA_HOST_FILE": _HOST_FILE, "HYDRA_LAUNCH_EXTRA_ARGS": _RSH_ARGUMENTS},
}
"""What the operator appends to the launcher's first container, after what the user wrote there (W 1.3, 3)."""
_SLOTS: Final = {"OpenMPI": "OMPI_MCA_orte_set_default_slots", "Intel": "I_MPI_PERHOST"}
_RSH_PARAMETERS: Final = {"plm_rsh_args", "plm_ssh_args"}


def expand_mpi_job(job: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A launcher (a Job's pod) that starts ranks in the workers by ssh, under one headless Service."""
    del context
    spec = job["spec"]
    specs = {key.lower(): value for key, value in spec["mpiReplicaSpecs"].items()}
    launcher_ranks = spec["runLauncherAsWorker"].value is True
    pod_sets: list[PodSet] = []
    for role, default in (("Launcher", 1), ("Worker", 0)):
        entry = specs.get(role.lower())
        if entry is None or not is_template(entry["template"]):
            continue
        labels: dict[str, Known[str]] = {
            f"{_PREFIX}operator-name": "mpi-operator",
            f"{_PREFIX}job-name": owner.name,
            f"{_PREFIX}job-role": role.lower(),
        }
        if role == "Worker":
            labels[f"{_PREFIX}replica-index"] = PER_POD
        else:
            labels |= job_labels(f"{owner.name}-launcher", indexed=False)
            if launcher_ranks:
                labels[f"{_PREFIX}replica-index"] = "0"
        env: dict[str, Known[str]] = {"K_MPI_JOB_ROLE": role.lower()}
        if role == "Launcher":
            implementation = read_text(spec["mpiImplementation"]) or "OpenMPI"
            env |= _OF_LAUNCHER.get(implementation, {})
            if implementation in _SLOTS:
                env[_SLOTS[implementation]] = _text(read_int(spec["slotsPerWorker"], 1))
            if not launcher_ranks:  # it keeps the launcher from the GPUs of its node
                env |= {"NVIDIA_VISIBLE_DEVICES": "", "NVIDIA_DRIVER_CAPABILITIES": ""}
        first = next(iter(entry.down("template", "spec", "containers").elements()), entry["template"])
        pods = pod_set(
            owner,
            role,
            read_int(entry["replicas"], default),
            entry["template"],
            entry.at,
            labels=labels,
            env=env,
            env_of=read_text(first["name"]),
            hostname=f"{owner.name}-{role.lower()}" + ("-{}" if role == "Worker" else ""),
            subdomain=owner.name,
        )
        pod_sets.append(replace(pods, spec=_as_run(pods.spec, role)))
    index = {found.role: number for number, found in enumerate(pod_sets)}
    ranks = {index[role] for role in (("Launcher", "Worker") if launcher_ranks else ("Worker",)) if role in index}
    service = Service(
        ObjectRef("Service", owner.namespace, owner.name),
        {f"{_PREFIX}operator-name": "mpi-operator", f"{_PREFIX}job-name": owner.name},
        headless=True,
        publish_not_ready=launcher_ranks,
        generated=True,
        at=job.at,
    )
    flows: tuple[Flow, ...] = ()
    if "Launcher" in index and "Worker" in index:
        launcher, worker = index["Launcher"], index["Worker"]
        flows = tuple(mpi_flows(launcher, worker, pod_sets[launcher], pod_sets[worker]))
    return Expansion(tuple(pod_sets), flows, (service,), ranks=frozenset(ranks), training=True)


def _as_run(spec: PodSpec, role: str) -> PodSpec:
    """The pod spec as the operator makes it: workers without a command run sshd, on the host network by cluster DNS."""
    containers = spec.containers
    if role == "Worker" and containers and not (containers[0].command or containers[0].args):
        containers = (replace(containers[0], command=("/usr/sbin/sshd", "-De")), *containers[1:])
    policy = "ClusterFirstWithHostNet" if spec.host_network else spec.dns_policy
    return replace(spec, containers=containers, dns_policy=policy)


def _text(count: Known[int]) -> Known[str]:
    return count if isinstance(count, Undetermined) else str(count)


def mpi_flows(launcher: int, worker: int, launcher_pods: PodSet, worker_pods: PodSet, port: int = 22) -> Iterator[Flow]:
    """Ssh to each worker (``port`` unless one is written), whose daemon connects back (W 15.F5 and 15.F5b)."""
    number = ssh_port(launcher_pods, worker_pods) or port
    why = f"mpirun starts the ranks by ssh (port {number})"
    yield Flow(launcher, worker, "TCP", PortRange(number, number), FlowKind.RENDEZVOUS, why, launcher_pods.at)
    back = "each worker's MPI daemon connects back to mpirun, on a port that the system picks"
    yield Flow(worker, launcher, "TCP", EPHEMERAL, FlowKind.RENDEZVOUS, back, worker_pods.at)
    yield from dns(launcher, "the host file holds the workers' names", launcher_pods.at)


def ssh_port(launcher: PodSet, worker: PodSet) -> int | None:
    """The port that the launcher's ssh is told, else the one that the workers' sshd is told; ``None`` if none is."""
    told, listens = ssh_ports(launcher, worker)
    return told or listens


def ssh_ports(launcher: PodSet, worker: PodSet) -> tuple[int | None, int | None]:
    """The ports that the launcher's ssh and the workers' sshd are told; ``None`` where one is told none.

    An ssh argument in the launcher's env is lost where the operator appends its own after it (W 1.3).
    """
    return _told(launcher), _listens(worker)


def ssh_arguments_lost(launcher: PodSet) -> int | None:
    """The port in ssh arguments of the launcher's env that the operator overwrites; ``None`` where there is none."""
    for container in launcher.spec.containers[:1]:
        overwritten = {entry.name for entry in container.env if entry.injected} & set(_RSH_VARIABLES)
        for entry in container.env:
            own = entry.value if entry.name in overwritten and not entry.injected else ""
            if isinstance(own, str) and (found := _SSH_PORT_OPTION.search(own)):
                return int(found[1])
    return None


def _told(launcher: PodSet) -> int | None:
    for container in launcher.spec.containers[:1]:
        variables = environment(container)
        for name in _RSH_VARIABLES:
            value = variables[name].value if name in variables else ""
            if not isinstance(value, Undetermined) and (found := _SSH_PORT_OPTION.search(value)):
                return int(found[1])
        for command in commands(container):
            texts = [word.text for word in command.words]
            for position, text in enumerate(texts[:-1]):
                if text in _RSH_PARAMETERS and (found := _SSH_PORT_OPTION.search(texts[position + 1])):
                    return int(found[1])
    return None


def _listens(worker: PodSet) -> int | None:
    for container in worker.spec.containers[:1]:
        for command in commands(container):
            line = " ".join(word.text for word in command.words)
            if command.program == "sshd" and (found := _SSH_PORT_OPTION.search(line)):
                return int(found[1])
    return None


KINDS: Final = (
    WorkloadKind(
        group="kubeflow.org",
        name="MPIJob",
        expand=expand_mpi_job,
        training=True,
        spec=("spec",),
        roles=("spec", "mpiReplicaSpecs"),
        main_container="",
        name_limit=LONGEST_NAME,
        name_why="",
        label_checked_by=Refuser.MPI_OPERATOR,
        pod_names=PodNames.WORKERS,
        job_name="{}-launcher",
        host_names=HostNames.OTHER,
        subdomain=(),
        launcher="Launcher",
        restarts=Restarts.LAUNCHER,
        restart_default="",
        suspend=("spec", "runPolicy", "suspend"),
        by_pods=False,
        interchangeable=False,
        creates=(("batch", "Job"),),
        waits=mpi_stages,
        sets_dns_policy=True,
        mounts_shared_memory=False,
        ties=None,
        kai_minimum=minimum_of_mpi,
        queued=queued_roles("mpiReplicaSpecs", ("Launcher", "Worker")),
        templates=(TemplateAt(("spec", "mpiReplicaSpecs", EACH_KEY, "template"), lent=MPI_VOLUMES),),
        operator=None,
        version="v2beta1",
    ),
)
