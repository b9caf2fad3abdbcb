"""PodGroups of every scheduler: which pods belong to one, and the domain that it keeps them in (S 2.1, 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.values import is_placeholder, read_int, read_text
from trainlint.model.api_kind import declared
from trainlint.model.because import Because
from trainlint.model.known import Known
from trainlint.model.workload import Colocation, PodSet
from trainlint.source.document import Field
from trainlint.workload.ground import TieGround
from trainlint.workload.tier import VOLCANO_SCHEDULERS, tier_of

__all__ = [
    "COSCHEDULING",
    "DEFAULT_SCHEDULERS",
    "KINDS",
    "NATIVE",
    "VOLCANO",
    "PodGroup",
    "PodGroups",
    "minimum_of",
    "named_group",
    "read_pod_groups",
    "topologies",
]

NATIVE: Final = "scheduling.k8s.io"
VOLCANO: Final = "scheduling.volcano.sh"
COSCHEDULING: Final = "scheduling.x-k8s.io"
DEFAULT_SCHEDULERS: Final = frozenset({"", "default-scheduler"})
"""The scheduler that every cluster has, as pods name it."""
KINDS: Final = (
    *declared(NATIVE, namespaced="PodGroup Workload"),
    *declared(VOLCANO, namespaced="PodGroup"),
    *declared("scheduling.run.ai", namespaced="PodGroup"),
    *declared("scheduling.x-k8s.io", namespaced="PodGroup"),
)
"""Kinds of objects that make a gang of other objects' pods."""

_LABELS: Final = {COSCHEDULING: "scheduling.x-k8s.io/pod-group"}
_ANNOTATIONS: Final = {VOLCANO: "scheduling.k8s.io/group-name", "scheduling.run.ai": "pod-group-name"}
_GATE: Final = Because(TieGround.WORKLOAD_GATE)


@fact
class PodGroup:
    """A PodGroup object; ``name`` is unique in its API group and namespace."""

    meta: Meta
    field: Field

    @property
    def namespace(self) -> str:
        """The namespace of its pods."""
        return self.meta.namespace or "default"

    def holds(self, pods: PodSet, template: Field) -> bool:
        """Whether the pods of a set say that they belong to it."""
        if pods.namespace != self.namespace:
            return False
        group = self.meta.api_group
        if group in _LABELS:
            name: Known[str] | None = pods.labels.get(_LABELS[group])
        elif group in _ANNOTATIONS:
            name = pods.annotations.get(_ANNOTATIONS[group])
        else:
            name = read_text(template.down("spec", "schedulingGroup", "podGroupName"))
        return name == self.meta.name


def named_group(api_group: str, template: Field) -> Field:
    """Where a pod template names the PodGroup of an API that its pods belong to."""
    if api_group in _LABELS:
        return template.down("metadata", "labels", _LABELS[api_group])
    if api_group in _ANNOTATIONS:
        return template.down("metadata", "annotations", _ANNOTATIONS[api_group])
    return template.down("spec", "schedulingGroup", "podGroupName")


PodGroups = Mapping[str, Sequence[PodGroup]]
"""By namespace."""


def read_pod_groups(objects: Sequence[tuple[Field, Meta]]) -> PodGroups:
    """The PodGroups among some objects."""
    found: dict[str, list[PodGroup]] = {}
    for item, meta in objects:
        if meta.kind == "PodGroup":
            group = PodGroup(meta, item)
            found.setdefault(group.namespace, []).append(group)
    return found


def minimum_of(group: Field) -> Field:
    """Where the group says how many of its pods must be able to start."""
    if read_meta(group).api_group == NATIVE:
        return group.down("spec", "schedulingPolicy", "gang", "minCount")
    return group.down("spec", "minMember")


def topologies(
    groups: Sequence[PodGroup], pods: PodSet, template: Callable[[], Field]
) -> Iterator[tuple[Colocation | None, Colocation | None]]:
    """What each PodGroup of the pods asks for: for all of them, and for parts of them."""
    for group in groups:
        if group.holds(pods, template()):
            if group.meta.api_group == VOLCANO:
                yield _volcano(group, pods)
            elif group.meta.api_group == NATIVE:
                yield _native(group), None


def _volcano(group: PodGroup, pods: PodSet) -> tuple[Colocation | None, Colocation | None]:
    """The group's network topology, and that of its subgroups; only Volcano reads them (S 2.3)."""
    if pods.spec.scheduler_name in DEFAULT_SCHEDULERS:
        return None, None
    doubt = None
    if pods.spec.scheduler_name not in VOLCANO_SCHEDULERS:
        doubt = Because(TieGround.VOLCANO_SCHEDULER, (pods.spec.scheduler_name,))
    spec = group.field["spec"]
    whole = tier_of(spec["networkTopology"], f"pod group {group.meta.name}", "networkTopology", doubt=doubt)
    if whole is not None and minimum_of(group.field).present:
        whole = replace(whole, sure=read_int(minimum_of(group.field)))
    parts = None
    for policy in spec["subGroupPolicy"].elements():
        size = read_int(policy["subGroupSize"], 1)
        part = tier_of(policy["networkTopology"], pods.role, "subGroupPolicy.networkTopology", doubt=doubt, size=size)
        parts = parts or part
    return whole, parts


def _native(group: PodGroup) -> Colocation | None:
    """Nodes with the same value of the key are tried one after the other; with ``basic`` the first pod decides."""
    spec = group.field["spec"]
    for constraint in spec.down("schedulingConstraints", "topology").elements():
        key = read_text(constraint["key"])
        if key and not is_placeholder(key):
            basic = spec.down("schedulingPolicy", "basic").present
            return Colocation(
                key,
                f"pod group {group.meta.name}",
                "schedulingConstraints.topology",
                constraint.at,
                leader_first=basic,
                sure=None if basic else read_int(minimum_of(group.field), 1),
                doubt=_GATE,
            )
    return None
