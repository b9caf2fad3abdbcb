"""Parameter servers and their workers, as far as the pods themselves say it (W 15.F7; TensorFlow and Paddle)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trainlint.launch.command import commands
from trainlint.launch.environment import Variable, environment
from trainlint.model.pod import Container
from trainlint.model.workload import Flow, FlowKind, PodSet, PortRange
from trainlint.workload.flows import dns, tensorflow_flows

__all__ = ["parameter_flows"]

_PLACES = ("ps-hosts", "worker-hosts")


def parameter_flows(pod_sets: Sequence[PodSet]) -> tuple[Flow, ...]:
    """The flows among pods that are told who serves parameters; none where a port or a role is not written."""
    return tuple(_tensorflow(pod_sets)) or tuple(_paddle(pod_sets))


def _tensorflow(pod_sets: Sequence[PodSet]) -> Iterator[Flow]:
    """Every process calls every other one, on the port that its container declares (W 15.F7)."""
    members = {index: port for index, found in enumerate(pod_sets) for port in _told(found)}
    if len(set(members.values())) != 1:
        return
    port = next(iter(members.values()))
    why = "the processes of the TensorFlow cluster call each other by gRPC"
    servers = {index for index in members if pod_sets[index].role.lower() in {"ps", "parameter-server"}}
    yield from tensorflow_flows(pod_sets, members, servers, PortRange(port, port), why)
    for index in members:
        yield from dns(index, why, pod_sets[index].at)


def _told(found: PodSet) -> Iterator[int]:
    """The declared ports of containers that are told the hosts of a TensorFlow cluster."""
    for container in found.spec.containers:
        told = any(command.option(*_PLACES) for command in commands(container)) or "TF_CONFIG" in environment(container)
        if told and len(container.ports) == 1:
            yield container.ports[0].number


def _paddle(pod_sets: Sequence[PodSet]) -> Iterator[Flow]:
    """Trainers connect to the servers at PADDLE_PORT; the pods find each other at the API server."""
    roles = [_role(container) for found in pod_sets for container in found.spec.containers[:1]]
    if len(roles) != len(pod_sets):
        return
    for source, (role, _) in enumerate(roles):
        for target, (serving, port) in enumerate(roles):
            if role == "TRAINER" and serving == "PSERVER" and port:
                why = f"trainers exchange parameters with the servers at PADDLE_PORT ({port})"
                kind = FlowKind.COLLECTIVE
                yield Flow(source, target, "TCP", PortRange(port, port), kind, why, pod_sets[source].at)


def _role(container: Container) -> tuple[str, int]:
    variables = environment(container)
    role = _text(variables, "PADDLE_TRAINING_ROLE") or _text(variables, "TRAINING_ROLE")
    port = _text(variables, "PADDLE_PORT")
    return role, int(port) if port.isdecimal() and 0 < int(port) < 65536 else 0


def _text(variables: Mapping[str, Variable], name: str) -> str:
    value = variables[name].value if name in variables else ""
    return value if isinstance(value, str) else ""
