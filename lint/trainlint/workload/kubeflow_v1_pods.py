"""What the training operator's v1 controllers add to pods beside variables (W 2): ports, init containers, accounts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from trainlint.finding import Location
from trainlint.model.pod import Container, ContainerPort, PodSpec
from trainlint.workload.expansion import opened, with_account

__all__ = ["as_mpi_launcher", "as_rank", "as_waiting_worker"]

_OF_DELIVERY: Final = {"cpu": "100m", "memory": "512Mi", "ephemeral-storage": "5Gi"}
_OF_WAITING: Final = ({"cpu": "50m", "memory": "10Mi"}, {"cpu": "100m", "memory": "20Mi"})


def as_rank(spec: PodSpec, container: str, port: ContainerPort) -> PodSpec:
    """The pod spec with the port where the kind's processes meet, in the container that the kind looks for."""
    return opened(spec, (port,), container)


def as_waiting_worker(spec: PodSpec, at: Location) -> PodSpec:
    """A worker of a PyTorchJob with a master: it does not start before the master's name resolves."""
    return _after(spec, "init-pytorch", at, *_OF_WAITING)


def as_mpi_launcher(spec: PodSpec, at: Location, account: str) -> PodSpec:
    """The launcher of an MPIJob: it gets kubectl first, and an account that may run commands in the workers."""
    return with_account(_after(spec, "kubectl-delivery", at, _OF_DELIVERY, _OF_DELIVERY), account)


def _after(spec: PodSpec, name: str, at: Location, requests: Mapping[str, str], limits: Mapping[str, str]) -> PodSpec:
    """The spec with an init container that the operator adds; what it asks for counts."""
    made = Container(name, requests=dict(requests), limits=dict(limits), made=True, at=at)
    return replace(spec, init_containers=(*spec.init_containers, made))
