"""GPUs that are shared, or taken without asking for them (N 4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trainlint.fabric.device import requested
from trainlint.fabric.fault import NetworkFault, place_of
from trainlint.fabric.process import settings_of
from trainlint.fabric.sharing import GpuSharing
from trainlint.launch.environment import Carrier
from trainlint.model.pool import Pool
from trainlint.model.workload import PodSet
from trainlint.workload.accelerators import accelerators_of

__all__ = ["bypassed_requests", "shared_gpus"]

_VISIBLE: Final = "NVIDIA_VISIBLE_DEVICES"
_GPU: Final = re.compile(r"^nvidia\.com/(?:gpu(?:\.shared)?$|mig-)")
_NOTHING: Final = frozenset({"", "void", "none"})


def bypassed_requests(pod_set: PodSet) -> Iterator[NetworkFault]:
    """NVIDIA_VISIBLE_DEVICES by hand in pods that ask for no GPU; DaemonSets manage the GPUs themselves."""
    if pod_set.owner.kind == "DaemonSet" or accelerators_of(pod_set.spec) or pod_set.spec.resource_claims:
        return
    for container in pod_set.spec.containers:
        variable = settings_of(container).get(_VISIBLE)
        if variable is None or variable.carrier not in {Carrier.MANIFEST, Carrier.FILE}:
            continue
        value = variable.value
        if not isinstance(value, str) or value.strip().lower() in _NOTHING:
            continue
        which = "every GPU of the node" if value.strip().lower() == "all" else f"the GPUs {value}"
        yield NetworkFault(
            pod_set,
            f"{_VISIBLE}={value} gives {pod_set.name} {which}, but its pods ask for none: the device plugin does not "
            "know, and hands the same GPUs to others",
            place_of(variable),
            "request nvidia.com/gpu in the container's limits and remove the variable",
            _VISIBLE,
            evidence={"variable": _VISIBLE, "value": value},
        )


def shared_gpus(pod_set: PodSet, sharing: GpuSharing, pools: tuple[Pool, ...] | None) -> Iterator[NetworkFault]:
    """A container that asks for several slices of what may be one GPU; ``pools`` are where its pods may land."""
    for container in pod_set.spec.containers:
        for resource, count, at in requested(container):
            if not _GPU.match(resource) or not isinstance(count, int) or count < 2:
                continue
            found = sharing.of(resource, pools)
            if found is None:
                continue
            yield NetworkFault(
                pod_set,
                f"{pod_set.name} asks for {count} {resource}, and {found.why}: the two may be slices of one GPU, on "
                "which two ranks of a communicator cannot be",
                at or container.at or pod_set.at,
                f"ask for one {resource} in each pod, or select nodes that share no GPUs",
                resource,
                ((found.role, found.at),) if found.at is not None else (),
                {"resource": resource, "requested": count},
            )
