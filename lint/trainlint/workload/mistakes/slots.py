"""Ranks that mpirun starts, against the slots and accelerators of the workers (W 3, mpi-operator)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final

from trainlint.finding import Certainty, Location, Severity
from trainlint.kube.values import read_int, read_text
from trainlint.launch.command import Command, commands
from trainlint.launch.environment import MPI_PROGRAMS, environment, expand
from trainlint.model.known import Undetermined
from trainlint.model.workload import PodSet, Workload
from trainlint.workload.accelerators import accelerator_count
from trainlint.workload.flows import total
from trainlint.workload.mistakes.fault import Fault

__all__ = ["slot_counts"]

_RANKS: Final = frozenset({"-np", "-n", "--np", "-c"})
_PER_NODE: Final = frozenset({"N", "npernode", "ppn", "map-by", "npersocket", "perhost", "pernode", "app"})
_OWN_HOSTS: Final = ("hostfile", "machinefile", "host", "h", "hosts", "f", "default-hostfile")
_MORE_ALLOWED: Final = ("OMPI_MCA_rmaps_base_oversubscribe", "PRTE_MCA_rmaps_default_mapping_policy")


def slot_counts(workload: Workload) -> Iterator[Fault]:
    """More ranks than slots, which Open MPI refuses, or than accelerators, which NCCL does."""
    roles = {pods.role: pods for pods in workload.pod_sets}
    launcher, worker = roles.get("Launcher"), roles.get("Worker")
    spec = workload.field["spec"]
    if workload.owner.kind != "MPIJob" or launcher is None or worker is None or not launcher.spec.containers:
        return
    slots = read_int(spec["slotsPerWorker"], 1)
    workers = worker.replicas
    both = spec["runLauncherAsWorker"].value is True
    if isinstance(slots, Undetermined) or isinstance(workers, Undetermined) or workers == 0:
        return
    hosts = workers + both
    found = _told(launcher, hosts * slots)
    if found is None:
        return
    ranks, at, command = found
    written = spec["slotsPerWorker"]
    devices = total(accelerator_count(container) for container in worker.spec.containers)
    open_mpi = read_text(spec["mpiImplementation"]) in {"", "OpenMPI"}
    if open_mpi and ranks > hosts * slots and not _oversubscribed(launcher, command):
        said = f"{slots} slots" if written.present else "1 slot (slotsPerWorker is not written)"
        yield _fault(workload, ranks, hosts * slots, f"{hosts} workers of {said}", "it refuses", at, written.at)
    elif isinstance(devices, int) and devices > 0 and ranks != hosts * devices:
        room, many = hosts * devices, ranks > hosts * devices
        why = "two ranks get one device, which NCCL refuses" if many else f"{room - ranks} of them stay idle"
        fault = _fault(workload, ranks, room, f"{hosts} workers of {devices} accelerators", why, at, written.at)
        yield fault if many else replace(fault, severity=Severity.WARNING)


def _fault(workload: Workload, ranks: int, room: int, made_of: str, why: str, at: Location, slots: Location) -> Fault:
    return Fault(
        f"mpirun of {workload.owner.name} starts {ranks} ranks, and {made_of} make {room}: {why}",
        at,
        f"start {room} ranks, or change slotsPerWorker or the number of workers",
        (("how many each worker takes", slots),),
        {"ranks": ranks, "slots": room},
        "slots",
        Certainty.LIKELY,
    )


def _told(launcher: PodSet, all_slots: int) -> tuple[int, Location, Command] | None:
    """The number of ranks of the launcher's one mpirun: all slots where none is written; ``None`` if not known."""
    container = launcher.spec.containers[0]
    variables = environment(container)
    lines = [line for line in commands(container) if line.program in MPI_PROGRAMS]
    if len(lines) != 1 or any(lines[0].option(name) is not None for name in _OWN_HOSTS):
        return None
    words = lines[0].words
    texts = [word.text for word in words]
    for word, following in pairwise(words):
        if word.text in _RANKS:
            text = expand(following.text, variables)
            return (int(text), following.at, lines[0]) if text.isdecimal() and len(text) < 7 else None
    # without a number of ranks, one on each slot, unless something else counts them
    if lines[0].program != "mpirun" or any(text.lstrip("-") in _PER_NODE for text in texts):
        return None
    return all_slots, words[0].at, lines[0]


def _oversubscribed(launcher: PodSet, command: Command) -> bool:
    """Whether Open MPI may start more ranks than there are slots."""
    text = " ".join(word.text for word in command.words).lower()
    variables = environment(launcher.spec.containers[0])
    return "oversubscribe" in text.replace("nooversubscribe", "") or any(name in variables for name in _MORE_ALLOWED)
