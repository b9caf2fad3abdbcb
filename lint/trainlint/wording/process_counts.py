"""Numbers of processes, nodes, slots and accelerators that contradict each other, in words."""

from __future__ import annotations

from typing import Final

from trainlint.workload.checks.counts import NodeCount, NodeEffect, ProcessCount, SizeCount, SizeSource
from trainlint.workload.checks.hostfile import HostfileSlots
from trainlint.workload.checks.plugins import WorldSize
from trainlint.workload.checks.slots import RanksInAll, RanksOnEach, SlotProblem
from trainlint.workload.contract import CountFault

__all__ = ["count_text", "node_range", "unit_of"]

_STATES: Final = {
    SizeSource.WORLD_SIZE: "WORLD_SIZE is",
    SizeSource.ACCELERATE: "accelerate is told to start",
    SizeSource.VLLM: "vLLM is told to spread over",
    SizeSource.MEGASCALE: "MEGASCALE_NUM_SLICES is",
}
_TWO_RANKS: Final = "two ranks get one, which NCCL refuses"


def count_text(fault: CountFault) -> str:
    """The contradiction as a sentence without its end."""
    match fault:
        case ProcessCount():
            return _processes(fault)
        case NodeCount():
            return _nodes(fault)
        case SizeCount():
            accelerators = "" if fault.ranks == fault.count else f" with {fault.ranks} accelerators"
            states = f"{_STATES[fault.source]} {fault.size} in {fault.pods}"
            if fault.source is SizeSource.MEGASCALE:
                effect = "the TPU runtime waits until as many have joined as it is told"
                return f"{states}, and the JobSet makes {fault.count} slices: {effect}"
            return f"{states}, and there are {fault.count} pods{accelerators}"
        case HostfileSlots():
            idle = fault.accelerators - fault.slots
            effect = f"{idle} of them stay idle" if idle > 0 else _TWO_RANKS
            return (
                f"the hostfile of deepspeed in {fault.user} gives {fault.host} {fault.slots} slots, and the pods of "
                f"{fault.pods} have {fault.accelerators} accelerators each: {effect}"
            )
        case WorldSize():
            return (
                f"Volcano {fault.release} counts the pods of {', '.join(fault.roles)} into WORLD_SIZE of {fault.job}: "
                f"it is {fault.size}, and {fault.ranks} pods are ranks, which wait for the others"
            )
        case RanksOnEach():
            return _on_each(fault)
        case RanksInAll():
            return _in_all(fault)


def _processes(fault: ProcessCount) -> str:
    idle = fault.accelerators - fault.processes
    effect = f"{idle} of them stay idle" if idle > 0 else "two ranks on one device, which NCCL refuses"
    launcher = fault.launcher if fault.written else f"{fault.launcher} without --nproc-per-node"
    processes = f"{fault.processes} process{'es' if fault.processes > 1 else ''}"
    return (
        f"{launcher} starts {processes} in each pod of {fault.pods}, which gets {fault.accelerators} accelerators: "
        f"{effect}"
    )


def _nodes(fault: NodeCount) -> str:
    match fault.effect:
        case NodeEffect.WAITING:
            effect = f"the ranks wait for {fault.difference} that never come"
        case NodeEffect.ALONE:
            effect = "every pod trains alone"
        case NodeEffect.LEFT_OUT:
            effect = f"{fault.difference} of them are never let in"
    return (
        f"torchrun in {fault.pods} is told that there are {node_range(fault)} nodes, and {fault.running} pods run it: "
        f"{effect}"
    )


def node_range(fault: NodeCount) -> str:
    """The number of nodes that torchrun is told, or the least and the most."""
    return str(fault.minimum) if fault.minimum == fault.maximum else f"{fault.minimum} to {fault.maximum}"


def unit_of(fault: RanksOnEach) -> str:
    """What the ranks are counted by."""
    return "socket" if fault.per_socket else "node"


def _on_each(fault: RanksOnEach) -> str:
    start = f"mpirun of {fault.job} starts {fault.ranks} ranks on each {unit_of(fault)}"
    match fault.problem:
        case SlotProblem.MORE_THAN_SLOTS:
            return f"{start}, and each worker has {_slots(fault)}: it refuses"
        case SlotProblem.MORE_THAN_PLACES:
            room = f"{fault.ranks * fault.workers} on {fault.workers} workers"
            return f"{start}, which makes {room}, and {fault.total} in all: it refuses"
        case SlotProblem.MORE_THAN_ACCELERATORS:
            return f"{start}, and each worker has {fault.accelerators} accelerators: {_TWO_RANKS}"
        case SlotProblem.IDLE_ACCELERATORS:
            idle = fault.accelerators - fault.ranks
            return f"{start}, and each worker has {fault.accelerators} accelerators: {idle} of them stay idle"


def _in_all(fault: RanksInAll) -> str:
    if fault.problem is SlotProblem.MORE_THAN_SLOTS:
        each, effect = _slots(fault), "it refuses"
    elif fault.problem is SlotProblem.MORE_THAN_ACCELERATORS:
        each, effect = f"{fault.accelerators} accelerators", "two ranks get one device, which NCCL refuses"
    else:
        each, effect = f"{fault.accelerators} accelerators", f"{fault.room - fault.ranks} of them stay idle"
    return (
        f"mpirun of {fault.job} starts {fault.ranks} ranks, and {fault.workers} workers of {each} make {fault.room}: "
        f"{effect}"
    )


def _slots(fault: RanksOnEach | RanksInAll) -> str:
    return f"{fault.slots} slots" if fault.written else "1 slot (slotsPerWorker is not written)"
