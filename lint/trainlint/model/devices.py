"""Dynamic resource allocation: what drivers offer (slices of devices) and what claims ask for, in the words of
resource.k8s.io/v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction

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
