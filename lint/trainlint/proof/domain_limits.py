"""Groups with more pods than required anti-affinity or a hard spread admits to the existing domains (S 1.6, 1.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trainlint.kube.node import HOSTNAME
from trainlint.model.known import Known
from trainlint.model.pod import AffinityTerm, SpreadConstraint
from trainlint.model.root import Root
from trainlint.proof.cause import CapacityCause
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.scheduling.inter_pod_affinity import term_matches
from trainlint.scheduling.pod_topology_spread import eligible_nodes
from trainlint.scheduling.requirement import selector_matches

__all__ = ["anti_affinity", "nodes_of", "spread"]


def nodes_of(problem: PlacementProblem, classes: frozenset[int]) -> int:
    """The number of nodes in some classes."""
    return sum(problem.classes[number].count for number in classes)


def anti_affinity(problem: PlacementProblem) -> Iterator[CapacityCause]:
    """Roles whose pods all repel each other over one key, and are more than the domains that any of them may use."""
    for index in range(problem.own):
        for term in problem.pods[index].spec.pod_anti_affinity:
            crowd = _repelled(problem, index, term)
            needed = sum(
                problem.roles[each].count if _repels(problem, each, each, term.topology_key) else 1 for each in crowd
            )
            domains = _domains(problem, crowd, term.topology_key)
            if crowd and domains is not None and needed > domains:
                pod_set = problem.pod_sets[index]
                yield CapacityCause(
                    Root.ANTI_AFFINITY,
                    pod_set,
                    needed=needed,
                    possible=domains,
                    at=term.at or pod_set.spec.at or pod_set.at,
                    what=term.topology_key,
                    also=tuple(problem.pod_sets[each] for each in crowd if each != index),
                )


def _repelled(problem: PlacementProblem, index: int, term: AffinityTerm) -> Sequence[int]:
    """The role of a term first, and roles of which no pod may share a domain with one of the others here."""
    found = [index]
    for other in range(problem.own):
        if other != index and all(_repels(problem, other, each, term.topology_key) for each in found):
            found.append(other)
    alone = len(found) == 1 and not _repels(problem, index, index, term.topology_key)
    return () if alone else found


def _repels(problem: PlacementProblem, one: int, other: int, key: str) -> bool:
    """Whether a pod of one role surely keeps those of another (or of its own) out of its domain, or they it (S 1.6)."""
    return _excludes(problem, one, other, key) or _excludes(problem, other, one, key)


def _excludes(problem: PlacementProblem, index: int, other: int, key: str) -> bool:
    pod, target = problem.pods[index], problem.pods[other]
    return any(
        term.topology_key == key and term_matches(term, pod.namespace, {}, target.labels, target.namespace) is True
        for term in pod.spec.pod_anti_affinity
    )


def _domains(problem: PlacementProblem, roles: Sequence[int], key: str) -> int | None:
    """In how many domains of the key the roles can be; ``None`` where nodes lack the key, which then bind no pod."""
    classes = frozenset[int]().union(*(problem.roles[index].classes for index in roles))
    if key == HOSTNAME:
        return nodes_of(problem, classes)
    values = {problem.nodes[problem.classes[number].pool].label(key) for number in classes}
    return len(values) if all(isinstance(value, str) for value in values) else None


def spread(problem: PlacementProblem) -> Iterator[CapacityCause]:
    """A domain that counts and can never hold a pod keeps the minimum at zero, so the others hold maxSkew (S 1.7)."""
    for index in range(problem.own):
        for constraint in problem.pods[index].spec.spread:
            counted = _counted(problem, index, constraint) if constraint.hard else ()
            if counted and counted[0] == index:
                yield from _too_even(problem, counted, constraint)


def _counted(problem: PlacementProblem, index: int, constraint: SpreadConstraint) -> Sequence[int]:
    """The roles that a constraint counts, where all of them carry it; empty if that is not so, or not known."""
    matches = [
        constraint.selector is not None
        and bool(constraint.selector.requirements)
        and problem.pods[other].namespace == problem.pods[index].namespace
        and selector_matches(constraint.selector, problem.pods[other].labels)
        for other in range(problem.own)
    ]
    counted = [other for other, match in enumerate(matches) if match is True]
    alike = all(any(_same(constraint, each) for each in problem.pods[other].spec.spread) for other in counted)
    return counted if index in counted and alike and None not in matches else ()


def _same(one: SpreadConstraint, other: SpreadConstraint) -> bool:
    return replace(one, at=None) == replace(other, at=None)


def _too_even(
    problem: PlacementProblem, counted: Sequence[int], constraint: SpreadConstraint
) -> Iterator[CapacityCause]:
    key, pod_set = constraint.topology_key, problem.pod_sets[counted[0]]
    classes = frozenset[int]().union(*(problem.roles[index].classes for index in counted))
    usable = {pool for number in classes for pool in problem.classes[number].pools}
    empty = _empty(problem, counted, constraint, usable)
    if not usable or empty is None:
        return
    if key == HOSTNAME:
        domains = nodes_of(problem, classes)
        eligible = domains + len(empty)
    else:
        domains = len({problem.nodes[number].label(key) for number in usable})
        eligible = domains + len({problem.nodes[number].label(key) for number in empty})
    few = eligible < (constraint.min_domains or 1)
    needed = sum(problem.roles[index].count for index in counted)
    if (empty or few) and needed > domains * constraint.max_skew:
        yield CapacityCause(
            Root.SPREAD,
            pod_set,
            needed=needed,
            possible=domains * constraint.max_skew,
            at=constraint.at or pod_set.spec.at or pod_set.at,
            what=key,
            also=tuple(problem.pod_sets[index] for index in counted[1:]),
            empty=tuple(dict.fromkeys(_name(problem, number, key) for number in empty)),
            places=tuple(at for number in empty if (at := problem.nodes[number].pool.at) is not None),
            tainted=bool(empty) and not few and not _empty(problem, counted, _honest(constraint), usable),
            min_domains=constraint.min_domains if few else None,
        )


def _honest(constraint: SpreadConstraint) -> SpreadConstraint:
    return replace(constraint, node_taints_policy="Honor")


def _empty(
    problem: PlacementProblem, counted: Sequence[int], constraint: SpreadConstraint, usable: set[int]
) -> Sequence[int] | None:
    """The nodes whose domain counts for every role and that take a pod of none; ``None`` where that is not known."""
    parts = [eligible_nodes(constraint, problem.pods[index], problem.nodes) for index in counted]
    if any(None in part or not all(part[number] for number in usable) for part in parts):
        return None
    alive = [number for number, node in enumerate(problem.nodes) if node.pool.maximum != 0]
    alive = [number for number in alive if all(part[number] for part in parts)]
    if constraint.topology_key == HOSTNAME:
        return [number for number in alive if number not in usable]
    held: set[Known[str] | None] = {problem.nodes[number].label(constraint.topology_key) for number in usable}
    return [number for number in alive if problem.nodes[number].label(constraint.topology_key) not in held]


def _name(problem: PlacementProblem, number: int, key: str) -> str:
    """An empty domain as people know it: a zone by its name with the pool in it, a node by its pool."""
    pool = problem.nodes[number].pool
    return pool.name if key == HOSTNAME else f"{pool.label(key)} ({pool.name})"
