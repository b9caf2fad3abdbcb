"""Cluster API: MachineDeployments, MachineSets and MachinePools of a workload cluster (S 3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Final

from trainlint.fact import fact
from trainlint.inventory.ground import PoolGround
from trainlint.inventory.instance_types import ACCELERATORS, ALLOCATABLE_LEFT_OPEN
from trainlint.inventory.node_template import ARCH, NodeTemplate
from trainlint.inventory.part import InventoryPart, Objects
from trainlint.inventory.registration import CONTROL_PLANE_LABELS, parse_labels, parse_taints, read_registration
from trainlint.kube.meta import Meta, read_labels
from trainlint.kube.node import read_taints
from trainlint.kube.values import is_placeholder, known_text, read_int, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pool import Taint
from trainlint.model.settings import ZONE, Settings
from trainlint.source.document import Field

__all__ = ["read_parts"]

GROUP: Final = "cluster.x-k8s.io"
CAPACITY: Final = "capacity.cluster-autoscaler.kubernetes.io/"
SIZES: Final = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-"
DEFAULT_PODS: Final = "110"
PARTIAL: Final = "the Cluster of these machines, which says what else belongs to it, is not in Git"
PARTIAL_CLASS: Final = "the Cluster has a topology, from which machines are made that stand in no file"
PARTIAL_HEAD: Final = "the control plane of the Cluster is not in Git"

_MACHINES: Final = ("MachineDeployment", "MachinePool", "MachineSet")
_PROPAGATED: Final = ("node-role.kubernetes.io/", "node-restriction.kubernetes.io/", "node.cluster.x-k8s.io/")


def read_parts(objects: Objects, _: Settings) -> Iterator[InventoryPart]:
    """The machines of each cluster that one is named for, in one part for each file."""
    templates = {
        (meta.namespace, meta.name): item for meta, item in objects.get("KubeadmConfigTemplate", ()) if _ours(meta)
    }
    machines: dict[str, list[tuple[Meta, Field]]] = defaultdict(list)
    for kind in _MACHINES:
        for meta, item in objects.get(kind, ()):
            if _ours(meta) and not is_placeholder(cluster := read_text(item.down("spec", "clusterName"))) and cluster:
                machines[cluster].append((meta, item))
    for cluster, found in machines.items():
        pools = [pool for meta, item in found for pool in _Machines(meta, item, templates).template().pools()]
        why, head = _others(cluster, objects)
        if head is not None:
            pools += _control_plane(cluster, head).pools()
        yield InventoryPart(tuple(pools), found[0][1].at, cluster=cluster, partial=why)


def _ours(meta: Meta) -> bool:
    return meta.api_group == GROUP or meta.api_group.endswith(f".{GROUP}")


def _others(cluster: str, objects: Objects) -> tuple[str, Field | None]:
    """Why there may be other nodes, and the control plane if its machines are nodes that are written down."""
    for meta, item in objects.get("Cluster", ()):
        if meta.api_group != GROUP or meta.name != cluster:
            continue
        spec = item["spec"]
        if spec["topology"].present:
            return PARTIAL_CLASS, None
        reference = spec["controlPlaneRef"]
        if read_text(reference["kind"]) != "KubeadmControlPlane":
            managed = reference.present and "Managed" in read_text(reference["kind"])
            return "" if managed else PARTIAL_HEAD, None
        name = read_text(reference["name"])
        head = next((each for meta, each in objects.get("KubeadmControlPlane", ()) if meta.name == name), None)
        return ("", head) if head is not None else (PARTIAL_HEAD, None)
    return PARTIAL, None


def _control_plane(cluster: str, item: Field) -> NodeTemplate:
    spec = item["spec"]
    found = read_registration(spec.down("kubeadmConfigSpec", "joinConfiguration", "nodeRegistration"))
    replicas = read_int(spec["replicas"], 1)
    return NodeTemplate(
        name=f"{cluster}-control-plane",
        labels={key: (value,) for key, value in {**found.labels, **CONTROL_PLANE_LABELS}.items()},
        undetermined=found.undetermined,
        taints=found.taints_of(control_plane=True),
        minimum=replicas if isinstance(replicas, int) else 0,
        maximum=replicas if isinstance(replicas, int) else None,
        at=item.at,
    )


@fact
class _Machines:
    """One MachineDeployment, MachineSet or MachinePool."""

    meta: Meta
    item: Field
    configurations: Mapping[tuple[str, str], Field] = field(default_factory=dict)

    def template(self) -> NodeTemplate:
        """What it says about its nodes; annotations for the autoscaler win over everything else."""
        spec = self.item.down("spec", "template", "spec")
        labels, left_open, taints = self._registered(spec)
        zones = [read_text(spec["failureDomain"]), *(read_text(zone) for zone in spec["failureDomains"].elements())]
        zones = [zone for zone in zones if zone and not is_placeholder(zone)]
        if self.meta.kind == "MachinePool":
            listed = (read_text(zone) for zone in self.item.down("spec", "failureDomains").elements())
            zones += [zone for zone in listed if zone and not is_placeholder(zone)]
        sized = self._size()
        allocatable = self._capacity()
        return NodeTemplate(
            name=self.meta.name,
            labels={**labels, **({ZONE: tuple(dict.fromkeys(zones))} if zones else {})},
            undetermined=left_open,
            taints=taints,
            minimum=sized[0] if sized else 0,
            maximum=sized[1] if sized else None,
            allocatable=allocatable if sized else None,
            notes=(f"pool {self.meta.name}: what its annotations call capacity is taken for allocatable",)
            if allocatable
            else (),
            at=self.item.at,
        )

    def _registered(self, spec: Field) -> tuple[dict[str, tuple[str, ...]], dict[str, Because], tuple[Taint, ...]]:
        reference = spec.down("bootstrap", "configRef")
        written = self.configurations.get((self.meta.namespace, read_text(reference["name"])))
        kubelet: dict[str, str] = {}
        left_open: dict[str, Because] = {}
        taints: tuple[Taint, ...] = ()
        if written is not None:
            found = read_registration(written.down("spec", "template", "spec", "joinConfiguration", "nodeRegistration"))
            kubelet, left_open, taints = dict(found.labels), dict(found.undetermined), found.taints or ()
        machine = read_labels(self.item.down("spec", "template", "metadata", "labels"))
        kubelet.update({key: value for key, value in machine.items() if key.startswith(_PROPAGATED)})
        taints = (*taints, *read_taints(spec["taints"]))
        if text := self._annotation("labels"):
            more, unknown = parse_labels(text)
            kubelet.update(more)
            left_open.update(unknown)
        if text := self._annotation("taints"):
            taints = (*taints, *parse_taints(text, self.item.at))
        if self._annotation("cpu"):
            kubelet.setdefault(ARCH, "amd64")
        return {key: (value,) for key, value in kubelet.items()}, left_open, tuple(dict.fromkeys(taints))

    def _annotation(self, name: str) -> str:
        return self.meta.annotations.get(CAPACITY + name, "")

    def _size(self) -> tuple[int, int] | None:
        """The autoscaler's bounds, else the replicas; ``None`` where they are unknown."""
        bounds = [self.meta.annotations.get(SIZES + which, "") for which in ("min-size", "max-size")]
        if all(bounds):
            smallest, most = bounds
            return (int(smallest), int(most)) if smallest.isdecimal() and most.isdecimal() else None
        replicas = read_int(self.item.down("spec", "replicas"), 1)
        return None if isinstance(replicas, Undetermined) else (replicas, replicas)

    def _capacity(self) -> dict[str, Known[str]] | None:
        """What the annotations say (CA:cloudprovider/clusterapi/README.md); ``None`` without cpu and memory."""
        annotations = self.item.down("metadata", "annotations")
        cpu, memory = (annotations[CAPACITY + name] for name in ("cpu", "memory"))
        if not cpu.present or not memory.present:
            return None
        found: dict[str, Known[str]] = {"cpu": known_text(cpu), "memory": known_text(memory)}
        pods = annotations[CAPACITY + "maxPods"]
        found["pods"] = known_text(pods) if pods.present else DEFAULT_PODS
        found.update(dict.fromkeys(ACCELERATORS, "0"))
        count = annotations[CAPACITY + "gpu-count"]
        if count.present:
            found[read_text(annotations[CAPACITY + "gpu-type"]) or "nvidia.com/gpu"] = known_text(count)
        for name in ALLOCATABLE_LEFT_OPEN:
            found[name] = Undetermined(Because(PoolGround.POOL_AMOUNT, (name, self.meta.name)))
        disk = annotations[CAPACITY + "ephemeral-disk"]
        if disk.present:
            found["ephemeral-storage"] = known_text(disk)
        return found
