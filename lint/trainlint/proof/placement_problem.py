"""From the pod sets of a group to roles that can be placed: what binds them to each other, and the nodes there are."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

from trainlint.fact import fact
from trainlint.kube.node import HOSTNAME
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.namespace import Namespaces
from trainlint.model.pod import SpreadConstraint
from trainlint.model.storage import Storage
from trainlint.model.workload import Group, PodSet
from trainlint.proof.colocated_roles import LOOSE, Ties
from trainlint.proof.device_roles import room_for, with_devices
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.ground import ProofGround
from trainlint.proof.shared_volumes import tied_volumes
from trainlint.scheduling import volume_restrictions
from trainlint.scheduling.device_room import DeviceRoom
from trainlint.scheduling.domains import Domain, partition
from trainlint.scheduling.inter_pod_affinity import AffinityRules, rules, term_matches
from trainlint.scheduling.node import Node
from trainlint.scheduling.packing import UNLIMITED, NodeClass
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.pod_topology_spread import eligible_domains
from trainlint.scheduling.requirement import selector_matches
from trainlint.scheduling.role import Attraction, PlacementRole, Repulsion

__all__ = ["PlacementProblem", "attracted", "stated_problem"]


@fact
class PlacementProblem:
    """The roles of a group over the nodes of one inventory.

    The first roles are the group's own pod sets (dependencies and sets without pods left out), the rest are other
    workloads that they require to be near; those take no room. ``unknown`` says what is not known about them, and
    ``beyond`` which constraints depend on more than who is in which domain. ``tied`` are claims of several of their
    pods whose volume will be made where the first of them lands. A pod set that is placed in parts has a role for each,
    and ``ties`` says what binds them; those that are ``alike`` may change places.
    """

    pod_sets: tuple[PodSet, ...]
    own: int
    pods: tuple[Pod, ...]
    roles: tuple[PlacementRole, ...]
    domains: tuple[Domain, ...]
    classes: tuple[NodeClass, ...]
    nodes: tuple[Node, ...]
    key: str
    unknown: tuple[Because, ...] = ()
    beyond: tuple[Because, ...] = ()
    targetless: tuple[PodSet, ...] = ()
    tied: tuple[str, ...] = ()
    ties: Ties = LOOSE
    alike: tuple[tuple[int, ...], ...] = ()

    def zone(self, domain: int) -> str | None:
        """The value of the topology key in a domain; ``None`` where its nodes have none."""
        return self.domains[domain].values[self.key]


def stated_problem(
    group: Group,
    feasible: Mapping[int, Feasibility],
    others: Sequence[Feasibility],
    nodes: Sequence[Node],
    namespaces: Namespaces,
    key: str,
    storage: Storage | None = None,
    ties: Ties = LOOSE,
    counted: int = 0,
) -> PlacementProblem:
    """The roles of the group. ``feasible`` is by member index; ``others`` are the workloads that are no members.

    ``counted`` is how many pods a set is taken to have whose number is not known; 0 where that may be any number.
    """
    whole = [
        feasible[index]
        for index, member in enumerate(group.members)
        if index not in group.dependencies and member.replicas != 0
    ]
    own = [whole[member] for member in ties.members] if ties.members else whole
    following = [each.pod for each in own if each.pod.spec.pod_affinity]
    wanted = [other for other in others if any(attracted(pod, other.pod, namespaces) for pod in following)]
    everyone = [*own, *wanted]
    pods = [each.pod for each in everyone]
    room = room_for(own, nodes, counted)
    asked = [rules(pod, pods, namespaces, own=index) for index, pod in enumerate(pods[: len(own)])]
    keys = tuple(dict.fromkeys([key, *_keys(asked), *_spread_keys(pods[: len(own)]), *ties.keys]))
    domains = partition([node.pool for node in nodes], keys)
    unknown = [*(doubt for each in whole for doubt in each.doubts()), *room.unknown]
    if isinstance(domains, Undetermined):
        return PlacementProblem(
            (), 0, (), (), (), (), tuple(nodes), key, unknown=(Because(ProofGround.VALUE, (domains.why,)), *unknown)
        )
    classes = tuple(_classes(everyone, domains, nodes, room))
    return PlacementProblem(
        pod_sets=tuple(each.pod_set for each in everyone),
        own=len(own),
        pods=tuple(pods),
        roles=(
            *with_devices(_bound(_roles(everyone, asked, (classes, nodes), len(own), counted), own, ties), room),
            *(_near(_usable(each, classes, nodes)) for each in wanted),
        ),
        domains=domains,
        classes=classes,
        nodes=tuple(nodes),
        key=key,
        unknown=(*unknown, *_unsure(everyone, asked)),
        beyond=tuple(dict.fromkeys(_beyond(own, asked, nodes, counted))),
        targetless=tuple(_targetless(own, asked)),
        tied=tuple(tied_volumes(whole, storage)) if storage is not None else (),
        ties=ties,
        alike=ties.alike(),
    )


def _roles(
    everyone: Sequence[Feasibility],
    asked: Sequence[AffinityRules],
    place: tuple[Sequence[NodeClass], Sequence[Node]],
    own: int,
    counted: int,
) -> list[PlacementRole]:
    pods = [each.pod for each in everyone[:own]]
    return [_role(index, everyone[index], asked[index], place, pods, counted) for index in range(own)]


def _bound(roles: Sequence[PlacementRole], own: Sequence[Feasibility], ties: Ties) -> Iterator[PlacementRole]:
    """The roles with what places them as one, beside their pod spec."""
    pod_sets = [each.pod_set for each in own]
    for index, role in enumerate(roles):
        if not ties.members:
            yield role
            continue
        repulsions = (*role.repulsions, *ties.apart(index, pod_sets))
        yield replace(role, count=ties.counts[index], ties=ties.of(index), repulsions=repulsions)


def _near(usable: frozenset[int]) -> PlacementRole:
    """A pod that others are required to be near; one that fits nowhere is never there, and is not waited for."""
    return PlacementRole({}, 1 if usable else 0, usable)


def attracted(pod: Pod, other: Pod, namespaces: Namespaces) -> bool:
    """Whether the required pod affinity of a pod selects the other."""
    return bool(pod.spec.pod_affinity) and all(
        term_matches(term, pod.namespace, namespaces, other.labels, other.namespace) is True
        for term in pod.spec.pod_affinity
    )


def _targetless(own: Sequence[Feasibility], asked: Sequence[AffinityRules]) -> Iterator[PodSet]:
    """Pod sets whose required pod affinity selects no known pod."""
    for each, wants in zip(own, asked, strict=True):
        if wants.affinity and not wants.starts and not any(counter.kinds for counter in wants.affinity):
            yield each.pod_set


def _unsure(everyone: Sequence[Feasibility], asked: Sequence[AffinityRules]) -> Iterator[Because]:
    for each, wants in zip(everyone, asked, strict=False):
        for other in sorted(wants.doubtful):
            yield Because(ProofGround.SELECTS, (each.pod_set.name, everyone[other].pod_set.name))


def _keys(asked: Sequence[AffinityRules]) -> Iterator[str]:
    for wants in asked:
        for counter in (*wants.affinity, *wants.anti_affinity, *wants.symmetry):
            if counter.key != HOSTNAME:
                yield counter.key


def _spread_keys(pods: Sequence[Pod]) -> Iterator[str]:
    return (
        constraint.topology_key
        for pod in pods
        for constraint in pod.spec.spread
        if constraint.hard and constraint.topology_key != HOSTNAME
    )


def _classes(
    everyone: Sequence[Feasibility], domains: Sequence[Domain], nodes: Sequence[Node], devices: DeviceRoom
) -> Iterator[NodeClass]:
    """Nodes of one domain that offer the same to every role are one class, under the index of the first of them."""
    united: dict[Hashable, NodeClass] = {}
    for number, domain in enumerate(domains):
        for pool in domain.pools:
            node = nodes[pool]
            room = {name: amount for name, amount in (node.allocatable or {}).items() if isinstance(amount, int)}
            room.update(devices.rooms.get(pool, {}))
            usable = tuple(pool in each.pools for each in everyone)
            count = UNLIMITED if node.pool.maximum is None else node.pool.maximum
            if not any(usable) or count == 0:
                continue
            key = (number, usable, frozenset(room.items()), node.domain(HOSTNAME) is None)
            before = united.get(key)
            united[key] = (
                NodeClass(pool, room, count, (pool,))
                if before is None
                else replace(before, count=before.count + count, pools=(*before.pools, pool))
            )
    yield from united.values()


def _usable(me: Feasibility, classes: Sequence[NodeClass], nodes: Sequence[Node]) -> frozenset[int]:
    """The classes that take a pod; a hard spread constraint refuses nodes that lack its key (S 1.7)."""
    keys = {constraint.topology_key for constraint in me.pod.spec.spread if constraint.hard}
    return frozenset(
        number
        for number, each in enumerate(classes)
        if each.pool in me.pools and all(nodes[each.pool].domain(key) is not None for key in keys)
    )


def _role(
    index: int,
    me: Feasibility,
    asked: AffinityRules,
    place: tuple[Sequence[NodeClass], Sequence[Node]],
    own: Sequence[Pod],
    counted: int,
) -> PlacementRole:
    repelled = (*asked.anti_affinity, *asked.symmetry)
    apart = {kind for counter in repelled if counter.key == HOSTNAME for kind in counter.kinds}
    apart |= {
        other
        for other, pod in enumerate(own)
        if any(one.conflicts(two) for one in me.pod.host_ports for two in pod.host_ports)
        or volume_restrictions.conflict(me.pod, pod) is not None
    }
    replicas = me.pod_set.replicas
    amounts = {name: amount for name, amount in me.pod.requests.compared if isinstance(amount, int)}
    return PlacementRole(
        requests={**amounts, "pods": 1},
        count=replicas if isinstance(replicas, int) else counted or 1,
        classes=_usable(me, *place),
        attractions=tuple(Attraction(each.key, each.kinds) for each in asked.affinity if each.key != HOSTNAME),
        repulsions=tuple(Repulsion(each.key, each.kinds) for each in repelled if each.key != HOSTNAME),
        starts=asked.starts is True,
        per_node=1 if index in apart else _skew_on_hosts(me.pod),
        apart=frozenset(apart - {index}),
        lenient=index not in apart and _skew_on_hosts(me.pod) is not None,
        spread_from=frozenset(
            other
            for other, pod in enumerate(own)
            if other != index and other not in apart and (_counts(me.pod, pod) or _counts(pod, me.pod))
        ),
    )


def _counts(pod: Pod, other: Pod) -> bool:
    """Whether a hard spread over hosts of the pod counts, or may count, the other."""
    return pod.namespace == other.namespace and any(True for _ in _counting(pod, other))


def _counting(pod: Pod, other: Pod) -> Iterator[SpreadConstraint]:
    """The hard spreads over hosts of the pod whose selector matches, or may match, the other."""
    for each in pod.spec.spread:
        counted = each.selector if each.hard and each.topology_key == HOSTNAME else None
        if counted is not None and counted.requirements and selector_matches(counted, other.labels) is not False:
            yield each


def _skew_on_hosts(pod: Pod) -> int | None:
    """With an empty node left, a hard spread over hosts that counts the pods allows so many of them on each (S 1.7)."""
    return min((each.max_skew for each in _counting(pod, pod)), default=None)


def _beyond(
    own: Sequence[Feasibility], asked: Sequence[AffinityRules], nodes: Sequence[Node], counted: int
) -> Iterator[Because]:
    """Constraints that depend on counts or on single nodes, not only on who is in which domain."""
    for each, wants in zip(own, asked, strict=True):
        if any(counter.key == HOSTNAME for counter in wants.affinity):
            yield Because(ProofGround.AFFINITY, (each.pod_set.name, HOSTNAME))
        for constraint in each.pod.spec.spread:
            if constraint.hard and _spreads(constraint, each, nodes, counted):
                yield Because(ProofGround.SPREAD, (each.pod_set.name, constraint.topology_key))


def _spreads(constraint: SpreadConstraint, me: Feasibility, nodes: Sequence[Node], counted: int) -> bool:
    """Whether the constraint can refuse a pod for more than a fixed number of pods on each host."""
    if constraint.topology_key != HOSTNAME:
        eligible = len(eligible_domains(constraint, me.pod, [node.pool for node in nodes]))
        return eligible > 1 or 0 < eligible < (constraint.min_domains or 1)
    replicas = me.pod_set.replicas if isinstance(me.pod_set.replicas, int) else counted
    hosts = sum(UNLIMITED if nodes[pool].pool.maximum is None else nodes[pool].pool.maximum or 0 for pool in me.pools)
    return not replicas or replicas > hosts * constraint.max_skew
