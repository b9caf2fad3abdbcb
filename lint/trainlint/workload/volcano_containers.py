"""What Volcano's plugins change in the containers of a job beside variables: ports, and how Ray is started (W 8)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

from trainlint.model.known import Known
from trainlint.model.pod import ContainerPort, PodSpec
from trainlint.model.workload import PodSet
from trainlint.workload.expansion import named, opened
from trainlint.workload.volcano_plugins import Plugins

__all__ = ["head_ports", "with_volcano_containers"]

_HEAD_PORTS: Final = (
    ("gcs", "port", 6379), ("dashboard", "dashboardPort", 8265), ("client-server", "clientPort", 10001)
)  # fmt: skip


def head_ports(plugins: Plugins) -> tuple[ContainerPort, ...]:
    """The ports of Ray's head, by the arguments of the ray plugin: the store, the dashboard, clients."""
    return tuple(ContainerPort(plugins.port("ray", number, argument), name) for name, argument, number in _HEAD_PORTS)


def with_volcano_containers(plugins: Plugins, pod_sets: Sequence[PodSet], name: Known[str]) -> Iterator[PodSet]:
    """The pod sets of a job called ``name`` with the ports that policies may name, and Ray's own commands."""
    roles = {pods.role for pods in pod_sets}
    for pods in pod_sets:
        spec = _with_ports(plugins, pods.spec, pods.role, roles)
        if "ray" in plugins:
            spec = _with_ray(plugins, spec, pods.role, name)
        yield replace(pods, spec=spec)


def _with_ports(plugins: Plugins, spec: PodSpec, role: str, roles: Collection[str]) -> PodSpec:
    if "pytorch" in plugins and plugins.option("pytorch", "master", "master") in roles:
        spec = opened(spec, (ContainerPort(plugins.port("pytorch", 23456), "pytorchjob-port"),), by_number=True)
    # without the task of the workers the master is left as it is (vc-0078, vc-0092)
    alone = role == plugins.option("mpi", "master", "master") and plugins.option("mpi", "worker", "worker") not in roles
    if "mpi" in plugins and not alone:
        port = ContainerPort(plugins.port("mpi", 22), "mpijob-port")
        spec = opened(spec, (port,), init=True, by_number=True)
    return spec


def _with_ray(plugins: Plugins, spec: PodSpec, role: str, name: Known[str]) -> PodSpec:
    """The head and the workers start Ray, whatever command the container has; its arguments stay (vc-0100)."""
    head, worker = (plugins.option("ray", each, each) for each in ("head", "worker"))
    store, dashboard, clients = (port.number for port in head_ports(plugins))
    if role == head:
        container = plugins.option("ray", "headContainer", "head")
        line = f"ray start --head --block --dashboard-host=0.0.0.0 --port={store} --dashboard-port={dashboard}"
        spec = opened(spec, head_ports(plugins), container)
        return _running(spec, container, f"{line} --ray-client-server-port={clients}")
    if role == worker and isinstance(name, str):
        address = f"{named(f'{name}-{head}-{{}}')}.{name}:{store}"
        return _running(
            spec, plugins.option("ray", "workerContainer", "worker"), f"ray start --block --address={address}"
        )
    return spec


def _running(spec: PodSpec, container: str, line: str) -> PodSpec:
    containers = (
        replace(each, command=("sh", "-c", line)) if each.name == container else each for each in spec.containers
    )
    return replace(spec, containers=tuple(containers))
