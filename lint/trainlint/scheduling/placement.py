"""Which placements of a group the scheduler can reach, placing one pod at a time, in any order.

The state is kept as small as the question allows: which roles have a pod in which domain. Required pod affinity and
anti-affinity over domains depend on nothing else (S 1.6), so a state that holds one pod of each role in each of its
domains stands for all states with more of them, and has the most room left. How many pods fit is asked of ``packing``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from trainlint.fact import fact
from trainlint.model.known import Answer
from trainlint.scheduling.domains import Domain
from trainlint.scheduling.packing import Demand, NodeClass, Packing, pack

__all__ = ["Attraction", "Placement", "Placements", "Repulsion", "Role", "Tie"]

BUDGET = 2_000
"""States after which the answer is unknown: six zones and three roles that constrain each other stay below it."""


@fact
class Attraction:
    """A required pod affinity term: the node must share the key's value with a pod of one of the ``targets``."""

    key: str
    targets: frozenset[int]


@fact
class Repulsion:
    """Required anti-affinity, of the pod itself or (by symmetry) of the ``targets``: none may share the key's value."""

    key: str
    targets: frozenset[int]


@fact
class Tie:
    """Roles whose pods are all placed in one domain of the key; one of the ``leaders`` first, where there are any."""

    key: str
    roles: frozenset[int]
    leaders: frozenset[int] = frozenset()


@fact
class Role:
    """``count`` equal pods, the classes of nodes (indices) that one of them may use alone, and what binds them.

    ``starts`` says that the pod matches all its own affinity terms, so that the first of all may go anywhere.
    ``lenient`` says that more than ``per_node`` pods may share a node where the nodes fill up evenly; so may then those
    of the roles in ``spread_from``.
    """

    requests: Mapping[str, int]
    count: int
    classes: frozenset[int]
    attractions: tuple[Attraction, ...] = ()
    repulsions: tuple[Repulsion, ...] = ()
    starts: bool = False
    per_node: int | None = None
    apart: frozenset[int] = frozenset()
    lenient: bool = False
    spread_from: frozenset[int] = frozenset()
    ties: tuple[Tie, ...] = ()


State = frozenset[tuple[int, int]]
"""Pairs (role, domain): the role has at least one pod there."""


@fact
class Placement:
    """A complete placement: where each role has pods, and a packing that proves that they fit."""

    state: State
    packing: Packing


class Placements:
    """All placements of some roles over some domains that can be reached; ``tried`` counts calls of ``pinned``.

    Of states that differ only in which of the ``alike`` roles is where, one stands for all.
    """

    def __init__(
        self,
        roles: Sequence[Role],
        domains: Sequence[Domain],
        classes: Sequence[NodeClass],
        alike: Sequence[tuple[int, ...]] = (),
    ) -> None:
        self.roles = roles
        self.domains = domains
        self.classes = classes
        self.alike = alike
        self._classes_of = [
            frozenset(index for index, each in enumerate(classes) if each.pool in domain.pools) for domain in domains
        ]
        terms: list[Attraction | Repulsion] = []
        for role in roles:
            terms += [*role.attractions, *role.repulsions]
        targets = {target for term in terms for target in term.targets}
        self.bound = tuple(
            index
            for index, role in enumerate(roles)
            if role.attractions or role.repulsions or role.ties or index in targets
        )
        self._fits: dict[tuple[State, bool], Packing] = {}
        self.tried = 0

    def possible(self, role: int) -> tuple[int, ...]:
        """The domains in which one pod of the role fits, were it alone."""
        return tuple(index for index in range(len(self.domains)) if self.roles[role].classes & self._classes_of[index])

    def admits(self, state: State, role: int, domain: int) -> bool:
        """Whether affinity and anti-affinity let one more pod of the role into the domain."""
        values = self.domains[domain].values
        here = self.roles[role]
        for term in here.attractions:
            if values[term.key] is None:
                return False
        if here.attractions and not all(self._near(state, term, domain) for term in here.attractions):
            anywhere = any(
                self.domains[other].values[term.key] is not None
                for term in here.attractions
                for placed, other in state
                if placed in term.targets
            )
            if anywhere or not here.starts:
                return False
        if any(self._near(state, term, domain) for term in here.repulsions):
            return False
        return all(self._joins(state, tie, role, domain) for tie in here.ties)

    def _joins(self, state: State, tie: Tie, role: int, domain: int) -> bool:
        """Whether a pod of the role finds the others of its unit in the domain, or none anywhere."""
        value = self.domains[domain].values[tie.key]
        placed = [(other, where) for other, where in state if other in tie.roles]
        if value is None or any(self.domains[where].values[tie.key] != value for _, where in placed):
            return False
        return not tie.leaders or role in tie.leaders or any(other in tie.leaders for other, _ in placed)

    def _near(self, state: State, term: Attraction | Repulsion, domain: int) -> bool:
        value = self.domains[domain].values[term.key]
        return value is not None and any(
            placed in term.targets and self.domains[other].values[term.key] == value for placed, other in state
        )

    def minimal(self, state: State) -> Packing:
        """Whether one pod for each pair of the state fits."""
        return self._pack(state, complete=False)

    def complete(self, state: State) -> Packing:
        """Whether all pods fit, those of bound roles in the state's domains only, with one in each."""
        if any(not any(placed == role for placed, _ in state) for role in self.bound if self.roles[role].count):
            return Packing(Answer.REFUTED)
        return self._pack(state, complete=True)

    def pinned(self, state: State, pins: Sequence[tuple[int, int]]) -> Packing:
        """Whether all pods fit as in ``complete`` if beside the state these pods (role, domain) are where they are."""
        self.tried += 1
        return self._packed(list(self._demands(state, pins, complete=True)))

    def demands(self, state: State) -> tuple[Demand, ...]:
        """What a complete placement in this state asks of the nodes."""
        return tuple(self._demands(state, complete=True))

    def unbound(self) -> Placements:
        """The same roles without affinity, anti-affinity and ties over domains."""
        roles = [replace(role, attractions=(), repulsions=(), ties=(), starts=False) for role in self.roles]
        return Placements(roles, self.domains, self.classes)

    def _usual(self, state: State) -> State:
        """The state that stands for all in which alike roles have changed places."""
        for roles in self.alike:
            places = sorted((sorted(where for role, where in state if role == each) for each in roles), reverse=True)
            state = frozenset(pair for pair in state if pair[0] not in roles) | {
                (role, where) for role, taken in zip(roles, places, strict=True) for where in taken
            }
        return state

    def _pack(self, state: State, *, complete: bool) -> Packing:
        key = (state, complete)
        if key not in self._fits:
            self._fits[key] = self._packed(list(self._demands(state, complete=complete)))
        return self._fits[key]

    def _packed(self, demands: Sequence[Demand]) -> Packing:
        """The packing; where it fails only for a lenient limit, nobody knows."""
        packing = pack(self.classes, demands)
        if packing.answer is not Answer.REFUTED or not self.is_lenient(demands):
            return packing
        return (
            packing if pack(self.classes, self.loosened(demands)).answer is Answer.REFUTED else Packing(Answer.UNKNOWN)
        )

    def is_lenient(self, demands: Sequence[Demand]) -> bool:
        """Whether a limit of the demands may be exceeded where the nodes fill up evenly."""
        return any(self.roles[each.role].lenient or self.roles[each.role].spread_from for each in demands)

    def loosened(self, demands: Sequence[Demand]) -> list[Demand]:
        """The demands without such limits; those that have none come first."""
        kept = [each for each in demands if not self.is_lenient([each])]
        freed = [each for each in demands if self.is_lenient([each])]
        roles = self.roles
        return kept + [
            replace(each, per_node=None if roles[each.role].lenient else each.per_node, apart=roles[each.role].apart)
            for each in freed
        ]

    def _demands(self, state: State, pins: Sequence[tuple[int, int]] = (), *, complete: bool) -> Iterator[Demand]:
        pairs = sorted((Counter(pins) | Counter(state)).elements())
        for index, role in enumerate(self.roles):
            mine = [domain for placed, domain in pairs if placed == index]
            for domain in mine:
                yield self._demand(index, 1, self._classes_of[domain])
            left = role.count - len(mine)
            if not complete or left <= 0:
                continue
            if index in self.bound:
                open_domains = [domain for domain in mine if self.admits(state, index, domain)]
                yield self._demand(
                    index, left, frozenset[int]().union(*(self._classes_of[domain] for domain in open_domains))
                )
            else:
                yield self._demand(index, left, role.classes)

    def _demand(self, index: int, count: int, classes: frozenset[int]) -> Demand:
        role = self.roles[index]
        return Demand(index, role.requests, count, classes & role.classes, role.per_node, role.apart | role.spread_from)

    @cached_property
    def reachable(self) -> tuple[State, ...] | None:
        """Every state that can be reached, smallest first; ``None`` if there are too many or a packing is unknown."""
        seen: dict[State, None] = {frozenset(): None}
        frontier: list[State] = [frozenset()]
        while frontier:
            grown: list[State] = []
            for state in frontier:
                for following in self._following(state):
                    if following in seen:
                        continue
                    fits = self.minimal(following).answer
                    if fits is Answer.UNKNOWN or len(seen) > BUDGET:
                        return None
                    if fits is Answer.PROVED:
                        seen[following] = None
                        grown.append(following)
            frontier = grown
        return tuple(seen)

    def _following(self, state: State) -> Iterator[State]:
        for role in self.bound:
            if sum(1 for placed, _ in state if placed == role) >= self.roles[role].count:
                continue
            for domain in self.possible(role):
                if (role, domain) not in state and self.admits(state, role, domain):
                    yield self._usual(state | {(role, domain)})

    @cached_property
    def completed(self) -> tuple[Placement, ...] | None:
        """A complete placement for every reachable state that has one; ``None`` where that is not known."""
        if self.reachable is None:
            return None
        found = []
        for state in self.reachable:
            packing = self.complete(state)
            if packing.answer is Answer.UNKNOWN:
                return None
            if packing.answer is Answer.PROVED:
                found.append(Placement(state, packing))
        return tuple(found)

    @cached_property
    def some(self) -> Placement | None:
        """A complete placement that can be reached, found without looking at all of them; ``None`` proves nothing."""
        if self.completed is not None:
            return self.completed[0] if self.completed else None
        state: State = frozenset()
        grown = True
        while grown:
            grown = False
            for role in self.bound:
                if any(placed == role for placed, _ in state):
                    continue
                for domain in self.possible(role):
                    following = state | {(role, domain)}
                    if self.admits(state, role, domain) and self.minimal(following).answer is Answer.PROVED:
                        state, grown = following, True
                        break
        packing = self.complete(state)
        return Placement(state, packing) if packing.answer is Answer.PROVED else None

    @cached_property
    def dead_ends(self) -> tuple[State, ...] | None:
        """Reachable states from which no complete placement can be reached, smallest first."""
        if self.reachable is None or self.completed is None:
            return None
        alive = {placement.state for placement in self.completed}
        for state in sorted(self.reachable, key=len, reverse=True):
            if any(following in alive for following in self._following(state)):
                alive.add(state)
        return tuple(state for state in self.reachable if state not in alive)
