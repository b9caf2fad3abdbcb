"""TPU slices whose hosts and chips the pods do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.checks.shape_mismatch import Shape, ShapeMismatch, place_of_request, requested_devices
from trainlint.finding import Location
from trainlint.inventory.tpu import ACCELERATOR_KEY, TOPOLOGY_ANNOTATION, TOPOLOGY_KEY, TPU, slices
from trainlint.kube.values import is_placeholder
from trainlint.model.known import Undetermined
from trainlint.model.workload import PodSet, Workload
from trainlint.workload.kinds import kind_of

__all__ = ["tpu_slice_mismatches"]


def tpu_slice_mismatches(workload: Workload, pod_sets: Sequence[PodSet]) -> Iterator[ShapeMismatch]:
    """TPU slices: every host of a slice has a pod, and takes all its chips where there are several hosts."""
    chosen = [(pods, _slice_of(pods)) for pods in pod_sets]
    for shape in dict.fromkeys(shape for _, shape in chosen if shape is not None):
        members = [pods for pods, own in chosen if own == shape]
        accelerator, topology = shape
        chips = dict(requested_devices(members[0])).get(TPU, 0)
        known = slices(accelerator, topology, chips)
        name = f"{topology} of {accelerator}"
        places = tuple(_topology_at(pods) for pods in members)
        if not known or not chips:
            continue
        fitting = [each for each in known if each.chips == chips or (each.hosts == 1 and chips <= each.chips)]
        if not fitting:
            there = known[0].chips
            at = place_of_request(members[0], TPU)
            yield ShapeMismatch(Shape.CHIPS, tuple(members), at, name, chips, there, TPU, places=places)
            continue
        hosts = fitting[0].hosts
        pods_of = _pods_of_slice(workload, members)
        if pods_of is not None and pods_of % hosts:
            at = members[0].at
            yield ShapeMismatch(Shape.HOSTS, tuple(members), at, name, pods_of, hosts, TPU, places=places)


def _slice_of(pods: PodSet) -> tuple[str, str] | None:
    labels = {each.key: each.values[0] for each in pods.spec.node_selector if len(each.values) == 1}
    if pods.spec.node_affinity is not None and len(pods.spec.node_affinity) == 1:
        expressions = pods.spec.node_affinity[0].expressions
        labels |= {each.key: each.values[0] for each in expressions if each.operator == "In" and len(each.values) == 1}
    topology = pods.annotations.get(TOPOLOGY_ANNOTATION) or labels.get(TOPOLOGY_KEY, "")
    accelerator = labels.get(ACCELERATOR_KEY, "")
    if not topology or not accelerator or is_placeholder(topology) or is_placeholder(accelerator):
        return None
    return accelerator, topology


def _topology_at(pods: PodSet) -> Location:
    found = (each.at for each in pods.spec.node_selector if each.key == TOPOLOGY_KEY)
    return next((at for at in found if at is not None), pods.spec.at or pods.at)


def _pods_of_slice(workload: Workload, members: Sequence[PodSet]) -> int | None:
    """How many pods one slice gets: of a child Job, of a replica of Ray, of a LeaderWorkerSet; ``None``: not known."""
    total = 0
    for pods in members:
        if isinstance(pods.replicas, Undetermined) or isinstance(pods.blocks, Undetermined):
            return None
        total += pods.replicas // max(pods.blocks, 1)
    kind = kind_of(workload)
    alone = kind is not None and kind.interchangeable and total == 1
    return None if alone else total
