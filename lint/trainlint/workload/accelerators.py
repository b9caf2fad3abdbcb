"""Which pods compute on accelerators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container, PodSpec
from trainlint.workload.ground import PodGround

__all__ = ["accelerator_count", "accelerators_of", "computing_devices", "holds_accelerators", "is_accelerator"]

_ACCELERATOR: Final = lazy_pattern(
    r"""^(?:deviceclass\.resource\.kubernetes\.io/)?
      (?: nvidia\.com/(?:gpu|mig-|.*gpu) | amd\.com/gpu | habana\.ai/gaudi | aws\.amazon\.com/neuron
      | google\.com/tpu | cloud-tpus\.google\.com/ | gpu\.intel\.com/ | intel\.com/gpu | gpu\.amd\.com/
      | huawei\.com/(?:ascend|npu) | (?:mig|gpu|vfio\.gpu)\.(?:nvidia|amd|intel)\.com$
      | furiosa\.ai/ | cambricon\.com/ | metax-tech\.com/gpu | qualcomm\.com/qaic | .*\.com/v?gpu$ )""",
    re.VERBOSE | re.IGNORECASE,
)

_SEVERAL: Final = lazy_pattern(
    r"^(?:aws\.amazon\.com/neuron(?!core) | gpu\.intel\.com/ | intel\.com/gpu | google\.com/tpu)", re.VERBOSE
)
"""Devices with several cores or tiles, each of which may have a rank of its own; how many depends on the model."""


def is_accelerator(resource: str) -> bool:
    """Whether an extended resource is a GPU, TPU or another processor that ranks run on (no network devices)."""
    return _ACCELERATOR.match(resource) is not None


def accelerators_of(spec: PodSpec) -> str:
    """The accelerators that the containers ask for: a resource or a device class; empty if none, or zero of it."""
    return next((each for container in spec.containers for each in computing_devices(container)), "")


def computing_devices(container: Container) -> Iterator[str]:
    """The resources and device classes with which the container asks for accelerators."""
    for quantities in (container.limits, container.requests):
        for resource, quantity in quantities.items():
            if is_accelerator(resource) and quantity not in {"0", ""}:
                yield resource
    for claimed in container.claimed:
        if claimed.accelerator:
            yield claimed.device_class


def holds_accelerators(container: Container) -> bool:
    """Whether the container asks for accelerators."""
    return next(computing_devices(container), "") != ""


def accelerator_count(container: Container) -> Known[int]:
    """How many accelerators with one rank each the container gets; 0 if none, or why that is not known."""
    total = 0
    for resource in {*container.limits, *container.requests}:
        if is_accelerator(resource):
            if _SEVERAL.match(resource):
                return Undetermined(Because(PodGround.RANKS_OF_MODEL, (resource,)))
            quantity = container.limits.get(resource, container.requests.get(resource, "0"))
            if isinstance(quantity, Undetermined):
                return quantity
            if not quantity.isdecimal():
                return Undetermined(Because(PodGround.AMOUNT, (resource, repr(quantity))))
            total += int(quantity)
    for claimed in container.claimed:
        if claimed.accelerator is False:
            continue
        if isinstance(claimed.count, Undetermined):
            return claimed.count
        if claimed.accelerator is None or not claimed.device_class.endswith("gpu.nvidia.com"):
            return Undetermined(Because(PodGround.RANKS_OF_CLASS, (claimed.device_class,)))
        total += claimed.count
    return total
