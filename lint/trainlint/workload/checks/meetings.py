"""Ranks that look for each other at different places (W 15.F1, 15.F2; W 17.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from trainlint.finding import Certainty, Location
from trainlint.launch.addresses import Address
from trainlint.launch.command import Command, commands
from trainlint.launch.environment import environment, hidden_carriers
from trainlint.launch.nodes import torch_launch, torch_setting
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet
from trainlint.workload.checks.fault import Fault
from trainlint.workload.flows import maybe_many
from trainlint.workload.meeting import ENDPOINT, LOCAL, Meeting, meeting_of
from trainlint.workload.services import Directory, target_port

__all__ = ["lonely_ranks", "meeting_faults", "meetings_apart", "service_ports", "strangers"]


def meeting_faults(
    communicator: Sequence[PodSet], directory: Directory, misnamed: AbstractSet[str | int]
) -> Iterator[Fault]:
    """The first thing that keeps the ranks of a communicator from meeting, apart from hosts that DNS does not know."""
    if any((meeting := meeting_of(pods)) is not None and meeting.host in misnamed for pods in communicator):
        return
    for judge in (meetings_apart, service_ports, strangers):
        for fault in judge(communicator, directory):
            yield fault
            return
    yield from lonely_ranks(communicator)


def meetings_apart(communicator: Sequence[PodSet], directory: Directory) -> Iterator[Fault]:
    """Ranks of one communicator that are told another port, or another job, at the same place."""
    places: dict[int, Meeting] = {}
    found = [meeting for pods in communicator if (meeting := meeting_of(pods)) is not None]
    for meeting in found:
        target = _target(meeting, directory)
        if target is None or meeting.local:
            continue
        local = next((each for each in found if each.local and each.pods is target), None)
        first = places.setdefault(id(target), local or meeting)
        if first.port != meeting.port:
            yield _apart(first, meeting)
            return
        if first.job and meeting.job and first.job != meeting.job:
            yield Fault(
                f"{meeting.pods.name} looks for the job {meeting.job!r} at {meeting.host}:{meeting.port}, and "
                f"{first.pods.name} for {first.job!r}: they never meet",
                meeting.host_at,
                "give all roles the same --rdzv-id",
                (("looks for another job", first.host_at),),
                {"first": first.job, "second": meeting.job},
                "job",
            )
            return


def _apart(first: Meeting, second: Meeting) -> Fault:
    return Fault(
        f"{first.pods.name} meets the others on port {first.port} and {second.pods.name} on port {second.port} of "
        f"{second.host}: rank 0 listens where the others do not look for it",
        second.port_at,
        "use one port in all roles",
        ((f"uses port {first.port}", first.port_at),),
        {"first": first.port, "second": second.port},
        "port",
    )


def _target(meeting: Meeting, directory: Directory) -> PodSet | None:
    """The pod set behind the host, where it is one."""
    if meeting.local:
        return meeting.pods
    address = Address(meeting.host, meeting.port, meeting.host_at, meeting.host)
    resolution = directory.resolve(address, meeting.pods.namespace)
    if resolution is not None and len(resolution.targets) == 1:
        return directory.pod_sets[resolution.targets[0]]
    own = next((index for index, pods in enumerate(directory.pod_sets) if pods is meeting.pods), None)
    return meeting.pods if own is not None and directory.own_pod(address, own) else None


def strangers(communicator: Sequence[PodSet], directory: Directory) -> Iterator[Fault]:
    """A command that names a host that does not exist, over the address that the operator gives it."""
    for pods in communicator:
        meeting = meeting_of(pods)
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
        yield Fault(
            f"{pods.name} meets at {meeting.host}, which no pod or Service has as its name; the operator offers "
            f"{', '.join(sorted(offered))}",
            meeting.host_at,
            "leave the address to the operator: use $(MASTER_ADDR), or no --master-addr",
            evidence={"told": meeting.host, "offered": ", ".join(sorted(offered))},
            cause="stranger",
            certainty=Certainty.LIKELY,
        )
        return


def lonely_ranks(communicator: Sequence[PodSet]) -> Iterator[Fault]:
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
                    yield Fault(
                        f"torchrun in {pods.name} waits for {launch.nodes[0]} nodes and is told no place to meet but "
                        "the pod itself: every pod waits alone",
                        at,
                        "name the first pod: --master-addr, or --rdzv-backend=c10d with --rdzv-endpoint",
                        (("how many nodes it waits for", launch.nodes_at),),
                        {"nodes": launch.nodes[0]},
                        "alone",
                    )
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


def service_ports(communicator: Sequence[PodSet], directory: Directory) -> Iterator[Fault]:
    """A meeting by a Service with a cluster IP that has not this port, or leads to another one than rank 0's."""
    for pods in communicator:
        meeting = meeting_of(pods)
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
            yield Fault(
                f"{pods.name} meets at {meeting.host}:{meeting.port}, and the Service {service.ref.name} has no port "
                f"{meeting.port} (it has {', '.join(map(str, sorted(listed)))})",
                meeting.port_at,
                "add the port to the Service, or make it headless (clusterIP: None)",
                (("the Service", service.at),) if service.at else (),
                {"port": meeting.port, "service": service.ref.name},
                "service",
            )
            return
        if target is not None and meeting_of(target) is None and not any(target is each for each in communicator):
            continue  # a store of its own (etcd, Redis): no rank listens there
        if target is not None and (ends := target_port(service, meeting.port, target)) != meeting.port:
            own = meeting_of(target)
            listens = own.port if own is not None else meeting.port
            if ends != listens:
                yield Fault(
                    f"{pods.name} meets at {meeting.host}:{meeting.port}, which the Service {service.ref.name} leads "
                    f"to port {ends} of {target.name}, where rank 0 listens on {listens}",
                    meeting.port_at,
                    f"set targetPort to {listens}",
                    (("the Service", service.at),) if service.at else (),
                    {"port": meeting.port, "targetPort": ends},
                    "service",
                )
                return
