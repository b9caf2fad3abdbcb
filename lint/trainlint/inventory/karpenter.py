"""Karpenter NodePools with the node classes of their clouds (S 3; KRP:pkg/apis/v1/nodepool.go, labels.go)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.inventory.ground import PoolGround
from trainlint.inventory.instance_types import InstanceType
from trainlint.inventory.kinds import NODE_CLASSES
from trainlint.inventory.node_template import ARCH, INSTANCE_TYPE, Bound, NodeTemplate
from trainlint.inventory.part import InventoryPart, Objects
from trainlint.kube.meta import Meta, read_labels
from trainlint.kube.node import read_quantities, read_taints
from trainlint.kube.selectors import read_requirements
from trainlint.kube.values import is_placeholder, known_text, read_int, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.model.selector import Requirement
from trainlint.model.settings import Settings
from trainlint.source.document import Field

__all__ = ["read_parts"]

GROUP: Final = "karpenter.sh"

PROVIDERS: Final[Mapping[str, str]] = {
    "karpenter.k8s.aws": "aws",
    "eks.amazonaws.com": "aws",
    "karpenter.azure.com": "azure",
    "karpenter.k8s.gcp": "gcp",
    "oci.oraclecloud.com": "oci",
}
HUGE_PAGES: Final = ("hugepages-1Gi", "hugepages-2Mi")
"""Karpenter expects these of no machine, and makes none for pods that ask for them, unless a NodeOverlay adds them
(aws/karpenter-provider-aws:pkg/providers/instancetype/types.go, computeCapacity)."""
PARTIAL: Final = "a NodePool says which nodes may be made, not which others there are (Karpenter runs on some)"


def read_parts(objects: Objects, _: Settings) -> Iterator[InventoryPart]:
    """Every NodePool as a part of its own."""
    classes = {(meta.kind, meta.name): item for kind in NODE_CLASSES for meta, item in objects.get(kind, ())}
    none = () if objects.get("NodeOverlay") else HUGE_PAGES
    for meta, item in objects.get("NodePool", ()):
        if meta.api_group == GROUP and meta.name:
            pools = tuple(replace(_template(meta, item, classes), none=none).pools())
            yield InventoryPart(pools, item.at, partial=PARTIAL)


@fact
class _Reference:
    """The node class of a NodePool."""

    group: str
    kind: str
    name: str

    @property
    def provider(self) -> str:
        return PROVIDERS.get(self.group, "")


def _template(meta: Meta, item: Field, classes: Mapping[tuple[str, str], Field]) -> NodeTemplate:
    template = item.down("spec", "template")
    spec = template["spec"]
    written = spec["nodeClassRef"]
    reference = _Reference(read_text(written["group"]), read_text(written["kind"]), read_text(written["name"]))
    wanted = _Requirements.of(read_requirements(spec["requirements"]))
    labels: dict[str, tuple[str, ...]] = {
        key: (value,)
        for key, value in read_labels(template.down("metadata", "labels")).items()
        if not is_placeholder(value)
    }
    labels[f"{GROUP}/nodepool"] = (meta.name,)
    labels[f"{GROUP}/registered"] = labels[f"{GROUP}/initialized"] = ("true",)
    if reference.group and reference.kind and reference.name:
        labels[f"{reference.group}/{reference.kind.lower()}"] = (reference.name,)
    labels.update(wanted.values)
    left_open = {**wanted.open, **_placeholders(template.down("metadata", "labels"))}
    minimum, maximum = _size(item["spec"])
    limits = item.down("spec", "limits")
    limit = None if maximum is None else Bound(maximum, *_words(item["spec"], maximum))
    return NodeTemplate(
        name=meta.name,
        provider=reference.provider,
        labels=labels,
        undetermined=left_open,
        taints=read_taints(spec["taints"]),  # startupTaints go away before anything counts (S 5.57)
        minimum=minimum,
        maximum=maximum,
        limit=limit,
        bound=lambda kind: _bound(limits, kind),
        of_type=(f"{reference.group}/instance-", f"{reference.group}/sku-"),
        derived_labels=lambda kind: _labels_of(kind, reference),
        pods=_max_pods(classes.get((reference.kind, reference.name))),
        at=item.at,
    )


def _size(spec: Field) -> tuple[int, int | None]:
    """Static NodePools have replicas; others grow from nothing to ``limits.nodes``."""
    replicas = read_int(spec["replicas"], -1)
    if isinstance(replicas, int) and replicas >= 0:
        return replicas, replicas
    nodes = read_int(spec.down("limits", "nodes"), -1)
    if isinstance(nodes, Undetermined):
        amount = _amount(known_text(spec.down("limits", "nodes")))
        nodes = -1 if amount is None else amount
    return 0, nodes if nodes >= 0 else None


def _words(spec: Field, maximum: int) -> tuple[str, Location]:
    """What sets the number of nodes, and where it stands."""
    if spec["replicas"].present:
        return f"replicas {maximum}", spec["replicas"].at
    at = spec.down("limits", "nodes")
    return f"limits nodes {maximum}", at.at


def _bound(limits: Field, kind: InstanceType | None) -> Bound | None:
    """How many nodes of a type the limits allow: Karpenter makes none that would exceed one (by capacity)."""
    if kind is None:
        return None
    capacity = {"cpu": kind.cpus, "memory": kind.memory << 20, **kind.devices}
    most: list[Bound] = []
    for name, text in read_quantities(limits).items():
        each = capacity.get(name, 0)
        limit = _amount(text)
        if limit is not None and each > 0:
            most.append(Bound(limit // each, f"limits {name} {text}", limits[name].at))
    return min(most, key=lambda each: each.nodes, default=None)


def _amount(text: Known[str]) -> int | None:
    try:
        return None if isinstance(text, Undetermined) else int(parse_quantity(text))
    except QuantityError:
        return None


def _max_pods(node_class: Field | None) -> Known[str] | None:
    """``kubelet.maxPods`` of an EC2NodeClass, ``maxPods`` of an AKSNodeClass."""
    if node_class is None:
        return None
    for field in (node_class.down("spec", "kubelet", "maxPods"), node_class.down("spec", "maxPods")):
        if field.present:
            return known_text(field)
    return None


@fact
class _Requirements:
    """What requirements say about labels: the possible values, or why they are unknown."""

    values: Mapping[str, tuple[str, ...]]
    open: Mapping[str, Because]

    @classmethod
    def of(cls, requirements: Iterable[Requirement]) -> _Requirements:
        values: dict[str, tuple[str, ...]] = {}
        left: dict[str, Because] = {}
        absent: set[str] = set()
        for each in requirements:
            if is_placeholder(each.key) or is_placeholder(each.operator) or any(map(is_placeholder, each.values)):
                left[each.key] = Because(PoolGround.NODE_POOL_PLACEHOLDER, (each.key,))
            elif each.operator == "In":
                before = values.get(each.key, each.values)
                values[each.key] = tuple(value for value in dict.fromkeys(before) if value in each.values)
            elif each.operator == "DoesNotExist":
                absent.add(each.key)
            else:
                left.setdefault(each.key, Because(PoolGround.NODE_POOL_OPEN, (each.key, each.operator)))
        known = {key: found for key, found in values.items() if key not in left}
        return cls(known, {key: why for key, why in left.items() if key not in absent and key})


def _placeholders(labels: Field) -> Mapping[str, Because]:
    return {
        key: Because(PoolGround.NODE_POOL_LABEL, (key,))
        for key, value in read_labels(labels).items()
        if is_placeholder(value)
    }


def _labels_of(kind: InstanceType, reference: _Reference) -> Mapping[str, str]:
    """The labels that follow from the type (aws/karpenter-provider-aws:pkg/apis/v1/labels.go; EKS Auto Mode has the
    same under its own name).
    """
    labels = {INSTANCE_TYPE: kind.name, ARCH: kind.arch}
    if reference.provider != "aws":
        return labels
    family, _, size = kind.name.partition(".")
    prefix = f"{reference.group}/instance-"
    labels[f"{prefix}family"], labels[f"{prefix}size"] = family, size
    labels[f"{prefix}cpu"], labels[f"{prefix}memory"] = str(kind.cpus), str(kind.memory)
    for resource, maker in (("nvidia.com/gpu", "nvidia"), ("amd.com/gpu", "amd")):
        if resource in kind.devices:
            labels[f"{prefix}gpu-name"], labels[f"{prefix}gpu-manufacturer"] = kind.accelerator, maker
            labels[f"{prefix}gpu-count"] = str(kind.devices[resource])
    return labels
