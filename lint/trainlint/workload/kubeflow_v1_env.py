"""The variables that the training operator's v1 controllers append to the containers (W 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.kube.values import read_int, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import FIRST_ONLY, PER_POD, PodSet
from trainlint.source.document import Field
from trainlint.workload.accelerators import accelerators_of
from trainlint.workload.expansion import injected, named
from trainlint.workload.flows import total
from trainlint.workload.ground import PodGround

__all__ = ["RankNames", "with_v1_env"]

_EXEC: Final = "/etc/mpi/kubexec.sh"
_MANY: Final = 1024
_TENSORFLOW: Final = frozenset({"PS", "Worker", "Chief", "Master", "Evaluator"})
_FIRST_PADDLE: Final = Undetermined(Because(PodGround.PADDLE_MASTER))


@fact
class RankNames:
    """The pods of a role, the port that they listen on, and their name (``{}`` for the number), which a Service has."""

    pods: PodSet
    port: int
    name: str


Roles = dict[str, RankNames]


def with_v1_env(job: Field, kind: str, roles: Sequence[RankNames]) -> tuple[PodSet, ...]:
    """The pod sets of the roles with the operator's variables, in the same order."""
    count = total(_written(job, role.pods) for role in roles)
    by_role = {role.pods.role: role for role in roles}
    result = []
    for role in roles:
        found = role.pods
        env: dict[str, Known[str]] = {}
        if kind == "PyTorchJob":
            env = _pytorch(job, found.role, by_role, count)
        elif kind == "XGBoostJob" and "Master" in by_role:
            env = _xgboost(found, by_role, count)
        elif kind == "PaddleJob":
            env = _paddle(job, role, by_role, count)
        elif kind == "JAXJob" and "Worker" in by_role:
            env = {
                "PYTHONUNBUFFERED": "1",
                "COORDINATOR_ADDRESS": named(by_role["Worker"].name),
                "COORDINATOR_PORT": str(by_role["Worker"].port),
                "NUM_PROCESSES": _text(count),
                "PROCESS_ID": PER_POD,
            }
        only = "tensorflow" if kind == "TFJob" else ""
        if kind == "MPIJob" and found.role == "Launcher" and found.spec.containers:
            env, only = _mpi(found), found.spec.containers[0].name
        if kind == "TFJob" and _members(roles) != 1:
            env = {"TF_CONFIG": Undetermined(Because(PodGround.OPERATOR_ADDRESSES))}
        spec = injected(found.spec, env, found.at, only)
        if kind == "PyTorchJob" and job.down("spec", "elasticPolicy", "rdzvHost").present:
            rendezvous = _written_rendezvous(job, roles[0].port)
            spec = injected(spec, rendezvous, job.down("spec", "elasticPolicy").at, by_user=True)
        result.append(replace(found, spec=spec))
    return tuple(result)


def _members(roles: Sequence[RankNames]) -> Known[int]:
    """The pods of the roles that TensorFlow knows; a role of another name does not make a job a distributed one."""
    return total(role.pods.replicas for role in roles if role.pods.role in _TENSORFLOW)


def _written(job: Field, found: PodSet) -> Known[int]:
    """The number of pods that the role asks for; an elastic one is judged at its minimum, and 0 may make one."""
    roles = next((field for name, field in job["spec"].items() if name.endswith("ReplicaSpecs")), job)
    asked = roles.down(found.role, "replicas")
    return read_int(asked, 1) if asked.present or found.max_replicas is not None else found.replicas


def _xgboost(found: PodSet, by_role: Roles, count: Known[int]) -> dict[str, Known[str]]:
    master = by_role["Master"]
    env: dict[str, Known[str]] = {"PYTHONUNBUFFERED": "1", "MASTER_ADDR": named(master.name)}
    env |= {"MASTER_PORT": str(master.port), "WORLD_SIZE": _text(count), "RANK": _rank(found)}
    if "Worker" in by_role and (count if isinstance(count, int) else 2) > 1:
        worker = by_role["Worker"]
        hosts = worker.pods.replicas
        env["WORKER_PORT"] = str(worker.port)
        env["WORKER_ADDRS"] = (
            hosts
            if isinstance(hosts, Undetermined)
            else ",".join(named(worker.name, number) for number in range(min(hosts, _MANY)))
        )
    return env


def _paddle(job: Field, own: RankNames, by_role: Roles, count: Known[int]) -> dict[str, Known[str]]:
    """Masters meet at their own address, or without them worker 0 does; the others are told its name."""
    env: dict[str, Known[str]] = {
        "PYTHONUNBUFFERED": "1", "PADDLE_JOB_ID": read_text(job.down("metadata", "name")), "PADDLE_NNODES": _text(count)
    }  # fmt: skip
    role = "Master" if "Master" in by_role else "Worker"
    first = by_role.get(role, own)
    if own.pods.role != role:
        env["PADDLE_MASTER"] = f"{named(first.name)}:{first.port}"
    elif role == "Master" or own.pods.replicas == 1:
        env["POD_IP_DUMMY"] = Undetermined(Because(PodGround.POD_ADDRESS))
        env["PADDLE_MASTER"] = f"$(POD_IP_DUMMY):{first.port}"
    else:
        env |= {"POD_IP_DUMMY": FIRST_ONLY, "PADDLE_MASTER": _FIRST_PADDLE}
    if role == "Master":
        env["PADDLE_SERVER_NUM" if own.pods.role == "Master" else "PADDLE_TRAINER_NUM"] = "1"
    return env


def _mpi(found: PodSet) -> dict[str, Known[str]]:
    """How mpirun of the launcher reaches the workers: by ``kubectl exec``; without GPUs of its own it sees none."""
    env: dict[str, Known[str]] = {
        "OMPI_MCA_plm_rsh_agent": _EXEC,
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "I_MPI_HYDRA_BOOTSTRAP": "rsh",
        "I_MPI_HYDRA_BOOTSTRAP_EXEC": _EXEC,
    }
    if not accelerators_of(found.spec):
        env |= {"NVIDIA_VISIBLE_DEVICES": "", "NVIDIA_DRIVER_CAPABILITIES": ""}
    return env


def _pytorch(job: Field, role: str, by_role: Roles, count: Known[int]) -> dict[str, Known[str]]:
    spec = job["spec"]
    processes = read_text(spec["nprocPerNode"]) or "auto"
    env: dict[str, Known[str]] = {"PYTHONUNBUFFERED": "1", "PET_NPROC_PER_NODE": processes}
    elastic = spec["elasticPolicy"]
    if "Master" in by_role:
        master = by_role["Master"]
        host, port, rank = named(master.name), master.port, _rank(by_role[role].pods)
        each = int(processes) if processes.isdecimal() else 1
        world: Known[str] = count if isinstance(count, Undetermined) else str(count * each)
        env |= {"MASTER_ADDR": host, "MASTER_PORT": str(port), "PET_MASTER_ADDR": host, "PET_MASTER_PORT": str(port)}
        env |= {"WORLD_SIZE": world, "RANK": rank, "PET_NODE_RANK": rank}
    if elastic.mapping is None:
        env["PET_NNODES"] = _text(count)
    elif "Worker" in by_role:
        worker = by_role["Worker"]
        workers = read_text(spec.down("pytorchReplicaSpecs", "Worker", "replicas")) or "1"
        least, most = read_text(elastic["minReplicas"]), read_text(elastic["maxReplicas"])
        env |= {
            "PET_RDZV_BACKEND": read_text(elastic["rdzvBackend"]) or "c10d",
            "PET_NNODES": f"{least or workers}:{most or workers}",
            "PET_NPROC_PER_NODE": read_text(elastic["nProcPerNode"]) or processes,
        }
        for name, field in (("PET_MAX_RESTARTS", "maxRestarts"), ("PET_RDZV_ID", "rdzvId")):
            if elastic[field].present:
                env[name] = read_text(elastic[field])
        if elastic["standalone"].value is True:
            env["PET_STANDALONE"] = ""
        pairs = [f"{read_text(each['key'])}={read_text(each['value'])}" for each in elastic["rdzvConf"].elements()]
        if pairs:
            env["PET_RDZV_CONF"] = ",".join(pairs)
        if not elastic["rdzvHost"].present:
            env["PET_RDZV_ENDPOINT"] = f"{named(worker.name)}:{read_text(elastic['rdzvPort']) or worker.port}"
    return env


def _written_rendezvous(job: Field, listens: int) -> dict[str, Known[str]]:
    """The rendezvous that elasticPolicy names instead of the first worker."""
    elastic = job.down("spec", "elasticPolicy")
    port = read_text(elastic["rdzvPort"]) or str(listens)
    return {"PET_RDZV_ENDPOINT": f"{read_text(elastic['rdzvHost'])}:{port}"}


def _rank(found: PodSet) -> Known[str]:
    """Of master 0; of worker i, i + 1."""
    single = found.replicas == 1 and found.max_replicas is None
    return "0" if found.role == "Master" else "1" if single else PER_POD


def _text(count: Known[int]) -> Known[str]:
    return count if isinstance(count, Undetermined) else str(count)
