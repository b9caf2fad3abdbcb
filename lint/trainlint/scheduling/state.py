"""What a state of some roles over domains admits, and what it asks of the nodes.

A state says which roles have a pod in which domain. Required pod affinity and anti-affinity over domains depend on
nothing else (S 1.6); how many pods fit is asked of ``packing``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from trainlint.model.known import Answer
from trainlint.scheduling.domains import Domain
from trainlint.scheduling.packing import Demand, NodeClass, Packing, pack
from trainlint.scheduling.role import Attraction, PlacementRole, Repulsion, State, Tie

__all__ = ["States", "classes_of"]


def classes_of(domains: Sequence[Domain], classes: Sequence[NodeClass]) -> list[frozenset[int]]:
    """The classes of nodes (indices) that lie in each domain."""
    at: dict[int, list[int]] = defaultdict(list)
    for index, each in enumerate(classes):
        at[each.pool].append(index)
    return [frozenset(index for pool in domain.pools for index in at.get(pool, ())) for domain in domains]


class States:
    """The states of some roles over some domains; ``tried`` counts calls of ``pinned``.

    Of states that differ only in which of the ``alike`` roles is where, one stands for all. ``inside`` are the classes
    of each domain, where they are known already.
    """

    def __init__(
        self,
        roles: Sequence[PlacementRole],
        domains: Sequence[Domain],
        classes: Sequence[NodeClass],
        alike: Sequence[tuple[int, ...]] = (),
        inside: Sequence[frozenset[int]] | None = None,
    ) -> None:
        self.roles = roles
        self.domains = domains
        self.classes = classes
        self.alike = alike
        self._classes_of = classes_of(domains, classes) if inside is None else inside
        terms: list[Attraction | Repulsion] = []
        for role in roles:
            terms += [*role.attractions, *role.repulsions]
        targets = {target for term in terms for target in term.targets}
        self.bound = tuple(
            index
            for index, role in enumerate(roles)
            if role.attractions or role.repulsions or role.ties or index in targets
        )
        self._fits: dict[tuple[State, bool | frozenset[int]], Packing] = {}
        self._possible: dict[int, tuple[int, ...]] = {}
        self._by_value: dict[tuple[int, str], Mapping[str | None, Sequence[int]]] = {}
        self.tried = 0

    def possible(self, role: int) -> tuple[int, ...]:
        """The domains in which one pod of the role fits, were it alone."""
        if role not in self._possible:
            classes = self.roles[role].classes
            found = (index for index, inside in enumerate(self._classes_of) if not classes.isdisjoint(inside))
            self._possible[role] = tuple(found)
        return self._possible[role]

    def _like(self, role: int, key: str) -> Mapping[str | None, Sequence[int]]:
        """The domains in which one pod of the role fits, by their value of a key."""
        if (role, key) not in self._by_value:
            found: dict[str | None, list[int]] = defaultdict(list)
            for index in self.possible(role):
                found[self.domains[index].values[key]].append(index)
            self._by_value[role, key] = found
        return self._by_value[role, key]

    def candidates(self, state: State, role: int) -> Sequence[int]:
        """The domains to ask whether they admit one more pod of the role: where its required affinity or what places
        it as one has a pod of others already, only those beside that.
        """
        here = self.roles[role]
        near = any(
            self.domains[other].values[term.key] is not None
            for term in here.attractions
            for placed, other in state
            if placed in term.targets
        )
        asked = [(term.key, term.targets) for term in here.attractions if near]
        asked += [(tie.key, tie.roles) for tie in here.ties if any(placed in tie.roles for placed, _ in state)]
        if not asked:
            return self.possible(role)
        key, others = asked[0]
        values = dict.fromkeys(self.domains[other].values[key] for placed, other in state if placed in others)
        return sorted(index for value in values for index in self._like(role, key).get(value, ()))

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

    def closed(self, state: State, roles: frozenset[int]) -> Packing:
        """Whether all pods of these roles fit in the state's domains, with one pod for each pair of the others."""
        return self._pack(state, complete=roles)

    def pinned(self, state: State, pins: Sequence[tuple[int, int]]) -> Packing:
        """Whether all pods fit as in ``complete`` if beside the state these pods (role, domain) are where they are."""
        self.tried += 1
        return self._packed(list(self._demands(state, pins, complete=True)))

    def demands(self, state: State) -> tuple[Demand, ...]:
        """What a complete placement in this state asks of the nodes."""
        return tuple(self._demands(state, complete=True))

    def _pack(self, state: State, *, complete: bool | frozenset[int]) -> Packing:
        key = (state, complete)
        if key not in self._fits:
            self._fits[key] = self._packed(list(self._demands(state, complete=complete)))
        return self._fits[key]

    def _packed(self, demands: Sequence[Demand]) -> Packing:
        """The packing; unknown where it fails only for a lenient limit."""
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

    def _demands(
        self, state: State, pins: Sequence[tuple[int, int]] = (), *, complete: bool | frozenset[int]
    ) -> Iterator[Demand]:
        pairs = sorted((Counter(pins) | Counter(state)).elements())
        for index, role in enumerate(self.roles):
            mine = [domain for placed, domain in pairs if placed == index]
            for domain in mine:
                yield self._demand(index, 1, self._classes_of[domain])
            left = role.count - len(mine)
            whole = complete if isinstance(complete, bool) else index in complete
            if not whole or left <= 0:
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
