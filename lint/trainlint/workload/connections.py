"""The connections that pods open by name, from their command lines and environment to the pods behind the names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.fact import fact
from trainlint.launch.addresses import Address, addresses
from trainlint.model.workload import Flow, FlowKind, PodSet, PortRange
from trainlint.workload.flows import dns, maybe_many
from trainlint.workload.services import Directory, ResolvedName, target_port

__all__ = ["Connection", "connections_of"]


@fact
class Connection:
    """A pod set uses another one (indices into those of the snapshot) by an address, with the flows that this needs.

    ``flows`` is empty where the port is not known. ``rendezvous`` says that ranks meet there.
    """

    source: int
    target: int
    address: Address
    flows: tuple[Flow, ...] = ()
    rendezvous: bool = False


def connections_of(
    directory: Directory, pod_sets: Sequence[PodSet]
) -> tuple[tuple[Connection, ...], tuple[tuple[int, Address], ...]]:
    """Every connection of every pod set, of init containers too, also those within one pod set.

    Beside them the places where ranks meet by a name that nothing in the snapshot has.
    """
    found: list[Connection] = []
    lost: list[tuple[int, Address]] = []
    for index, pod_set in enumerate(pod_sets):
        if pod_set.replicas == 0:
            continue
        for container in (*pod_set.spec.containers, *pod_set.spec.init_containers):
            for address in addresses(container):
                resolution = _resolution(directory, index, address)
                if resolution is not None:
                    found.extend(_connections(directory, index, address, resolution))
                elif address.rendezvous and "$" not in address.text:
                    lost.append((index, address))
    return tuple(found), tuple(lost)


def _resolution(directory: Directory, index: int, address: Address) -> ResolvedName | None:
    resolution = directory.resolve(address, directory.pod_sets[index].namespace)
    if resolution is None and directory.own_pod(address, index):
        return ResolvedName(None, (index,), pod=True)
    return resolution


def _connections(directory: Directory, index: int, address: Address, resolution: ResolvedName) -> Iterator[Connection]:
    pod_set = directory.pod_sets[index]
    for target in resolution.targets:
        if target == index and not maybe_many(pod_set):
            continue
        yield Connection(
            index, target, address, tuple(_flows(directory, index, target, address, resolution)), address.rendezvous
        )


def _flows(directory: Directory, index: int, target: int, address: Address, resolution: ResolvedName) -> Iterator[Flow]:
    service = resolution.service
    number = address.port
    if number is None and service is not None and len(service.ports) == 1:
        number = service.ports[0].number
    carrier = f"{address.carrier} is {address.text}" if address.carrier else f"the command names {address.text}"
    if number is not None:
        port = target_port(service, number, directory.pod_sets[target]) if service and not resolution.pod else number
        protocol = next((p.protocol for p in service.ports if p.number == number), "TCP") if service else "TCP"
        kind = FlowKind.RENDEZVOUS if address.rendezvous else FlowKind.CALL
        yield Flow(index, target, protocol, PortRange(port, port), kind, carrier, address.at)
    yield from dns(index, carrier, address.at)
