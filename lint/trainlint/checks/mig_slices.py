"""MIG slices that the pods cannot use as they ask for them.

With the strategy ``single`` the device plugin offers the equal slices of a node as nvidia.com/gpu and the label
nvidia.com/gpu.product ends in -MIG-PROFILE; with ``mixed`` it offers them as nvidia.com/mig-PROFILE
(NVIDIA/k8s-device-plugin, docs/gpu-feature-discovery). GKE offers partitions as nvidia.com/gpu
(cloud.google.com/kubernetes-engine/docs/how-to/gpus-multi).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from trainlint.checks.shape_mismatch import Shape, ShapeMismatch, named_selectors, whole_amount
from trainlint.fact import fact
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pod import Container
from trainlint.model.selector import Requirement
from trainlint.model.workload import PodSet

__all__ = ["mig_mismatches"]

_MIG: Final = "nvidia.com/mig-"
_GPU: Final = "nvidia.com/gpu"
_PRODUCT: Final = "nvidia.com/gpu.product"
_STRATEGY: Final = "nvidia.com/mig.strategy"
_CONFIG: Final = "nvidia.com/mig.config"
_PARTITION: Final = "cloud.google.com/gke-gpu-partition-size"
_CLASS: Final = "mig.nvidia.com"
_PROFILE: Final = lazy_pattern(r"\d+g\.\d+gb(?:\.me(?:\.all)?)?")
_OF_PRODUCT: Final = lazy_pattern(r"-MIG-(\d+g\.\d+gb(?:\.me)?)(?:-SHARED)?$")


@fact
class _Offer:
    """What the selected nodes offer: slices of ``profile`` (empty: of any) as nvidia.com/gpu (``single``), under their
    own names, or (``None``) one of both. ``whole``: GPUs that are not cut.
    """

    by: Requirement
    profile: str = ""
    single: bool | None = None
    whole: bool = False


def mig_mismatches(pod_sets: Iterable[PodSet]) -> Iterator[ShapeMismatch]:
    """Containers that ask for slices that the selected nodes do not offer, or for several."""
    for pods in pod_sets:
        offers = list(_offers(_required(pods)))
        for container in pods.spec.containers:
            asked = _asked(container)
            refused = next((found for each in offers if (found := _refused(pods, container, asked, each))), None)
            if refused is not None:
                yield refused
                continue
            single = any(each.single and not each.whole for each in offers)
            slices = {name: count for name, count in asked.items() if name != _GPU or single}
            if sum(slices.values()) > 1:
                yield _several(pods, container, slices)


def _several(pods: PodSet, container: Container, slices: Mapping[str, int]) -> ShapeMismatch:
    at = container.resources_at or container.at or pods.at
    names = tuple(f"{amount} {resource}" for resource, amount in slices.items())
    count = sum(slices.values())
    return ShapeMismatch(Shape.MIG, (pods,), at, container.name, count, 1, next(iter(slices)), resources=names)


def _asked(container: Container) -> dict[str, int]:
    """The GPUs and MIG slices that a container asks for, by resource or device class."""
    asked = {
        resource: amount
        for resource in {**container.requests, **container.limits}
        if (resource == _GPU or resource.startswith(_MIG)) and (amount := whole_amount(container, resource))
    }
    for each in container.claimed:
        if each.device_class == _CLASS and isinstance(each.count, int):
            asked[_CLASS] = asked.get(_CLASS, 0) + each.count
    return asked


def _required(pods: PodSet) -> tuple[Requirement, ...]:
    """What every node that the pods may be on satisfies."""
    terms = pods.spec.node_affinity
    return (*pods.spec.node_selector, *(terms[0].expressions if terms is not None and len(terms) == 1 else ()))


def _offers(required: Iterable[Requirement]) -> Iterator[_Offer]:
    for each in required:
        value = each.values[0] if each.operator == "In" and len(each.values) == 1 else ""
        if not value or is_placeholder(value):
            continue
        if each.key == _PRODUCT and (found := _OF_PRODUCT.search(value)) is not None:
            yield _Offer(each, found[1], single=True)
        elif each.key == _STRATEGY and value in {"single", "mixed"}:
            yield _Offer(each, single=value == "single", whole=True)
        elif each.key == _CONFIG and value == "all-disabled":
            yield _Offer(each, whole=True)
        elif each.key == _CONFIG and _PROFILE.fullmatch(value.removeprefix("all-")):
            yield _Offer(each, value.removeprefix("all-"))
        elif each.key == _PARTITION:
            yield _Offer(each, value, single=True)


def _refused(pods: PodSet, container: Container, asked: Mapping[str, int], offer: _Offer) -> ShapeMismatch | None:
    """The first resource that the selected nodes surely lack."""
    for resource, amount in asked.items():
        if resource.startswith(_MIG) and _lacks(resource.removeprefix(_MIG), offer):
            at = container.resources_at or container.at or pods.at
            by, places = named_selectors((offer.by,))
            offered = (_GPU,) if offer.single or offer.whole else (f"{_MIG}{offer.profile}",)
            return ShapeMismatch(Shape.PROFILE, (pods,), at, by[0], amount, 0, resource, by, places, offered)
    return None


def _lacks(profile: str, offer: _Offer) -> bool:
    if offer.single is not None:
        return offer.single
    return offer.whole or offer.profile != profile
