"""Network devices that claims give pods: DRANET's (upstream and GKE's), which publish whether they do RDMA.

Sources: google/dranet (pkg/apis/attributes.go: dra.net/rdma; pkg/apis/types.go: interface.name in the parameters of a
claim), cloud.google.com/kubernetes-engine/docs/how-to/allocate-network-resources-dra (classes mrdma.google.com and
netdev.google.com).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.kube.values import read_int, read_strings, read_text
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.devices import DeviceWish
from trainlint.model.known import Known
from trainlint.model.pod import PodResourceClaim, PodSpec
from trainlint.source.document import Field

__all__ = ["GPU_CLASSES", "claimed_rdma", "interfaces_of_claim", "requests_of"]

_RDMA_CLASS: Final = "mrdma.google.com"
_RDMA: Final = lazy_pattern(
    r"""(?<![!\w(])device\.attributes\[["']dra\.net["']\](?:\.rdma|\[["']rdma["']\])(?!\s*(?:==\s*false|!=))"""
)
GPU_CLASSES: Final = ("gpu.", "mig.", "vfio.gpu.", "compute-domain", "tpu.")
"""How the names of classes begin whose devices are no network devices."""


def claimed_rdma(spec: PodSpec) -> Iterator[tuple[PodResourceClaim, Known[int]]]:
    """The claims that a container uses and that surely give RDMA devices, each with their number."""
    used = {entry.partition("/")[0] for each in spec.containers for entry in each.resource_claims}
    for claim in spec.resource_claims:
        if claim.name not in used or claim.devices is None:
            continue
        classes = {each.name: each.selectors for each in claim.classes}
        for request in claim.devices.requests:
            if request.wishes and all(_is_rdma(wish, classes) for wish in request.wishes):
                yield claim, request.wishes[0].count


def _is_rdma(wish: DeviceWish, classes: Mapping[str, tuple[str, ...]]) -> bool:
    texts = (*wish.selectors, *classes.get(wish.device_class, ()))
    plain = wish.device_class == _RDMA_CLASS or any(_RDMA.search(each) and "||" not in each for each in texts)
    return plain and not wish.admin


def requests_of(claim: Field) -> Field:
    """The ``devices`` of a ResourceClaim, or of what a ResourceClaimTemplate makes."""
    spec = claim["spec"]
    return (spec["spec"] if claim["kind"].value == "ResourceClaimTemplate" else spec)["devices"]


def interfaces_of_claim(claim: Field) -> tuple[str, ...] | None:
    """The names of the interfaces that a claim gives, in the order of its requests; ``None`` where the driver chooses
    them, or may.
    """
    devices = requests_of(claim)
    configs = [(read_strings(each["requests"]), each["opaque"]) for each in devices["config"].elements()]
    found: list[str] = []
    for request in devices["requests"].elements():
        exactly = request["exactly"] if request["exactly"].present else request
        if read_text(exactly["deviceClassName"]).startswith(GPU_CLASSES):
            continue
        names = [
            read_text(opaque.down("parameters", "interface", "name"))
            for requests, opaque in configs
            if read_text(opaque["driver"]) == "dra.net" and (not requests or read_text(request["name"]) in requests)
        ]
        one = read_int(exactly["count"], 1) == 1 and read_text(exactly["allocationMode"]) in {"", "ExactCount"}
        if len(names) != 1 or not names[0] or not one or request["firstAvailable"].present:
            return None
        found.append(names[0])
    return tuple(found)
