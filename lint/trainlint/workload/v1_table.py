"""The differences between the v1 kinds of kubeflow.org (W 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.model.known import Known
from trainlint.model.workload import PodSet
from trainlint.source.document import Field
from trainlint.workload.kai_minimum import minimum_of_mpi, minimum_of_pytorch, minimum_of_v1
from trainlint.workload.template_at import MPI_VOLUMES
from trainlint.workload.workload_kind import PodNames, Restarts

__all__ = ["V1_KINDS", "V1Kind"]


@fact
class V1Kind:
    """One row of the table of W 2."""

    roles_at: str
    roles: tuple[str, ...]
    container: str
    port_name: str
    port: int
    address: str
    """The variable by which ranks learn where to meet."""
    restart_default: str
    """The restart policy of a role where none is written; TensorFlow's own strategies survive a restart."""
    restarts: Restarts = Restarts.ROLES
    pod_names: PodNames = PodNames.CHECKED
    launcher: str = ""
    queued: tuple[str, ...] = ("Master", "Worker")
    """The roles in the order of Kueue's pod sets."""
    kai_minimum: Callable[[Field, Sequence[PodSet]], Known[int] | None] = minimum_of_v1
    lent: frozenset[str] = frozenset()
    """Volumes that the operator mounts."""
    decides: tuple[str, ...] = ()
    """The roles that decide whether the job succeeds: their pod 0 is made also where no replicas are asked for."""


V1_KINDS: Final = {
    "PyTorchJob": V1Kind(
        "pytorchReplicaSpecs",
        ("Master", "Worker"),
        "pytorch",
        "pytorchjob-port",
        23456,
        "MASTER_ADDR",
        "OnFailure",
        kai_minimum=minimum_of_pytorch,
    ),
    "TFJob": V1Kind(
        "tfReplicaSpecs",
        ("PS", "Worker", "Chief", "Master", "Evaluator"),
        "tensorflow",
        "tfjob-port",
        2222,
        "TF_CONFIG",
        "",
        Restarts.NONE,
        queued=("Chief", "Master", "PS", "Worker", "Evaluator"),
        decides=("Chief", "Master"),
    ),
    "XGBoostJob": V1Kind(
        "xgbReplicaSpecs", ("Master", "Worker"), "xgboost", "xgboostjob-port", 9999, "MASTER_ADDR", "Never"
    ),
    "PaddleJob": V1Kind(
        "paddleReplicaSpecs",
        ("Master", "Worker"),
        "paddle",
        "master",
        36543,
        "PADDLE_MASTER",
        "OnFailure",
        decides=("Master",),
    ),
    "JAXJob": V1Kind("jaxReplicaSpecs", ("Worker",), "jax", "jaxjob-port", 6666, "COORDINATOR_ADDRESS", "Never"),
    "MPIJob": V1Kind(
        "mpiReplicaSpecs",
        ("Launcher", "Worker"),
        "mpi",
        "mpi-port",
        9999,
        "",
        "",
        Restarts.LAUNCHER,
        PodNames.UNCHECKED,
        "Launcher",
        queued=("Launcher", "Worker"),
        kai_minimum=minimum_of_mpi,
        lent=MPI_VOLUMES,
    ),
}
