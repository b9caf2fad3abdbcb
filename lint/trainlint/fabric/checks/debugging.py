"""Settings that only serve to hunt a bug (N 2.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fabric.debug import read_debug_level
from trainlint.fabric.fault import NetworkFault, place_of
from trainlint.fabric.fixes import drop, write
from trainlint.fabric.process import settings_of
from trainlint.launch.environment import Carrier
from trainlint.model.workload import PodSet

__all__ = ["left_debugging"]

_TALKATIVE: Final = frozenset({"INFO", "TRACE", "ABORT"})


def left_debugging(pod_set: PodSet) -> Iterator[NetworkFault]:
    """What makes NCCL and torch log every operation."""
    for container in pod_set.spec.containers:
        settings = settings_of(container)
        values = {name: each.value for name, each in settings.items() if isinstance(each.value, str)}
        level = read_debug_level(values.get("NCCL_DEBUG", "").strip())
        subsystems = {word.strip().upper() for word in values.get("NCCL_DEBUG_SUBSYS", "").split(",")}
        found = {}
        if level == "TRACE":
            found["NCCL_DEBUG"] = "NCCL logs every call"
        elif level in _TALKATIVE and "ALL" in subsystems:
            found["NCCL_DEBUG_SUBSYS"] = "NCCL logs what each of its subsystems does, for every operation"
        if values.get("TORCH_DISTRIBUTED_DEBUG", "").upper() == "DETAIL":
            found["TORCH_DISTRIBUTED_DEBUG"] = "torch compares every collective over all ranks before it runs"
        for name, effect in found.items():
            variable = settings[name]
            if variable.carrier is not Carrier.OPERATOR:
                yield NetworkFault(
                    pod_set,
                    f"{name}={variable.value} was left in the manifest of {pod_set.name}: {effect}, and training slows "
                    "down",
                    place_of(variable),
                    f"remove {name}, or write NCCL_DEBUG=WARN" if name == "NCCL_DEBUG" else f"remove {name}",
                    name,
                    evidence={"variable": name, "value": str(variable.value)},
                    fixes=write(variable, "WARN") if name == "NCCL_DEBUG" else drop(variable),
                )
