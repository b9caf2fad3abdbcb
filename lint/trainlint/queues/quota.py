"""Pods that the API server refuses by a LimitRange or a ResourceQuota, one by one or together (S 1.11)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.admission import Admission, ResourceQuota
from trainlint.model.because import Because
from trainlint.model.settings import Settings
from trainlint.model.workload import Group, ObjectRef, PodSet
from trainlint.scheduling.admission import admit
from trainlint.scheduling.limit_ranger import PLUGIN as LIMIT_RANGER
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.quantity import readable
from trainlint.scheduling.refusal import Ground
from trainlint.scheduling.resource_quota import covers, limit, resource_of, unset, usage
from trainlint.workload.relocation import moved

__all__ = ["Overrun", "QuotaCause", "quota_causes", "refused_elsewhere"]


@fact
class Overrun:
    """One entry of a quota: what all pods use together, and what there is, as people write it."""

    entry: str
    asked: str
    allowed: str


@fact
class QuotaCause:
    """Pods that are never made: together they exceed a quota (``overruns``), or one is refused for a ``reason``.

    ``quota`` is the ResourceQuota that refuses them, none where a LimitRange does. ``places`` are where in it that
    stands; ``also`` are other places of the same object with the same fault.
    """

    pod_sets: tuple[PodSet, ...]
    quota: ObjectRef | None
    at: Location
    places: tuple[Location, ...]
    reason: Because | None = None
    overruns: tuple[Overrun, ...] = ()
    also: tuple[Location, ...] = ()


def quota_causes(
    groups: Iterable[Group], pod_sets: Iterable[PodSet], settings: Settings, known: Admission
) -> Iterator[QuotaCause]:
    """What limits and quotas refuse of all groups, and of pod sets that are in none: of these only single pods count,
    as they need not run together.
    """
    if not known.limits and not known.quotas:
        return
    grouped: set[int] = set()
    for group in groups:
        own = [each for index, each in enumerate(group.members) if index not in group.dependencies]
        grouped |= {id(each) for each in own}
        yield from _of_pods([(each, _pods(each)) for each in own if each.replicas != 0], settings, known)
    for pod_set in pod_sets:
        if id(pod_set) not in grouped and pod_set.replicas != 0:
            yield from _of_pods([(pod_set, 1)], settings, known)


def _pods(pod_set: PodSet) -> int:
    """How many pods there are at least; the equal groups of one object compete (decision 3)."""
    counts = [count for count in (pod_set.replicas, pod_set.instances) if isinstance(count, int)]
    return counts[0] * counts[1] if len(counts) == 2 else 0


def _of_pods(sets: Sequence[tuple[PodSet, int]], settings: Settings, known: Admission) -> Iterator[QuotaCause]:
    made = [(pod_set, admit(pod_set, settings, known), count) for pod_set, count in sets]
    refused: dict[tuple[ObjectRef, Because | None], QuotaCause] = {}
    for pod_set, admitted, _ in made:
        for cause in _single(pod_set, admitted.pod, known):
            _merge(refused, pod_set.owner, cause)
        for refusal in admitted.refusals:
            if refusal.plugin == LIMIT_RANGER:
                places = (refusal.node_at,) if refusal.node_at else ()
                at = refusal.at or pod_set.at
                _merge(refused, pod_set.owner, QuotaCause((pod_set,), None, at, places, refusal.reason))
    yield from refused.values()
    quotas = [quota for pod_set, _ in sets for quota in known.quotas_of(pod_set.namespace, pod_set.at)]
    for quota in {id(quota): quota for quota in quotas}.values():
        inside = [
            (pod_set, each.pod, count)
            for pod_set, each, count in made
            if pod_set.namespace == quota.namespace and covers(quota, each.pod)
        ]
        if (exceeded := _together(inside, quota)) is not None:
            yield exceeded


def _merge(found: dict[tuple[ObjectRef, Because | None], QuotaCause], owner: ObjectRef, cause: QuotaCause) -> None:
    """One cause for each fault of an object."""
    before = found.get((owner, cause.reason))
    if before is not None:
        pod_sets = tuple(dict.fromkeys((*before.pod_sets, *cause.pod_sets)))
        also = before.also if cause.at in (before.at, *before.also) else (*before.also, cause.at)
        cause = QuotaCause(pod_sets, before.quota, before.at, before.places, before.reason, also=also)
    found[owner, cause.reason] = cause


def _single(pod_set: PodSet, pod: Pod, known: Admission) -> Iterator[QuotaCause]:
    """Quotas that refuse a pod because a container leaves open what they count."""
    for quota in known.quotas_of(pod_set.namespace, pod_set.at):
        if covers(quota, pod):
            for entry, container in unset(quota, pod):
                reason = Because(Ground.UNCOUNTED, (container.name, entry))
                places = tuple(filter(None, (quota.place(entry),)))
                yield QuotaCause((pod_set,), _ref(quota), container.at or pod_set.at, places, reason)


def _together(pods: Sequence[tuple[PodSet, Pod, int]], quota: ResourceQuota) -> QuotaCause | None:
    """Whether all pods together exceed a quota; unknown amounts count as nothing."""
    overruns: dict[str, Overrun] = {}
    for entry in quota.hard:
        allowed = limit(entry, quota)
        asked = sum(_known(usage(entry, pod)) * count for _, pod, count in pods)
        if isinstance(allowed, int) and asked > allowed:
            resource = resource_of(entry)
            overruns[entry] = Overrun(entry, readable(resource, asked), readable(resource, allowed))
    if not overruns:
        return None
    entry = next(iter(overruns))
    largest, pod, _ = max(pods, key=lambda each: _known(usage(entry, each[1])) * each[2])
    return QuotaCause(
        tuple(pod_set for pod_set, _, _ in pods),
        _ref(quota),
        pod.requests.decided_by.get(resource_of(entry)) or largest.at,
        tuple(at for each in overruns if (at := quota.place(each)) is not None),
        overruns=tuple(overruns.values()),
    )


def _known(amount: object) -> int:
    return amount if isinstance(amount, int) else 0


def _ref(quota: ResourceQuota) -> ObjectRef:
    return ObjectRef("ResourceQuota", quota.namespace, quota.name)


def refused_elsewhere(
    group: Group, unstated: Collection[ObjectRef], settings: Settings, known: Admission
) -> tuple[str, ...]:
    """The namespaces whose quotas or limits would refuse the group's pods, were its objects, which name none, there."""
    if not any(member.owner in unstated for member in group.members):
        return ()
    others = sorted({*known.limits, *known.quotas} - {member.namespace for member in group.members})
    return tuple(
        name for name in others if any(True for _ in quota_causes([moved(group, unstated, name)], (), settings, known))
    )
