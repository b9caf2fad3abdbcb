"""PodGroups and Workloads (kubernetes:pkg/apis/scheduling/validation, scheduler-plugins:config/crd/bases)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.name_syntax import rfc1123_label
from trainlint.admission.plain_values import elements, mapping, number, text
from trainlint.admission.pod_group_flaws import PodGroupFlaw
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because

__all__ = ["of_pod_groups"]

_NATIVE: Final = "scheduling.k8s.io"
_COSCHEDULING: Final = "scheduling.x-k8s.io"
_MOST_GROUPS: Final = 8
_GROUPS: Final = {"v1alpha1": ("podGroups", "policy")}
"""Where a Workload has its pod groups, and the field of their policy, if not podGroupTemplates and schedulingPolicy."""


def of_pod_groups(meta: Meta, item: Any) -> Iterator[Problem]:
    """What is refused of a PodGroup or Workload."""
    spec = mapping(mapping(item).get("spec"))
    if (meta.api_group, meta.kind) == (_COSCHEDULING, "PodGroup"):
        least = number(spec.get("minMember"))
        if least is not None and least < 1:
            yield Problem(("spec", "minMember"), Because(PodGroupFlaw.MIN_MEMBER, (str(least),)), "minMember")
    elif (meta.api_group, meta.kind) == (_NATIVE, "PodGroup"):
        yield from _policy(spec, "schedulingPolicy", ("spec",))
        topology = mapping(spec.get("schedulingConstraints")).get("topology")
        if isinstance(topology, list) and len(topology) > 1:
            at = ("spec", "schedulingConstraints", "topology")
            yield Problem(at, Because(PodGroupFlaw.SEVERAL_TOPOLOGIES, (len(topology),)), "topology")
    elif (meta.api_group, meta.kind) == (_NATIVE, "Workload"):
        yield from _workload(meta, spec)


def _workload(meta: Meta, spec: Mapping[str, Any]) -> Iterator[Problem]:
    field, policy = _GROUPS.get(meta.api_version.rpartition("/")[2], ("podGroupTemplates", "schedulingPolicy"))
    groups = list(elements(spec.get(field), "spec", field))
    if not groups and not is_placeholder(text(spec.get(field))):
        yield Problem(("spec",), Because(PodGroupFlaw.NO_GROUPS, (field,)), field, lacks=field)
    if len(groups) > _MOST_GROUPS:
        why = Because(PodGroupFlaw.TOO_MANY_GROUPS, (len(groups), _MOST_GROUPS))
        yield Problem(("spec", field), why, "too many groups")
    seen: set[str] = set()
    for at, group in groups:
        name = text(group.get("name"))
        if name in seen and not is_placeholder(name):
            yield Problem((*at, "name"), Because(PodGroupFlaw.GROUP_TWICE, (name,)), f"pod group {name}")
        elif not is_placeholder(name) and (wrong := rfc1123_label(name)):
            yield Problem((*at, "name"), Because(PodGroupFlaw.GROUP_NAME, (name, wrong)), f"pod group {name}")
        seen.add(name)
        yield from _policy(group, policy, at)


def _policy(holder: Mapping[str, Any], field: str, at: Path) -> Iterator[Problem]:
    """Exactly one of ``basic`` and ``gang``, and of a gang at least one pod."""
    policy = mapping(holder.get(field))
    written = [each for each in ("basic", "gang") if policy.get(each) is not None]
    if is_placeholder(text(holder.get(field))):
        return
    if len(written) != 1:
        why = Because(PodGroupFlaw.BOTH_POLICIES if written else PodGroupFlaw.NO_POLICY)
        there = holder.get(field) is not None
        yield Problem((*at, field) if there else at, why, "policy", lacks="" if there else field)
    elif written == ["gang"]:
        least = mapping(policy["gang"]).get("minCount")
        count = number(least)
        if least is None or (count is not None and count < 1):
            place = (*at, field, "gang") if least is None else (*at, field, "gang", "minCount")
            yield Problem(place, Because(PodGroupFlaw.LEAST, ("" if least is None else str(least),)), "minCount")
