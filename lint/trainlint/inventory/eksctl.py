"""eksctl ClusterConfig (S 3; eksctl-io/eksctl:pkg/apis/eksctl.io/v1alpha5/types.go, defaults.go, validation.go)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.inventory.ground import PoolGround
from trainlint.inventory.node_template import INSTANCE_TYPE, REGION, Bound, NodeTemplate, region_of
from trainlint.inventory.part import InventoryPart, Objects
from trainlint.kube.meta import read_labels
from trainlint.kube.node import read_taints
from trainlint.kube.values import is_placeholder, known_text, read_int, read_strings, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pool import Taint
from trainlint.model.settings import ZONE, Settings
from trainlint.source.document import Field

__all__ = ["read_parts"]

GROUP: Final = "eksctl.io"
DEFAULT_TYPE: Final = "m5.large"
DEFAULT_COUNT: Final = 2
_LEVELS: Final = ("managedNodeGroups", "nodeGroups")


def read_parts(objects: Objects, _: Settings) -> Iterator[InventoryPart]:
    """Every ClusterConfig with node groups: its cluster by name."""
    for meta, item in objects.get("ClusterConfig", ()):
        if meta.api_group != GROUP:
            continue
        cluster = _Cluster(meta.name, item)
        pools = tuple(pool for template in cluster.templates() for pool in template.pools())
        if pools:
            yield InventoryPart(pools, item.at, cluster=meta.name or item.document.file, partial=cluster.others())


@fact
class _Cluster:
    """One ClusterConfig."""

    name: str
    item: Field

    def others(self) -> str:
        """Why there may be nodes beside the groups."""
        if self.item.down("autoModeConfig", "enabled").value is True:
            return "EKS Auto Mode makes nodes of its own"
        if self.item["karpenter"].present:
            return "Karpenter makes nodes beside the node groups"
        if any(True for _ in self.item["fargateProfiles"].elements()):
            return "pods that match a Fargate profile get nodes of their own"
        return ""

    def templates(self) -> Iterator[NodeTemplate]:
        """Every node group with a name."""
        for level in _LEVELS:
            for group in self.item[level].elements():
                if read_text(group["name"]):
                    yield self._template(group, managed=level == "managedNodeGroups")

    def _template(self, group: Field, *, managed: bool) -> NodeTemplate:
        name = read_text(group["name"])
        written = read_labels(group["labels"])
        types, unsaid = _types(group, managed=managed)
        labels: dict[str, tuple[str, ...]] = {key: (text,) for key, text in written.items() if not is_placeholder(text)}
        labels["alpha.eksctl.io/nodegroup-name"] = (name,)
        left_open = {
            key: Because(PoolGround.LABEL_PLACEHOLDER, (key,)) for key, text in written.items() if is_placeholder(text)
        }
        if self.name and not is_placeholder(self.name):
            labels["alpha.eksctl.io/cluster-name"] = (self.name,)
        if managed:
            labels["eks.amazonaws.com/nodegroup"] = (name,)
            labels["eks.amazonaws.com/capacityType"] = ("SPOT" if group["spot"].value is True else "ON_DEMAND",)
        if unsaid is None:
            labels[INSTANCE_TYPE] = types
        else:
            left_open[INSTANCE_TYPE] = unsaid
        region = read_text(self.item.down("metadata", "region"))
        if region and not is_placeholder(region):
            labels[REGION] = (region,)
        zones = self._zones(group)
        if zones:
            labels[ZONE] = zones
        else:
            left_open[ZONE] = Because(PoolGround.GROUP_ZONES, (name,))
        size = _size(group)
        return NodeTemplate(
            name=name,
            provider="aws",
            labels=labels,
            undetermined=left_open,
            taints=_taints(group["taints"]),
            minimum=size[0] if size else 0,
            maximum=size[1] if size else None,
            limit=Bound(size[1], f"maxSize {size[1]}", group["maxSize"].at)
            if size and group["maxSize"].present
            else None,
            allocatable=None if size else dict.fromkeys(("cpu", "memory", "pods"), UNSIZED),
            pods=known_text(group["maxPodsPerNode"]) if group["maxPodsPerNode"].present else None,
            at=group.at,
        )

    def _zones(self, group: Field) -> tuple[str, ...]:
        """Its own, those of its subnets, else those of the cluster; a group for EFA has one only."""
        subnets = self._of_subnets(group)
        if subnets is not None:
            return subnets
        for source in (group["availabilityZones"], self.item["availabilityZones"]):
            zones = read_strings(source)
            if zones:
                known = not any(map(is_placeholder, zones)) and (
                    group["efaEnabled"].value is not True or len(zones) < 2
                )
                return zones if known else ()
        private = group["privateNetworking"].value is True
        sides = ("private",) if private else ("public",)
        found = [key for side in sides for key, _ in self.item.down("vpc", "subnets", side).items()]
        return tuple(found) if found and all(_is_zone(key) for key in found) else ()

    def _of_subnets(self, group: Field) -> tuple[str, ...] | None:
        """The zones of the subnets that the group names, empty where they are unknown; ``None``: it names none."""
        named = read_strings(group["subnets"])
        if not named:
            return None
        zones = {}
        for side in ("private", "public"):
            for key, subnet in self.item.down("vpc", "subnets", side).items():
                zone = read_text(subnet["az"]) or (key if _is_zone(key) else "")
                zones[key] = zones[read_text(subnet["id"])] = zone
        found = [zones.get(name) or (name if _is_zone(name) else "") for name in named]
        return tuple(dict.fromkeys(found)) if all(found) else ()


UNSIZED: Final[Known[str]] = Undetermined(Because(PoolGround.NODE_COUNT))


def _is_zone(text: str) -> bool:
    return region_of(text) is not None


def _types(group: Field, *, managed: bool) -> tuple[tuple[str, ...], Because | None]:
    """The instance types, or why they are unknown."""
    if group["instanceSelector"].mapping:
        return (), Because(PoolGround.INSTANCE_SELECTOR)
    listed = group["instanceTypes"] if managed else group.down("instancesDistribution", "instanceTypes")
    named = read_strings(listed) or ((read_text(group["instanceType"]),) if group["instanceType"].present else ())
    if managed and group["launchTemplate"].present and not named:
        return (), Because(PoolGround.LAUNCH_TEMPLATE)
    named = tuple(dict.fromkeys(named)) or (DEFAULT_TYPE,)
    if "mixed" in named or any(map(is_placeholder, named)):
        return (), Because(PoolGround.TYPE_PLACEHOLDER)
    return named, None


def _size(group: Field) -> tuple[int, int] | None:
    """Fewest and most nodes as eksctl fills them in; ``None`` where a placeholder stands."""
    smallest, wanted, most = (_count(group[key]) for key in ("minSize", "desiredCapacity", "maxSize"))
    if isinstance(smallest, Undetermined) or isinstance(wanted, Undetermined) or isinstance(most, Undetermined):
        return None
    if smallest is None:
        smallest = DEFAULT_COUNT if wanted is None else wanted
    if most is None:
        most = smallest if wanted is None else wanted
    return smallest, most


def _count(field: Field) -> int | Undetermined | None:
    found = read_int(field, -1)
    return found if isinstance(found, Undetermined) or found >= 0 else None


def _taints(field: Field) -> tuple[Taint, ...]:
    """A list, or (for nodeGroups) a mapping of keys to ``value:Effect``."""
    if field.mapping is None:
        return read_taints(field)
    found = []
    for key, value in field.items():
        text, _, effect = read_text(value).rpartition(":")
        found.append(Taint(key, text, effect, at=value.at))
    return tuple(found)
