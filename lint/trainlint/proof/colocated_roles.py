"""The pods of a group as roles that are placed as one, and what that asks of their domains (S 2; W 5, 6, 8, 11)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from trainlint.fact import fact
from trainlint.kube.node import HOSTNAME
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.workload import Colocation, ObjectRef, PodSet
from trainlint.proof.colocation_units import key_of, parts_of
from trainlint.proof.ground import ProofGround
from trainlint.scheduling.node import Node
from trainlint.scheduling.role import Repulsion, Tie

__all__ = ["LOOSE", "Ties", "ties"]

Unit: TypeAlias = tuple[ObjectRef, str, str]
"""An object, the name of a unit in it, and the key of its domains."""


@fact
class Ties:
    """One role for each part of each pod set: which set (``members``, with its role),
    how many pods, the units that it belongs to.

    ``missing`` is why the domains are unknown. ``gathered`` says that a gang scheduler looks for room for all and picks
    one domain for the whole group, ``ahead`` what picks several domains, or room in any, before a pod is placed.
    """

    members: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    roles: tuple[str, ...] = ()
    units: tuple[tuple[tuple[Unit, Colocation], ...], ...] = ()
    missing: Because | None = None
    gathered: bool = False
    ahead: Because | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all domains."""
        return tuple(dict.fromkeys(unit[2] for units in self.units for unit, _ in units))

    def of(self, role: int) -> tuple[Tie, ...]:
        """What binds a role to the others of its units."""
        found = []
        for unit, together in self.units[role]:
            roles = frozenset(self._holding(unit))
            leaders = frozenset(each for each in roles if self.roles[each] == together.leader)
            found.append(Tie(unit[2], roles, leaders))
        return tuple(found)

    def apart(self, role: int, pod_sets: Sequence[PodSet]) -> Iterator[Repulsion]:
        """The roles of other units that a unit keeps out of its domain, within one priority (S 2.3)."""
        for unit, together in self.units[role]:
            others = frozenset(
                other
                for other, units in enumerate(self.units)
                for theirs, theirs_together in units
                if together.exclusive
                and theirs_together.by == together.by
                and theirs != unit
                and theirs[2] == unit[2]
                and pod_sets[other].spec.priority_class == pod_sets[role].spec.priority_class
            )
            if others:
                yield Repulsion(unit[2], others)

    def alike(self) -> tuple[tuple[int, ...], ...]:
        """Roles that are equal parts of one set: it does not matter which of them is where."""
        classes: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for role, units in enumerate(self.units):
            shared = tuple(unit for unit, _ in units if len(list(self._holding(unit))) > 1)
            classes[self.members[role], self.counts[role], shared].append(role)
        return tuple(tuple(found) for found in classes.values() if len(found) > 1)

    def _holding(self, unit: Unit) -> Iterator[int]:
        return (role for role, units in enumerate(self.units) if any(each == unit for each, _ in units))


LOOSE = Ties()


def ties(pod_sets: Sequence[PodSet], nodes: Sequence[Node], gang: str = "") -> Ties:
    """How the pod sets of a group are placed as one; nothing is cut where nothing is, or the domains are unknown.

    ``gang`` says who starts all pods of the group or none.
    """
    if not any(pods.together or pods.parts for pods in pod_sets):
        return Ties(ahead=Because(ProofGround.GANG_ORDER, (gang,)) if gang else None)
    members: list[int] = []
    counts: list[int] = []
    units: list[tuple[tuple[Unit, Colocation], ...]] = []
    for index, pods in enumerate(pod_sets):
        parts = parts_of(pods)
        if isinstance(parts, Undetermined):
            return Ties(missing=Because(ProofGround.VALUE, (parts.why,)))
        for part in parts:
            named = []
            for name, together in part.units:
                key = key_of(together)
                if isinstance(key, Undetermined) or (why := _unknown(key, together, nodes)):
                    return Ties(
                        missing=Because(ProofGround.VALUE, (key.why,)) if isinstance(key, Undetermined) else why
                    )
                named.append(((pods.owner, name, key), together))
            members.append(index)
            counts.append(part.count)
            units.append(tuple(named))
    picked = [{unit for unit, each in found if _picked(each, sum(counts))} for found in units]
    gathered = bool(picked) and bool(set.intersection(*picked))
    roles = tuple(pod_sets[member].role for member in members)
    picker = next((each.by for found in units for _, each in found if not each.leader_first), "")
    ahead = Because(ProofGround.PICKED_DOMAINS, (picker,)) if picker else None
    if gang and not ahead:
        ahead = Because(ProofGround.GANG_ORDER, (gang,))
    return Ties(tuple(members), tuple(counts), roles, tuple(units), gathered=gathered, ahead=ahead)


def _picked(together: Colocation, total: int) -> bool:
    """Whether the domain of a unit is picked so that all pods of the group fit in."""
    sure = together.sure
    return not together.leader_first and (sure is None or (isinstance(sure, int) and sure >= total))


def _unknown(key: str, together: Colocation, nodes: Sequence[Node]) -> Because | None:
    """Why the domains of a key are not known; ``None`` where they are."""
    if key == HOSTNAME and any(not node.name for node in nodes):
        return Because(ProofGround.HOSTS, (together.by,))
    for node in nodes:
        value = node.pool.label(key)
        if isinstance(value, Undetermined):
            return Because(ProofGround.VALUE, (value.why,))
    return None
