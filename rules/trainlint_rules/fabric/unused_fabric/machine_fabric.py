"""The fabric of machines that selectors or pools name, from the tables of machines.

A node of EC2 has EFA devices by its type; the plugin offers them, or Karpenter adds them for pods that ask. A node of
GKE has network cards beside the first, each in a network of its own, which pods join by an annotation or a claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from trainlint.fabric.device import accelerator_count
from trainlint.fact import fact
from trainlint.inventory.instance_types import ACCELERATORS, InstanceType, instance_type
from trainlint.inventory.interfaces import extra_interfaces
from trainlint.inventory.machine_selection import TYPE_KEYS, selected_machines
from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool
from trainlint.model.workload import PodSet

__all__ = ["EFA", "MachineFabric", "fabric_of_pools", "fabric_of_selection"]

EFA: Final = "vpc.amazonaws.com/efa"
_GPU: Final = "nvidia.com/gpu"
_WITHOUT_DISKS: Final = "-nolssd"
"""What ends the names that GKE's autoscaler has for machines without local disks: their cards are the same."""


@fact
class MachineFabric:
    """What each of the machines has: ``count`` EFA devices (0: how many is disputed) or, without a ``resource``, so
    many networks beside the first.
    """

    machines: tuple[str, ...]
    resource: str
    count: int


def fabric_of_selection(pod_set: PodSet) -> MachineFabric | None:
    """The fabric of the machines that the pods select, where a pod takes all GPUs of one; ``None`` where a machine has
    none, or it is not known which ones there are.
    """
    machines, asked = selected_machines(pod_set.spec), accelerator_count(pod_set)
    if machines is None or not machines.bounded or not isinstance(asked, int) or asked < 1:
        return None
    enough = [(each, count) for each in machines.types if (count := _accelerators(each)) >= asked]
    return _common([each for each, _ in enough]) if all(count == asked for _, count in enough) else None


def fabric_of_pools(pools: Iterable[Pool]) -> MachineFabric | None:
    """The fabric of the machines of pools that say their type and leave open how many network devices there are;
    ``None`` where one has none.
    """
    types: list[InstanceType] = []
    for pool in pools:
        names = {pool.labels[key] for key in TYPE_KEYS if isinstance(pool.labels.get(key), str)}
        machine = instance_type("aws", str(next(iter(names)))) if len(names) == 1 else None
        if machine is None or not isinstance((pool.allocatable or {}).get(EFA), Undetermined):
            return None
        types.append(machine)
    return _common(types)


def _accelerators(machine: InstanceType) -> int:
    return sum(machine.devices.get(each, 0) for each in ACCELERATORS)


def _common(types: Sequence[InstanceType]) -> MachineFabric | None:
    """What all of the machines have."""
    names = tuple(dict.fromkeys(each.name for each in types))
    if not types or not all(_GPU in each.devices for each in types):
        return None
    if all(EFA in each.devices for each in types):
        counts = {0 if EFA in each.ceiling else each.devices[EFA] for each in types}
        return MachineFabric(names, EFA, min(counts))
    cards = [extra_interfaces(each.name.removesuffix(_WITHOUT_DISKS)) for each in types]
    return MachineFabric(names, "", min(each or 0 for each in cards)) if all(cards) else None
