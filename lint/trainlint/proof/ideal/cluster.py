"""Nodes that stand for all that could exist: one pool for each kind of node that the pods could tell apart."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Final

from trainlint.fact import fact
from trainlint.kube.node import HOSTNAME
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.policy import PolicyEntry
from trainlint.model.pool import Inventory, Pool
from trainlint.model.selector import Requirement
from trainlint.model.settings import ZONE
from trainlint.model.storage import Storage
from trainlint.model.workload import PodSet
from trainlint.proof.ground import ProofGround
from trainlint.proof.ideal.machine_types import divided, offered, taints_of
from trainlint.proof.ideal.requirement_sets import NAME, choices, numbers, requirement_sets_of
from trainlint.reachability import REGION
from trainlint.scheduling.packing import UNLIMITED
from trainlint.scheduling.pod import Pod

__all__ = ["COUNTS", "Ideal", "alone_in", "ideal_cluster", "is_invented", "named_by_policies", "without"]

MOST: Final = 400
"""Pools after which a cluster is too large to try."""
DOMAINS: Final = 16
"""Domains of one key beside those that manifests name."""
COUNTS: Final = (1, 3)
"""How many pods a set is tried with whose number is not known."""
ENOUGH: Final = str(10**21)
"""What an ideal node has of everything: no cluster could have more than the pods can use."""
_INVENTED: Final = ("(any zone)", "(another zone)")
_NAMES: Final = (NAME, HOSTNAME)


@fact
class Ideal:
    """The inventory, and why it may lack nodes that a real cluster could have (empty: it lacks none).

    ``spread`` holds the keys of hard spreads: there more domains make it harder. ``unlabelled``: some pods want nodes
    without a domain.
    """

    inventory: Inventory
    open: Because | None
    spread: frozenset[str]
    unlabelled: bool


def is_invented(zone: str) -> bool:
    """Whether a zone has no name in Git: it stands for any that a cluster may have."""
    return zone in _INVENTED


def named_by_policies(entries: Iterable[PolicyEntry]) -> tuple[frozenset[str], bool]:
    """The zones that policies name, and whether one reads regions."""
    zones: set[str] = set()
    regions = False
    for entry in entries:
        for selector in (entry.subject, entry.requires, *(peer.selector for peer in entry.peers or ())):
            for each in selector.requirements if selector else ():
                if ZONE in each.key:
                    zones.update(each.values)
                regions |= REGION in each.key
    return frozenset(zones), regions


def ideal_cluster(
    pods: Sequence[Pod],
    pod_sets: Sequence[PodSet],
    storage: Storage | None,
    key: str,
    policies: tuple[frozenset[str], bool] = (frozenset(), False),
) -> Ideal:
    """The ideal cluster of pods (as admitted; one for each set and way of admission) over domains of ``key``."""
    found = [requirement_sets_of(pod, storage) for pod in pods]
    ways = [way for each in found for way in each.ways]
    if any(pod.spec.pod_affinity for pod in pods):
        ways = list(_also_together([each.ways for each in found]))
    ways = list(divided(ways))
    named, domains = _named(ways), _domains(pods, pod_sets, key)
    named.setdefault(key, {}).update(dict.fromkeys(sorted(policies[0])))
    values = {each: _values(each, named.get(each, {}), count, key) for each, count in domains.items()}
    labels = {(tuple(sorted(each.items())), way): each for way in ways for each in _labels(way, values)}
    pools = [_pool(each, way, pods, regions=policies[1]) for (_, way), each in islice(labels.items(), MOST)]
    reasons = [each.open for each in found if each.open]
    if len(labels) > MOST or len(ways) > MOST:
        reasons.append(Because(ProofGround.KINDS_OF_NODES))
    if any(count > DOMAINS for count in domains.values()):
        reasons.append(Because(ProofGround.ALL_DOMAINS))
    spread = {each.topology_key for pod in pods for each in pod.spec.spread if each.hard} - {HOSTNAME}
    unlabelled = any(each.key == key and each.operator == "DoesNotExist" for way in ways for each in way)
    inventory = Inventory("", tuple(pools), ideal=True, invented=True)
    return Ideal(inventory, next(iter(reasons), None), frozenset(spread), unlabelled)


def alone_in(inventory: Inventory, key: str, value: str | None) -> Inventory:
    """The nodes of one domain: the cluster that has no other."""
    return replace(inventory, pools=tuple(each for each in inventory.pools if each.labels.get(key) == value))


def without(inventory: Inventory, key: str) -> Inventory:
    """The nodes of a cluster in which no node has a label of the key."""
    pools: dict[tuple[tuple[str, str], ...], Pool] = {}
    for pool in inventory.pools:
        labels = {name: value for name, value in pool.labels.items() if name != key}
        pools.setdefault(tuple(sorted(labels.items())), replace(pool, labels=labels, name=_called(labels)))
    return replace(inventory, pools=tuple(pools.values()))


def _also_together(found: Sequence[Sequence[tuple[Requirement, ...]]]) -> Iterator[tuple[Requirement, ...]]:
    """The ways of each pod, and those of several pods on one node."""
    merged: list[tuple[Requirement, ...]] = []
    for ways in found:
        merged += [*ways, *((*one, *other) for one in tuple(merged) for other in ways if one and other)]
        if len(merged) > MOST:
            break
    yield from merged


def _named(ways: Iterable[Sequence[Requirement]]) -> dict[str, dict[str, None]]:
    """The values that pods ask for, by key, and numbers beside the limits that pods set."""
    asked: dict[str, dict[Requirement, None]] = {}
    for way in ways:
        for each in way:
            asked.setdefault(each.key, {})[each] = None
    return {key: dict.fromkeys((*_listed(each), *numbers(tuple(each)))) for key, each in asked.items()}


def _listed(requirements: Iterable[Requirement]) -> Iterator[str]:
    for each in requirements:
        yield from each.values if each.operator == "In" else ()


def _domains(pods: Sequence[Pod], pod_sets: Sequence[PodSet], key: str) -> dict[str, int]:
    """The keys whose values are domains, each with how many must be there beside those that are named."""
    found = {key: 2}
    total = sum(each.replicas if isinstance(each.replicas, int) else COUNTS[-1] for each in pod_sets)
    for pod in pods:
        for term in pod.spec.pod_affinity:
            found.setdefault(term.topology_key, 2)
        for term in pod.spec.pod_anti_affinity:
            found[term.topology_key] = max(found.get(term.topology_key, 2), total)
        for each in pod.spec.spread:
            if each.hard:
                found[each.topology_key] = max(found.get(each.topology_key, 2), each.min_domains or 2)
    for pod_set in pod_sets:
        for tie in (pod_set.together, pod_set.parts):
            if tie is not None and tie.key:
                found[tie.key] = max(found.get(tie.key, 2), total)
    return {name: count for name, count in found.items() if name != HOSTNAME}


def _values(key: str, named: Collection[str], count: int, main: str) -> tuple[str | None, ...]:
    """The domains of a key: those that are named and others; nodes without the label are looked at apart for the main
    key.
    """
    names = _INVENTED if key == main else ()
    others = [
        names[number] if number < len(names) else f"({number + 1}. domain)" for number in range(min(count, DOMAINS))
    ]
    return (*named, *others) if key == main else (*named, *others, None)


def _labels(way: Sequence[Requirement], domains: Mapping[str, Sequence[str | None]]) -> Iterator[dict[str, str]]:
    """The nodes of one way. Where requirements contradict each other, nodes that satisfy the first of them."""
    by_key: dict[str, list[Requirement]] = {}
    for each in way:
        by_key.setdefault(each.key, []).append(each)
    options: dict[str, Sequence[str | None]] = {}
    for key in {**by_key, **domains}:
        asked, offered = by_key.get(key, []), domains.get(key)
        if key in _NAMES:
            options[key] = choices(asked, (None,)) or tuple(asked[0].values[:1])
        elif offered is not None:
            absent = (None,) if any(each.operator == "DoesNotExist" for each in asked) else ()
            options[key] = choices(asked, (*offered, *absent)) or offered
        else:
            options[key] = (choices(asked, (None,)) or tuple(asked[0].values) or (None,))[:1]
    for values in islice(product(*options.values()), MOST + 1):
        yield {key: value for key, value in zip(options, values, strict=True) if value is not None}


def _pool(labels: Mapping[str, str], way: tuple[Requirement, ...], pods: Sequence[Pod], *, regions: bool) -> Pool:
    """Nodes of a way with these labels: one where they have a name, as many as are asked for elsewhere."""
    name = labels.get(NAME, labels.get(HOSTNAME, ""))
    shown = {key: value for key, value in labels.items() if key != NAME}
    if name:
        shown.setdefault(HOSTNAME, name)
    unsaid = {REGION: Because(ValueGround.IDEAL_REGION)} if regions and REGION not in shown else {}
    return Pool(
        name=_called(shown),
        labels=shown,
        taints=taints_of(way, pods),
        allocatable=capacity(way, pods),
        minimum=1 if name else UNLIMITED,
        maximum=1 if name else None,
        node_name=name,
        undetermined=unsaid,
    )


def _called(labels: Mapping[str, str]) -> str:
    said = ", ".join(f"{key}={value}" for key, value in sorted(labels.items()))
    return f"a node with {said}" if said else "any node"


def capacity(way: tuple[Requirement, ...], pods: Sequence[Pod]) -> Mapping[str, str]:
    """What a node of a way offers to pods: what its machine has, where one is named, and enough of all else that one of
    them asks for.
    """
    names = {name for pod in pods for name in pod.requests.amounts}
    return {**dict.fromkeys(sorted({*names, "cpu", "memory", "pods"}), ENOUGH), **offered(way, pods)}
