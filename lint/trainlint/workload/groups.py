"""Groups: the pods that must communicate, joined by kind, by Services and by annotation (decision 7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.known import Known
from trainlint.model.settings import Settings
from trainlint.model.workload import Flow, Group, ObjectRef, PodSet
from trainlint.workload.accelerators import accelerators_of
from trainlint.workload.connections import Connection
from trainlint.workload.disjoint_sets import DisjointSets
from trainlint.workload.flows import collectives, maybe_many
from trainlint.workload.ownership import assign

__all__ = ["CROSS_ZONE_ANNOTATION", "GROUP_ANNOTATION", "Unit", "form_groups"]

GROUP_ANNOTATION: Final = "trainlint.io/group"
CROSS_ZONE_ANNOTATION: Final = "trainlint.io/cross-zone"


@fact
class Unit:
    """One object: its pod sets (indices into those of the snapshot), and what its kind proves about them.

    ``seed`` says that a group may grow from it, ``training`` that its kind is one of training,
    ``computes`` that its pods compute together on accelerators, ``several_jobs`` that its ranks may be those of several
    jobs, where they meet at several places. Units with the same ``declared`` are one group, whatever they use.
    """

    owner: ObjectRef
    pod_sets: tuple[int, ...]
    at: Location
    flows: tuple[Flow, ...] = ()
    ranks: frozenset[int] = frozenset()
    helpers: frozenset[int] = frozenset()
    seed: bool = False
    training: bool = False
    computes: bool = False
    annotations: Mapping[str, str] = field(default_factory=dict)
    instances: Known[int] = 1
    several_jobs: bool = False
    declared: str = ""


def form_groups(
    units: Sequence[Unit], pod_sets: Sequence[PodSet], connections: Sequence[Connection], settings: Settings
) -> tuple[Group, ...]:
    """The groups of at least two pods with at least one flow, in the order of the objects.

    Flows of units are indices into ``pod_sets``; those of connections as well.
    """
    unit_of = {index: number for number, unit in enumerate(units) for index in unit.pod_sets}
    uses: dict[int, set[int]] = defaultdict(set)
    for connection in connections:
        source, target = unit_of[connection.source], unit_of[connection.target]
        if source != target:
            uses[source].add(target)
    meets = {unit_of[index] for c in connections if c.rendezvous for index in (c.source, c.target)}
    seeds = {number for number, unit in enumerate(units) if _grows(number, unit, meets)}
    declared: dict[str, list[int]] = defaultdict(list)
    for number, unit in enumerate(units):
        if unit.declared:
            declared[unit.declared].append(number)
    ownership = assign(len(units), seeds, uses, list(declared.values()))
    found = []
    for owner, together in ownership.members.items():
        group = _group(
            [units[number] for number in together],
            [units[number] for number in sorted(ownership.dependencies[owner])],
            pod_sets=pod_sets,
            connections=connections,
            settings=settings,
        )
        if group is not None:
            found.append(group)
    return tuple(found)


def _grows(number: int, unit: Unit, meets: Container[int]) -> bool:
    """Whether a group grows from the object: it may be a seed, and its pods compute together or meet somewhere.

    Work queues, load generators and servers on accelerators call Services too, and are no training.
    """
    return unit.training or (unit.seed and (bool(unit.ranks) or unit.computes or number in meets))


def _group(
    inside: Sequence[Unit],
    outside: Sequence[Unit],
    *,
    pod_sets: Sequence[PodSet],
    connections: Sequence[Connection],
    settings: Settings,
) -> Group | None:
    alive = {i for unit in inside for i in unit.pod_sets if pod_sets[i].replicas != 0}
    here = [connection for connection in connections if connection.source in alive]
    used = {connection.target for connection in here}
    lent = {i for unit in outside for i in unit.pod_sets if i in used and pod_sets[i].replicas != 0}
    flows = [flow for unit in inside for flow in unit.flows]
    flows += [flow for connection in here for flow in connection.flows]
    for ranks in _communicators(inside, pod_sets, here, alive):
        flows += collectives(pod_sets, ranks)
    speaking = _speaking(flows, here, alive | lent)
    speaking |= {i for unit in inside if unit.declared for i in unit.pod_sets if i in alive}
    helpers = {i for unit in inside for i in unit.helpers}
    members = sorted((alive - helpers) & speaking)
    others = sorted(((alive & helpers) | lent) & speaking)
    position = {index: number for number, index in enumerate((*members, *others))}
    kept = _placed(flows, position)
    several = len(members) > 1 or any(maybe_many(pod_sets[i]) for i in members)
    if not several or not any(flow.target is not None for flow in kept):
        return None
    owners = [unit.owner for unit in inside if any(i in position for i in unit.pod_sets)]
    name = _name(owners)
    seed = next((unit for unit in inside if unit.seed), inside[0])
    return Group(
        name,
        "+".join(dict.fromkeys(unit.owner.kind for unit in inside if unit.seed)) or seed.owner.kind,
        tuple(pod_sets[i] for i in position),
        kept,
        frozenset(position[i] for i in others),
        name in settings.cross_zone_allowed
        or any(unit.declared in settings.cross_zone_allowed for unit in inside)
        or any(unit.annotations.get(CROSS_ZONE_ANNOTATION) == "allowed" for unit in inside),
        at=seed.at,
        instances=seed.instances,
    )


def _communicators(
    inside: Sequence[Unit], pod_sets: Sequence[PodSet], connections: Sequence[Connection], alive: Container[int]
) -> list[list[int]]:
    """The sets of ranks that exchange data: those of one object, and those that meet at one place.

    Pods on accelerators at which ranks meet are ranks themselves (rank 0 listens).
    """
    here = {i for unit in inside for i in unit.pod_sets if i in alive}
    ranks = {i for unit in inside for i in unit.ranks if i in alive}
    meetings = [c for c in connections if c.rendezvous and c.source in ranks and c.target in here]
    ranks |= {c.target for c in meetings if accelerators_of(pod_sets[c.target].spec)}
    sets = DisjointSets(here)
    for meeting in meetings:
        sets.join(meeting.source, meeting.target)
    tied = {i for meeting in meetings for i in (meeting.source, meeting.target)}
    for unit in inside:
        own = sorted(unit.ranks & here)
        if not unit.several_jobs or not tied.issuperset(own):
            for other in own[1:]:
                sets.join(own[0], other)
    return sets.among(sorted(ranks))


def _speaking(flows: Iterable[Flow], connections: Iterable[Connection], among: Container[int]) -> set[int]:
    """The pod sets that open or take a connection: a role that runs before or beside the others need not be near."""
    pairs = [(flow.source, flow.target) for flow in flows if flow.target is not None]
    pairs += [(connection.source, connection.target) for connection in connections]
    return {i for source, target in pairs if source in among and target in among for i in (source, target)}


def _placed(flows: Iterable[Flow], position: Mapping[int, int]) -> tuple[Flow, ...]:
    """The flows between the pod sets that take part, each once, renumbered."""
    found: dict[tuple[object, ...], Flow] = {}
    for flow in flows:
        if flow.source not in position or (flow.target is not None and flow.target not in position):
            continue
        target = None if flow.target is None else position[flow.target]
        placed = replace(flow, source=position[flow.source], target=target)
        found.setdefault((placed.source, placed.target, placed.protocol, placed.ports, placed.kind), placed)
    return tuple(found.values())


def _name(owners: Iterable[ObjectRef]) -> str:
    pairs = sorted({(owner.namespace, owner.name) for owner in owners})
    if len({namespace for namespace, _ in pairs}) == 1:
        return f"{pairs[0][0]}/{'+'.join(name for _, name in pairs)}"
    return "+".join(f"{namespace}/{name}" for namespace, name in pairs)
