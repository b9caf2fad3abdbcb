"""Ranks that mpirun starts, against the slots and accelerators of the workers (W 3, mpi-operator)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Location, Severity
from trainlint.kube.values import read_int, read_text
from trainlint.launch.command import Command, commands
from trainlint.launch.environment import MPI_PROGRAMS, environment
from trainlint.launch.mpi import MpiLaunch, mpi_launch
from trainlint.model.known import Undetermined
from trainlint.model.workload import PodSet, Workload
from trainlint.workload.accelerators import accelerator_count
from trainlint.workload.checks.fault import Fault
from trainlint.workload.flows import total
from trainlint.workload.kinds import kind_of

__all__ = ["slot_counts"]

_MORE_ALLOWED: Final = ("OMPI_MCA_rmaps_base_oversubscribe", "PRTE_MCA_rmaps_default_mapping_policy")


@fact
class _Hosts:
    """The hosts of a job: how many, the slots and accelerators of each, and where the slots are written."""

    name: str
    number: int
    slots: int
    devices: int
    slots_at: Location
    written: bool
    refuses: bool

    @property
    def said(self) -> str:
        """The slots of each host in words."""
        return f"{self.slots} slots" if self.written else "1 slot (slotsPerWorker is not written)"


def slot_counts(workload: Workload) -> Iterator[Fault]:
    """More ranks than slots, which Open MPI refuses, or than accelerators, which NCCL does."""
    roles = {pods.role: pods for pods in workload.pod_sets}
    launcher, worker = roles.get("Launcher"), roles.get("Worker")
    spec = workload.field["spec"]
    kind = kind_of(workload)
    if kind is None or not kind.launcher or launcher is None or worker is None or not launcher.spec.containers:
        return
    slots = read_int(spec["slotsPerWorker"], 1)
    workers = worker.replicas
    if isinstance(slots, Undetermined) or isinstance(workers, Undetermined) or workers == 0:
        return
    lines = [line for line in commands(launcher.spec.containers[0]) if line.program in MPI_PROGRAMS]
    if len(lines) != 1:
        return
    launch = mpi_launch(launcher.spec.containers[0], lines[0])
    if not launch.known or launch.own_hosts:
        return
    devices = total(accelerator_count(container) for container in worker.spec.containers)
    open_mpi = read_text(spec["mpiImplementation"]) in {"", "OpenMPI"}
    hosts = _Hosts(
        workload.owner.name,
        workers + (spec["runLauncherAsWorker"].value is True),
        slots,
        devices if isinstance(devices, int) else 0,
        spec["slotsPerWorker"].at,
        spec["slotsPerWorker"].present,
        refuses=open_mpi and not _oversubscribed(launcher, lines[0]),
    )
    found = next(_on_each(launch, hosts), None) or next(_in_all(launch, hosts), None)
    if found is not None:
        yield found


def _on_each(launch: MpiLaunch, hosts: _Hosts) -> Iterator[Fault]:
    """The ranks on each node, which may be fewer than are allowed there where all of them are fewer."""
    if launch.each is None or launch.each_at is None:
        return
    each = launch.each if launch.ranks is None else min(launch.each, launch.ranks)
    unit = "socket" if launch.per_socket else "node"
    start = f"mpirun of {hosts.name} starts {each} ranks on each {unit}"
    evidence = {"ranks on each": each, "slots": hosts.slots}
    fault = Fault("", launch.each_at, "", (("how many each worker takes", hosts.slots_at),), evidence, "slots")
    fault = replace(fault, certainty=Certainty.LIKELY)
    if hosts.refuses and each > hosts.slots:
        text = f"{start}, and each worker has {hosts.said}: it refuses"
        yield replace(fault, text=text, remedy=f"set slotsPerWorker: {each}, or start {hosts.slots} on each {unit}")
    elif hosts.refuses and not launch.per_socket and (launch.ranks or 0) > launch.each * hosts.number:
        room = launch.each * hosts.number
        text = f"{start}, which makes {room} on {hosts.number} workers, and {launch.ranks} in all: it refuses"
        yield replace(fault, text=text, remedy=f"start {room} ranks, or more on each {unit}")
    elif 0 < hosts.devices < each:
        text = f"{start}, and each worker has {hosts.devices} accelerators: two ranks get one, which NCCL refuses"
        yield replace(fault, text=text, remedy=f"start {hosts.devices} on each {unit}")
    elif launch.ranks is None and not launch.per_socket and each < hosts.devices and launch.starts_ranks:
        text = f"{start}, and each worker has {hosts.devices} accelerators: {hosts.devices - each} of them stay idle"
        yield replace(fault, text=text, remedy=f"start {hosts.devices} on each {unit}", severity=Severity.WARNING)


def _in_all(launch: MpiLaunch, hosts: _Hosts) -> Iterator[Fault]:
    """All ranks: without a number one on each slot, unless something else counts them."""
    ranks, at = launch.ranks, launch.ranks_at
    if ranks is None and launch.each is None and launch.command.program == "mpirun":
        ranks, at = hosts.number * hosts.slots, launch.command.words[0].at
    if ranks is None or at is None:
        return
    slots, devices = hosts.number * hosts.slots, hosts.number * hosts.devices
    if hosts.refuses and ranks > slots:
        yield _fault(hosts, ranks, slots, f"{hosts.number} workers of {hosts.said}", "it refuses", at)
    elif devices > 0 and (ranks > devices or (ranks < devices and launch.starts_ranks)):
        many = ranks > devices
        why = "two ranks get one device, which NCCL refuses" if many else f"{devices - ranks} of them stay idle"
        fault = _fault(hosts, ranks, devices, f"{hosts.number} workers of {hosts.devices} accelerators", why, at)
        yield fault if many else replace(fault, severity=Severity.WARNING)


def _fault(hosts: _Hosts, ranks: int, room: int, made_of: str, why: str, at: Location) -> Fault:
    return Fault(
        f"mpirun of {hosts.name} starts {ranks} ranks, and {made_of} make {room}: {why}",
        at,
        f"start {room} ranks, or change slotsPerWorker or the number of workers",
        (("how many each worker takes", hosts.slots_at),),
        {"ranks": ranks, "slots": room},
        "slots",
        Certainty.LIKELY,
    )


def _oversubscribed(launcher: PodSet, command: Command) -> bool:
    """Whether Open MPI may start more ranks than there are slots."""
    text = " ".join(word.text for word in command.words).lower()
    variables = environment(launcher.spec.containers[0])
    return "oversubscribe" in text.replace("nooversubscribe", "") or any(name in variables for name in _MORE_ALLOWED)
