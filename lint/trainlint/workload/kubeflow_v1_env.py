"""The variables that the training operator's v1 controllers append to the containers (W 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trainlint.kube.values import read_text
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import PER_POD, PodSet
from trainlint.source.document import Field
from trainlint.workload.expansion import injected, named
from trainlint.workload.flows import total

__all__ = ["with_v1_env"]


def with_v1_env(job: Field, kind: str, pod_sets: Sequence[PodSet], ports: Sequence[int]) -> tuple[PodSet, ...]:
    """The pod sets with the operator's variables; ``ports`` are the roles' ports, in the same order."""
    count = total(found.replicas for found in pod_sets)
    by_role = {found.role: (found, port) for found, port in zip(pod_sets, ports, strict=True)}
    result = []
    for found in pod_sets:
        env: dict[str, Known[str]] = {}
        if kind == "PyTorchJob":
            env = _pytorch(job, found.role, by_role, count)
        elif kind in {"XGBoostJob", "PaddleJob"} and "Master" in by_role:
            master, port = by_role["Master"]
            host = named(master.hostname)
            env = (
                {"MASTER_ADDR": host, "MASTER_PORT": str(port), "WORLD_SIZE": _text(count), "RANK": _rank(found)}
                if kind == "XGBoostJob"
                else {"PADDLE_MASTER": f"{host}:{port}", "PADDLE_NNODES": _text(count)}
            )
        elif kind == "JAXJob" and "Worker" in by_role:
            worker, port = by_role["Worker"]
            env = {
                "COORDINATOR_ADDRESS": named(worker.hostname),
                "COORDINATOR_PORT": str(port),
                "NUM_PROCESSES": _text(count),
                "PROCESS_ID": PER_POD,
            }
        only = "tensorflow" if kind == "TFJob" else ""
        if kind == "TFJob" and count != 1:
            env = {"TF_CONFIG": Undetermined("the operator writes the addresses of all pods")}
        spec = injected(found.spec, env, found.at, only)
        if kind == "PyTorchJob" and job.down("spec", "elasticPolicy", "rdzvHost").present:
            spec = injected(spec, _written_rendezvous(job, ports), job.down("spec", "elasticPolicy").at, by_user=True)
        result.append(replace(found, spec=spec))
    return tuple(result)


def _pytorch(job: Field, role: str, by_role: dict[str, tuple[PodSet, int]], count: Known[int]) -> dict[str, Known[str]]:
    spec = job["spec"]
    processes = read_text(spec["nprocPerNode"]) or "auto"
    env: dict[str, Known[str]] = {"PYTHONUNBUFFERED": "1", "PET_NPROC_PER_NODE": processes}
    elastic = spec["elasticPolicy"]
    if "Master" in by_role:
        master, port = by_role["Master"]
        host, rank = named(master.hostname), _rank(by_role[role][0])
        each = int(processes) if processes.isdecimal() else 1
        world: Known[str] = count if isinstance(count, Undetermined) else str(count * each)
        env |= {"MASTER_ADDR": host, "MASTER_PORT": str(port), "PET_MASTER_ADDR": host, "PET_MASTER_PORT": str(port)}
        env |= {"WORLD_SIZE": world, "RANK": rank, "PET_NODE_RANK": rank}
    if elastic.mapping is None:
        env["PET_NNODES"] = _text(count)
    elif "Worker" in by_role:
        worker, port = by_role["Worker"]
        host = named(worker.hostname)
        least, most = read_text(elastic["minReplicas"]), read_text(elastic["maxReplicas"])
        env |= {
            "PET_RDZV_BACKEND": read_text(elastic["rdzvBackend"]) or "c10d",
            "PET_NNODES": f"{least}:{most}" if least and most else _text(worker.replicas),
        }
        if not elastic["rdzvHost"].present:
            env["PET_RDZV_ENDPOINT"] = f"{host}:{read_text(elastic['rdzvPort']) or port}"
    return env


def _written_rendezvous(job: Field, ports: Sequence[int]) -> dict[str, Known[str]]:
    """The rendezvous that elasticPolicy names instead of the first worker."""
    elastic = job.down("spec", "elasticPolicy")
    port = read_text(elastic["rdzvPort"]) or str(ports[0])
    return {"PET_RDZV_ENDPOINT": f"{read_text(elastic['rdzvHost'])}:{port}"}


def _rank(found: PodSet) -> Known[str]:
    """Of master 0; of worker i, i + 1."""
    return "0" if found.role == "Master" else "1" if found.replicas == 1 else PER_POD


def _text(count: Known[int]) -> Known[str]:
    return count if isinstance(count, Undetermined) else str(count)
