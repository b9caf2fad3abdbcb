"""What a cluster must offer so that a group runs, read from its pods."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from trainlint.kube.node import HOSTNAME
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.needs import NeedGround, Needs, ObjectNeed, RoleNeed
from trainlint.model.selector import Requirement
from trainlint.model.workload import Group, ObjectRef, PodSet
from trainlint.proof.ideal.device_needs import device_needs
from trainlint.proof.ideal.machine_types import margins
from trainlint.proof.ideal.requirement_sets import choices, requirement_sets_of
from trainlint.references.references import BUILT_IN, referred_by
from trainlint.scheduling.claims import pod_claims
from trainlint.scheduling.inter_pod_affinity import term_matches
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.quantity import readable

if TYPE_CHECKING:
    from trainlint.model.pool import Inventory
    from trainlint.proof.ideal.cluster import Ideal
    from trainlint.proof.ideal.judge import Conditions
    from trainlint.proof.verdicts import Verdicts

__all__ = ["needs_of", "outside_needs", "outside_objects"]

Present = Collection[tuple[str, str, str]]
"""Kind, namespace and name of objects."""

WAYS: Final = 8
"""Ways to satisfy the selectors of a role that are listed."""


def needs_of(
    group: Group,
    verdicts: Verdicts,
    present: Present,
    found: Conditions,
    ideal: Ideal,
    near: Sequence[PodSet] = (),
) -> Needs:
    """What the group needs, where it runs on the ideal cluster; ``present`` are the objects in Git, ``near`` pods of
    others that its own must be near.
    """
    key = verdicts.topology_key
    members = [each for each in group.members if each.replicas != 0]
    outside = outside_needs(group, verdicts, present, ideal.inventory)
    pods = sum(each.replicas if isinstance(each.replicas, int) else 2 for each in members)
    return Needs(
        roles=(
            *(replace(_role(each, verdicts), on_nodes_of=_joined(each, members, verdicts)) for each in members),
            *(replace(_role(each, verdicts), pods=1, apart=False, beside=True) for each in near),
        ),
        objects=outside.objects,
        domain=key if pods > 1 and not found.unlabelled else "",
        zones=found.zones,
        together=key if found.one_domain else "",
        shared=tuple(dict.fromkeys(_shared(members, key))),
        others=tuple(
            dict.fromkeys((*outside.others, *_unlabelled(found, key), *_placed(members), *_margins(members, verdicts)))
        ),
    )


def outside_needs(group: Group, verdicts: Verdicts, present: Present, inventory: Inventory) -> Needs:
    """What the group needs beside nodes, which are those of an inventory on which all else is taken to be there."""
    objects = tuple(outside_objects(group, verdicts, present))
    named = {Because(NeedGround.OBJECT, (f"{each.kind} {each.name}",)) for each in objects}
    others = [
        need
        for each in group.members
        for need in (verdicts.over(each, inventory).needs if each.replicas != 0 else ())
        if need not in named
    ]
    devices = (need for each in group.members if each.replicas != 0 for need in device_needs(each))
    said = all(pool.devices is not None for pool in inventory.pools)
    return Needs(
        objects=objects, others=tuple(dict.fromkeys(others)), devices=() if said else tuple(dict.fromkeys(devices))
    )


def _role(pod_set: PodSet, verdicts: Verdicts) -> RoleNeed:
    pods = verdicts.admitted(pod_set)
    pod, count = pods[0], pod_set.replicas if isinstance(pod_set.replicas, int) else 1
    amounts = [(name, amount) for name, amount in pod.requests.compared if isinstance(amount, int)]
    ways = dict.fromkeys(
        way for each in pods for way in requirement_sets_of(each, verdicts.storage).ways if _satisfiable(way)
    )
    return RoleNeed(
        role=pod_set.name,
        pods=count,
        labels=tuple(ways)[:WAYS],
        requests={name: readable(name, amount) for name, amount in amounts},
        total={name: readable(name, amount * count) for name, amount in amounts},
        unsaid=pod_set.replicas.why if isinstance(pod_set.replicas, Undetermined) else None,
        tolerates=pod.spec.tolerations,
        apart=(count > 1 or isinstance(pod_set.replicas, Undetermined)) and _apart(pod),
        devices=device_needs(pod_set),
        volumes=tuple(dict.fromkeys(each.name for each in pod_claims(pod, verdicts.storage) if not each.ephemeral)),
        at=pod_set.at,
    )


def _satisfiable(way: Iterable[Requirement]) -> bool:
    by_key: dict[str, list[Requirement]] = {}
    for each in way:
        by_key.setdefault(each.key, []).append(each)
    return all(choices(asked, (None,)) for asked in by_key.values())


def _apart(pod: Pod) -> bool:
    """Whether no two pods of the set can be on one node."""
    return bool(pod.host_ports) or any(
        term.topology_key == HOSTNAME and term_matches(term, pod.namespace, {}, pod.labels, pod.namespace) is True
        for term in pod.spec.pod_anti_affinity
    )


def _joined(pod_set: PodSet, members: Iterable[PodSet], verdicts: Verdicts) -> tuple[str, ...]:
    """The roles with a pod of which the pods must share a node: required affinity over host names (S 5.2)."""
    terms = [term for term in pod_set.spec.pod_affinity if term.topology_key == HOSTNAME]
    pods = {each.name: verdicts.admitted(each)[0] for each in members} if terms else {}
    return tuple(
        name
        for name, pod in pods.items()
        if (name != pod_set.name or pod_set.replicas != 1)
        and any(term_matches(term, pod_set.namespace, {}, pod.labels, pod.namespace) is True for term in terms)
    )


def _shared(members: Iterable[PodSet], key: str) -> Iterator[str]:
    """The keys, beside the one of zones, over which pods must be near each other."""
    for each in members:
        yield from (term.topology_key for term in each.spec.pod_affinity if term.topology_key not in {key, HOSTNAME})


def _unlabelled(found: Conditions, key: str) -> Iterator[Because]:
    if found.unlabelled:
        yield Because(NeedGround.UNLABELLED, (key,))


def _placed(members: Iterable[PodSet]) -> Iterator[Because]:
    """What places pods beside their pod spec."""
    for each in members:
        for tie in (each.together, each.parts):
            if tie is not None:
                yield Because(NeedGround.ONE_DOMAIN, (tie.key, tie.per_block, each.name, tie.by))
        if each.placed_by and not (each.together or each.parts):
            yield Because(NeedGround.PLACED, (each.placed_by, each.name))


def _margins(members: Iterable[PodSet], verdicts: Verdicts) -> Iterator[Because]:
    """Where pods ask for nearly all that a machine has: what kubelet and system keep decides whether they fit."""
    for each in members:
        for margin in margins(verdicts.admitted(each)[0]):
            room = (margin.most, margin.surely)
            yield Because(NeedGround.MARGIN, (margin.asked, margin.resource, margin.machine, each.name, *room))


def outside_objects(group: Group, verdicts: Verdicts, present: Present) -> Iterator[ObjectNeed]:
    """The objects that pods of the group refer to and that Git does not hold, each once."""
    seen: set[tuple[str, str, str]] = set()
    for pod_set in group.members:
        for need in _referred(pod_set, verdicts) if pod_set.replicas != 0 else ():
            key = (need.kind, need.namespace, need.name)
            if need.name and key not in present and key[::2] not in BUILT_IN and key not in seen:
                seen.add(key)
                yield need


def _referred(pod_set: PodSet, verdicts: Verdicts) -> Iterator[ObjectNeed]:
    if pod_set.spec.at is not None:
        for target, at in referred_by(pod_set, pod_set.spec.at):
            yield ObjectNeed(target.kind, target.namespace, target.name, pod_set.name, at)
    if pod_set.queue:
        queue = ObjectRef("LocalQueue", pod_set.namespace, pod_set.queue)
        yield ObjectNeed(queue.kind, queue.namespace, queue.name, pod_set.name, pod_set.at)
    for wanted in pod_claims(verdicts.admitted(pod_set)[0], verdicts.storage):
        claim, place = wanted.claim, wanted.volume.at
        if claim is not None and claim.volume:
            yield ObjectNeed("PersistentVolume", "", claim.volume, pod_set.name, place)
        elif claim is not None:
            yield ObjectNeed("StorageClass", "", claim.storage_class or "", pod_set.name, place)
