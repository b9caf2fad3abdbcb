"""What belongs on GPU nodes and cannot get there, and what gets there and does not belong."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pod import Container
from trainlint.model.pool import COMPUTE_CLASS, Inventory, Pool, Taint
from trainlint.model.workload import PodSet
from trainlint.proof.feasibility import TAINTS, Feasibility
from trainlint.scheduling.filter import Refusal
from trainlint.scheduling.node import Node
from trainlint.scheduling.taint_toleration import untolerated
from trainlint.workload.accelerators import accelerators_of, is_accelerator

__all__ = [
    "Absentee",
    "Intruder",
    "absentees",
    "accelerators",
    "device_name",
    "intruders",
    "keeping",
    "taint_key",
    "untainted",
]

_SERVANT: Final = lazy_pattern(
    r"""device-?plugin | feature-discovery | dcgm | nvidia | rocm | amdgpu | neuron | habana | gaudi
      | (?<![a-z])(?: efa | rdma | ib | sriov | multus | cni | cilium | calico | flannel | weave | antrea )(?![a-z])
      | exporter | aws-node | ebs-csi-node | csi-node | node-driver-registrar""",
    re.VERBOSE | re.IGNORECASE,
)
_MAKERS: Final = (
    (lazy_pattern(r"nvidia|dcgm", re.IGNORECASE), "nvidia.com/"),
    (lazy_pattern(r"amdgpu|rocm|amd-gpu", re.IGNORECASE), "amd.com/"),
    (lazy_pattern(r"neuron", re.IGNORECASE), "aws.amazon.com/"),
    (lazy_pattern(r"habana|gaudi", re.IGNORECASE), "habana.ai/"),
    (lazy_pattern(r"intel-gpu|gpu-plugin", re.IGNORECASE), "gpu.intel.com/"),
)
_PLUGINS: Final = "/var/lib/kubelet/device-plugins"

Judge = Callable[[PodSet], tuple[Feasibility, Sequence[Node]] | None]
"""Where the pods of a set may go, with the nodes that the verdicts are about; ``None`` where the nodes are unknown."""


@fact
class Intruder:
    """Pods that ask for no accelerator and may land on the nodes of ``pools``, whose ``taints`` they tolerate."""

    pod_set: PodSet
    pools: tuple[Pool, ...]
    taints: tuple[Taint, ...]


@fact
class Absentee:
    """A DaemonSet that GPU nodes need, and that the ``taints`` of ``pools`` keep away from them."""

    pod_set: PodSet
    pools: tuple[Pool, ...]
    taints: tuple[Taint, ...]


def accelerators(pool: Pool) -> tuple[str, ...]:
    """The accelerator resources that nodes of the pool offer."""
    return tuple(
        name
        for name, amount in (pool.allocatable or {}).items()
        if is_accelerator(name) and isinstance(amount, str) and amount.strip("0.") != ""
    )


def taint_key(pool: Pool) -> str:
    """The resource by whose name nodes like these are usually tainted; slices of a GPU are tainted as the GPU."""
    name = next(iter(accelerators(pool)), "nvidia.com/gpu")
    if name.startswith("nvidia.com/"):
        return "nvidia.com/gpu"
    return "aws.amazon.com/neuron" if name.startswith("aws.amazon.com/neuron") else name


def device_name(resource: str) -> str:
    """What people call the accelerators of a resource: ``GPU``, ``TPU``, ``Neuron device``, ``Gaudi``."""
    named = {"google.com/tpu": "TPU", "aws.amazon.com/neuron": "Neuron device", "habana.ai/gaudi": "Gaudi"}
    return next((word for prefix, word in named.items() if resource.startswith(prefix)), "GPU")


def keeping(pool: Pool) -> tuple[Taint, ...]:
    """The taints of the pool that keep pods away."""
    return tuple(taint for taint in pool.taints if taint.effect in {"NoSchedule", "NoExecute"})


def untainted(inventory: Inventory) -> tuple[Pool, ...]:
    """Pools with accelerators and without a taint, where pods that need none have other nodes (or may have, as Git does
    not describe all); one for each place.

    GKE taints the nodes that it makes for a ComputeClass by itself (S 3).
    """
    if inventory.complete and all(accelerators(pool) for pool in inventory.pools):
        return ()
    own = [pool for pool in inventory.pools if COMPUTE_CLASS not in pool.labels]
    found = {pool.at: pool for pool in own if accelerators(pool) and not keeping(pool)}
    return tuple(found.values())


def intruders(pod_sets: Iterable[PodSet], grouped: Collection[int], judge: Judge) -> Iterator[Intruder]:
    """Pod sets outside of groups."""
    for pod_set in pod_sets:
        if id(pod_set) in grouped or pod_set.replicas == 0:
            continue
        if not pod_set.spec.tolerations or accelerators_of(pod_set.spec) or pod_set.spec.undetermined:
            continue
        judged = judge(pod_set)
        if judged is None:
            continue
        pools = [judged[1][index].pool for index in sorted(judged[0].pools)]
        entered = tuple(pool for pool in pools if accelerators(pool) and keeping(pool))
        if entered:
            taints = dict.fromkeys(taint for pool in entered for taint in keeping(pool))
            yield Intruder(pod_set, entered, tuple(taints))


def absentees(daemons: Iterable[PodSet], judge: Judge) -> Iterator[Absentee]:
    """DaemonSets that serve nodes with accelerators, and that only a taint keeps away from some of these."""
    for pod_set in daemons:
        if not _serves(pod_set):
            continue
        judged = judge(pod_set)
        if judged is None:
            continue
        found, nodes = judged
        missed = [
            nodes[index].pool
            for index, verdict in found.verdicts.items()
            if [each.plugin for each in verdict if isinstance(each, Refusal)] == [TAINTS] == [e.plugin for e in verdict]
        ]
        pools = tuple(pool for pool in missed if any(_concerns(pod_set, name) for name in accelerators(pool)))
        if pools:
            taints = dict.fromkeys(taint for pool in pools for taint in untolerated(pool.taints, found.pod.spec))
            yield Absentee(pod_set, pools, tuple(taints))


def _serves(pod_set: PodSet) -> bool:
    texts = (
        pod_set.owner.name,
        *(container.image.rpartition("@")[0] or container.image for container in _all(pod_set)),
    )
    plugin = any(_PLUGINS in part for volume in pod_set.spec.volumes for part in volume.disk)
    return plugin or any(_SERVANT.search(text) for text in texts)


def _concerns(pod_set: PodSet, resource: str) -> bool:
    """Whether the DaemonSet is for accelerators of this maker, or for those of all."""
    text = " ".join((pod_set.owner.name, *(container.image for container in _all(pod_set))))
    makers = [prefix for pattern, prefix in _MAKERS if pattern.search(text)]
    return not makers or any(resource.startswith(prefix) for prefix in makers)


def _all(pod_set: PodSet) -> Sequence[Container]:
    return (*pod_set.spec.containers, *pod_set.spec.init_containers)
