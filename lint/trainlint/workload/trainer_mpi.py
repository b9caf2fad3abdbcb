"""MPI under a TrainJob: the launcher, the slots of each node, and the connections by SSH (W 4)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from trainlint.kube.values import known_text, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container
from trainlint.model.workload import EPHEMERAL, Flow, FlowKind, PodSet, PortRange
from trainlint.source.document import Field
from trainlint.workload.accelerators import accelerator_count
from trainlint.workload.expansion import Expansion, injected
from trainlint.workload.flows import dns
from trainlint.workload.ground import PodGround
from trainlint.workload.mpijob import ssh_port
from trainlint.workload.trainer_template import NODE

__all__ = ["mpi_job", "processes"]


def processes(spec: Field, policy: Any, *, torch: bool = False) -> Known[str]:
    """numProcPerNode of the trainer section, else of the runtime; empty where neither says it."""
    written = spec.down("trainer", "numProcPerNode")
    if written.present:
        return known_text(written)
    default = policy.get("numProcPerNode") if isinstance(policy, dict) else None
    if not isinstance(default, (int, str)):
        return ""
    return Undetermined(Because(PodGround.TORCH_POLICY)) if torch else str(default)


def _slots(pod_sets: tuple[PodSet, ...], trainers: Collection[int], policy: Any, spec: Field) -> Known[str]:
    """The ranks of a node: as the TrainJob says, else as the runtime does if that is not 1, else the node's GPUs.

    The node's GPUs are those that the TrainJob asks for, else those of the first container ``node`` of the runtime
    (trainer:pkg/runtime/framework/plugins/mpi/mpi.go, pkg/runtime/runtime.go).
    """
    written = processes(spec, policy)
    if spec.down("trainer", "numProcPerNode").present or written not in {"", "1"}:
        return written
    asked = spec.down("trainer", "resourcesPerNode").present
    nodes = (
        container
        for index, pods in enumerate(pod_sets)
        if index in trainers or (pods.role == NODE and not asked)
        for container in pods.spec.containers
        if container.name == NODE
    )
    devices = next(map(accelerator_count, nodes), 0)
    return devices if isinstance(devices, Undetermined) else str(max(devices, 1))


def mpi_job(pod_sets: tuple[PodSet, ...], trainers: Collection[int], policy: Any, spec: Field) -> Expansion:
    """Launcher and nodes; the installed images run sshd as a user, on 2222."""
    index = {found.role: number for number, found in enumerate(pod_sets)}
    if "launcher" not in index or NODE not in index:
        return Expansion(pod_sets)
    if read_text(Field(spec.document, (), policy)["mpiImplementation"]) in {"", "OpenMPI"}:
        of_launcher: dict[str, Known[str]] = {
            "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
            "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
            "OMPI_MCA_orte_set_default_slots": _slots(pod_sets, trainers, policy, spec),
            "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
        }
        pods = pod_sets[index["launcher"]]
        told = replace(pods, spec=injected(pods.spec, of_launcher, pods.at, NODE))
        pod_sets = tuple(told if each is pods else each for each in pod_sets)
    launcher, node = index["launcher"], index[NODE]
    number = ssh_port(pod_sets[launcher], pod_sets[node]) or (2222 if _as_user(pod_sets[node].spec.containers) else 22)
    port = PortRange(number, number)
    at = pod_sets[launcher].at
    flows = (
        Flow(launcher, node, "TCP", port, FlowKind.RENDEZVOUS, f"mpirun starts the ranks by ssh (port {number})", at),
        Flow(
            node, launcher, "TCP", EPHEMERAL, FlowKind.RENDEZVOUS, "each node's MPI daemon connects back to mpirun", at
        ),
        *dns(launcher, "the host file holds the nodes' names", at),
    )
    both = isinstance(policy, dict) and policy.get("runLauncherAsNode") is True
    return Expansion(pod_sets, flows, ranks=frozenset({launcher, node} if both else {node}))


def _as_user(containers: tuple[Container, ...]) -> bool:
    words = [
        word for container in containers for word in (*container.command, *container.args) if isinstance(word, str)
    ]
    return any(word.endswith("mpiuser/.sshd_config") for word in words)
