"""The devices that resource claims give a container (dynamic resource allocation)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from trainlint.kube.devices import read_device_class, read_resource_claim, read_resource_claim_template
from trainlint.kube.values import read_int, read_text
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.api_kind import declared
from trainlint.model.because import Because
from trainlint.model.devices import DeviceClaim, DeviceClass, DeviceRequest, DeviceWish
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import ClaimedDevice, PodResourceClaim
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.source.document import Field
from trainlint.workload.accelerators import is_accelerator
from trainlint.workload.ground import PodGround

__all__ = [
    "CHANNEL",
    "DOMAIN_DRIVER",
    "KINDS",
    "claimed_devices",
    "computes_by_name",
    "made_template",
    "resolved_claims",
    "with_claims",
]

KINDS: Final = (
    *declared("resource.k8s.io", namespaced="ResourceClaim ResourceClaimTemplate", cluster="DeviceClass"),
    *declared("resource.nvidia.com", namespaced="ComputeDomain"),
)
"""Kinds that say what a claim gives; a ComputeDomain has a claim template made for it."""

_ACCELERATORS: Final = lazy_pattern(r"(?:^|[.\-])(?:v?gpus?|mig|tpus?|npus?|gaudi|neuron(?:core)?s?)(?:[.\-]|$)")
_DRIVER: Final = lazy_pattern(r"""device\.driver\s*==\s*["']([^"']+)["']""")
_NO_DEVICES: Final = lazy_pattern(r"^compute-domain-")
CHANNEL: Final = "compute-domain-default-channel.nvidia.com"
"""The device class of the claim templates that are made for ComputeDomains: no network device, no accelerator."""
DOMAIN_DRIVER: Final = "compute-domain.nvidia.com"
"""The driver of channels."""
_OF_TYPE: Final = "device.driver == '{0}' && device.attributes['{0}'].type == '{1}'"
_CLASSES_OF_CHARTS: Final = {
    CHANNEL: _OF_TYPE.format(DOMAIN_DRIVER, "channel") + f" && device.attributes['{DOMAIN_DRIVER}'].id == 0",
    "gpu.nvidia.com": _OF_TYPE.format("gpu.nvidia.com", "gpu"),
    "mig.nvidia.com": _OF_TYPE.format("gpu.nvidia.com", "mig"),
    "vfio.gpu.nvidia.com": _OF_TYPE.format("gpu.nvidia.com", "vfio"),
}
"""The classes that come with the chart of NVIDIA's driver, and what they select: of its channels a node gives pods the
one with number 0 (NVIDIA/k8s-dra-driver-gpu: deployments/helm at v0.4.0).
"""


def claimed_devices(
    used: Sequence[str], claims: Iterable[PodResourceClaim], namespace: str, objects: Mapping[ObjectRef, Field]
) -> tuple[ClaimedDevice, ...]:
    """What the entries of a container's ``resources.claims`` give it: ``NAME``, or ``NAME/REQUEST`` for one request.

    ``claims`` are those of the pod, ``objects`` the snapshot's. A claim that no document defines gives one device of
    an unknown class.
    """
    of_pod = {claim.name: claim for claim in claims}
    found: list[ClaimedDevice] = []
    for entry in dict.fromkeys(used):
        name, _, request = entry.partition("/")
        claim = of_pod.get(name)
        if claim is not None:
            found.extend(_given(claim, request, namespace, objects))
    return tuple(found)


def with_claims(pods: PodSet, objects: Mapping[ObjectRef, Field]) -> PodSet:
    """The pod set whose containers have the devices of their claims."""
    if not any(container.resource_claims for container in pods.spec.containers):
        return pods
    containers = tuple(
        replace(
            container,
            claimed=claimed_devices(container.resource_claims, pods.spec.resource_claims, pods.namespace, objects),
        )
        for container in pods.spec.containers
    )
    return replace(pods, spec=replace(pods.spec, containers=containers))


def resolved_claims(
    claims: Iterable[PodResourceClaim], namespace: str, objects: Mapping[ObjectRef, Field]
) -> tuple[PodResourceClaim, ...]:
    """The entries of a pod's ``resourceClaims``, each with what the claim or the template asks for, if Git holds it."""
    return tuple(_resolved(each, namespace, objects) for each in claims)


def _resolved(claim: PodResourceClaim, namespace: str, objects: Mapping[ObjectRef, Field]) -> PodResourceClaim:
    found: DeviceClaim | None = None
    if claim.claim and (written := objects.get(ObjectRef("ResourceClaim", namespace, claim.claim))) is not None:
        found = read_resource_claim(written, namespace)
    elif (
        not claim.claim
        and (written := objects.get(ObjectRef("ResourceClaimTemplate", namespace, claim.template))) is not None
    ):
        found = read_resource_claim_template(written, namespace)
    elif not claim.claim and (domain := _domain_of(claim.template, namespace, objects)) is not None:
        found = _channel(claim.template, namespace, domain)
    if found is None:
        return claim
    names = dict.fromkeys(wish.device_class for request in found.requests for wish in request.wishes)
    known = (_class(name, objects) for name in names)
    return replace(claim, devices=found, classes=tuple(each for each in known if each is not None))


def _channel(template: str, namespace: str, domain: Field) -> DeviceClaim:
    """What the claim template of a ComputeDomain asks for: the node's channel."""
    wish = DeviceWish("channel", CHANNEL, at=domain.at)
    return DeviceClaim(namespace, template, (DeviceRequest("channel", (wish,)),), at=domain.at)


def _class(name: str, objects: Mapping[ObjectRef, Field]) -> DeviceClass | None:
    written = objects.get(ObjectRef("DeviceClass", "", name))
    if written is not None:
        return read_device_class(written)
    selector = _CLASSES_OF_CHARTS.get(name)
    return DeviceClass(name, (selector,)) if selector else None


def computes_by_name(device_class: str) -> bool | None:
    """Whether devices of a class or driver are accelerators, by its name; ``None`` where the name does not say."""
    if _NO_DEVICES.match(device_class):
        return False
    return True if _ACCELERATORS.search(device_class) else None


def made_template(domain: Field) -> str:
    """The name of the claim template that the controller of a ComputeDomain makes; empty for other objects."""
    if domain["kind"].value != "ComputeDomain":
        return ""
    return read_text(domain.down("spec", "channel", "resourceClaimTemplate", "name"))


def _given(
    claim: PodResourceClaim, request: str, namespace: str, objects: Mapping[ObjectRef, Field]
) -> Iterator[ClaimedDevice]:
    if claim.claim:
        spec = objects.get(ObjectRef("ResourceClaim", namespace, claim.claim))
        devices = None if spec is None else spec.down("spec", "devices")
    else:
        spec = objects.get(ObjectRef("ResourceClaimTemplate", namespace, claim.template))
        devices = None if spec is None else spec.down("spec", "spec", "devices")
    if devices is None:
        if not claim.claim and _domain_of(claim.template, namespace, objects) is not None:
            yield ClaimedDevice(CHANNEL, 1, accelerator=False)
            return
        name = claim.claim or claim.template or claim.name
        yield ClaimedDevice("", Undetermined(Because(PodGround.NO_CLAIM, (name,))))
        return
    for wish in devices["requests"].elements():
        if not request or read_text(wish["name"]) == request.partition("/")[0]:
            yield _wished(wish, objects, shared=bool(claim.claim))


def _domain_of(template: str, namespace: str, objects: Mapping[ObjectRef, Field]) -> Field | None:
    """The ComputeDomain whose claim template has this name; ``None`` where there is none."""
    if not template:
        return None
    domains = (item for ref, item in objects.items() if ref.kind == "ComputeDomain" and ref.namespace == namespace)
    return next((item for item in domains if made_template(item) == template), None)


def _wished(wish: Field, objects: Mapping[ObjectRef, Field], *, shared: bool) -> ClaimedDevice:
    """One request, in the forms of resource.k8s.io/v1 and v1beta1 (without ``exactly``)."""
    written = [*wish["firstAvailable"].elements()] or [wish["exactly"] if wish["exactly"].present else wish]
    made = [_alternative(each, objects, shared=shared) for each in written]
    first = made[0]
    if all(each == first for each in made[1:]):
        return first
    kinds = {each.accelerator for each in made}
    why = Undetermined(Because(PodGround.DEVICE_CLASSES))
    return ClaimedDevice(first.device_class, why, kinds.pop() if len(kinds) == 1 else None)


def _alternative(wish: Field, objects: Mapping[ObjectRef, Field], *, shared: bool) -> ClaimedDevice:
    name = read_text(wish["deviceClassName"])
    count: Known[int] = read_int(wish["count"], 1)
    if read_text(wish["allocationMode"]) == "All":
        count = Undetermined(Because(PodGround.ALL_DEVICES))
    elif shared:
        count = Undetermined(Because(PodGround.SHARED_CLAIM))
    computes = False if wish["adminAccess"].value is True else _computes(name, objects)
    return ClaimedDevice(name, count, computes)


def _computes(name: str, objects: Mapping[ObjectRef, Field]) -> bool | None:
    """Whether the class is one of accelerators: by the drivers that its selectors name, else by its name."""
    device_class = objects.get(ObjectRef("DeviceClass", "", name))
    if device_class is not None:
        spec = device_class["spec"]
        if resource := read_text(spec["extendedResourceName"]):
            return is_accelerator(resource)
        drivers = [
            driver
            for selector in spec["selectors"].elements()
            for driver in _DRIVER.findall(read_text(selector.down("cel", "expression")))
        ]
        if drivers:
            known = {computes_by_name(driver) for driver in drivers}
            return True if True in known else None if None in known else False
    return computes_by_name(name)
