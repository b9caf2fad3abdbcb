"""The rendezvous of the ranks of a pod set (W 15.F1, 15.F2, 15.F8, 15.F9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.fact import fact, remembered
from trainlint.finding import Location
from trainlint.launch.addresses import addresses
from trainlint.launch.command import Command, commands
from trainlint.launch.environment import Variable, environment, expand
from trainlint.launch.nodes import torch_launch, torch_setting
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet

__all__ = ["ENDPOINT", "LOCAL", "Rendezvous", "rendezvous_of"]

LOCAL: Final = lazy_pattern(r"^(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1|\[::1\])$")
ENDPOINT: Final = lazy_pattern(r"^(?:tcp://)?(?P<host>\[[^\]]*\]|[^:/\s]+)(?::(?P<port>\d{1,5}))?$")


@fact
class Rendezvous:
    """Where the ranks of a pod set meet: host, port, the identity of the job there; where host and port are written."""

    pods: PodSet
    host: str
    port: int
    host_at: Location
    port_at: Location
    job: str = ""

    @property
    def local(self) -> bool:
        """Whether each pod looks for the others in itself."""
        return LOCAL.match(self.host) is not None


@remembered
def rendezvous_of(pods: PodSet) -> Rendezvous | None:
    """Where torchrun in the pods is told to meet; ``None`` where it is not told, or that is unknown."""
    for container in pods.spec.containers:
        variables = environment(container)
        for command in commands(container):
            launch = torch_launch(container, command)
            if launch is not None and not launch.standalone:
                return _of_torch(pods, container, command, variables)
    return _of_script(pods)


def _of_script(pods: PodSet) -> Rendezvous | None:
    """Programs that torchrun does not start read MASTER_ADDR and MASTER_PORT."""
    for container in pods.spec.containers:
        variables = environment(container)
        address, port = variables.get("MASTER_ADDR"), variables.get("MASTER_PORT")
        if address is None or port is None:
            continue
        host, number = address.value, port.value
        if isinstance(host, str) and isinstance(number, str) and number.isdecimal() and "$" not in host:
            return Rendezvous(pods, host.lower(), int(number), address.at, port.at)
    return _of_ray(pods) or _of_addresses(pods)


def _of_ray(pods: PodSet) -> Rendezvous | None:
    """Where ``ray start --head`` listens; the others name it by ``--address``."""
    for container in pods.spec.containers:
        for command in commands(container):
            if command.program != "ray" or "start" not in [word.text for word in command.words[1:3]]:
                continue
            if command.option("head") is not None:
                port = command.option("port")
                text = expand(port.value or "", environment(container)) if port is not None else "6379"
                at = port.at if port is not None else command.words[0].at
                return Rendezvous(pods, "localhost", int(text), at, at) if text.isdecimal() and len(text) < 6 else None
    return None


def _of_addresses(pods: PodSet) -> Rendezvous | None:
    """The one place that options and variables of other frameworks name (JAX's coordinator, Ray's head)."""
    found = {
        (address.host, address.port): address
        for container in pods.spec.containers
        for address in addresses(container)
        if address.rendezvous and address.port is not None and "$" not in address.text
    }
    if len(found) != 1:
        return None
    address = next(iter(found.values()))
    return Rendezvous(pods, address.host, address.port or 0, address.at, address.at)


def _of_torch(
    pods: PodSet, container: Container, command: Command, variables: Mapping[str, Variable]
) -> Rendezvous | None:
    """torchrun takes rdzv-endpoint; without it master-addr and master-port, which go with the static backend."""
    at = command.words[0].at if command.words else container.at or pods.template
    endpoint = torch_setting(command, variables, "rdzv-endpoint")
    job = torch_setting(command, variables, "rdzv-id")
    identity = (job.text or "") if job else ""
    if endpoint is not None and endpoint.text != "":
        match = ENDPOINT.match(endpoint.text or "")
        if match is None:
            return None
        backend = torch_setting(command, variables, "rdzv-backend")
        default = 29400 if backend is not None and backend.text == "c10d" else 29500
        return Rendezvous(
            pods, match["host"].lower(), int(match["port"] or default), endpoint.at, endpoint.at, identity
        )
    address, port = (torch_setting(command, variables, name) for name in ("master-addr", "master-port"))
    if address is None or address.text is None or (port is not None and not (port.text or "").isdecimal()):
        return None
    number = int(port.text or "0") if port is not None else 29500
    return Rendezvous(pods, address.text.lower(), number, address.at, port.at if port is not None else at)
