"""From API objects to pod sets and groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from trainlint.finding import Unknown
from trainlint.kube.meta import Meta, read_meta
from trainlint.launch.markers import markers
from trainlint.model.settings import DescribedKind, Settings
from trainlint.model.workload import Flow, Gang, ObjectRef, PodSet, Service, Wait, Workload, Workloads
from trainlint.source.document import Field
from trainlint.source.podtemplates import pod_templates
from trainlint.workload.accelerators import accelerators_of
from trainlint.workload.connections import connections_of
from trainlint.workload.custom_kinds import description_of, expand_described, undescribed
from trainlint.workload.expansion import Context, Expander, Expansion
from trainlint.workload.expansion_memo import expanded, reference
from trainlint.workload.flows import maybe_several
from trainlint.workload.gangs import gangs
from trainlint.workload.groups import GROUP_ANNOTATION, Unit, form_groups
from trainlint.workload.kinds import (
    REFERENCED_KINDS,
    WORKLOAD_KINDS,
    expander_for,
    is_training,
    workload_kind,
)
from trainlint.workload.podgroups import PodGroups, read_pod_groups
from trainlint.workload.ranks import computes
from trainlint.workload.services import Directory, read_service
from trainlint.workload.silent_pods import lost_meetings, silent
from trainlint.workload.wrappers import WRAPPERS, unwrapped

__all__ = ["read_workloads"]

_KUEUE_POD_GROUP = "kueue.x-k8s.io/pod-group-name"
_NO_WORKLOADS = frozenset({"DaemonSet", "PodTemplate"})


@dataclass(slots=True)
class _Found:
    """What has been read so far."""

    pod_sets: list[PodSet] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    services: dict[tuple[str, str], Service] = field(default_factory=dict)
    policies: list[Field] = field(default_factory=list)
    unknowns: list[Unknown] = field(default_factory=list)
    objects: list[Workload] = field(default_factory=list)
    gangs: list[Gang] = field(default_factory=list)
    pod_groups: PodGroups = field(default_factory=dict)


def read_workloads(objects: Sequence[Field], settings: Settings) -> Workloads:
    """Every pod set of the objects, and the groups among them; objects of other kinds are passed over.

    A training object that cannot be expanded is an unknown. Never raises, whatever the objects hold.
    """
    found = _Found()
    read = [
        (held, meta)
        for item in objects
        for held, meta in unwrapped(item, read_meta(item), found.unknowns)
        if meta.kind in WORKLOAD_KINDS or _has_pods(held, meta)
    ]
    context = Context(settings, {reference(meta): item for item, meta in read})
    found.pod_groups = read_pod_groups(read)
    for item, meta in read:
        owner = reference(meta)
        if (meta.api_version, meta.kind) == ("v1", "Service"):
            found.services[owner.namespace, owner.name] = read_service(item, owner.namespace)
        elif expander := expander_for(meta.api_version, meta.kind):
            _add(found, item, meta, expander, context)
        elif description := description_of(settings.workloads, meta):
            _add(found, item, meta, _described(description), context)
        elif is_training(meta.api_version, meta.kind):
            found.unknowns.append(Unknown(str(owner), "its pods: this kind is not expanded", _remedy(meta), at=item.at))
        elif meta.kind not in REFERENCED_KINDS | WRAPPERS:  # a name that only another API group's kind is known by
            found.unknowns.extend(undescribed(item, meta, owner))
    directory = Directory(found.pod_sets, found.services)
    connections, lost = connections_of(directory, found.pod_sets)
    groups = form_groups(found.units, found.pod_sets, connections, settings)
    found.unknowns.extend(silent(found.units, found.pod_sets, groups))
    found.unknowns.extend(lost_meetings(lost, found.pod_sets, groups))
    return Workloads(
        tuple(found.pod_sets),
        groups,
        tuple(found.services.values()),
        tuple(found.policies),
        tuple(found.unknowns),
        tuple(found.objects),
        (*found.gangs, *gangs(found.objects, [item for item, _ in read], found.pod_groups)),
    )


def _described(description: DescribedKind) -> Expander:
    return lambda item, owner, _: expand_described(item, owner, description)


def _waits(item: Field, meta: Meta, pod_sets: Sequence[PodSet]) -> Mapping[int, Wait]:
    """The pod sets that the operator makes after others, as the kind declares it."""
    kind = workload_kind(meta.api_version, meta.kind)
    return {} if kind is None or kind.waits is None else kind.waits(item, pod_sets)


def _add(found: _Found, item: Field, meta: Meta, expander: Expander, context: Context) -> None:
    owner = reference(meta)
    base = len(found.pod_sets)
    expansion, pod_sets = expanded(item, meta, expander, context, found.pod_groups.get(owner.namespace, ()))
    found.pod_sets.extend(pod_sets)
    found.unknowns.extend(expansion.unknowns)
    found.policies.extend(expansion.policies)
    for service in expansion.services:
        # an operator does not make a Service whose name is taken, whatever that one selects (W 1.7)
        found.services.setdefault((service.ref.namespace, service.ref.name), service)
    indices = tuple(range(base, len(found.pod_sets)))
    for made in expansion.gangs:
        members = tuple(found.pod_sets[base + index] for index in made.members)
        found.gangs.append(Gang(made.what, made.minimum, members, owner.namespace, at=made.at, closed=True))
    if indices:
        own = tuple(found.pod_sets[base:])
        waits = expansion.waits or _waits(item, meta, own)
        found.objects.append(Workload(owner, meta.api_version, own, item, waits))
        found.units.append(
            Unit(
                owner,
                indices,
                item.at,
                tuple(_moved(expansion.flows, base)),
                frozenset(base + rank for rank in expansion.ranks),
                frozenset(base + helper for helper in expansion.helpers),
                seed=_is_seed(owner, expansion),
                training=expansion.training,
                computes=_computes_together(owner, expansion),
                annotations=meta.annotations,
                declared=_declared(owner, meta) or _selected(expansion.pod_sets, context.settings),
                instances=expansion.instances,
                several_jobs=expansion.several_jobs,
            )
        )


def _moved(flows: Sequence[Flow], base: int) -> Iterator[Flow]:
    for flow in flows:
        yield replace(flow, source=flow.source + base, target=None if flow.target is None else flow.target + base)


def _declared(owner: ObjectRef, meta: Meta) -> str:
    """The group that the object was put into: by our annotation, or as one of several pods queued as one."""
    if name := meta.annotations.get(GROUP_ANNOTATION):
        return name
    name = meta.labels.get(_KUEUE_POD_GROUP, "") if owner.kind == "Pod" else ""
    return f"{owner.namespace}/{name}" if name else ""


def _selected(pod_sets: Sequence[PodSet], settings: Settings) -> str:
    """The group that the configuration puts the object into, by the labels of its pods."""
    for group in settings.groups:
        for pods in pod_sets:
            if pods.namespace == group.namespace and all(pods.labels.get(k) == v for k, v in group.labels.items()):
                return group.name
    return ""


def _has_pods(item: Field, meta: Meta) -> bool:
    """Whether an object of a kind that is not read makes pods all the same."""
    return bool(meta.kind) and meta.kind not in _NO_WORKLOADS and item.once(_holds_pods)


def _holds_pods(item: Field) -> bool:
    return next(pod_templates(item), None) is not None


def _is_seed(owner: ObjectRef, expansion: Expansion) -> bool:
    """A training kind, a Job of several pods, or pods that ask for accelerators (decision 7)."""
    if expansion.training or any(accelerators_of(pod_set.spec) for pod_set in expansion.pod_sets):
        return True
    return _is_parallel_job(owner, expansion)


def _is_parallel_job(owner: ObjectRef, expansion: Expansion) -> bool:
    return owner.kind in {"Job", "CronJob"} and any(maybe_several(found.replicas) for found in expansion.pod_sets)


def _computes_together(owner: ObjectRef, expansion: Expansion) -> bool:
    """Pods on accelerators that belong together: those of one Job, or pods that are told which rank they are."""
    for pods in expansion.pod_sets:
        if computes(pods) and (
            _is_parallel_job(owner, expansion)
            or any(marker.rank for container in pods.spec.containers for marker in markers(container))
        ):
            return True
    return False


def _remedy(meta: Meta) -> str:
    return f"describe {meta.kind} of {meta.api_version} under workloads: in trainlint.yaml"
