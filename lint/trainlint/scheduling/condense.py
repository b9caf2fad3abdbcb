"""Classes of equal nodes in place of nodes: the same verdicts, at the cost of the classes."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace

from trainlint.kube.node import HOSTNAME
from trainlint.model.pod import PodSpec
from trainlint.model.pool import Pool
from trainlint.model.selector import NodeSelectorTerm, Requirement
from trainlint.scheduling.requirement import is_filled_in

__all__ = ["condense", "members", "named"]


def condense(pools: Iterable[Pool], named: Collection[str] | None) -> tuple[Pool, ...]:
    """The pools with equal ones united, but for nodes that pods name; ``None``: it is unknown which.

    A united pool has no hostname label: In never matches it and NotIn always does, as for each of its nodes, which no
    spec names.
    """
    if named is None:
        return tuple(pools)
    united: dict[Hashable, Pool] = {}
    for pool in pools:
        key = _key(pool) if pool.node_name not in named and pool.labels.get(HOSTNAME) not in named else (pool.name,)
        key = (key, pool.devices)
        before = united.get(key)
        united[key] = pool if before is None else _unite(before, pool)
    return tuple(united.values())


def members(pools: Iterable[Pool], condensed: Sequence[Pool]) -> tuple[tuple[Pool, ...], ...]:
    """The pools as they are written that each of the condensed ones stands for, in their order; each in one place."""
    itself = {id(pool): index for index, pool in enumerate(condensed)}
    single = {pool.name: index for index, pool in enumerate(condensed) if _is_one_node(pool)}
    united = {_key(pool): index for index, pool in enumerate(condensed) if not _is_one_node(pool)}
    found: list[list[Pool]] = [[] for _ in condensed]
    for pool in pools:  # they may have been completed before they were condensed: then they are other objects
        candidates = (itself.get(id(pool)), single.get(pool.name), united.get(_key(pool)))
        index = next((each for each in candidates if each is not None), None)
        if index is not None:
            found[index].append(pool)
    return tuple(tuple(each) or (pool,) for each, pool in zip(found, condensed, strict=True))


def _is_one_node(pool: Pool) -> bool:
    """Whether it is a node with a name of its own: united ones have none."""
    return HOSTNAME in pool.labels or bool(pool.node_name)


def _key(pool: Pool) -> Hashable:
    labels = frozenset(item for item in pool.labels.items() if item[0] != HOSTNAME)
    allocatable = None if pool.allocatable is None else frozenset(pool.allocatable.items())
    derived = (frozenset(pool.undetermined.items()), frozenset(pool.ceiling.items()), pool.open_resources, pool.budget)
    return (labels, frozenset(pool.taints), allocatable, pool.unschedulable, pool.listed_keys, derived)


def _unite(one: Pool, other: Pool) -> Pool:
    unlimited = one.maximum is None or other.maximum is None
    maximum = None if unlimited else (one.maximum or 0) + (other.maximum or 0)
    labels = {key: value for key, value in one.labels.items() if key != HOSTNAME}
    return replace(one, labels=labels, minimum=one.minimum + other.minimum, maximum=maximum, node_name="")


def named(specs: Iterable[PodSpec], terms: Iterable[NodeSelectorTerm] = ()) -> frozenset[str] | None:
    """The node names and hostnames that pod specs and terms (of volumes) ask for; ``None`` if one asks by anything but
    a list of names, or by a placeholder, which may become the name of any node.
    """
    names: set[str] = set()
    patterns = False
    for spec in specs:
        if spec.node_name:
            names.add(spec.node_name)
        for requirement in _on_names(spec):
            names.update(requirement.values)
            patterns |= requirement.operator not in {"In", "NotIn"} or is_filled_in(requirement)
    for requirement in (each for term in terms for each in term.expressions if each.key == HOSTNAME):
        names.update(requirement.values)
        patterns |= requirement.operator not in {"In", "NotIn"} or is_filled_in(requirement)
    return None if patterns else frozenset(names)


def _on_names(spec: PodSpec) -> Iterator[Requirement]:
    yield from (each for each in spec.node_selector if each.key == HOSTNAME)
    for term in spec.node_affinity or ():
        yield from term.fields
        yield from (each for each in term.expressions if each.key == HOSTNAME)
