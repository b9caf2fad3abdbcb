"""Ranks that mpirun starts, against the slots and accelerators of the workers (W 3, mpi-operator)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
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
from trainlint.workload.checks.contract_fault import ContractFault
from trainlint.workload.flows import total
from trainlint.workload.kinds import kind_of

__all__ = ["RanksInAll", "RanksOnEach", "SlotProblem", "slot_counts"]

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


class SlotProblem(Enum):
    """Why ranks do not fit the workers."""

    MORE_THAN_SLOTS = auto()
    MORE_THAN_PLACES = auto()
    """More in all than the number on each worker makes."""
    MORE_THAN_ACCELERATORS = auto()
    IDLE_ACCELERATORS = auto()


@fact
class RanksOnEach(ContractFault):
    """mpirun starts a number of ranks on each node, or socket, that the workers do not take.

    ``ranks`` is that number, ``total`` the number of all ranks; ``written`` is whether the job says its slots.
    """

    job: str
    problem: SlotProblem
    ranks: int
    per_socket: bool
    total: int
    workers: int
    slots: int
    written: bool
    accelerators: int
    slots_at: Location


@fact
class RanksInAll(ContractFault):
    """mpirun starts a number of ranks that the workers do not take together; ``room`` is what they take."""

    job: str
    problem: SlotProblem
    ranks: int
    room: int
    workers: int
    slots: int
    written: bool
    accelerators: int
    slots_at: Location


def slot_counts(workload: Workload) -> Iterator[RanksOnEach | RanksInAll]:
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


def _on_each(launch: MpiLaunch, hosts: _Hosts) -> Iterator[RanksOnEach]:
    """The ranks on each node, which may be fewer than are allowed there where all of them are fewer."""
    if launch.each is None or launch.each_at is None:
        return
    each = launch.each if launch.ranks is None else min(launch.each, launch.ranks)
    if hosts.refuses and each > hosts.slots:
        problem = SlotProblem.MORE_THAN_SLOTS
    elif hosts.refuses and not launch.per_socket and (launch.ranks or 0) > launch.each * hosts.number:
        problem = SlotProblem.MORE_THAN_PLACES
    elif 0 < hosts.devices < each:
        problem = SlotProblem.MORE_THAN_ACCELERATORS
    elif launch.ranks is None and not launch.per_socket and each < hosts.devices and launch.starts_ranks:
        problem = SlotProblem.IDLE_ACCELERATORS
    else:
        return
    yield RanksOnEach(
        launch.each_at,
        hosts.name,
        problem,
        each,
        launch.per_socket,
        launch.ranks or 0,
        hosts.number,
        hosts.slots,
        hosts.written,
        hosts.devices,
        hosts.slots_at,
        certainty=Certainty.LIKELY,
        severity=Severity.WARNING if problem is SlotProblem.IDLE_ACCELERATORS else None,
    )


def _in_all(launch: MpiLaunch, hosts: _Hosts) -> Iterator[RanksInAll]:
    """All ranks: without a number one on each slot, unless something else counts them."""
    ranks, at = launch.ranks, launch.ranks_at
    if ranks is None and launch.each is None and launch.command.program == "mpirun":
        ranks, at = hosts.number * hosts.slots, launch.command.words[0].at
    if ranks is None or at is None:
        return
    slots, devices = hosts.number * hosts.slots, hosts.number * hosts.devices
    if hosts.refuses and ranks > slots:
        problem, room = SlotProblem.MORE_THAN_SLOTS, slots
    elif devices > 0 and ranks > devices:
        problem, room = SlotProblem.MORE_THAN_ACCELERATORS, devices
    elif devices > 0 and ranks < devices and launch.starts_ranks:
        problem, room = SlotProblem.IDLE_ACCELERATORS, devices
    else:
        return
    yield RanksInAll(
        at,
        hosts.name,
        problem,
        ranks,
        room,
        hosts.number,
        hosts.slots,
        hosts.written,
        hosts.devices,
        hosts.slots_at,
        certainty=Certainty.LIKELY,
        severity=Severity.WARNING if problem is SlotProblem.IDLE_ACCELERATORS else None,
    )


def _oversubscribed(launcher: PodSet, command: Command) -> bool:
    """Whether Open MPI may start more ranks than there are slots."""
    text = " ".join(word.text for word in command.words).lower()
    variables = environment(launcher.spec.containers[0])
    return "oversubscribe" in text.replace("nooversubscribe", "") or any(name in variables for name in _MORE_ALLOWED)
