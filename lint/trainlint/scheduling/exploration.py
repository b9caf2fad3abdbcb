"""Everything that the scheduler may do with a small group: all reachable placements, one pod at a time.

At each step the next pod may go to any node that passes all filters at that moment; scores decide nothing, nothing is
ever removed. A state is which columns (pods of each role) stand on how many nodes of each class.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from trainlint.effort import spend
from trainlint.model.because import Because
from trainlint.model.namespace import Namespaces
from trainlint.model.settings import ZONE
from trainlint.model.storage import Storage
from trainlint.scheduling.group_model import Column, GroupModel, Role
from trainlint.scheduling.node_class import Cell
from trainlint.scheduling.outcome import Example, Exploration, Outcome
from trainlint.scheduling.tally import State, Tally

__all__ = ["BUDGET", "Cell", "Example", "Exploration", "Explorer", "Role", "explore"]

BUDGET = 20_000
"""States that are visited before the exploration gives up: about two seconds."""

OF_STATE = 3
"""Steps that count for a state."""

DEAD_ENDS = 64
"""Dead ends of which the cause is looked for: where they come of packing, most do."""

ROOM = 500
"""Places that are tried for the pods that wait in one dead end."""


def explore(
    roles: Sequence[Role],
    cells: Sequence[Cell],
    *,
    order: Sequence[int] | None = None,
    namespaces: Namespaces | None = None,
    storage: Storage | None = None,
    topology_key: str = ZONE,
    budget: int = BUDGET,
) -> Exploration | Because | None:
    """All placements that can be reached in this order of roles (indices), or in any order if none is given.

    A ground where a filter cannot be decided; ``None`` where the budget of states does not suffice.
    """
    model = GroupModel(roles, cells, namespaces or {}, storage, topology_key)
    if model.doubt:
        return model.doubt
    return Explorer(model).run(order, budget)


class Explorer:
    """Explores one compiled group; what one node decides is remembered between runs."""

    def __init__(self, model: GroupModel) -> None:
        self.model = model
        self._room: dict[tuple[int, int, Column], bool] = {}
        self._empty: Column = (0,) * len(model.roles)
        self._open_classes = [
            [node_class for node_class in range(len(model.classes)) if model.room(role, node_class, self._empty)]
            for role in range(len(model.roles))
        ]

    def run(self, order: Sequence[int] | None, budget: int) -> Exploration | None:
        """All reachable states, in this order or any; ``None`` over budget."""
        found = Outcome(self.model)
        total = len(order) if order is not None else sum(role.replicas for role in self.model.roles)
        level: Iterable[State] = [()]
        seen = 0
        for placed in range(total + 1):
            following: dict[State, None] = {}
            for state in level:
                seen += 1
                spend(OF_STATE)
                if seen > budget:
                    return None
                open_roles = (order[placed],) if order is not None and placed < total else self.left(state)
                successors = self._successors(state, open_roles)
                found.visit(state, open_roles, successors)
                for after in successors.values():
                    following.update(dict.fromkeys(after))
                if seen + len(following) > budget:
                    return None
            level = following
        stranded = self._stranded(found.dead_ends)
        if stranded is not None:
            found.strand(stranded, self.left(stranded))
        return found.result()

    def _stranded(self, dead_ends: Sequence[State]) -> State | None:
        """The first dead end in which the waiting pods find room without affinity, anti-affinity and spread."""
        return next((state for state in dead_ends[:DEAD_ENDS] if self._has_room(state, [ROOM])), None)

    def _has_room(self, state: State, steps: list[int]) -> bool:
        """Whether all pods that are left find room on the nodes, whatever binds them; not known is no."""
        left = self.left(state)
        if not left:
            return True
        occupied = Counter(node_class for node_class, _ in state)
        role = left[0]
        for place in (*dict.fromkeys(state), *self._untouched(role, occupied)):
            if steps[0] <= 0:
                return False
            steps[0] -= 1
            if self._fits(role, *place) and self._has_room(self.placed(state, place, role), steps):
                return True
        return False

    def left(self, state: State) -> tuple[int, ...]:
        """The roles of which pods are still to be placed."""
        placed = [sum(column[role] for _, column in state) for role in range(len(self.model.roles))]
        return tuple(index for index, role in enumerate(self.model.roles) if placed[index] < role.replicas)

    def _successors(self, state: State, roles: Sequence[int]) -> dict[int, list[State]]:
        """For each role, the states after one more pod of it."""
        if not roles:
            return {}
        tally = Tally(self.model, state)
        occupied = Counter(node_class for node_class, _ in state)
        columns = [*dict.fromkeys(state)]
        return {
            role: [
                self.placed(state, place, role)
                for place in (*columns, *self._untouched(role, occupied))
                if self._admits(tally, role, *place)
            ]
            for role in roles
        }

    def places(self, state: State, role: int) -> list[tuple[int, Column]]:
        """The nodes, by class and column, that admit one more pod of the role."""
        tally = Tally(self.model, state)
        occupied = Counter(node_class for node_class, _ in state)
        found = (*dict.fromkeys(state), *self._untouched(role, occupied))
        return [place for place in found if self._admits(tally, role, *place)]

    def _untouched(self, role: int, occupied: Mapping[int, int]) -> Iterator[tuple[int, Column]]:
        """Nodes without pods of the group that have room for one of the role."""
        for node_class in self._open_classes[role]:
            if occupied[node_class] < self.model.classes[node_class].size:
                yield node_class, self._empty

    def _admits(self, tally: Tally, role: int, node_class: int, column: Column) -> bool:
        return self._fits(role, node_class, column) and tally.admits(role, node_class, column)

    def _fits(self, role: int, node_class: int, column: Column) -> bool:
        key = (role, node_class, column)
        room = self._room.get(key)
        if room is None:
            room = self._room[key] = self.model.room(*key)
        return room

    @staticmethod
    def placed(state: State, place: tuple[int, Column], role: int) -> State:
        """The state after one more pod of the role there."""
        node_class, column = place
        grown = (node_class, (*column[:role], column[role] + 1, *column[role + 1 :]))
        if any(column):
            before = state.index(place)
            state = (*state[:before], *state[before + 1 :])
        at = bisect(state, grown)
        return (*state[:at], grown, *state[at:])
