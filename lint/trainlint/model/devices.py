"""Dynamic resource allocation: what drivers offer (slices of devices) and what claims ask for, in the words of
resource.k8s.io/v1.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.known import Known
from trainlint.model.pod import Toleration
from trainlint.model.pool import Taint
from trainlint.model.selector import NodeSelectorTerm

__all__ = [
    "Allocated",
    "Allocation",
    "Attribute",
    "Capacity",
    "Consumption",
    "DeviceClaim",
    "DeviceClass",
    "DeviceConstraint",
    "DeviceId",
    "DeviceObjects",
    "DeviceReach",
    "DeviceRequest",
    "DeviceSlice",
    "DeviceWish",
    "NodeDevices",
    "RequestPolicy",
    "SliceDevice",
]

Attribute = tuple[str, object]
"""The type (``string``, ``int``, ``bool``, ``version``; empty where none is given) and the value of an attribute."""
DeviceId = tuple[str, str, str]
"""Driver, pool, name."""


@fact
class RequestPolicy:
    """How an amount of a capacity is rounded: at least ``least``, in ``steps`` from there, at most ``most``; or to the
    next of the ``valid`` values; ``default`` is what a request takes that does not say.
    """

    default: Fraction | None = None
    least: Fraction | None = None
    most: Fraction | None = None
    step: Fraction | None = None
    valid: tuple[Fraction, ...] = ()


@fact
class Capacity:
    """An amount that a device has, and how requests of parts of it are rounded."""

    value: Fraction
    policy: RequestPolicy | None = None


@fact
class Consumption:
    """What a device takes of the counters of a set, by their names."""

    counter_set: str
    counters: tuple[tuple[str, Fraction], ...]


@fact
class DeviceReach:
    """From which nodes devices can be used: one by its name, all, or those that one of the terms matches.

    With none of them from no node.
    """

    node: str = ""
    everywhere: bool = False
    terms: tuple[NodeSelectorTerm, ...] | None = None

    @property
    def given(self) -> bool:
        """Whether anything is said."""
        return bool(self.node) or self.everywhere or self.terms is not None


@fact(eq=False)
class SliceDevice:
    """A device of a slice. ``shared``: several claims may have it at once.

    An attribute that is ``Undetermined`` exists, its value is not known; where the device is not ``complete``, there
    may be others than those that are listed.
    """

    name: str
    attributes: Mapping[str, Known[Attribute]] = field(default_factory=dict)
    capacity: Mapping[str, Capacity] = field(default_factory=dict)
    consumes: tuple[Consumption, ...] = ()
    taints: tuple[Taint, ...] = ()
    reach: DeviceReach = DeviceReach()
    shared: bool = False
    binding_conditions: tuple[str, ...] = ()
    complete: bool = True


@fact(eq=False)
class DeviceSlice:
    """A ResourceSlice: devices of a pool, or the counters that devices of the pool share."""

    name: str
    driver: str
    pool: str
    generation: int = 1
    slices: int = 1
    reach: DeviceReach = DeviceReach()
    per_device: bool = False
    devices: tuple[SliceDevice, ...] = ()
    counters: tuple[Consumption, ...] = ()
    at: Location | None = None


@fact
class DeviceClass:
    """A DeviceClass: the expressions that its devices satisfy, and the extended resource that stands for it."""

    name: str
    selectors: tuple[str, ...] = ()
    extended_resource: str = ""
    created: str = ""
    at: Location | None = field(default=None, compare=False)


@fact
class DeviceWish:
    """What a request asks for, or one of its alternatives; ``every``: all devices that satisfy the selectors.

    ``device_class`` is empty where none is written. ``mode`` is the allocation mode as written.
    """

    name: str
    device_class: str
    selectors: tuple[str, ...] = ()
    mode: str = "ExactCount"
    count: Known[int] = 1
    admin: bool = False
    tolerations: tuple[Toleration, ...] = ()
    capacity: tuple[tuple[str, Fraction], ...] = ()
    at: Location | None = field(default=None, compare=False)

    @property
    def every(self) -> bool:
        """Whether it takes all devices."""
        return self.mode == "All"


@fact
class DeviceRequest:
    """A request of a claim: one wish, or alternatives of which the first that can be met counts. None: it is broken."""

    name: str
    wishes: tuple[DeviceWish, ...] = ()
    alternatives: bool = False


@fact
class DeviceConstraint:
    """What all devices of some requests (of all, where none is named) have in common, or in what they differ."""

    requests: tuple[str, ...] = ()
    match: str = ""
    distinct: str = ""


@fact
class Allocated:
    """A device that a claim has; with a ``share`` it has a part of it only: the ``consumed`` capacity."""

    device: DeviceId
    admin: bool = False
    share: str = ""
    consumed: tuple[tuple[str, Fraction], ...] = ()
    binding_conditions: tuple[str, ...] = ()
    failure_conditions: tuple[str, ...] = ()


@fact
class Allocation:
    """What a claim has been given, and from which nodes it can be used (no terms at all: from every node)."""

    devices: tuple[Allocated, ...] = ()
    terms: tuple[NodeSelectorTerm, ...] | None = None
    since: str = ""


@fact
class DeviceClaim:
    """A ResourceClaim, or what a template makes for each pod.

    ``owner`` is the UID of the pod that controls it, ``conditions`` are those of devices: device, type, status.
    """

    namespace: str
    name: str
    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()
    allocation: Allocation | None = None
    owner: str = ""
    deleted: bool = False
    for_extended_resources: bool = False
    conditions: tuple[tuple[DeviceId, str, str], ...] = ()
    at: Location | None = field(default=None, compare=False)


@fact(eq=False)
class DeviceObjects:
    """What a cluster has of dynamic resource allocation. Claims and templates are found by namespace and name."""

    slices: tuple[DeviceSlice, ...] = ()
    classes: Mapping[str, DeviceClass] = field(default_factory=dict)
    claims: Mapping[tuple[str, str], DeviceClaim] = field(default_factory=dict)
    templates: Mapping[tuple[str, str], DeviceClaim] = field(default_factory=dict)


@fact(eq=False, slots=False)
class NodeDevices:
    """What drivers publish on one node, in slices. Equal where no claim could tell the nodes apart: names of slices and
    of pools that are called like the node are left aside.

    ``elsewhere`` says that some of the slices are shared with other nodes, ``earlier`` that Kubernetes before 1.36
    gives the devices away.
    """

    slices: tuple[DeviceSlice, ...]
    elsewhere: bool = False
    earlier: bool = False

    @cached_property
    def key(self) -> Hashable:
        """What devices there are, for comparison."""
        return self.elsewhere, self.earlier, tuple(_slice_key(each) for each in self.slices)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeDevices) and (self is other or self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)

    def reduced(self, names: Collection[str]) -> NodeDevices:
        """The devices with the attributes that claims ask for by these names, without their domains."""
        slices = tuple(
            replace(each, devices=tuple(_reduced(one, names) for one in each.devices)) for each in self.slices
        )
        return NodeDevices(slices, self.elsewhere, self.earlier)


def _reduced(device: SliceDevice, names: Collection[str]) -> SliceDevice:
    kept = {key: each for key, each in device.attributes.items() if key.rpartition("/")[2] in names}
    return device if len(kept) == len(device.attributes) else replace(device, attributes=kept)


def _slice_key(each: DeviceSlice) -> Hashable:
    own = each.reach.node
    place: object = "node" if own else each.reach
    pool = "node" if own and each.pool == own else each.pool
    counters = tuple(each.counters)
    return (
        each.driver,
        pool,
        each.generation,
        each.slices,
        place,
        each.per_device,
        counters,
        tuple(_device_key(device) for device in each.devices),
    )


def _device_key(device: SliceDevice) -> Hashable:
    return (
        device.name,
        tuple(sorted(device.attributes.items(), key=lambda each: each[0])),
        tuple(sorted(device.capacity.items(), key=lambda each: each[0])),
        device.consumes,
        device.taints,
        device.reach,
        device.shared,
        device.binding_conditions,
        device.complete,
    )
