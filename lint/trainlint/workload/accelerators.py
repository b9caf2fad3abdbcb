"""Which pods compute on accelerators."""

from __future__ import annotations

import re
from typing import Final

from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container, PodSpec

__all__ = ["accelerator_count", "accelerators_of", "is_accelerator"]

_ACCELERATOR: Final = re.compile(
    r"""^(?: nvidia\.com/(?:gpu|mig-|.*gpu) | amd\.com/gpu | habana\.ai/gaudi | aws\.amazon\.com/neuron
      | google\.com/tpu | cloud-tpus\.google\.com/ | gpu\.intel\.com/ | intel\.com/gpu | gpu\.amd\.com/
      | huawei\.com/(?:ascend|npu)
      | furiosa\.ai/ | cambricon\.com/ | metax-tech\.com/gpu | qualcomm\.com/qaic | .*\.com/v?gpu$ )""",
    re.VERBOSE | re.IGNORECASE,
)

_SEVERAL: Final = re.compile(
    r"^(?:aws\.amazon\.com/neuron(?!core) | gpu\.intel\.com/ | intel\.com/gpu | google\.com/tpu)", re.VERBOSE
)
"""Devices with several cores or tiles, each of which may have a rank of its own; how many depends on the model."""


def is_accelerator(resource: str) -> bool:
    """Whether an extended resource is a GPU, TPU or another processor that ranks run on (no network devices)."""
    return _ACCELERATOR.match(resource) is not None


def accelerators_of(spec: PodSpec) -> str:
    """The accelerator resource that the pod's containers ask for; empty if none, or none but zero of it."""
    for container in spec.containers:
        for quantities in (container.limits, container.requests):
            for resource, quantity in quantities.items():
                if is_accelerator(resource) and quantity not in {"0", ""}:
                    return resource
    return ""


def accelerator_count(container: Container) -> Known[int]:
    """How many accelerators with one rank each the container gets; 0 if none, or why nobody knows it."""
    total = 0
    for resource in {*container.limits, *container.requests}:
        if is_accelerator(resource):
            if _SEVERAL.match(resource):
                return Undetermined(f"how many ranks one {resource} takes depends on its model")
            quantity = container.limits.get(resource, container.requests.get(resource, "0"))
            if isinstance(quantity, Undetermined):
                return quantity
            if not quantity.isdecimal():
                return Undetermined(f"{resource} is {quantity!r}")
            total += int(quantity)
    return total
