"""For all: whether every placement that the scheduler may choose is good, and the one that is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product

from trainlint.fact import fact
from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.model.workload import Flow, Group
from trainlint.proof.cause import CutCause, CutPair, SplitCause, StrandedCause, Where
from trainlint.proof.neighbours import may_be_denied, permission
from trainlint.proof.roles import Cast
from trainlint.proof.seats import seats, state_seats
from trainlint.proof.words import denying_verdict, state_where, where, which_node
from trainlint.reachability import NO_DOMAIN, Crossing, Place, Reachability, unknown_of
from trainlint.scheduling.crowding import always_fits
from trainlint.scheduling.packing import Packing
from trainlint.scheduling.placement import Placement, Placements, State

__all__ = ["Everywhere", "judge_everywhere", "permitted_across"]

TRIES = 2_000
"""Pairs of places that are tried, each with a packing of all pods."""
TOO_MANY = "which pods may meet where: there are too many placements to try"
SPLITS = 500
"""Placements over several zones that are looked at; the first few show what there is to see."""


class TooManyError(Exception):
    """There are too many placements to try: the answer stays unknown."""


@fact
class Everywhere:
    """The answer, what breaks it, what is only worth a note, and what is missing where it is unknown."""

    answer: Answer
    cut: CutCause | None = None
    split: SplitCause | None = None
    stranded: StrandedCause | None = None
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def judge_everywhere(
    group: Group, cast: Cast, reach: Reachability, good: Sequence[str], dependency_zones: Mapping[int, frozenset[str]]
) -> Everywhere:
    """Every reachable placement of a group that has a good one, in the zones ``good``."""
    placements = Placements(cast.roles, cast.domains, cast.classes, cast.alike)
    if placements.completed is None or placements.dead_ends is None:
        return Everywhere(Answer.UNKNOWN, missing=("which placements can be reached: there are too many to tell",))
    notes: list[str] = []
    missing: list[str] = []
    stranded = None if cast.ties.gathered else _stranded(cast, placements, good, notes)
    crowded = (
        set() if cast.ties.gathered else {_fills_up(cast, placements, each.state) for each in placements.completed}
    )
    if Answer.REFUTED in crowded:
        notes.append("an unlucky order of placement fills the nodes so that the last pods find no room")
    elif Answer.UNKNOWN in crowded:
        missing.append("whether every order of placement finds room for all pods")
    if cast.ties.ahead and not cast.ties.gathered and (stranded or notes or missing):
        stranded, notes, missing = None, [], [cast.ties.ahead]  # who looks ahead may find what an order in turn misses
    cut = _cut(group, cast, reach, placements, dependency_zones, missing)
    split = None
    if group.collective and not group.cross_zone_allowed:
        split = _split(cast, placements, missing)
    bad = stranded or cut or split or notes
    answer = Answer.REFUTED if bad else Answer.UNKNOWN if missing else Answer.PROVED
    return Everywhere(answer, cut, split if cut is None else None, stranded, tuple(notes), tuple(missing))


def _split(cast: Cast, placements: Placements, missing: list[str]) -> SplitCause | None:
    """A placement over several zones; nodes without the topology key may be in any of them (decision 3)."""
    try:
        for packing, certain in islice(_splits(cast, placements), SPLITS):
            if certain:
                placed = where(cast, packing)
                zones = sorted({zone for by_zone in placed.values() for zone in by_zone})
                return SplitCause(placed, tuple(zones), seats(cast, packing))
            missing[:] = dict.fromkeys([*missing, f"in which zone the nodes without the label {cast.key} are"])
    except TooManyError:
        missing.append(TOO_MANY)
    return None


def _fills_up(cast: Cast, placements: Placements, state: State) -> Answer:
    """Whether every order finds room in a state.

    A limit per node that is lenient may hold or not. A pod that finds its domain full proves nothing while another
    domain is open to it: then another state is reached.
    """
    demands = placements.demands(state)
    answer = always_fits(cast.classes, demands)
    if placements.is_lenient(demands):
        loose = always_fits(cast.classes, placements.loosened(demands))
        return Answer.PROVED if answer is loose is Answer.PROVED else Answer.UNKNOWN
    return Answer.UNKNOWN if answer is Answer.REFUTED and _has_choice(placements, state) else answer


def _has_choice(placements: Placements, state: State) -> bool:
    """Whether a role that is bound to domains could have a pod in another one, with the others where they are."""
    for role in placements.bound:
        others = frozenset(pair for pair in state if pair[0] != role)
        for domain in placements.possible(role):
            if (role, domain) not in state and placements.admits(others, role, domain):
                return True
    return False


def _stranded(cast: Cast, placements: Placements, good: Sequence[str], notes: list[str]) -> StrandedCause | None:
    """The smallest dead end that would not be one without the affinity that leads into it."""
    free = placements.unbound()
    for state in placements.dead_ends or ():
        if free.pinned(frozenset(), sorted(state)).answer is not Answer.PROVED:
            notes.append(f"pods may be placed so that the rest finds no room: {_plain(state_where(cast, state))}")
            continue
        waiting = [index for index in range(cast.own) if _waits(placements, state, index)]
        if waiting:
            pod_set = cast.pod_sets[waiting[0]]
            at = next((term.at for term in cast.pods[waiting[0]].spec.pod_affinity if term.at), None)
            if cast.ties.members and (asked := pod_set.together or pod_set.parts):
                at = asked.at
            return StrandedCause(
                state_where(cast, state),
                tuple({id(cast.pod_sets[index]): cast.pod_sets[index] for index in waiting}.values()),
                at or pod_set.spec.at or pod_set.at,
                tuple(good),
                state_seats(cast, state),
            )
    return None


def _waits(placements: Placements, state: State, role: int) -> bool:
    """Whether pods of the role find no place after the state, or not all of them."""
    here = [domain for placed, domain in state if placed == role]
    if len(here) >= placements.roles[role].count:
        return False
    open_domains = [domain for domain in placements.possible(role) if placements.admits(state, role, domain)]
    if not open_domains:
        return len(here) < placements.roles[role].count
    if here:
        return placements.complete(frozenset(pair for pair in state if pair[0] == role)).answer is not Answer.PROVED
    return all(placements.minimal(state | {(role, domain)}).answer is not Answer.PROVED for domain in open_domains)


def _plain(placed: Where) -> str:
    return ", ".join(f"{name} in {zone}" for name, by_zone in placed.items() for zone in by_zone)


def _cut(
    group: Group,
    cast: Cast,
    reach: Reachability,
    placements: Placements,
    dependency_zones: Mapping[int, frozenset[str]],
    missing: list[str],
) -> CutCause | None:
    pairs: list[CutPair] = []
    shown: Packing | None = None
    try:
        for crossing in _doubtful_crossings(group, cast, reach):
            packing = _meets(group, cast, placements, crossing, dependency_zones)
            if packing is None:
                continue
            if may_be_denied(group, cast, crossing):
                verdict, node = denying_verdict(crossing), which_node(crossing)
                pairs.append(CutPair(crossing.flow, crossing.source.name, crossing.target.name, node, verdict))
                shown = shown or packing
            else:
                missing.extend(unknown_of(crossing.other_node))
    except TooManyError:
        missing.append(TOO_MANY)
    return CutCause(tuple(pairs), where(cast, shown), seats(cast, shown)) if shown is not None else None


def _doubtful_crossings(group: Group, cast: Cast, reach: Reachability) -> Iterator[Crossing]:
    """The flows between places that may not be permitted there, though they are not denied everywhere."""
    denied = {id(flow) for flow, _ in reach.denied}
    for flow in group.flows:
        if id(flow) not in denied and not reach.always_permitted(flow):
            for crossing in reach.crossings(flow):
                if permission(group, cast, crossing) is not Permission.ALLOW:
                    yield crossing


def _meets(
    group: Group,
    cast: Cast,
    placements: Placements,
    crossing: Crossing,
    dependency_zones: Mapping[int, frozenset[str]],
) -> Packing | None:
    """A complete placement with both ends of a crossing in their places, if one can be reached."""
    ends = [(crossing.flow.source, crossing.source.name)]
    if crossing.flow.target is not None:
        ends.append((crossing.flow.target, crossing.target.name))
    choices: list[list[tuple[int, int]]] = []
    for member, zone in ends:
        if member in group.dependencies:
            if zone not in dependency_zones.get(member, frozenset()):
                return None
            continue
        roles = [index for index in range(cast.own) if cast.pod_sets[index] is group.members[member]]
        if not roles:
            return None
        choices.append(
            [(role, domain) for role in roles for domain in placements.possible(role) if _zone(cast, domain) == zone]
        )
    for placement in placements.completed or ():
        for pins in product(*choices):
            packing = _with(placements, placement, pins)
            if packing is not None:
                return packing
    return None


def _with(placements: Placements, placement: Placement, pins: tuple[tuple[int, int], ...]) -> Packing | None:
    """The placement with these pods in it, if it allows them."""
    for role, domain in pins:
        if role in placements.bound and (role, domain) not in placement.state:
            return None
    for pin in set(pins):
        if pins.count(pin) > placements.roles[pin[0]].count:
            return None
        if pins.count(pin) > 1 and pin[0] in placements.bound and not placements.admits(placement.state, *pin):
            return None
    if len({pin[0] for pin in pins}) == 1 and len(pins) > placements.roles[pins[0][0]].count:
        return None
    packing = placements.pinned(placement.state, list(pins))
    if placements.tried > TRIES:
        raise TooManyError
    return packing if packing.answer is Answer.PROVED else None


def _splits(cast: Cast, placements: Placements) -> Iterator[tuple[Packing, bool]]:
    """Complete placements of the group's own roles over several domains, each with whether two of them are zones."""
    free = [
        (role, domain)
        for role in range(cast.own)
        if role not in placements.bound
        for domain in placements.possible(role)
    ]
    for placement in placements.completed or ():
        held = [pair for pair in sorted(placement.state) if pair[0] < cast.own]
        zones = {_zone(cast, domain) for _, domain in held}
        if len(zones) > 1:
            yield placement.packing, len(zones - {NO_DOMAIN}) > 1
            continue
        for pair in combinations([*held, *free], 2):
            ends = {_zone(cast, domain) for _, domain in pair}
            if len(ends) > 1:
                packing = _with(placements, placement, pair)
                if packing is not None:
                    yield packing, NO_DOMAIN not in ends


def _zone(cast: Cast, domain: int) -> str:
    return cast.zone(domain) or NO_DOMAIN


def permitted_across(group: Group, cast: Cast, reach: Reachability) -> Where:
    """A complete placement over several zones in which every flow of the group is permitted; empty if none is found."""
    placements = Placements(cast.roles, cast.domains, cast.classes, cast.alike)
    by_name = {place.name: place for place in reach.places}
    try:
        for packing, _ in islice(_splits(cast, placements), SPLITS):
            placed = where(cast, packing)
            if all(_permitted(group, reach, flow, placed, by_name) for flow in group.flows):
                return placed
    except TooManyError:
        return {}
    return {}


def _permitted(group: Group, reach: Reachability, flow: Flow, placed: Where, by_name: Mapping[str, Place]) -> bool:
    sources = placed.get(group.members[flow.source].name, {})
    targets = placed.get(group.members[flow.target].name, {}) if flow.target is not None else sources
    for source, target in product(sources, targets):
        crossing = reach.crossing(flow, by_name[source], by_name[target])
        if crossing.permission is not Permission.ALLOW:
            return False
    return True
