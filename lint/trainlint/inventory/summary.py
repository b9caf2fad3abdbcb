"""Nodes as a cluster lists them, to the few facts that placement needs: equal nodes as one pool, and nothing secret.

What passes: labels (but those that identify a node, and the provider's and discovery's labels that need not be
stated), taints (but those of conditions), what is allocatable, and whether a node is cordoned. What does not: names,
addresses, annotations, provider IDs, images, versions, conditions, and labels that hold any of a node's identities.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from trainlint.kube.node import read_node, without_condition_taints
from trainlint.kube.values import read_text
from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.model.settings import ZONE
from trainlint.source.document import Field

__all__ = ["summary"]

_DROPPED: Final = (
    "alpha.eksctl.io/instance-id",
    "beta.kubernetes.io/",
    "csi.volume.kubernetes.io/",
    "failure-domain.beta.kubernetes.io/",
    "feature.node.kubernetes.io/",
    "k8s.io/cloud-provider-",
    "karpenter.k8s.aws/ec2nodeclass-hash",
    "karpenter.sh/nodepool-hash",
    "kubernetes.io/hostname",
    "nfd.node.kubernetes.io/",
    "node.kubernetes.io/instance-id",
    "nvidia.com/cuda",
    "nvidia.com/gfd",
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
_BYTES: Final = ("memory", "ephemeral-storage")
_MIB: Final = 1 << 20
_SHORT: Final = 4
"""Identities that are shorter than this may stand in a label by chance."""


def summary(nodes: Iterable[Field]) -> tuple[Pool, ...]:
    """The pools, sorted by name: ``minimum`` and ``maximum`` are the number of equal nodes."""
    found: Counter[str] = Counter()
    first: dict[str, Pool] = {}
    for node in nodes:
        pool = _anonymous(node)
        amounts = sorted((pool.allocatable or {}).items())
        key = repr((sorted(pool.labels.items()), pool.taints, amounts, pool.unschedulable))
        found[key] += 1
        first.setdefault(key, pool)
    pools = [replace(pool, minimum=found[key], maximum=found[key]) for key, pool in sorted(first.items())]
    return tuple(sorted(_named(pools), key=lambda pool: pool.name))


def _anonymous(node: Field) -> Pool:
    """One node without anything that identifies it."""
    pool = without_condition_taints(read_node(node))
    known = {text for text in _identities(node) if len(text) >= _SHORT}
    labels = {
        key: value
        for key, value in pool.labels.items()
        if not key.startswith(_DROPPED) and not any(text in value or text in key for text in known)
    }
    taints = tuple(sorted(pool.taints, key=lambda taint: (taint.key, taint.value, taint.effect)))
    return replace(pool, name="", node_name="", labels=labels, taints=taints, allocatable=dict(_allocatable(pool)))


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
    """Without zeros, which say the same as absence; bytes in whole MiB, in which nearly every request is written."""
    for name, amount in sorted((pool.allocatable or {}).items()):
        if isinstance(amount, Undetermined) or name.startswith("attachable-volumes-"):
            continue
        try:
            value = parse_quantity(amount)
        except QuantityError:
            continue
        if value > 0:
            yield name, f"{int(value) // _MIB}Mi" if name in _BYTES else amount


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
