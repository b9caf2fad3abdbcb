"""Services, and the pods that an address in a manifest leads to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from trainlint.fact import fact, remembered
from trainlint.kube.meta import read_labels, read_meta
from trainlint.kube.values import read_int, read_text
from trainlint.launch.addresses import Address, addresses
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Undetermined
from trainlint.model.workload import PER_POD, ObjectRef, PodSet, Service, ServicePort, Workloads
from trainlint.source.document import Field

__all__ = ["Directory", "ResolvedName", "called_services", "directory_of", "read_ports", "read_service", "target_port"]

_IN_CLUSTER: Final = lazy_pattern(r"^(?P<names>[^.]+(?:\.[^.]+){1,2})\.svc(?:\..+)?$")


def read_service(service: Field, namespace: str) -> Service:
    """A Service object; ``namespace`` is where it lies."""
    meta, spec = read_meta(service), service["spec"]
    return Service(
        ObjectRef("Service", namespace, meta.name),
        read_labels(spec["selector"])
        if spec["selector"].mapping and read_text(spec["type"]) != "ExternalName"
        else None,
        tuple(read_ports(spec["ports"])),
        headless=read_text(spec["clusterIP"]) == "None",
        publish_not_ready=spec["publishNotReadyAddresses"].value is True,
        at=service.at,
    )


def read_ports(ports: Field) -> Iterator[ServicePort]:
    """The ports of a Service that are numbers."""
    for port in ports.elements():
        number = read_int(port["port"])
        if isinstance(number, int) and number > 0:
            protocol = read_text(port["protocol"]) or "TCP"
            yield ServicePort(number, read_text(port["name"]), protocol, _target(port["targetPort"]), port.at)


def _target(field_: Field) -> int | str | None:
    if isinstance(field_.value, int) and not isinstance(field_.value, bool):
        return field_.value
    text = read_text(field_)
    return int(text) if text.isdecimal() and len(text) < 6 else text or None


@fact
class ResolvedName:
    """Where a name leads: the Service behind it, if one is known, and the pod sets, as indices."""

    service: Service | None
    targets: tuple[int, ...]
    pod: bool = False


@dataclass(slots=True)
class Directory:
    """The names of one snapshot: what cluster DNS would answer."""

    pod_sets: Sequence[PodSet]
    services: Mapping[tuple[str, str], Service]
    _by_label: dict[tuple[str, str, str], set[int]] = field(init=False, default_factory=dict)
    _numbered: dict[tuple[str, str], set[int]] = field(init=False, default_factory=dict)
    """The pod sets whose pods have a value of their own each."""

    def __post_init__(self) -> None:
        for index, pod_set in enumerate(self.pod_sets):
            for key, value in pod_set.labels.items():
                if value == PER_POD:
                    self._numbered.setdefault((pod_set.namespace, key), set()).add(index)
                known = value.symbol if isinstance(value, Undetermined) else value
                if known:
                    self._by_label.setdefault((pod_set.namespace, key, known), set()).add(index)

    def selected(self, service: Service) -> tuple[int, ...]:
        """The pod sets with pods behind the Service; numbered labels have some pod for every value."""
        if not service.selector:
            return ()
        namespace = service.ref.namespace
        having = [self._having(namespace, key, value) for key, value in service.selector.items()]
        fewest = min(having, key=lambda each: sum(map(len, each)))
        found = set[int]().union(*fewest)
        return tuple(sorted(index for index in found if all(index in a or index in b for a, b in having)))

    def _having(self, namespace: str, key: str, value: str) -> tuple[set[int], set[int]]:
        """The pod sets with a label, and those whose pods have it with a value of their own each."""
        return self._by_label.get((namespace, key, value), set()), self._numbered.get((namespace, key), set())

    def resolve(self, address: Address, namespace: str) -> ResolvedName | None:
        """What the host leads to, seen from a pod of the namespace; ``None`` where the snapshot does not know it."""
        for labels, where in _readings(address.host, namespace):
            service = self.services.get((where, labels[-1]))
            if service is None:
                continue
            behind = self.selected(service)
            if len(labels) == 1:
                return ResolvedName(service, behind)
            named = tuple(i for i in behind if _has_pod(self.pod_sets[i], labels[0]))
            if named:
                return ResolvedName(service, named, pod=True)
        return None

    def own_pod(self, address: Address, index: int) -> bool:
        """Whether the host is by its first label a pod of this very pod set, whatever Service serves it."""
        first, dot, _ = address.host.partition(".")
        return bool(dot) and _has_pod(self.pod_sets[index], first)


def target_port(service: Service, number: int, pod_set: PodSet) -> int:
    """The port of the pod that a connection to the Service's port ends at: headless Services translate nothing."""
    if service.headless:
        return number
    port = next((port for port in service.ports if port.number == number), None)
    if port is None or port.target is None:
        return number
    return port.target if isinstance(port.target, int) else _container_port(pod_set, port.target, number)


def _container_port(pod_set: PodSet, name: str, default: int) -> int:
    return next(
        (port.number for container in pod_set.spec.containers for port in container.ports if port.name == name), default
    )


def _readings(host: str, namespace: str) -> Iterable[tuple[tuple[str, ...], str]]:
    """The ways in which the search path reads a host: (names under the namespace, namespace)."""
    in_cluster = _IN_CLUSTER.match(host)
    labels = tuple((in_cluster["names"] if in_cluster else host).split("."))
    if len(labels) > 3:
        return
    if len(labels) == 1 or not in_cluster:
        yield labels if len(labels) < 3 else labels[:2], namespace if len(labels) < 3 else labels[2]
    if len(labels) > 1:
        yield labels[:-1], labels[-1]


def _has_pod(pod_set: PodSet, name: str) -> bool:
    if not pod_set.hostname:
        return False
    pattern = re.escape(pod_set.hostname).replace(r"\{\}", r"\d+")
    return re.fullmatch(pattern, name) is not None


@remembered
def called_services(*pod_sets: PodSet) -> tuple[ObjectRef, ...]:
    """The Services that the pods may call by their names, or take their own names from, whether there are any."""
    names: dict[ObjectRef, None] = {}
    for pod_set in pod_sets:
        if pod_set.spec.subdomain:
            names[ObjectRef("Service", pod_set.namespace, pod_set.spec.subdomain)] = None
        for container in (*pod_set.spec.containers, *pod_set.spec.init_containers):
            for address in addresses(container):
                for labels, where in _readings(address.host, pod_set.namespace):
                    names[ObjectRef("Service", where, labels[-1])] = None
    return tuple(names)


def directory_of(workloads: Workloads) -> Directory:
    """The names of a snapshot whose workloads are read."""
    return Directory(workloads.pod_sets, {(each.ref.namespace, each.ref.name): each for each in workloads.services})
