"""Numbers of processes, nodes and accelerators that contradict each other (W 17.9, 17.17; N 6.47)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Location, Severity
from trainlint.launch.command import Command, commands
from trainlint.launch.environment import Carrier, environment, expand, hidden_carriers
from trainlint.launch.nodes import TorchLaunch, torch_launch
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet
from trainlint.workload.accelerators import accelerator_count
from trainlint.workload.checks.contract_fault import ContractFault
from trainlint.workload.flows import total

__all__ = [
    "NodeCount",
    "NodeEffect",
    "ProcessCount",
    "SizeCount",
    "SizeSource",
    "node_counts",
    "process_counts",
    "size_counts",
]

_JOB_SET: Final = "jobset.sigs.k8s.io/jobset-name"
"""The label of the pods of a JobSet."""
_PARALLEL: Final = ("tensor-parallel-size", "tp"), ("pipeline-parallel-size", "pp")


@fact
class ProcessCount(ContractFault):
    """A launcher starts another number of processes in each pod than it has accelerators.

    ``written`` is false where the launcher is told no number.
    """

    launcher: str
    written: bool
    pods: str
    processes: int
    accelerators: int
    accelerators_at: Location


class NodeEffect(Enum):
    """What another number of nodes than pods does."""

    WAITING = auto()
    ALONE = auto()
    LEFT_OUT = auto()


@fact
class NodeCount(ContractFault):
    """torchrun is told another number of nodes than there are pods that run it (``running``).

    ``difference`` is the number of nodes that never come, or of pods that are left out.
    """

    pods: str
    minimum: int
    maximum: int
    running: int
    effect: NodeEffect
    difference: int
    places: tuple[Location, ...]


class SizeSource(Enum):
    """What states the size of a job."""

    WORLD_SIZE = auto()
    ACCELERATE = auto()
    VLLM = auto()
    MEGASCALE = auto()
    """The number of TPU slices that work together: each is a child Job of the JobSet."""


@fact
class SizeCount(ContractFault):
    """The size of a job is another one than that of its pods and accelerators."""

    source: SizeSource
    size: int
    pods: str
    count: int
    ranks: int
    count_at: Location


def process_counts(pods: PodSet) -> Iterator[ProcessCount]:
    """Another number of processes in one pod than it has accelerators: two ranks on one device, or idle devices."""
    for container in pods.spec.containers:
        devices = accelerator_count(container)
        if not isinstance(devices, int) or devices == 0:
            continue
        for command in commands(container):
            found = _processes(container, command)
            if found is not None and found.count != devices:
                yield _process_fault(pods, container, found, devices)
                return


@fact
class _Started:
    """The processes that one command starts in one pod, where the number stands, and what starts them."""

    count: int
    at: Location
    launcher: str
    written: bool = True


def _process_fault(pods: PodSet, container: Container, found: _Started, devices: int) -> ProcessCount:
    return ProcessCount(
        found.at,
        found.launcher,
        found.written,
        pods.name,
        found.count,
        devices,
        container.resources_at or pods.template,
        certainty=Certainty.LIKELY,
        severity=None if found.count > devices else Severity.WARNING,
    )


def _processes(container: Container, command: Command) -> _Started | None:
    variables = environment(container)
    if "CUDA_VISIBLE_DEVICES" in variables or "NCCL_MULTI_RANK_GPU_ENABLE" in variables:
        return None
    launch = torch_launch(container, command)
    if launch is not None:
        if launch.processes is not None and launch.processes_at is not None:
            return _Started(launch.processes, launch.processes_at, "torchrun")
        if launch.processes_at is None and command.program == "torchrun" and not hidden_carriers(container):
            return _Started(1, command.words[0].at, "torchrun", written=False)
        return None
    if command.program == "deepspeed" and (option := command.option("num-gpus")) is not None:
        value = expand(option.value or "", variables)
        return _Started(int(value), option.at, "deepspeed") if value.isdecimal() else None
    return None


@fact
class _Seen:
    """How one pod set of a communicator is launched."""

    pods: PodSet
    launch: TorchLaunch


def node_counts(communicator: Sequence[PodSet]) -> Iterator[NodeCount]:
    """torchrun waits for another number of nodes than there are pods that run it."""
    count = total(pods.replicas for pods in communicator)
    seen = [each for pods in communicator if (each := _launched(pods)) is not None]
    if isinstance(count, Undetermined) or not seen:
        return
    largest = sum(max(pods.max_replicas or 0, _number(pods.replicas)) for pods in communicator)
    parts = {count, *(part for pods in communicator for part in _parts(pods))}
    for each in seen:
        launch = each.launch
        if launch.nodes is None or launch.nodes_at is None or launch.injected or launch.standalone:
            continue
        least, most = launch.nodes
        if least > most:
            continue
        if least > largest:
            effect, difference = NodeEffect.WAITING, least - largest
        elif most < min(parts) and len(seen) == len(communicator):
            effect, difference = NodeEffect.ALONE if most == 1 else NodeEffect.LEFT_OUT, count - most
        elif most < count and most not in parts and len(seen) == len(communicator):
            effect, difference = NodeEffect.LEFT_OUT, count - most
        else:
            continue
        yield NodeCount(
            launch.nodes_at,
            each.pods.name,
            least,
            most,
            largest,
            effect,
            difference,
            tuple(pods.at for pods in communicator),
            certainty=Certainty.LIKELY,
        )
        return


def _launched(pods: PodSet) -> _Seen | None:
    for container in pods.spec.containers:
        for command in commands(container):
            if (launch := torch_launch(container, command)) is not None:
                return _Seen(pods, launch)
    return None


def _parts(pods: PodSet) -> Iterator[int]:
    """Numbers of pods that may be a communicator of their own: one role, or one block of it."""
    count = _number(pods.replicas)
    yield count
    if isinstance(pods.blocks, int) and pods.blocks > 1:
        yield count // pods.blocks


def _number(count: Known[int]) -> int:
    return count if isinstance(count, int) else 0


def size_counts(communicator: Sequence[PodSet]) -> Iterator[SizeCount]:
    """WORLD_SIZE, accelerate's and vLLM's numbers, against the pods and accelerators that there are."""
    count = total(pods.replicas for pods in communicator)
    told = _slice_count(communicator, count)
    if told is not None:
        yield told
        return
    devices = [total(accelerator_count(c) for c in pods.spec.containers) for pods in communicator]
    if isinstance(count, Undetermined) or any(isinstance(each, Undetermined) for each in devices):
        return
    if any((pods.max_replicas or 0) > _number(pods.replicas) for pods in communicator):
        return
    ranks = sum(
        _number(pods.replicas) * max(_number(each), 1) for pods, each in zip(communicator, devices, strict=True)
    )
    cards = sum(_number(pods.replicas) * _number(each) for pods, each in zip(communicator, devices, strict=True))
    for pods in communicator:
        for container in pods.spec.containers:
            found = next(_sizes(pods, container, count, ranks, cards), None)
            if found is not None:
                yield found
                return


def _slice_count(communicator: Sequence[PodSet], count: Known[int]) -> SizeCount | None:
    """The first role that is told another number of TPU slices than the JobSet makes."""
    if isinstance(count, Undetermined) or any(isinstance(pods.blocks, Undetermined) for pods in communicator):
        return None
    slices = sum(_number(pods.blocks) for pods in communicator if _on_tpus(pods))
    found = (_slices(pods, each, slices, count) for pods in communicator for each in pods.spec.containers)
    return next((each for each in found if each is not None), None)


def _sizes(pods: PodSet, container: Container, count: int, ranks: int, cards: int) -> Iterator[SizeCount]:
    variables = environment(container)
    lines = commands(container)
    world = variables.get("WORLD_SIZE")
    started = any(torch_launch(container, line) for line in lines)  # torchrun sets its own
    if world is not None and world.carrier is Carrier.MANIFEST and not started and isinstance(world.value, str):
        size = world.value
        own = {_number(pods.replicas), *_parts(pods)}
        per_pod = max(_number(total(accelerator_count(each) for each in pods.spec.containers)), 1)
        allowed = {count, ranks, *own, *(each * per_pod for each in own)}
        if size.isdecimal() and int(size) not in allowed and int(size) > 1:
            yield _size_fault(pods, SizeSource.WORLD_SIZE, int(size), count, ranks, world.at)
    for line in lines:
        if line.program == "accelerate" and (option := line.option("num-processes")) is not None:
            text = expand(option.value or "", variables)
            if text.isdecimal() and cards and int(text) > cards:
                yield _size_fault(pods, SizeSource.ACCELERATE, int(text), count, ranks, option.at)
        if line.program == "vllm" or line.module.startswith("vllm."):
            product, at = 1, None
            for names in _PARALLEL:
                option = line.option(*names)
                text = expand(option.value or "", variables) if option is not None else "1"
                if not re.fullmatch(r"\d{1,5}", text):
                    return
                product *= int(text)
                at = option.at if option is not None else at
            if cards and product > cards and at is not None:
                yield _size_fault(pods, SizeSource.VLLM, product, count, ranks, at)


def _on_tpus(pods: PodSet) -> bool:
    """Whether the pods are those of a JobSet on TPUs, of which each child Job is a slice, or several."""
    return _JOB_SET in pods.labels and any("google.com/tpu" in each.limits for each in pods.spec.containers)


def _slices(pods: PodSet, container: Container, slices: int, count: int) -> SizeCount | None:
    """Slices that are told to wait for each other, against those that the JobSet makes. A Job may hold several: then
    all pods divide evenly among them.
    """
    stated = environment(container).get("MEGASCALE_NUM_SLICES")
    text = stated.value if stated is not None and stated.carrier is Carrier.MANIFEST and _on_tpus(pods) else None
    if stated is None or not isinstance(text, str) or not text.isdecimal() or not slices:
        return None
    if int(text) == slices or (int(text) > 0 and count % int(text) == 0):
        return None
    return _size_fault(pods, SizeSource.MEGASCALE, int(text), slices, slices, stated.at)


def _size_fault(pods: PodSet, source: SizeSource, size: int, count: int, ranks: int, at: Location) -> SizeCount:
    return SizeCount(at, source, size, pods.name, count, ranks, pods.at, certainty=Certainty.LIKELY)
