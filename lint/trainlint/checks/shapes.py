"""Pods that do not fit the shape of the machine, TPU slice or compute domain that they select."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from trainlint.fabric.attachment import GKE_ANNOTATION, gke_interfaces
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.inventory.instance_types import ACCELERATORS
from trainlint.inventory.interfaces import extra_interfaces
from trainlint.inventory.machine_selection import Machines, is_shared, selected_machines
from trainlint.inventory.tpu import ACCELERATOR_KEY, TOPOLOGY_ANNOTATION, TOPOLOGY_KEY, TPU, slices
from trainlint.kube.values import is_placeholder, read_int, read_text
from trainlint.model.known import Undetermined
from trainlint.model.pod import Container
from trainlint.model.selector import Requirement
from trainlint.model.workload import ObjectRef, PodSet, Workload
from trainlint.scheduling.node_affinity import describe
from trainlint.snapshot.build import Snapshot
from trainlint.workload.kinds import kind_of

__all__ = ["Shape", "ShapeMismatch", "shape_mismatches"]

_MIG: Final = "nvidia.com/mig-"


class Shape(StrEnum):
    """What the pods do not fit."""

    MACHINE = "machine"
    """They ask for more devices than the selected machine has."""
    CONTRADICTION = "contradiction"
    """No machine has all that they select."""
    HOSTS = "hosts"
    """Their number is no multiple of the hosts of the TPU slice."""
    CHIPS = "chips"
    """Each asks for another number of TPU chips than a host of the slice has."""
    MIG = "mig"
    """A container asks for several MIG slices, of which one process uses one."""
    INTERFACES = "interfaces"
    """They list more interfaces than the selected machine has."""
    DOMAIN = "domain"
    """The compute domain waits for another number of nodes."""


@fact
class ShapeMismatch:
    """Pods of one object that do not fit: ``wanted`` of ``resource`` where the shape ``name`` has ``there``.

    ``selected`` are the selectors that name the shape, ``places`` where they stand. ``resources`` are the resources
    that one container asks for, ``machines`` the names of the machines that are left.
    """

    shape: Shape
    pod_sets: tuple[PodSet, ...]
    at: Location
    name: str = ""
    wanted: int = 0
    there: int = 0
    resource: str = ""
    selected: tuple[str, ...] = ()
    places: tuple[Location, ...] = ()
    resources: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()

    @property
    def fatal(self) -> bool:
        """Whether the pods never run together because of it, whatever version of the driver is there."""
        return self.shape not in {Shape.MIG, Shape.DOMAIN}


def shape_mismatches(snapshot: Snapshot) -> Iterator[ShapeMismatch]:
    """One for each object and shape, in the order of the roles."""
    domains = _compute_domains(snapshot)
    for workload in snapshot.workloads.objects:
        alive = [pods for pods in workload.pod_sets if pods.replicas != 0]
        if alive:
            yield from _merged(
                [*_of_machines(alive), *_of_slices(workload, alive), *_of_mig(alive), *_of_interfaces(alive)]
            )
    yield from _of_domains(domains, snapshot.workloads.pod_sets)


def _merged(found: Sequence[ShapeMismatch]) -> Iterator[ShapeMismatch]:
    """The same fault of several roles is one, at the first of them."""
    told: dict[tuple[object, ...], list[ShapeMismatch]] = {}
    for each in found:
        told.setdefault((each.shape, each.name, each.wanted, each.there, each.resource), []).append(each)
    for first, *others in told.values():
        yield ShapeMismatch(
            first.shape,
            (*first.pod_sets, *(pods for each in others for pods in each.pod_sets)),
            first.at,
            first.name,
            first.wanted,
            first.there,
            first.resource,
            first.selected,
            tuple(dict.fromkeys(at for each in (first, *others) for at in each.places)),
            first.resources,
            first.machines,
        )


def _of_machines(pod_sets: Iterable[PodSet]) -> Iterator[ShapeMismatch]:
    for pods in pod_sets:
        asked = dict(_devices(pods))
        machines = selected_machines(pods.spec) if asked or pods.spec.node_selector or pods.spec.node_affinity else None
        if machines is None:
            continue
        by, places = _selectors(machines.by)
        if not machines.types:
            at = places[-1] if places else pods.spec.at or pods.at
            yield ShapeMismatch(Shape.CONTRADICTION, (pods,), at, " and ".join(by), selected=by, places=places)
            continue
        yield from (each for each in _above(pods, asked, machines, by, places) if not _is_shared(pods))


def _above(
    pods: PodSet, asked: dict[str, int], machines: Machines, by: tuple[str, ...], places: tuple[Location, ...]
) -> Iterator[ShapeMismatch]:
    for resource, amount in asked.items():
        most = machines.most(resource)
        if most is not None and amount > most:
            yield ShapeMismatch(
                Shape.MACHINE,
                (pods,),
                _asks(pods, resource),
                ", ".join(by),
                amount,
                most,
                resource,
                by,
                places,
                machines=tuple(each.name for each in machines.types),
            )


def _of_interfaces(pod_sets: Iterable[PodSet]) -> Iterator[ShapeMismatch]:
    """Each network of GKE's annotation needs a card of the node (N 3.3)."""
    for pods in pod_sets:
        listed = gke_interfaces(pods.annotations)
        machines = selected_machines(pods.spec) if listed and not isinstance(listed, Undetermined) else None
        known = [extra_interfaces(each.name) for each in machines.types] if machines is not None else []
        if isinstance(listed, Undetermined) or machines is None or not known:
            continue
        counts = [each for each in known if each is not None]
        most = max(counts, default=0) + 1
        if len(counts) == len(known) and len(listed) > most:
            by, places = _selectors(machines.by)
            at = pods.template.child("metadata", "annotations", GKE_ANNOTATION)
            names = tuple(each.name for each in machines.types)
            yield ShapeMismatch(
                Shape.INTERFACES, (pods,), at, ", ".join(by), len(listed), most, "", by, places, machines=names
            )


def _selectors(requirements: Sequence[Requirement]) -> tuple[tuple[str, ...], tuple[Location, ...]]:
    return tuple(map(describe, requirements)), tuple(each.at for each in requirements if each.at is not None)


def _is_shared(pods: PodSet) -> bool:
    terms = (term.expressions for term in pods.spec.node_affinity or ())
    return any(is_shared(each) for each in (pods.spec.node_selector, *terms))


def _devices(pods: PodSet) -> Iterator[tuple[str, int]]:
    """The accelerators that one pod asks for at least, as containers run at the same time."""
    for resource in ACCELERATORS:
        amounts = [_amount(container, resource) for container in pods.spec.containers]
        total = sum(amount for amount in amounts if amount is not None)
        if total > 0:
            yield resource, total


def _amount(container: Container, resource: str) -> int | None:
    text = container.limits.get(resource, container.requests.get(resource, "0"))
    return int(text) if isinstance(text, str) and text.isdecimal() else None


def _asks(pods: PodSet, resource: str) -> Location:
    """Where a pod asks for a resource."""
    holder = next((each for each in pods.spec.containers if _amount(each, resource)), None)
    return (holder and (holder.resources_at or holder.at)) or pods.spec.at or pods.at


def _of_slices(workload: Workload, pod_sets: Sequence[PodSet]) -> Iterator[ShapeMismatch]:
    """TPU slices: every host of a slice has a pod, and takes all its chips where there are several hosts."""
    chosen = [(pods, _slice_of(pods)) for pods in pod_sets]
    for shape in dict.fromkeys(shape for _, shape in chosen if shape is not None):
        members = [pods for pods, own in chosen if own == shape]
        accelerator, topology = shape
        chips = dict(_devices(members[0])).get(TPU, 0)
        known = slices(accelerator, topology, chips)
        name = f"{topology} of {accelerator}"
        places = tuple(_topology_at(pods) for pods in members)
        if not known or not chips:
            continue
        fitting = [each for each in known if each.chips == chips or (each.hosts == 1 and chips <= each.chips)]
        if not fitting:
            there = known[0].chips
            at = _asks(members[0], TPU)
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


def _of_mig(pod_sets: Iterable[PodSet]) -> Iterator[ShapeMismatch]:
    for pods in pod_sets:
        for container in pods.spec.containers:
            asked = {
                resource: amount
                for resource in {**container.requests, **container.limits}
                if resource.startswith(_MIG) and (amount := _amount(container, resource))
            }
            if sum(asked.values()) > 1:
                at = container.resources_at or container.at or pods.at
                names = tuple(f"{amount} {resource}" for resource, amount in asked.items())
                yield ShapeMismatch(
                    Shape.MIG, (pods,), at, container.name, sum(asked.values()), 1, next(iter(asked)), resources=names
                )


_Domain = tuple[ObjectRef, int, Location]


def _compute_domains(snapshot: Snapshot) -> dict[tuple[str, str], _Domain]:
    """Compute domains by the namespace and name of the claim template that their pods use."""
    found = {}
    for each in snapshot.objects:
        if each.meta.kind == "ComputeDomain" and each.meta.api_group == "resource.nvidia.com":
            spec = each.field["spec"]
            template = read_text(spec.down("channel", "resourceClaimTemplate", "name"))
            nodes = read_int(spec["numNodes"])
            if template and isinstance(nodes, int) and nodes > 0:
                found[each.ref.namespace, template] = (each.ref, nodes, spec["numNodes"].at)
    return found


def _of_domains(domains: dict[tuple[str, str], _Domain], pod_sets: Sequence[PodSet]) -> Iterator[ShapeMismatch]:
    for (namespace, template), (ref, nodes, at) in domains.items():
        members = [
            pods
            for pods in pod_sets
            if pods.namespace == namespace and any(each.template == template for each in pods.spec.resource_claims)
        ]
        counts = [count for pods in members if (count := _pods(pods)) is not None]
        if members and len(counts) == len(members) and sum(counts) < nodes:
            yield ShapeMismatch(
                Shape.DOMAIN,
                tuple(members),
                at,
                ref.name,
                sum(counts),
                nodes,
                places=tuple(each.at for each in members),
            )


def _pods(pods: PodSet) -> int | None:
    """How many pods of the set there will be, in all of its copies."""
    if isinstance(pods.replicas, Undetermined) or isinstance(pods.instances, Undetermined):
        return None
    return pods.replicas * pods.instances
