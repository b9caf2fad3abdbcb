"""Pods that can be scheduled one by one but never all: too few resources, hosts, domains, or room under a spread."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.kube.node import HOSTNAME
from trainlint.model.known import Answer
from trainlint.model.pod import AffinityTerm, SpreadConstraint
from trainlint.proof.cause import CapacityCause
from trainlint.proof.roles import Cast
from trainlint.scheduling.inter_pod_affinity import term_matches
from trainlint.scheduling.packing import Demand, capacity, pack
from trainlint.scheduling.pod_topology_spread import eligible_nodes
from trainlint.scheduling.quantity import readable
from trainlint.scheduling.requirement import selector_matches

__all__ = ["capacity_cause"]


def capacity_cause(players: Cast, *, rooms: bool = True) -> CapacityCause | None:
    """Why the pods can never all be scheduled, whatever the order and the zones; ``None`` if nothing proves it.

    ``rooms`` is false where it is not known how much the nodes take: then resources prove nothing.
    """
    if players.unknown or not players.own:
        return None
    for find in (_resources, _host_ports, _anti_affinity, _spread) if rooms else (_host_ports, _anti_affinity, _spread):
        found = next(find(players), None)
        if found is not None:
            return found
    return None


def _resources(players: Cast) -> Iterator[CapacityCause]:
    """Resources alone (decision 8)."""
    demands = [
        Demand(index, role.requests, role.count, role.classes)
        for index, role in enumerate(players.roles[: players.own])
    ]
    packing = pack(players.classes, demands)
    if packing.answer is not Answer.REFUTED or packing.short is None or not demands[packing.short].classes:
        return
    short = demands[packing.short]
    room = sum(capacity(players.classes[number], short) for number in short.classes)
    resource = min(short.requests, key=lambda name: _fitting(players, short, name))
    pod_set = players.pod_sets[packing.short]
    yield CapacityCause(
        "group-exceeds-capacity",
        pod_set,
        needed=short.count,
        possible=min(room, short.count - 1) if len(demands) == 1 else room,
        at=players.pods[packing.short].requests.decided_by.get(resource) or pod_set.spec.at or pod_set.at,
        what=f"{readable(resource, short.requests[resource])} {resource} each",
        shared=room >= short.count,
    )


def _fitting(players: Cast, demand: Demand, resource: str) -> int:
    """How many pods fit by one resource alone."""
    amount = demand.requests[resource]
    return sum(
        players.classes[number].room.get(resource, 0) // max(amount, 1) * players.classes[number].count
        for number in demand.classes
    )


def _host_ports(players: Cast) -> Iterator[CapacityCause]:
    ports = dict.fromkeys(port for pod in players.pods[: players.own] for port in pod.host_ports)
    for port in ports:
        holders = [
            index
            for index in range(players.own)
            if any(port.conflicts(other) for other in players.pods[index].host_ports)
        ]
        nodes = _nodes(players, frozenset[int]().union(*(players.roles[index].classes for index in holders)))
        pods = sum(players.roles[index].count for index in holders)
        if pods > nodes:
            pod_set = players.pod_sets[holders[0]]
            yield CapacityCause(
                "host-port-conflict",
                pod_set,
                needed=pods,
                possible=nodes,
                at=pod_set.spec.at or pod_set.at,
                what=f"host port {port.port}/{port.protocol}",
                also=tuple(players.pod_sets[index] for index in holders[1:]),
            )


def _nodes(players: Cast, classes: frozenset[int]) -> int:
    return sum(players.classes[number].count for number in classes)


def _anti_affinity(players: Cast) -> Iterator[CapacityCause]:
    for index in range(players.own):
        for term in players.pods[index].spec.pod_anti_affinity:
            domains = _domains(players, index, term.topology_key)
            if _selects_itself(players, index, term) and domains is not None and players.roles[index].count > domains:
                pod_set = players.pod_sets[index]
                yield CapacityCause(
                    "anti-affinity-exceeds-domains",
                    pod_set,
                    needed=players.roles[index].count,
                    possible=domains,
                    at=term.at or pod_set.spec.at or pod_set.at,
                    what=term.topology_key,
                )


def _selects_itself(players: Cast, index: int, term: AffinityTerm) -> bool:
    """Whether the term surely selects the pods of its own set (a value that all of them share is known enough)."""
    pod = players.pods[index]
    return term_matches(term, pod.namespace, {}, pod.labels, pod.namespace) is True


def _domains(players: Cast, index: int, key: str) -> int | None:
    """In how many domains of the key the role can be; ``None`` where nodes lack the key, which then bind nobody."""
    classes = players.roles[index].classes
    if key == HOSTNAME:
        return _nodes(players, classes)
    values = {players.nodes[players.classes[number].pool].label(key) for number in classes}
    return len(values) if all(isinstance(value, str) for value in values) else None


def _spread(players: Cast) -> Iterator[CapacityCause]:
    """A domain that counts and can never hold a pod keeps the minimum at zero, so the others hold maxSkew (S 1.7)."""
    for index in range(players.own):
        for constraint in players.pods[index].spec.spread:
            if constraint.hard and _counts_only_itself(players, index, constraint):
                yield from _too_even(players, index, constraint)


def _counts_only_itself(players: Cast, index: int, constraint: SpreadConstraint) -> bool:
    matches = [
        constraint.selector is not None
        and bool(constraint.selector.requirements)
        and players.pods[other].namespace == players.pods[index].namespace
        and selector_matches(constraint.selector, players.pods[other].labels)
        for other in range(players.own)
    ]
    return matches[index] is True and not any(match is not False for at, match in enumerate(matches) if at != index)


def _too_even(players: Cast, index: int, constraint: SpreadConstraint) -> Iterator[CapacityCause]:
    key, role, pod_set = constraint.topology_key, players.roles[index], players.pod_sets[index]
    part = eligible_nodes(constraint, players.pods[index], players.nodes)
    if None in part:
        return
    usable = {pool for number in role.classes for pool in players.classes[number].pools}
    if not usable or not all(part[number] for number in usable):
        return
    alive = [number for number, each in enumerate(part) if each and players.nodes[number].pool.maximum != 0]
    if key == HOSTNAME:
        empty = [number for number in alive if number not in usable]
        domains = _nodes(players, role.classes)
        eligible = domains + len(empty)
    else:
        held = {players.nodes[number].label(key) for number in usable}
        empty = [number for number in alive if players.nodes[number].label(key) not in held]
        domains = len(held)
        eligible = domains + len({players.nodes[number].label(key) for number in empty})
    pinned = bool(empty) or eligible < (constraint.min_domains or 1)
    if pinned and role.count > domains * constraint.max_skew:
        names = tuple(dict.fromkeys(players.nodes[number].pool.name for number in empty))
        yield CapacityCause(
            "spread-unsatisfiable",
            pod_set,
            needed=role.count,
            possible=domains * constraint.max_skew,
            at=constraint.at or pod_set.spec.at or pod_set.at,
            what=key,
            empty=names,
            places=tuple(at for number in empty if (at := players.nodes[number].pool.at) is not None),
        )
