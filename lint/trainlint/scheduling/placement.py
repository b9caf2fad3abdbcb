"""Which placements of a group the scheduler can reach, placing one pod at a time, in any order.

The state is kept as small as the question allows: which roles have a pod in which domain. Required pod affinity and
anti-affinity over domains depend on nothing else (S 1.6), so a state that holds one pod of each role in each of its
domains stands for all states with more of them, and has the most room left. How many pods fit is asked of ``packing``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, combinations

from trainlint.effort import spend
from trainlint.model.known import Answer
from trainlint.scheduling.packing import Packing
from trainlint.scheduling.role import Placement, State
from trainlint.scheduling.shared_search import DOMAINS, SharedSearch, shared_search
from trainlint.scheduling.state import States

__all__ = ["Placements"]

BUDGET = 2_000
"""States after which the answer is unknown: six zones and three roles that constrain each other stay below it."""


STEPS = 300_000
"""Domains that are looked at for one more pod, over all states."""


class Placements(States):
    """All placements of some roles over some domains that can be reached."""

    _looked = 0
    _steps = 0

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

    @cached_property
    def reachable(self) -> tuple[State, ...] | None:
        """Every state that can be reached, smallest first; ``None`` if there are too many or a packing is unknown."""
        if self._shared is None:
            return self._searched()
        found = self._shared.found
        if not found.searched:
            found.reachable, found.searched = self._searched(), True
            found.steps = self._steps
        self._steps = found.steps
        return found.reachable

    @cached_property
    def _shared(self) -> SharedSearch | None:
        """What is known of searches like this one; ``None`` where there is nothing to search, or too much."""
        if not self.bound or len(self.domains) > DOMAINS:
            return None
        return shared_search(self.roles, self.domains, self.classes, self.alike, self._classes_of)

    def _pack(self, state: State, *, complete: bool | frozenset[int]) -> Packing:
        key = (state, complete)
        if self._shared is not None and key not in self._fits:
            known = self._shared.get(key)
            if known is None:
                self._shared.keep(key, super()._pack(state, complete=complete))
            else:
                self._fits[key] = known
        return super()._pack(state, complete=complete)

    def _searched(self) -> tuple[State, ...] | None:
        seen: dict[State, None] = {frozenset(): None}
        frontier: list[State] = [frozenset()]
        while frontier:
            grown: list[State] = []
            for state in frontier:
                for following in self._following(state):
                    if following in seen:
                        continue
                    fits = self.minimal(following).answer
                    if fits is Answer.UNKNOWN or len(seen) > BUDGET or self._looked > STEPS:
                        return None
                    if fits is Answer.PROVED:
                        seen[following] = None
                        grown.append(following)
            frontier = grown
        self._steps = self._looked
        return tuple(seen)

    def _following(self, state: State) -> Iterator[State]:
        for role in self.bound:
            if sum(1 for placed, _ in state if placed == role) >= self.roles[role].count:
                continue
            for domain in self.candidates(state, role):
                self._looked += 1
                if (role, domain) not in state and self.admits(state, role, domain):
                    yield self._usual(state | {(role, domain)})

    @cached_property
    def completed(self) -> tuple[Placement, ...] | None:
        """A complete placement for every reachable state that has one; ``None`` where that is not known."""
        if self.reachable is None:
            return None
        found = []
        spend(len(self.reachable))
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
        """Reachable states from which no complete placement can be reached, smallest first; ``None`` where the search
        was broken off.
        """
        if self.reachable is None or self.completed is None:
            return None
        alive = {placement.state for placement in self.completed}
        for state in sorted(self.reachable, key=len, reverse=True):
            if any(following in alive for following in self._following(state)):
                alive.add(state)
        return tuple(state for state in self.reachable if state not in alive)

    @cached_property
    def runs_out(self) -> bool | None:
        """Whether all pods of some roles may be where the others cannot follow; ``None`` if there are too many states.

        A state stands for all with more pods in its domains, so it says nothing about roles that have no pod left to
        open another domain: pods that need one of them there, or the room that they took here, stay Pending.
        """
        many = [role for role in self.bound if self.roles[role].count > 1]
        if (
            self.reachable is None
            or self.completed is None
            or max(len(self.reachable), self._steps * BUDGET // STEPS) << len(many) > BUDGET
        ):
            return None
        subsets = chain.from_iterable(combinations(many, size) for size in range(1, len(many) + 1))
        return any(self._runs_out(frozenset(closed), self.reachable, self.completed) for closed in subsets)

    def _runs_out(self, closed: frozenset[int], reachable: Sequence[State], completed: Sequence[Placement]) -> bool:
        """Whether some state is a dead end once these roles have all of their pods in it."""
        alive = {placement.state for placement in completed}
        for state in sorted(reachable, key=len, reverse=True):
            following = (each for each in self._following(state) if not any(role in closed for role, _ in each - state))
            if any(each in alive and self.closed(each, closed).answer is Answer.PROVED for each in following):
                alive.add(state)
        return any(
            state not in alive
            and closed <= {role for role, _ in state}
            and self.closed(state, closed).answer is not Answer.REFUTED
            for state in reachable
        )
