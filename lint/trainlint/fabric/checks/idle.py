"""Fabric devices that all nodes of a group's ranks offer, and that the ranks do not ask for (N 3.3, 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from trainlint.fabric.checks.fabrics import fabric_refused, missing_device
from trainlint.fabric.device import Device, Devices, accelerator_count, amount
from trainlint.fabric.fault import NetworkFault
from trainlint.fabric.fixes import request
from trainlint.fabric.process import Communicator, Rank
from trainlint.finding import Certainty
from trainlint.model.pool import Pool
from trainlint.model.workload import PodSet
from trainlint.workload.accelerators import is_accelerator

__all__ = ["unused_devices"]


def unused_devices(
    communicator: Communicator,
    devices: Mapping[int, Devices],
    pools_of: Callable[[PodSet], Sequence[Pool] | None],
    offered: Callable[[PodSet], Sequence[Device]],
) -> Iterator[NetworkFault]:
    """Ranks that take whole nodes and leave their fabric alone; ``devices`` are by the identity of the pod set.

    Ranks of which another one has the device are another rule's, as are settings that name a device.
    """
    if not communicator.spans or any(each.asked or each.open or each.mounted for each in devices.values()):
        return
    for rank in communicator.ranks:
        pools = pools_of(rank.pod_set)
        if not rank.computes or not pools or not _whole_nodes(rank.pod_set, pools):
            continue
        found = offered(rank.pod_set)
        if found and not fabric_refused(rank) and missing_device(rank, devices[id(rank.pod_set)]) is None:
            yield _fault(communicator, rank, found, pools)


def _whole_nodes(pod_set: PodSet, pools: Sequence[Pool]) -> bool:
    """Whether a pod takes all accelerators of each node that it may be on."""
    asked = accelerator_count(pod_set)
    if not isinstance(asked, int) or asked < 1:
        return False
    for pool in pools:
        counts = [amount(quantity) for name, quantity in (pool.allocatable or {}).items() if is_accelerator(name)]
        if not counts or any(not isinstance(count, int) for count in counts):
            return False
        if sum(count for count in counts if isinstance(count, int)) != asked:
            return False
    return True


def _fault(communicator: Communicator, rank: Rank, found: Sequence[Device], pools: Sequence[Pool]) -> NetworkFault:
    device = found[0]
    where = ", ".join(sorted({pool.name for pool in pools}))
    named = " and ".join(f"{each.count} {each.resource}" for each in found)
    return NetworkFault(
        rank.pod_set,
        f"{rank.pod_set.name} takes whole nodes and asks for no fabric device: every node that it may use ({where}) "
        f"offers {named}, and without it the ranks of {communicator.group.name} exchange their data over TCP",
        rank.container.resources_at or rank.pod_set.template,
        f"request {device.count} {device.resource} in the limits of {rank.container.name}",
        "unused fabric",
        tuple((f"offers it ({pool.name})", pool.at) for pool in pools[:4] if pool.at is not None),
        {"resource": device.resource, "offered": str(device.count)},
        certainty=Certainty.LIKELY,
        fixes=request(rank.pod_set, rank.container, device.resource, device.count)
        if len(found) == 1 and isinstance(device.count, int)
        else (),
    )
