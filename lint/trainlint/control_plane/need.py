"""A connection that the control plane of workloads needs, and the pods and names that such connections lead to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cached_property
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.launch.addresses import Address
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.known import Undetermined
from trainlint.model.workload import ObjectRef, PodSet, Service, Workload
from trainlint.policy import Endpoint, endpoint
from trainlint.snapshot.build import Snapshot
from trainlint.workload.kinds import is_training
from trainlint.workload.services import Directory, target_port

__all__ = ["Names", "Need", "Purpose"]

SOMEWHERE: Final = Undetermined(Because(ValueGround.LANDING_ZONE))


class Purpose(Enum):
    """What a connection of the control plane is for."""

    WEBHOOK = auto()
    JOB_STATE = auto()
    APPLICATION_STATE = auto()
    SERVE_PROBE = auto()
    RAY_STORE = auto()
    SUBMISSION = auto()
    AUTOSCALER = auto()
    REMOTE_SHELL = auto()
    URL = auto()
    ENGINE = auto()


@fact
class Need:
    """A TCP connection from any of ``sources`` to the pods of ``target``; it is denied only if all of them are.

    Where ``target`` is ``None`` it leads to any of ``ends``, which ``called`` names. Port 0 is any port: the connection
    is denied only where all are.

    ``source`` names who opens it, ``caller`` are its pods where they are in Git. ``named`` is what asks for it, where
    something does: a webhook, a variable or field (empty: a command), with the ``value`` there. ``owners`` are the
    objects that it is for; ``fatal`` says that their pods are never made, or do nothing, without it.
    """

    source: str
    sources: tuple[Endpoint, ...]
    target: PodSet | None
    port: int
    purpose: Purpose
    at: Location
    owners: tuple[ObjectRef, ...]
    caller: PodSet | None = None
    assumes: Because | None = None
    fatal: bool = False
    named: str = ""
    value: str = ""
    called: str = ""
    ends: tuple[Endpoint, ...] = ()

    @property
    def target_name(self) -> str:
        """Who is called."""
        return self.called if self.target is None else f"{self.target.namespace}/{self.target.name}"

    @property
    def port_text(self) -> str:
        """The port, as it stands in sentences."""
        return f"TCP port {self.port}" if self.port else "any TCP port"


class Names:
    """The pods of a snapshot, those of DaemonSets too, and what their Services and addresses lead to."""

    def __init__(self, snapshot: Snapshot, daemons: Sequence[PodSet]) -> None:
        self.snapshot = snapshot
        workloads = snapshot.workloads
        self.pod_sets: Sequence[PodSet] = (*workloads.pod_sets, *daemons)
        self.workloads: Sequence[Workload] = workloads.objects
        self._services: Mapping[tuple[str, str], Service] = {
            (each.ref.namespace, each.ref.name): each for each in workloads.services
        }
        self._directory = Directory(self.pod_sets, self._services)

    def end(self, pod_set: PodSet) -> Endpoint:
        """What policies see of the pods, wherever they land."""
        snapshot = self.snapshot
        return endpoint(pod_set, snapshot.settings, snapshot.namespaces, zone=SOMEWHERE, region=SOMEWHERE)

    def behind(self, namespace: str, name: str, port: int) -> Iterator[tuple[PodSet, int]]:
        """The pods behind a Service, each with the port on which they listen for the Service's."""
        service = self._services.get((namespace, name))
        if service is not None:
            for index in self._directory.selected(service):
                yield self.pod_sets[index], target_port(service, port, self.pod_sets[index])

    def service(self, namespace: str, name: str) -> Service | None:
        """The Service of this name; ``None`` where it is not in Git."""
        return self._services.get((namespace, name))

    def selected(self, service: Service) -> list[PodSet]:
        """The pods that a Service selects."""
        return [self.pod_sets[index] for index in self._directory.selected(service)]

    def at_address(self, address: Address, namespace: str) -> Iterator[tuple[PodSet, int]]:
        """The pods that an address leads to from a namespace, and their port; nothing where no port is known."""
        found = self._directory.resolve(address, namespace)
        if found is None:
            return
        number, service = address.port, found.service
        if number is None and service is not None and len(service.ports) == 1:
            number = service.ports[0].number
        for index in found.targets if number is not None else ():
            pods = self.pod_sets[index]
            if number is not None:
                yield pods, number if service is None or found.pod else target_port(service, number, pods)

    def running(self, images: Iterable[str]) -> Iterator[PodSet]:
        """The pods of which a container runs an image with one of these parts in its name."""
        parts = tuple(images)
        for pods in self.pod_sets:
            if pods.replicas != 0 and any(part in each.image for each in pods.spec.containers for part in parts):
                yield pods

    def training(self, workload: Workload) -> bool:
        """Whether the object is one of training: of a training kind, or a member of a group."""
        kind = workload.owner.kind.partition(".")[0]
        return is_training(workload.api_version, kind) or workload.owner in self._grouped

    @cached_property
    def _grouped(self) -> frozenset[ObjectRef]:
        return frozenset(each.owner for group in self.snapshot.workloads.groups for each in group.members)
