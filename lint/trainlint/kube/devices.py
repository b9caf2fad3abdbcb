"""ResourceSlices, DeviceClasses, ResourceClaims and their templates, of every version of resource.k8s.io.

v1 and v1beta2 write ``exactly`` below a request, v1beta1 and v1alpha3 write its fields into the request; these two have
the attributes of a device below ``basic``.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from trainlint.kube.ground import FieldGround
from trainlint.kube.node import read_taints
from trainlint.kube.pod import read_tolerations
from trainlint.kube.selectors import read_node_selector_terms
from trainlint.kube.values import is_placeholder, read_int, read_strings, read_text
from trainlint.model.because import Because
from trainlint.model.devices import (
    Allocated,
    Allocation,
    Attribute,
    Capacity,
    Consumption,
    DeviceClaim,
    DeviceClass,
    DeviceConstraint,
    DeviceId,
    DeviceReach,
    DeviceRequest,
    DeviceSlice,
    DeviceWish,
    RequestPolicy,
    SliceDevice,
)
from trainlint.model.known import Known, Undetermined
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.source.document import Field

__all__ = [
    "TYPES",
    "read_device",
    "read_device_class",
    "read_resource_claim",
    "read_resource_claim_template",
    "read_resource_slice",
]

TYPES: Final = ("string", "int", "bool", "version")
"""The types that an attribute of a device can have."""
_MADE: Final = "resource.kubernetes.io/extended-resource-claim"
_EXACT: Final = "ExactCount"


def read_resource_slice(field: Field) -> DeviceSlice:
    """The ResourceSlice at the cursor."""
    spec = field["spec"]
    pool = spec["pool"]
    return DeviceSlice(
        name=read_text(field.down("metadata", "name")),
        driver=read_text(spec["driver"]),
        pool=read_text(pool["name"]),
        generation=_number(pool["generation"]),
        slices=_number(pool["resourceSliceCount"]),
        reach=_reach(spec),
        per_device=spec["perDeviceNodeSelection"].value is True,
        devices=tuple(read_device(each) for each in spec["devices"].elements()),
        counters=tuple(
            Consumption(read_text(each["name"]), _counters(each)) for each in spec["sharedCounters"].elements()
        ),
        at=field.at,
    )


def read_device(field: Field) -> SliceDevice:
    """A device of a slice."""
    body = field["basic"] if field["basic"].present else field
    return SliceDevice(
        name=read_text(field["name"]),
        attributes={name: _attribute(value) for name, value in body["attributes"].items()},
        capacity=dict(_capacities(body["capacity"])),
        consumes=tuple(
            Consumption(read_text(each["counterSet"]), _counters(each)) for each in body["consumesCounters"].elements()
        ),
        taints=read_taints(body["taints"]),
        reach=_reach(body),
        shared=body["allowMultipleAllocations"].value is True,
        binding_conditions=read_strings(body["bindingConditions"]),
    )


def read_device_class(field: Field) -> DeviceClass:
    """The DeviceClass at the cursor."""
    return DeviceClass(
        name=read_text(field.down("metadata", "name")),
        selectors=_selectors(field["spec"]),
        extended_resource=read_text(field.down("spec", "extendedResourceName")),
        created=read_text(field.down("metadata", "creationTimestamp")),
        at=field.at,
    )


def read_resource_claim(field: Field, namespace: str) -> DeviceClaim:
    """The ResourceClaim at the cursor, in its namespace or else this one."""
    metadata = field["metadata"]
    status = field["status"]
    allocation = status["allocation"]
    owner = next((each for each in metadata["ownerReferences"].elements() if each["controller"].value is True), None)
    return DeviceClaim(
        namespace=read_text(metadata["namespace"]) or namespace,
        name=read_text(metadata["name"]),
        requests=_requests(field.down("spec", "devices")),
        constraints=_constraints(field.down("spec", "devices")),
        allocation=_allocation(allocation) if allocation.present else None,
        owner=read_text(owner["uid"]) if owner is not None else "",
        deleted=metadata["deletionTimestamp"].present,
        for_extended_resources=read_text(metadata.down("annotations", _MADE)) == "true",
        conditions=tuple(_conditions(status["devices"])),
        at=field.at,
    )


def read_resource_claim_template(field: Field, namespace: str) -> DeviceClaim:
    """What the ResourceClaimTemplate at the cursor makes for each pod, under the name of the template."""
    devices = field.down("spec", "spec", "devices")
    return DeviceClaim(
        namespace=read_text(field.down("metadata", "namespace")) or namespace,
        name=read_text(field.down("metadata", "name")),
        requests=_requests(devices),
        constraints=_constraints(devices),
        at=field.at,
    )


def _requests(devices: Field) -> tuple[DeviceRequest, ...]:
    return tuple(_request(each) for each in devices["requests"].elements())


def _request(field: Field) -> DeviceRequest:
    name = read_text(field["name"])
    if field["firstAvailable"].value:
        wishes = tuple(_wish(each, read_text(each["name"])) for each in field["firstAvailable"].elements())
        return DeviceRequest(name, wishes, alternatives=True)
    if field["exactly"].present:
        return DeviceRequest(name, (_wish(field["exactly"], name),))
    return DeviceRequest(name, (_wish(field, name),) if field["deviceClassName"].present else ())


def _wish(field: Field, name: str) -> DeviceWish:
    requested = field.down("capacity", "requests")
    amounts = ((each, _quantity(value)) for each, value in requested.items())
    return DeviceWish(
        name=name,
        device_class=read_text(field["deviceClassName"]),
        selectors=_selectors(field),
        mode=read_text(field["allocationMode"]) or _EXACT,
        count=read_int(field["count"], 1),
        admin=field["adminAccess"].value is True,
        tolerations=read_tolerations(field["tolerations"]),
        capacity=tuple((each, amount) for each, amount in amounts if amount is not None),
        at=field.at,
    )


def _selectors(field: Field) -> tuple[str, ...]:
    return tuple(read_text(each.down("cel", "expression")) for each in field["selectors"].elements())


def _constraints(devices: Field) -> tuple[DeviceConstraint, ...]:
    return tuple(
        DeviceConstraint(
            read_strings(each["requests"]), read_text(each["matchAttribute"]), read_text(each["distinctAttribute"])
        )
        for each in devices["constraints"].elements()
    )


def _allocation(field: Field) -> Allocation:
    return Allocation(
        devices=tuple(
            Allocated(
                device=_id(each),
                admin=each["adminAccess"].value is True,
                share=read_text(each["shareID"]),
                consumed=tuple(
                    (name, amount)
                    for name, value in each["consumedCapacity"].items()
                    if (amount := _quantity(value)) is not None
                ),
                binding_conditions=read_strings(each["bindingConditions"]),
                failure_conditions=read_strings(each["bindingFailureConditions"]),
            )
            for each in field.down("devices", "results").elements()
        ),
        terms=read_node_selector_terms(field["nodeSelector"]),
        since=read_text(field["allocationTimestamp"]),
    )


def _conditions(devices: Field) -> Iterator[tuple[DeviceId, str, str]]:
    for each in devices.elements():
        for condition in each["conditions"].elements():
            yield _id(each), read_text(condition["type"]), read_text(condition["status"])


def _id(field: Field) -> DeviceId:
    return read_text(field["driver"]), read_text(field["pool"]), read_text(field["device"])


def _reach(field: Field) -> DeviceReach:
    return DeviceReach(
        read_text(field["nodeName"]), field["allNodes"].value is True, read_node_selector_terms(field["nodeSelector"])
    )


def _attribute(field: Field) -> Known[Attribute]:
    given = [(kind, field[kind].value) for kind in TYPES if field[kind].present]
    if len(given) != 1:
        return "", None
    kind, value = given[0]
    if isinstance(value, str) and is_placeholder(value):
        return Undetermined(Because(FieldGround.PLACEHOLDER, (str(field.path[-1]), repr(value))))
    return kind, value


def _capacities(field: Field) -> Iterator[tuple[str, Capacity]]:
    for name, written in field.items():
        value = _quantity(written["value"] if written.mapping is not None else written)
        if value is not None:
            yield name, Capacity(value, _policy(written["requestPolicy"]))


def _policy(field: Field) -> RequestPolicy | None:
    if field.mapping is None:
        return None
    limits = field["validRange"]
    valid = (_quantity(each) for each in field["validValues"].elements())
    return RequestPolicy(
        default=_quantity(field["default"]),
        least=_quantity(limits["min"]),
        most=_quantity(limits["max"]),
        step=_quantity(limits["step"]),
        valid=tuple(each for each in valid if each is not None),
    )


def _counters(field: Field) -> tuple[tuple[str, Fraction], ...]:
    amounts = ((name, _quantity(value["value"])) for name, value in field["counters"].items())
    return tuple((name, amount) for name, amount in amounts if amount is not None)


def _quantity(field: Field) -> Fraction | None:
    try:
        return None if field.scalar is None else parse_quantity(field.scalar)
    except QuantityError:
        return None


def _number(field: Field) -> int:
    found = read_int(field)
    return found if isinstance(found, int) else 0
