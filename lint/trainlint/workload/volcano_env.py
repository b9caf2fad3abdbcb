"""The variables that Volcano's plugins append to every container of a job (W 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import PER_POD, PodSet
from trainlint.workload.expansion import injected, named
from trainlint.workload.flows import total
from trainlint.workload.ground import PodGround
from trainlint.workload.volcano_plugins import Plugins

__all__ = ["with_volcano_env"]

_IN_MAP: Final = Undetermined(Because(PodGround.VOLCANO_CONFIG_MAP))
_MANY: Final = 1024


def with_volcano_env(plugins: Plugins, pod_sets: Sequence[PodSet], name: Known[str]) -> tuple[PodSet, ...]:
    """The pod sets of a job called ``name`` with the plugins' variables."""
    roles = {pods.role: pods for pods in pod_sets}
    of_all = dict(_of_service(pod_sets)) if "svc" in plugins else {}
    found = []
    for pods in pod_sets:
        env: dict[str, Known[str]] = {**of_all, **dict(_of_pod(plugins, pods, roles, name))}
        found.append(replace(pods, spec=injected(pods.spec, env, pods.at)))
    return tuple(found)


def _of_service(pod_sets: Sequence[PodSet]) -> Iterator[tuple[str, Known[str]]]:
    for pods in pod_sets:
        task = pods.role.replace("-", "_").upper()
        yield f"VC_{task}_HOSTS", _IN_MAP
        yield f"VC_{task}_NUM", _IN_MAP


def _of_pod(
    plugins: Plugins, pods: PodSet, roles: Mapping[str, PodSet], name: Known[str]
) -> Iterator[tuple[str, Known[str]]]:
    if "env" in plugins:
        index: Known[str] = "0" if pods.replicas == 1 else PER_POD
        yield from (("VC_TASK_INDEX", index), ("VK_TASK_INDEX", index))
    if "pytorch" in plugins:
        yield from _of_pytorch(plugins, pods, roles, name)
    if "tensorflow" in plugins:
        yield "TF_CONFIG", Undetermined(Because(PodGround.VOLCANO_ADDRESSES))
    if "mpi" in plugins and pods.role == plugins.option("mpi", "master", "master"):
        workers = roles.get(plugins.option("mpi", "worker", "worker"))
        if workers is not None and isinstance(workers.replicas, int) and isinstance(name, str):
            numbers = range(min(workers.replicas, _MANY))
            yield "MPI_HOST", ",".join(f"{name}-{workers.role}-{number}.{name}" for number in numbers)


def _of_pytorch(
    plugins: Plugins, pods: PodSet, roles: Mapping[str, PodSet], name: Known[str]
) -> Iterator[tuple[str, Known[str]]]:
    """Where ranks meet, for the pods of every task; ranks are master and workers, whose number WORLD_SIZE is (W 8).

    Without the task of the master the plugin sets nothing (vc-0063, vc-0265).
    """
    master, worker = (plugins.option("pytorch", role, role) for role in ("master", "worker"))
    if master not in roles or not isinstance(name, str):
        return
    members = [roles[role] for role in (master, worker) if role in roles]
    count = total(each.replicas for each in members)
    size: Known[str] = count if isinstance(count, Undetermined) else str(count)
    yield "MASTER_ADDR", f"{named(f'{name}-{master}-{{}}')}.{name}"
    yield "MASTER_PORT", str(plugins.port("pytorch", 23456))
    yield "WORLD_SIZE", size
    if pods.role in {master, worker}:
        yield "RANK", "0" if pods.role == master else "1" if pods.replicas == 1 else PER_POD
