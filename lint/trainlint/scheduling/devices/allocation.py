"""The plugin's answer for one pod on one node (its Filter)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.devices import Allocation, DeviceClaim, DeviceClass, DeviceObjects, DeviceWish
from trainlint.model.pod import PodSpec
from trainlint.scheduling.devices.allocated import AllocatedDevices
from trainlint.scheduling.devices.claims_of_pod import ClaimsOfPod, Missing, claims_of_pod, undetermined_count
from trainlint.scheduling.devices.equal_devices import EqualDevices
from trainlint.scheduling.devices.extended import class_of, extended_resources, made_up, without_plugin
from trainlint.scheduling.devices.offer import Candidate, DevicePool, Offer, reaches, selected
from trainlint.scheduling.devices.outcome import AllocationError, AllocationFault, DeviceGround, Open, SearchBudgetError
from trainlint.scheduling.devices.place import node_terms
from trainlint.scheduling.devices.search import DeviceResult, Search
from trainlint.scheduling.devices.selection import accepts
from trainlint.scheduling.node import Node

__all__ = ["BUDGET", "AllocatedClaims", "Allocator", "Answer", "ClaimingPod", "NodeRefusal"]

BUDGET: Final = 20_000
"""Steps of one search before it is given up: about a second."""
_BINDING_WAIT: Final = timedelta(minutes=10)


@fact(eq=False)
class ClaimingPod:
    """A pod with what its claims are: ``made`` are those of templates, by the name of the entry; ``uid`` is its own."""

    namespace: str
    spec: PodSpec
    made: Mapping[str, DeviceClaim | None]
    uid: str = ""


@fact
class AllocatedClaims:
    """The pod fits: what each claim that was not allocated is given, by its place among them."""

    claims: tuple[DeviceClaim, ...] = ()
    results: tuple[tuple[DeviceResult, ...], ...] = ()
    allocations: tuple[Allocation, ...] = ()


@fact
class NodeRefusal:
    """The node is refused: not enough devices, or an allocated claim cannot be used from there (``away``: its name)."""

    away: str = ""
    resource: str = ""


Answer = AllocatedClaims | NodeRefusal | Missing | AllocationFault | Open


class Allocator:
    """Answers for pods on nodes, over objects that stay the same and devices that are taken in between.

    ``newest``: the cluster's Kubernetes is no later than the version that is followed here, so that a function which is
    not known here is none. ``earlier``: Kubernetes before 1.36, whose objects lack what was added since.
    """

    def __init__(
        self, objects: DeviceObjects, *, budget: int = BUDGET, newest: bool = False, earlier: bool = False
    ) -> None:
        self.objects = objects
        self._earlier = earlier
        self._mapped: Mapping[str, DeviceClass] = {} if earlier else objects.classes
        self._offer = Offer(objects.slices, earlier=earlier)
        self._pools: dict[tuple[int, bool], tuple[Node, tuple[DevicePool, ...] | AllocationFault]] = {}
        self._alike: dict[tuple[int, ...], tuple[tuple[DeviceClaim, ...], EqualDevices]] = {}
        self._budget = budget
        self._was_open: Because | None = None
        self._newest = newest

    def concerns(self, spec: PodSpec) -> bool:
        """Whether the plugin has anything to do for pods of the spec."""
        return bool(spec.resource_claims) or any(class_of(name, self._mapped) for name in extended_resources(spec))

    def wants(
        self, asked: ClaimingPod, claims: Mapping[tuple[str, str], DeviceClaim]
    ) -> ClaimsOfPod | Missing | AllocationFault:
        """The claims of the pod (PreFilter), where these are the claims that there are."""
        found = claims_of_pod(asked.spec.resource_claims, asked.namespace, self.objects.classes, claims, asked.made)
        if isinstance(found, ClaimsOfPod) and not asked.spec.resource_claims and self._left_over(asked, claims):
            return Missing("ResourceClaim", "")
        return found

    def _left_over(self, asked: ClaimingPod, claims: Mapping[tuple[str, str], DeviceClaim]) -> bool:
        """Whether a claim of an earlier attempt is there, which the scheduler deletes before it goes on."""
        return any(
            each.for_extended_resources and each.owner == asked.uid and each.namespace == asked.namespace
            for each in claims.values()
        )

    def answer(self, asked: ClaimingPod, wants: ClaimsOfPod, node: Node, taken: AllocatedDevices) -> Answer:
        """What the plugin says for the pod on the node."""
        found = self._extended(asked, node)
        if isinstance(found, NodeRefusal):
            return found
        waiting = (*wants.allocate, *found)
        away = self._away(wants.allocated, node)
        if isinstance(away, AllocationFault):
            return away
        if (why := undetermined_count(waiting)) is not None:
            return Open(Because(DeviceGround.COUNT, (why.why,)))
        granted: Answer = self._allocated(waiting, node, taken) if waiting else AllocatedClaims()
        if isinstance(granted, AllocatedClaims) and away:
            return NodeRefusal(away)
        return granted

    def _extended(self, asked: ClaimingPod, node: Node) -> NodeRefusal | tuple[DeviceClaim, ...]:
        resources = extended_resources(asked.spec)
        mapped = {name: found for name in resources if (found := class_of(name, self._mapped))}
        if not mapped:
            return ()
        for name in resources:
            if name not in mapped and name not in (node.allocatable or {}):
                return NodeRefusal(resource=name)
        through_devices = [(name, found) for name, found in mapped.items() if without_plugin(name, node)]
        return (made_up(asked.spec, asked.namespace, through_devices),) if through_devices else ()

    def _away(self, claims: Iterable[DeviceClaim], node: Node) -> str | AllocationFault:
        """The first allocated claim that cannot be used from the node; empty where there is none."""
        away = ""
        for claim in claims:
            allocation = claim.allocation
            if allocation is None:
                continue
            try:
                here = allocation.terms is None or selected(allocation.terms, node) is not False
            except AllocationError as error:
                return error.fault
            if not here or not _bound(claim, allocation):
                away = away or claim.name
        return away

    def _allocated(self, claims: Sequence[DeviceClaim], node: Node, taken: AllocatedDevices) -> Answer:
        """The answer with nothing that is unknown, if it is the same with everything."""
        cautious = self._search(claims, node, taken, unknown=False)
        if not self._was_open:
            return cautious
        why = self._was_open
        bold = self._search(claims, node, taken, unknown=True)
        return cautious if type(bold) is type(cautious) else Open(why)

    def _search(self, claims: Sequence[DeviceClaim], node: Node, taken: AllocatedDevices, *, unknown: bool) -> Answer:
        self._was_open = None
        pools = self._seen(node, unknown=unknown)
        if isinstance(pools, AllocationFault):
            return pools
        classes = self.objects.classes

        def accepted(wish: DeviceWish, candidate: Candidate) -> bool:
            driver = candidate.id[0]
            texts = (*classes[wish.device_class].selectors, *wish.selectors)
            found = accepts(texts, driver, candidate.device)
            if isinstance(found, Open) and found.function and self._newest:
                found = AllocationFault(found.why)
            if isinstance(found, AllocationFault):
                raise AllocationError(found.reason)
            if isinstance(found, Open):
                self._was_open = self._was_open or found.why
                found = unknown
            if found and candidate.slice.per_device:
                return reaches(candidate.device.reach, node) is True
            return found

        search = Search(
            claims,
            pools,
            taken,
            accepted,
            self._likeness(claims),
            unknown=unknown,
            steps=self._budget,
            earlier=self._earlier,
        )
        try:
            results = search.run()
        except AllocationError as error:
            return error.fault
        except SearchBudgetError:
            return Open(Because(DeviceGround.STEPS, (self._budget,)))
        if results is None:
            return NodeRefusal()
        try:
            allocations = tuple(
                Allocation(tuple(each.allocated for each in found), node_terms(found, node)) for found in results
            )
        except AllocationError as error:
            return error.fault
        return AllocatedClaims(tuple(claims), tuple(map(tuple, results)), allocations)

    def _likeness(self, claims: Sequence[DeviceClaim]) -> EqualDevices:
        key = tuple(map(id, claims))
        found = self._alike.get(key)
        if found is None:
            found = self._alike[key] = tuple(claims), EqualDevices(claims, self.objects.classes)
        return found[1]

    def _seen(self, node: Node, *, unknown: bool) -> tuple[DevicePool, ...] | AllocationFault:
        key = (id(node), unknown)
        if key not in self._pools:
            try:
                found: tuple[DevicePool, ...] | AllocationFault = self._offer.seen(node, unknown=unknown)
            except AllocationError as error:
                found = error.fault
            self._pools[key] = node, found
        return self._pools[key][1]


def _bound(claim: DeviceClaim, allocation: Allocation) -> bool:
    """Whether what the claim has is bound to its node, or may still be."""
    for each in allocation.devices:
        if not each.binding_conditions:
            continue
        states = {kind: status for device, kind, status in claim.conditions if device == each.device}
        if any(states.get(kind) == "True" for kind in each.failure_conditions):
            return False
        if any(states.get(kind) != "True" for kind in each.binding_conditions) and _waited(allocation.since):
            return False
    return True


def _waited(since: str) -> bool:
    try:
        begun = datetime.fromisoformat(since.replace("Z", "+00:00"))
    except ValueError:
        return False
    return datetime.now(UTC) - begun > _BINDING_WAIT
