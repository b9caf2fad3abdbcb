"""Pods that do not fit the shape of the machine, TPU slice, MIG slice or compute domain that they select."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from trainlint.checks.compute_domains import compute_domain_mismatches
from trainlint.checks.mig_slices import mig_mismatches
from trainlint.checks.shape_mismatch import (
    Shape,
    ShapeMismatch,
    named_selectors,
    on_shared_gpus,
    place_of_request,
    requested_devices,
)
from trainlint.checks.tpu_slices import tpu_slice_mismatches
from trainlint.fabric.attachment import GKE_ANNOTATION, gke_interfaces
from trainlint.finding import Location
from trainlint.inventory.interfaces import extra_interfaces
from trainlint.inventory.machine_selection import Machines, selected_machines
from trainlint.model.known import Undetermined
from trainlint.model.workload import PodSet
from trainlint.snapshot.build import Snapshot

__all__ = ["Shape", "ShapeMismatch", "shape_mismatches"]


def shape_mismatches(snapshot: Snapshot) -> Iterator[ShapeMismatch]:
    """One for each object and shape, in the order of the roles."""
    for workload in snapshot.workloads.objects:
        alive = [pods for pods in workload.pod_sets if pods.replicas != 0]
        if alive:
            slices = (*tpu_slice_mismatches(workload, alive), *mig_mismatches(alive))
            yield from _merged([*_of_machines(alive), *slices, *_of_interfaces(alive)])
    yield from compute_domain_mismatches(snapshot)


def _merged(found: Sequence[ShapeMismatch]) -> Iterator[ShapeMismatch]:
    """The same fault of several roles is one, at the first of them."""
    told: dict[tuple[object, ...], list[ShapeMismatch]] = {}
    for each in found:
        told.setdefault((each.shape, each.name, each.wanted, each.there, each.resource), []).append(each)
    for first, *others in told.values():
        yield replace(
            first,
            pod_sets=(*first.pod_sets, *(pods for each in others for pods in each.pod_sets)),
            places=tuple(dict.fromkeys(at for each in (first, *others) for at in each.places)),
        )


def _of_machines(pod_sets: Iterable[PodSet]) -> Iterator[ShapeMismatch]:
    for pods in pod_sets:
        asked = dict(requested_devices(pods))
        machines = selected_machines(pods.spec) if asked or pods.spec.node_selector or pods.spec.node_affinity else None
        if machines is None:
            continue
        by, places = named_selectors(machines.by)
        if not machines.types:
            at = places[-1] if places else pods.spec.at or pods.at
            yield ShapeMismatch(Shape.CONTRADICTION, (pods,), at, " and ".join(by), selected=by, places=places)
            continue
        yield from (each for each in _above(pods, asked, machines, by, places) if not on_shared_gpus(pods))


def _above(
    pods: PodSet, asked: dict[str, int], machines: Machines, by: tuple[str, ...], places: tuple[Location, ...]
) -> Iterator[ShapeMismatch]:
    for resource, amount in asked.items():
        most = machines.most(resource)
        if most is not None and amount > most:
            yield ShapeMismatch(
                Shape.MACHINE,
                (pods,),
                place_of_request(pods, resource),
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
            by, places = named_selectors(machines.by)
            at = pods.template.child("metadata", "annotations", GKE_ANNOTATION)
            names = tuple(each.name for each in machines.types)
            yield ShapeMismatch(
                Shape.INTERFACES, (pods,), at, ", ".join(by), len(listed), most, "", by, places, machines=names
            )
