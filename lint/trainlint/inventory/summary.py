"""Nodes as a cluster lists them, to the few facts that placement needs: equal nodes as one pool, and nothing secret.

What passes: labels (but those that identify a node, and the provider's and discovery's labels that need not be
stated), taints (but those that go away by themselves), and what is allocatable. What does not: cordons, names,
addresses, annotations, provider IDs, images, versions, conditions, and labels that hold any of a node's identities.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from trainlint.fact import fact
from trainlint.inventory.device_summary import anonymous_devices
from trainlint.inventory.devices import devices_of_nodes
from trainlint.kube.meta import read_meta
from trainlint.kube.node import is_momentary, read_node, without_condition_taints
from trainlint.kube.values import read_text
from trainlint.model.devices import NodeDevices
from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.model.settings import ZONE
from trainlint.source.document import Field

__all__ = ["splitting", "summary"]

_DROPPED: Final = (
    "alpha.eksctl.io/instance-id",
    "beta.kubernetes.io/",
    "cloud.google.com/gce-topology-host",
    "csi.volume.kubernetes.io/",
    "eks.amazonaws.com/nodegroup-image",
    "eks.amazonaws.com/sourceLaunchTemplate",
    "failure-domain.beta.kubernetes.io/",
    "feature.node.kubernetes.io/",
    "k8s.io/cloud-provider-",
    "karpenter.k8s.aws/ec2nodeclass-hash",
    "karpenter.sh/initialized",
    "karpenter.sh/nodepool-hash",
    "karpenter.sh/registered",
    "kubernetes.azure.com/node-image-version",
    "kubernetes.io/hostname",
    "nfd.node.kubernetes.io/",
    "node.kubernetes.io/instance-id",
    "nvidia.com/cuda",
    "nvidia.com/gfd",
    "nvidia.com/gpu-driver-upgrade",
    "nvidia.com/gpu.deploy.",
    "topology.ebs.csi.",
    "topology.gke.io/",
)
"""Labels that begin like this are left out: they identify a node, say a thing twice, or are added by the platform,
which every reader of an Inventory allows for."""

_NAMED_AFTER: Final = (
    "karpenter.sh/nodepool",
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "node.kubernetes.io/instance-type",
)
_SIZES: Final = ("cpu", "memory", "ephemeral-storage")
"""What differs a little between nodes of one machine type."""
_MIB: Final = 1 << 20
_GIB: Final = 1 << 30
_MARGINS: Final = (0, _GIB, _GIB)
_CORDON: Final = "node.kubernetes.io/unschedulable"
_SHORT: Final = 4
"""Identities that are shorter than this may stand in a label by chance."""


@fact
class _Node:
    """A node without anything that identifies it, and what was momentary about it."""

    pool: Pool
    sizes: tuple[int, ...]
    cordoned: bool
    unready: bool


def summary(nodes: Iterable[Field], ignored: Sequence[str] = (), slices: Iterable[Field] = ()) -> tuple[Pool, ...]:
    """The pools, sorted by name: ``minimum`` and ``maximum`` are the number of nodes that are equal but for 1 Gi or 1
    percent of their sizes, of which the smallest counts.

    Labels whose key matches one of the patterns ``ignored`` stay behind. A cordon and taints that go away by
    themselves are momentary: the notes of a pool count them. ``slices`` are the ResourceSlices of the nodes' devices.
    """
    devices = devices_of_nodes((read_meta(each), each) for each in slices)
    alike: dict[str, list[_Node]] = defaultdict(list)
    for node in nodes:
        found = _with_devices(_anonymous(node, ignored), read_text(node.down("metadata", "name")), devices)
        exact = {key: text for key, text in (found.pool.allocatable or {}).items() if key not in _SIZES}
        shown = found.pool.devices and repr(found.pool.devices.key)
        alike[repr((sorted(found.pool.labels.items()), found.pool.taints, sorted(exact.items()), shown))].append(found)
    pools = [_pool(group) for key in sorted(alike) for group in _by_size(alike[key])]
    return tuple(sorted(_named(pools), key=lambda pool: pool.name))


def _with_devices(node: _Node, name: str, devices: Mapping[str, NodeDevices] | None) -> _Node:
    """The node with its devices, if an Inventory can say what they are."""
    if devices is None:
        return node
    return replace(node, pool=replace(node.pool, devices=anonymous_devices(devices.get(name, devices[""]), name)))


def splitting(pools: Sequence[Pool]) -> tuple[str, int]:
    """The label without which most pools would be one with others, and how many pools fewer there would be."""
    keys = {key for pool in pools for key in pool.labels} - {ZONE}
    saved = {key: len(pools) - len({_without(pool, key) for pool in pools}) for key in sorted(keys)}
    found = max(saved, key=lambda key: saved[key], default="")
    return (found, saved[found]) if found else ("", 0)


def _without(pool: Pool, key: str) -> str:
    labels = sorted((name, value) for name, value in pool.labels.items() if name != key)
    exact = sorted((name, repr(text)) for name, text in (pool.allocatable or {}).items() if name not in _SIZES)
    return repr((labels, pool.taints, exact))


def _by_size(nodes: list[_Node]) -> Iterator[list[_Node]]:
    """The nodes in groups, each of sizes that are nearly those of its smallest node."""
    group: list[_Node] = []
    for node in sorted(nodes, key=lambda each: each.sizes):
        if group and not all(map(_is_nearly, group[0].sizes, node.sizes, _MARGINS)):
            yield group
            group = []
        group.append(node)
    yield group


def _is_nearly(one: int, other: int, margin: int) -> bool:
    return abs(other - one) <= max(margin, max(one, other) // 100)


def _pool(nodes: Sequence[_Node]) -> Pool:
    """One pool of equal nodes, with the least of each size."""
    least = {name: min(each.sizes[number] for each in nodes) for number, name in enumerate(_SIZES)}
    amounts = {
        name: _rounded(name, least[name]) if name in least else text
        for name, text in (nodes[0].pool.allocatable or {}).items()
    }
    count = len(nodes)
    return replace(
        nodes[0].pool,
        minimum=count,
        maximum=count,
        allocatable=amounts,
        notes=tuple(_momentary(nodes)),
        unschedulable=False,
    )


def _rounded(name: str, amount: int) -> str:
    """The amount, rounded down: bytes to whole GiB where that is less than 1 percent, else to whole MiB."""
    if name == "cpu":
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    return f"{amount // _GIB}Gi" if amount >= 100 * _GIB else f"{amount // _MIB}Mi"


def _momentary(nodes: Sequence[_Node]) -> Iterator[str]:
    cordoned, unready = sum(each.cordoned for each in nodes), sum(each.unready for each in nodes)
    found = [f"{cordoned} cordoned"] if cordoned else []
    found += [f"{unready} not ready or about to go"] if unready else []
    if found:
        yield f"{' and '.join(found)} of {len(nodes)} when this was written: taken as momentary, count fewer if not"


def _anonymous(node: Field, ignored: Sequence[str]) -> _Node:
    """One node without anything that identifies it."""
    written = read_node(node)
    pool = without_condition_taints(written)
    known = {text for text in _identities(node) if len(text) >= _SHORT}
    labels = {
        key: value
        for key, value in pool.labels.items()
        if not key.startswith(_DROPPED)
        and not any(text in value or text in key for text in known)
        and not any(fnmatchcase(key, pattern) for pattern in ignored)
    }
    taints = tuple(sorted(pool.taints, key=lambda taint: (taint.key, taint.value, taint.effect)))
    amounts = dict(_allocatable(pool))
    unready = any(is_momentary(taint) for taint in written.taints if taint.key != _CORDON)
    shown = replace(pool, name="", node_name="", labels=labels, taints=taints, allocatable=amounts, notes=())
    return _Node(shown, tuple(_size(name, amounts) for name in _SIZES), pool.unschedulable, unready)


def _size(name: str, amounts: Mapping[str, str]) -> int:
    """Thousandths of CPUs, or bytes."""
    value = parse_quantity(amounts.get(name, "0"))
    return int(value * 1000) if name == "cpu" else int(value)


def _identities(node: Field) -> Iterator[str]:
    """What names this node alone: its name, addresses, provider's and machine's identifiers."""
    yield read_text(node.down("metadata", "name"))
    yield read_text(node.down("metadata", "uid"))
    yield read_text(node.down("metadata", "labels", "kubernetes.io/hostname"))
    provider = read_text(node.down("spec", "providerID"))
    yield provider.rpartition("/")[2]
    for address in node.down("status", "addresses").elements():
        text = read_text(address["address"])
        yield text
        yield text.replace(".", "-")
    for key in ("bootID", "machineID", "systemUUID"):
        yield read_text(node.down("status", "nodeInfo", key))


def _allocatable(pool: Pool) -> Iterator[tuple[str, str]]:
    """Without zeros, which say the same as absence."""
    for name, amount in sorted((pool.allocatable or {}).items()):
        if isinstance(amount, Undetermined) or name.startswith("attachable-volumes-"):
            continue
        try:
            value = parse_quantity(amount)
        except QuantityError:
            continue
        if value > 0:
            yield name, amount


def _named(pools: Iterable[Pool]) -> Iterator[Pool]:
    """A name from what the provider calls the pool, the zone where that does not do, and a number where it must be."""
    by_name: dict[str, list[Pool]] = defaultdict(list)
    for pool in pools:
        by_name[_base(pool.labels)].append(pool)
    taken: set[str] = set()
    for base, same in by_name.items():
        for pool in same:
            zone = pool.labels.get(ZONE, "")
            wanted = base if len(same) == 1 or not zone else f"{base}-{zone}"
            name, number = wanted, 2
            while name in taken:
                name, number = f"{wanted}-{number}", number + 1
            taken.add(name)
            yield replace(pool, name=name)


def _base(labels: Mapping[str, str]) -> str:
    roles = (key.rpartition("/")[2] for key in labels if key.startswith("node-role.kubernetes.io/"))
    return next((labels[key] for key in _NAMED_AFTER if labels.get(key)), "") or next(roles, "") or "nodes"
