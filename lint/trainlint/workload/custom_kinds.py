"""Kinds that the configuration describes, and kinds with pods that it does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.finding import Unknown
from trainlint.kube.meta import Meta
from trainlint.kube.values import read_int, read_text
from trainlint.model.known import Known
from trainlint.model.settings import DescribedKind, DescribedRole
from trainlint.model.workload import Flow, FlowKind, ObjectRef, PodSet, PortRange
from trainlint.source.document import Field
from trainlint.source.podtemplates import pod_templates
from trainlint.workload.expansion import Expansion, is_template, pod_set

__all__ = ["description_of", "expand_described", "undescribed"]


def description_of(described: Sequence[DescribedKind], meta: Meta) -> DescribedKind | None:
    """What the configuration says about the kind of an object; ``None`` where it says nothing."""
    return next((each for each in described if each.kind == meta.kind and each.group in {"", meta.api_group}), None)


def expand_described(item: Field, owner: ObjectRef, description: DescribedKind) -> Expansion:
    """The roles of an object where the configuration says that they sit, with the flows that it names."""
    pod_sets: list[PodSet] = []
    ranks = set()
    for role in description.roles:
        for place in _places(item, role.at):
            template = _down(place, role.template)
            if not is_template(template):
                continue
            if role.ranks:
                ranks.add(len(pod_sets))
            pod_sets.append(pod_set(owner, _name(place, role), _replicas(place, role), template, place.at))
    by_name = {pods.role: index for index, pods in enumerate(pod_sets)}
    flows = tuple(
        Flow(
            by_name[each.source],
            by_name[each.target],
            each.protocol,
            PortRange(each.port, each.port),
            FlowKind.CALL,
            f"{each.source} calls {each.target} on port {each.port} (the configuration says so)",
            pod_sets[by_name[each.source]].at,
        )
        for each in description.flows
        if each.source in by_name and each.target in by_name
    )
    return Expansion(tuple(pod_sets), flows, ranks=frozenset(ranks), training=True)


def _places(item: Field, path: Sequence[str]) -> Iterator[Field]:
    """The fields at a path; ``*`` stands for each element of a list or entry of a mapping."""
    if not path:
        yield item
        return
    step, *rest = path
    if step != "*":
        yield from _places(item[step], rest)
        return
    for inner in (*item.elements(), *(value for _, value in item.items())):
        yield from _places(inner, rest)


def _down(place: Field, path: Sequence[str]) -> Field:
    return place.down(*path)


def _name(place: Field, role: DescribedRole) -> str:
    if role.name_at:
        return read_text(_down(place, role.name_at)) or role.name
    last = place.path[-1] if place.path else ""
    return role.name or (last if role.at[-1:] == ("*",) and isinstance(last, str) else "")


def _replicas(place: Field, role: DescribedRole) -> Known[int]:
    return role.replicas if isinstance(role.replicas, int) else read_int(_down(place, role.replicas), 1)


def undescribed(item: Field, meta: Meta, owner: ObjectRef) -> Iterator[Unknown]:
    """The unknown that an object of an unknown kind is, if a pod template stands in it."""
    template = next(pod_templates(item), None)
    if template is not None:
        where = ".".join(str(step) for step in template.path[len(item.path) :])
        yield Unknown(
            str(owner),
            f"its pods: {meta.kind} ({meta.api_version}) is no kind that trainlint knows, and a pod template stands "
            f"at {where}",
            f"describe {meta.kind} under workloads: in trainlint.yaml",
            at=template.at,
        )
