"""Claims that attach to one node and are used by pods that sit on several (S 1.8, S 5.42 and 5.43)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.node import HOSTNAME
from trainlint.model.known import Answer
from trainlint.model.storage import Claim, Storage
from trainlint.model.workload import Group, PodSet
from trainlint.proof.feasibility import Feasibility
from trainlint.scheduling.inter_pod_affinity import term_matches
from trainlint.scheduling.node import Node
from trainlint.scheduling.packing import UNLIMITED, Demand, NodeClass, pack

__all__ = ["SharingCause", "shared_claims"]

ONE_NODE = "ReadWriteOnce"
ONE_POD = "ReadWriteOncePod"
Judged = tuple[Feasibility, Sequence[Node]]


@fact
class SharingCause:
    """A claim whose volume attaches to one node (or pod), and the pod sets that mount it.

    ``certain`` says that its pods cannot all use it, wherever they land; else the scheduler may spread them.
    """

    claim: Claim
    mode: str
    pod_sets: tuple[PodSet, ...]
    pods: int
    certain: bool
    at: Location


def shared_claims(
    groups: Iterable[Group],
    pod_sets: Iterable[PodSet],
    storage: Storage,
    judge: Callable[[PodSet], Judged | None],
) -> Iterator[SharingCause]:
    """The claims that pods share and cannot use at once: of the pods of each group, and of each pod set by itself, as
    other workloads may run at other times.

    ``judge`` gives the nodes of a pod set with its feasibility on them.
    """
    if not storage.claims:
        return
    grouped: set[int] = set()
    for group in groups:
        own = [each for index, each in enumerate(group.members) if index not in group.dependencies]
        grouped |= {id(each) for each in own}
        yield from _shared(own, storage, judge)
    for pod_set in pod_sets:
        if id(pod_set) not in grouped:
            yield from _shared([pod_set], storage, judge)


def _shared(
    sets: Sequence[PodSet], storage: Storage, judge: Callable[[PodSet], Judged | None]
) -> Iterator[SharingCause]:
    users: dict[tuple[str, str], dict[int, PodSet]] = {}
    for pod_set in sets:
        for volume in pod_set.spec.volumes:
            if volume.kind == "persistentVolumeClaim" and pod_set.replicas != 0:
                users.setdefault((pod_set.namespace, volume.claim), {})[id(pod_set)] = pod_set
    for key, found in users.items():
        claim = storage.claims.get(key)
        if claim is None or not claim.access_modes or not claim.access_modes <= {ONE_NODE, ONE_POD}:
            continue
        mounting = tuple(found.values())
        pods = sum(each.replicas if isinstance(each.replicas, int) else 1 for each in mounting)
        mode = ONE_NODE if ONE_NODE in claim.access_modes else ONE_POD
        if pods > 1 and (certain := _apart(mounting, mode, judge)) is not None:
            yield SharingCause(claim, mode, mounting, pods, certain, _place(mounting[0], claim))


def _place(pod_set: PodSet, claim: Claim) -> Location:
    places = (each.at for each in pod_set.spec.volumes if each.claim == claim.name and each.at is not None)
    return next(places, pod_set.spec.at or pod_set.at)


def _apart(sets: Sequence[PodSet], mode: str, judge: Callable[[PodSet], Judged | None]) -> bool | None:
    """Whether the pods must (or, if false, may) be on several nodes; ``None`` where not, or where that is unknown."""
    if mode == ONE_POD:
        return True
    judged = [found for each in sets if (found := judge(each)) is not None]
    if len(judged) < len(sets) or _on_one_host([each for each, _ in judged]):
        return None
    nodes = judged[0][1]
    usable = [feasible.pools | feasible.doubtful for feasible, _ in judged]
    everywhere = frozenset[int]().union(*usable)
    if not all(usable) or sum(_count(nodes[pool]) for pool in everywhere) < 2:
        return None
    return not any(_fit(nodes[pool], [feasible for feasible, _ in judged]) for pool in frozenset.intersection(*usable))


def _count(node: Node) -> int:
    return UNLIMITED if node.pool.maximum is None else node.pool.maximum


def _on_one_host(judged: Sequence[Feasibility]) -> bool:
    """Whether required pod affinity holds them on one host: each set, but perhaps one single pod, follows another."""
    free = [each for each in judged if not any(_follows(each, other) for other in judged)]
    return not free or (len(free) == 1 < len(judged) and free[0].pod_set.replicas == 1)


def _follows(me: Feasibility, other: Feasibility) -> bool:
    return any(
        term.topology_key == HOSTNAME
        and term_matches(term, me.pod.namespace, {}, other.pod.labels, other.pod.namespace) is not False
        for term in me.pod.spec.pod_affinity
    )


def _fit(node: Node, judged: Sequence[Feasibility]) -> bool:
    """Whether one node may hold all of the pods; an unknown amount counts as nothing."""
    if node.allocatable is None:
        return True
    room = {name: amount if isinstance(amount, int) else UNLIMITED**3 for name, amount in node.allocatable.items()}
    demands = [
        Demand(
            index,
            {**{name: amount for name, amount in each.pod.requests.compared if isinstance(amount, int)}, "pods": 1},
            each.pod_set.replicas if isinstance(each.pod_set.replicas, int) else 1,
            frozenset({0}),
        )
        for index, each in enumerate(judged)
    ]
    return pack([NodeClass(0, room, 1)], demands).answer is not Answer.REFUTED
