"""The flows that frameworks need (W 15)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from trainlint.finding import Location
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import EPHEMERAL, Flow, FlowKind, PodSet, PortRange

__all__ = [
    "all_to_all",
    "collectives",
    "dns",
    "maybe_many",
    "maybe_several",
    "product",
    "rendezvous",
    "tensorflow_flows",
    "total",
]

_LISTENERS = "ranks exchange data with each other, and NCCL and Gloo listen on ports that the system picks"


def collectives(pod_sets: Sequence[PodSet], ranks: Iterable[int], ports: PortRange = EPHEMERAL) -> Iterator[Flow]:
    """Every rank to every rank, on the ports that the system picks (W 15.F3, 15.F4)."""
    why = _LISTENERS if ports == EPHEMERAL else f"ranks exchange data with each other on port {ports}"
    yield from all_to_all(pod_sets, ranks, ports, FlowKind.COLLECTIVE, why)


def all_to_all(
    pod_sets: Sequence[PodSet], members: Iterable[int], ports: PortRange, kind: FlowKind, why: str
) -> Iterator[Flow]:
    """A flow between every two of the pod sets in both directions, and within those of several pods."""
    indices = sorted(members)
    for source in indices:
        for target in indices:
            if source != target or maybe_many(pod_sets[source]):
                reached = _handed_out(pod_sets[target]) if ports == EPHEMERAL else ports
                yield Flow(source, target, "TCP", reached, kind, why, pod_sets[source].at)


def _handed_out(pod_set: PodSet) -> PortRange:
    """The ports that the system hands out in the pods: Linux's default range unless they pin another one."""
    return EPHEMERAL if pod_set.spec.listening is None else PortRange(*pod_set.spec.listening)


def tensorflow_flows(
    pod_sets: Sequence[PodSet], members: Iterable[int], servers: Container[int], ports: PortRange, why: str
) -> Iterator[Flow]:
    """The connections of a TensorFlow cluster: every process to every other one, apart from servers of parameters among
    each other, which only few strategies connect.
    """
    for flow in all_to_all(pod_sets, members, ports, FlowKind.COLLECTIVE, why):
        if flow.source not in servers or flow.target not in servers:
            yield flow


def rendezvous(source: int, target: int, port: int, why: str, at: Location) -> Flow:
    """A connection to the place where ranks meet."""
    return Flow(source, target, "TCP", PortRange(port, port), FlowKind.RENDEZVOUS, why, at)


def dns(source: int, why: str, at: Location) -> tuple[Flow, Flow]:
    """What looking up names needs (W 15.F16): UDP, and TCP for answers that are too long."""
    ports = PortRange(53, 53)
    return (
        Flow(source, None, "UDP", ports, FlowKind.DNS, why, at),
        Flow(source, None, "TCP", ports, FlowKind.DNS, why, at),
    )


def maybe_several(replicas: Known[int]) -> bool:
    """Whether there may be more than one pod."""
    return isinstance(replicas, Undetermined) or replicas > 1


def maybe_many(pod_set: PodSet) -> bool:
    """Whether the set may have more than one pod, at its largest."""
    return maybe_several(pod_set.replicas) or (pod_set.max_replicas or 0) > 1


def total(counts: Iterable[Known[int]]) -> Known[int]:
    """The sum, or why it is not known."""
    sum_ = 0
    for count in counts:
        if isinstance(count, Undetermined):
            return count
        sum_ += count
    return sum_


def product(count: Known[int], each: Known[int]) -> Known[int]:
    """The product; 0 where one is 0, whatever the other is."""
    if 0 in (count, each):
        return 0
    if isinstance(count, Undetermined):
        return count
    return each if isinstance(each, Undetermined) else count * each
