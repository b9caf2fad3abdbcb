"""Ranks that look for each other at different places (W 15.F1, 15.F2; W 17.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from trainlint.fact import fact
from trainlint.finding import Certainty, Location
from trainlint.launch.addresses import Address
from trainlint.launch.command import Command, commands
from trainlint.launch.environment import environment, hidden_carriers
from trainlint.launch.nodes import torch_launch, torch_setting
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet
from trainlint.workload.checks.contract_fault import ContractFault
from trainlint.workload.flows import maybe_many
from trainlint.workload.rendezvous import ENDPOINT, LOCAL, Rendezvous, rendezvous_of
from trainlint.workload.services import Directory, target_port

__all__ = [
    "MeetingFault",
    "MissingServicePort",
    "OtherJob",
    "OtherPort",
    "OtherTargetPort",
    "UnknownHost",
    "WaitingAlone",
    "different_meetings",
    "meeting_faults",
    "service_ports",
    "unknown_hosts",
    "waiting_alone",
]


@fact
class OtherPort(ContractFault):
    """Two roles of one communicator are told different ports of one host; ``at`` is the second one's."""

    first: str
    first_port: int
    second: str
    second_port: int
    host: str
    first_at: Location


@fact
class OtherJob(ContractFault):
    """Two roles of one communicator are told different jobs at one place."""

    first: str
    first_job: str
    second: str
    second_job: str
    host: str
    port: int
    first_at: Location


@fact
class UnknownHost(ContractFault):
    """A command names a host that no pod or Service has as its name; the operator offers others."""

    pods: str
    host: str
    offered: tuple[str, ...]


@fact
class WaitingAlone(ContractFault):
    """torchrun waits for several nodes, and is told no place to meet but its own pod."""

    pods: str
    nodes: int
    nodes_at: Location


@fact
class MissingServicePort(ContractFault):
    """Ranks meet by a Service that does not list their port."""

    pods: str
    host: str
    port: int
    service: str
    listed: tuple[int, ...]
    service_at: Location | None


@fact
class OtherTargetPort(ContractFault):
    """Ranks meet by a Service that leads to port ``leads_to`` of ``target``, where rank 0 listens on another one."""

    pods: str
    host: str
    port: int
    service: str
    leads_to: int
    target: str
    listens: int
    service_at: Location | None


MeetingFault = OtherPort | OtherJob | UnknownHost | WaitingAlone | MissingServicePort | OtherTargetPort


def meeting_faults(
    communicator: Sequence[PodSet], directory: Directory, misnamed: AbstractSet[str]
) -> Iterator[MeetingFault]:
    """The first thing that keeps the ranks of a communicator from meeting, apart from hosts that DNS does not know."""
    if any((meeting := rendezvous_of(pods)) is not None and meeting.host in misnamed for pods in communicator):
        return
    for judge in (different_meetings, service_ports, unknown_hosts):
        for fault in judge(communicator, directory):
            yield fault
            return
    yield from waiting_alone(communicator)


def different_meetings(communicator: Sequence[PodSet], directory: Directory) -> Iterator[MeetingFault]:
    """Ranks of one communicator that are told another port, or another job, at the same place."""
    places: dict[int, Rendezvous] = {}
    found = [meeting for pods in communicator if (meeting := rendezvous_of(pods)) is not None]
    for meeting in found:
        target = _target(meeting, directory)
        if target is None or meeting.local:
            continue
        local = next((each for each in found if each.local and each.pods is target), None)
        first = places.setdefault(id(target), local or meeting)
        if first.port != meeting.port:
            yield OtherPort(
                meeting.port_at,
                first.pods.name,
                first.port,
                meeting.pods.name,
                meeting.port,
                meeting.host,
                first.port_at,
            )
            return
        if first.job and meeting.job and first.job != meeting.job:
            yield OtherJob(
                meeting.host_at,
                first.pods.name,
                first.job,
                meeting.pods.name,
                meeting.job,
                meeting.host,
                meeting.port,
                first.host_at,
            )
            return


def _target(meeting: Rendezvous, directory: Directory) -> PodSet | None:
    """The pod set behind the host, where it is one."""
    if meeting.local:
        return meeting.pods
    address = Address(meeting.host, meeting.port, meeting.host_at, meeting.host)
    resolution = directory.resolve(address, meeting.pods.namespace)
    if resolution is not None and len(resolution.targets) == 1:
        return directory.pod_sets[resolution.targets[0]]
    own = next((index for index, pods in enumerate(directory.pod_sets) if pods is meeting.pods), None)
    return meeting.pods if own is not None and directory.own_pod(address, own) else None


def unknown_hosts(communicator: Sequence[PodSet], directory: Directory) -> Iterator[MeetingFault]:
    """A command that names a host that does not exist, over the address that the operator gives it."""
    for pods in communicator:
        meeting = rendezvous_of(pods)
        offered = {
            entry.value.lower()
            for container in pods.spec.containers
            for entry in container.env
            if entry.injected and entry.name in {"PET_MASTER_ADDR", "MASTER_ADDR"} and isinstance(entry.value, str)
        }
        if meeting is None or not offered or meeting.local or "." in meeting.host or meeting.host in offered:
            continue
        if not re.search(r"-(master|worker)-\d+$", meeting.host) or _target(meeting, directory) is not None:
            continue
        found = tuple(sorted(offered))
        yield UnknownHost(meeting.host_at, pods.name, meeting.host, found, certainty=Certainty.LIKELY)
        return


def waiting_alone(communicator: Sequence[PodSet]) -> Iterator[MeetingFault]:
    """torchrun for several nodes that is told no place, or itself: every pod waits for the others in itself."""
    for pods in communicator:
        if not maybe_many(pods):
            continue
        for container in pods.spec.containers:
            if hidden_carriers(container):
                continue
            for command in commands(container):
                launch = torch_launch(container, command)
                if launch is None or launch.standalone or launch.nodes is None or launch.nodes[0] < 2:
                    continue
                if command.program == "hyperpodrun":  # its operator tells it where to meet (W 13)
                    continue
                at = _told_itself(container, command)
                if at is not None and launch.nodes_at is not None:
                    yield WaitingAlone(at, pods.name, launch.nodes[0], launch.nodes_at)
                    return


def _told_itself(container: Container, command: Command) -> Location | None:
    """The place that names the pod itself, or the command where nothing names a place; ``None`` where something may."""
    variables = environment(container)
    endpoint = torch_setting(command, variables, "rdzv-endpoint")
    address = (
        endpoint if endpoint is not None and endpoint.text != "" else torch_setting(command, variables, "master-addr")
    )
    if address is None:
        unread = any("$" in word.text and "NODE_RANK" not in word.text.upper() for word in command.words)
        return None if unread or not command.words else command.words[0].at
    host = ENDPOINT.match(address.text or "")
    return address.at if host is not None and LOCAL.match(host["host"]) else None


def service_ports(communicator: Sequence[PodSet], directory: Directory) -> Iterator[MeetingFault]:
    """A meeting by a Service with a cluster IP that has not this port, or leads to another one than rank 0's."""
    for pods in communicator:
        meeting = rendezvous_of(pods)
        if meeting is None or meeting.local:
            continue
        address = Address(meeting.host, meeting.port, meeting.host_at, meeting.host)
        resolution = directory.resolve(address, pods.namespace)
        service = resolution.service if resolution is not None else None
        if resolution is None or service is None or resolution.pod or service.headless or service.generated:
            continue
        listed = {port.number for port in service.ports}
        target = directory.pod_sets[resolution.targets[0]] if len(resolution.targets) == 1 else None
        if listed and meeting.port not in listed:
            ports = tuple(sorted(listed))
            yield MissingServicePort(
                meeting.port_at, pods.name, meeting.host, meeting.port, service.ref.name, ports, service.at
            )
            return
        if target is not None and rendezvous_of(target) is None and not any(target is each for each in communicator):
            continue  # a store of its own (etcd, Redis): no rank listens there
        if target is not None and (ends := target_port(service, meeting.port, target)) != meeting.port:
            own = rendezvous_of(target)
            listens = own.port if own is not None else meeting.port
            if ends != listens:
                yield OtherTargetPort(
                    meeting.port_at,
                    pods.name,
                    meeting.host,
                    meeting.port,
                    service.ref.name,
                    ends,
                    target.name,
                    listens,
                    service.at,
                )
                return
