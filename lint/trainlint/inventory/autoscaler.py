"""What the Cluster Autoscaler tells of its node groups: the ConfigMap ``cluster-autoscaler-status``.

Since 1.30 its text is YAML, before it was prose with ``(minSize=1, maxSize=3)``. It says how many nodes a group may
have, and nothing about what they are like: that is known where nodes of the group are there, or where Git describes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.inventory.amounts import least_amounts
from trainlint.inventory.ground import PoolGround
from trainlint.kube.node import HOSTNAME
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.pool import Pool
from trainlint.source.document import Document, Field
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load

__all__ = ["STATUS", "NodeGroup", "is_status", "may_grow", "node_groups", "unlike_any"]

STATUS: Final = "cluster-autoscaler-status"
"""The name that the Cluster Autoscaler gives its ConfigMap, unless it is told another."""

_PROSE: Final = lazy_pattern(
    r"^\s*Name:\s+(?P<name>\S+)\s*\n\s*Health:.*?registered=(?P<there>\d+).*?maxSize=(?P<most>\d+)", re.MULTILINE
)
_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_MANAGED: Final = lazy_pattern(rf"eks-(?P<group>.+)-{_UUID}")
_EKSCTL: Final = lazy_pattern(r"eksctl-.+-nodegroup-(?P<group>.+)-NodeGroup-\w+")
_GROUP_LABELS: Final = ("eks.amazonaws.com/nodegroup", "alpha.eksctl.io/nodegroup-name", "kops.k8s.io/instancegroup")


@fact
class NodeGroup:
    """A node group of the autoscaler by the name that it has in the cloud: ``there`` nodes of at most ``most``."""

    name: str
    there: int
    most: int
    at: Location

    def holds(self, pool: Pool) -> bool:
        """Whether nodes belong to it, told by the names that clouds give to nodes or by labels of their tools."""
        short = self.name.rpartition("/")[2]
        for end in ("-grp", "-vmss"):  # GKE and AKS: nodes are called like their group
            if short.endswith(end) and pool.node_name:
                return pool.node_name.startswith((f"{short.removesuffix(end)}-", short))
        named = _MANAGED.fullmatch(short) or _EKSCTL.fullmatch(short)
        group = named["group"] if named is not None else short.partition(".")[0]
        return any(pool.labels.get(label) == group for label in _GROUP_LABELS)


def is_status(item: Field) -> bool:
    """Whether an object is the status of the autoscaler."""
    return item["kind"].string == "ConfigMap" and item.down("data", "status").string is not None


def node_groups(item: Field) -> tuple[NodeGroup, ...]:
    """The node groups that a status lists; none where it is written in no form that is known."""
    text, at = item.down("data", "status").string or "", item.down("data", "status").at
    try:
        data = load(text).data
    except (TooDeepError, YamlError):
        data = None
    if isinstance(data, Mapping) and "nodeGroups" in data:
        return tuple(_written(Document("", 0, 1, text, data).root["nodeGroups"], at))
    return tuple(NodeGroup(each["name"], int(each["there"]), int(each["most"]), at) for each in _PROSE.finditer(text))


def _written(groups: Field, at: Location) -> Iterator[NodeGroup]:
    for group in groups.elements():
        name, health = group["name"].string, group["health"]
        most, there = health["maxSize"].value, health.down("nodeCounts", "registered", "total").value
        if name and isinstance(most, int) and isinstance(there, int):
            yield NodeGroup(name, there, most, at)


def may_grow(groups: Sequence[NodeGroup], nodes: Sequence[Pool]) -> Iterator[Pool]:
    """What the groups may still add to the nodes that are there: nodes like the least of each group."""
    for group in groups:
        own = [each for each in nodes if group.holds(each)]
        if own and group.most > group.there:
            yield _more(group, own)


def unlike_any(groups: Sequence[NodeGroup], pools: Sequence[Pool]) -> str:
    """The name of a group that may grow and of which no pool shows what its nodes are like; empty if there is none."""
    found = (each.name for each in groups if each.most > each.there and not any(map(each.holds, pools)))
    return next(found, "")


def _more(group: NodeGroup, own: Sequence[Pool]) -> Pool:
    """New nodes of a group: with the labels and taints that all of its nodes share, and the least of each amount."""
    first = own[0]
    shared = {
        key: value
        for key, value in first.labels.items()
        if key != HOSTNAME and all(each.labels.get(key) == value for each in own)
    }
    varied = {key for each in own for key in each.labels} - shared.keys() - {HOSTNAME}
    return replace(
        first,
        name=f"{group.name.rpartition('/')[2]} (new nodes)",
        labels=shared,
        taints=tuple(taint for taint in first.taints if all(taint in each.taints for each in own)),
        allocatable=dict(least_amounts([each.allocatable or {} for each in own])),
        minimum=0,
        maximum=group.most - group.there,
        unschedulable=False,
        node_name="",
        undetermined={
            **first.undetermined,
            **{key: Because(PoolGround.NEW_NODE_LABEL, (key, group.name)) for key in varied},
        },
        notes=(),
        at=group.at,
        bound=f"maxSize {group.most} of its node group",
        bound_at=group.at,
    )
