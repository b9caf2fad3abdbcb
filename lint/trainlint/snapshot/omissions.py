"""What a snapshot leaves out, because it is on other sides of sets of alternatives (design, section 7.3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.kube.policies import FOREIGN_KINDS, POLICY_KINDS
from trainlint.model.workload import ObjectRef
from trainlint.snapshot.alternatives import Side, Sides, SnapshotPart, shared_steps
from trainlint.snapshot.objects import ApiObject, Key
from trainlint.source.document import Document

__all__ = ["DECIDING_KINDS", "LIMITING_KINDS", "OmittedObjects", "WorldParts"]

DECIDING_KINDS: Final = frozenset(kind for _, kind in (*POLICY_KINDS, *FOREIGN_KINDS))
"""What decides which connections the pods that it selects may have."""
LIMITING_KINDS: Final = frozenset({"LimitRange", "ResourceQuota"})
"""What limits the pods of a namespace, whatever makes them."""
_FOR_ALL: Final = DECIDING_KINDS | LIMITING_KINDS | INVENTORY_KINDS
"""Kinds that no object names: their definitions count wherever they stand."""
_BEARING: Final = _FOR_ALL | {"Service"}


class WorldParts:
    """Everything of which each part holds a share."""

    def __init__(self, objects: Iterable[ApiObject], sides: Sides, parts: Sequence[SnapshotPart]) -> None:
        self.sides = sides
        self._found: dict[tuple[str, str], list[ApiObject]] = defaultdict(list)
        self._by_key: dict[Key, list[ApiObject]] = defaultdict(list)
        self._by_ref: dict[ObjectRef, list[ApiObject]] = defaultdict(list)
        self._made_for: dict[Side, list[SnapshotPart]] = defaultdict(list)
        self._nodes: dict[str, list[ApiObject]] = defaultdict(list)
        for each in objects:
            if each.meta.kind in INVENTORY_KINDS:
                self._nodes[each.file].append(each)
            elif each.meta.kind in _BEARING:
                self._found[each.meta.kind, each.ref.namespace].append(each)
            if each.key is not None:
                self._by_key[each.key].append(each)
            self._by_ref[each.ref].append(each)
        for part in parts:
            for side in part.own:
                self._made_for[side].append(part)
        self._sides_of: dict[int, tuple[ApiObject, tuple[tuple[Side, ...], ...]]] = {}

    def sides_of(self, each: ApiObject) -> tuple[tuple[Side, ...], ...]:
        """The sides on which an object stands, for each of its places."""
        known = self._sides_of.get(id(each))
        if known is None:
            sides = tuple(sides for _, sides in self.sides.of_object(each))
            known = self._sides_of[id(each)] = (each, sides)
        return known[1]

    def of(self, kinds: Iterable[str], namespaces: Collection[str]) -> Iterator[ApiObject]:
        """The objects of these kinds in these namespaces (empty: those of the cluster)."""
        for kind in sorted(kinds):
            for namespace in sorted(namespaces):
                yield from self._found.get((kind, namespace), ())

    def nodes(self, file: str) -> Sequence[ApiObject]:
        """What describes nodes in a file."""
        return self._nodes.get(file, ())

    @property
    def all(self) -> Iterator[ApiObject]:
        """All that may bear on others."""
        for found in (*self._found.values(), *self._nodes.values()):
            yield from found

    def named(self, ref: ObjectRef) -> Sequence[ApiObject]:
        """The definitions of an object."""
        return self._by_ref.get(ref, ())

    def rivals(self, each: ApiObject) -> Sequence[ApiObject]:
        """All definitions of the same object."""
        return self._by_key.get(each.key, ()) if each.key is not None else ()

    def made_for(self, each: ApiObject) -> Iterator[SnapshotPart]:
        """The parts that were made for a side on which an object stands."""
        for sides in self.sides_of(each):
            for side in sides[-1:]:
                yield from self._made_for.get(side, ())

    def takes(self, part: SnapshotPart, each: ApiObject) -> bool:
        """Whether a part holds an object."""
        return any(map(part.takes, self.sides_of(each)))


class OmittedObjects:
    """What the snapshot of one part leaves out."""

    def __init__(self, part: SnapshotPart, world: WorldParts) -> None:
        self._part = part
        self._world = world
        self._singles = [
            (tuple(child.split("/")), [tuple(other.split("/")) for other in alternatives.children if other != child])
            for number, child in part.own
            if (alternatives := world.sides.alternatives[number]).key is not None
            and alternatives.key[1] not in _FOR_ALL
        ]

    def is_near(self, file: str) -> bool:
        """Whether nothing that the snapshot was made for is defined nearer to a file elsewhere. An object belongs to
        the definitions beside it: with another team's it was never meant to run.
        """
        if not self._singles:
            return True
        steps = tuple(file.split("/"))
        return all(
            all(shared_steps(other, steps) <= shared_steps(mine, steps) for other in others)
            for mine, others in self._singles
        )

    def left_out(
        self, kinds: Iterable[str], namespaces: Collection[str], owners: Collection[ObjectRef], name: str = ""
    ) -> Iterator[ApiObject]:
        """The objects of these kinds and namespaces (and of this name) that are left out, unless another snapshot holds
        them together with the ``owners``, or the owners have another definition of them beside them.
        """
        for each in self._world.of(kinds, namespaces):
            if (not name or each.ref.name == name) and self.leaves_out(each) and not self._is_judged(each, owners):
                yield each

    def definitions(self, ref: ObjectRef, owners: Collection[ObjectRef]) -> Iterator[ApiObject]:
        """The definitions of an object that is left out, in the same sense."""
        found = self._world.named(ref)
        if all(map(self.leaves_out, found)):
            yield from (each for each in found if not self._is_judged(each, owners))

    def nodes(self, file: str, owners: Collection[ObjectRef]) -> Iterator[ApiObject]:
        """What describes nodes in a file and is left out, in the same sense."""
        found = self._world.nodes(file)
        yield from (each for each in found if self.leaves_out(each) and not self._is_judged(each, owners))

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        """The documents of all that is left out and may bear on others."""
        return tuple(each.field.document for each in self._world.all if self.leaves_out(each))

    def leaves_out(self, each: ApiObject) -> bool:
        """Whether the snapshot does not hold an object."""
        return not self._world.takes(self._part, each)

    def _is_judged(self, each: ApiObject, owners: Collection[ObjectRef]) -> bool:
        """Whether the owners are judged with an object that is left out as often as they should be: they have another
        definition of it beside them; or another snapshot holds it and them, and here another definition takes its
        place, or they belong themselves to the state that goes without it. What stands outside of all states is proved
        in none that goes without an object which may bear on it.
        """
        own = self._taken(definition for owner in owners for definition in self._world.named(owner))
        rivals = [rival for rival in self._world.rivals(each) if not self.leaves_out(rival)]
        if not own.isdisjoint(self._taken(rivals)):
            return True
        states = {number for number, _ in own}
        against = {
            number
            for sides in self._world.sides_of(each)
            for number, child in sides
            if self._part.chosen[number] != child
        }
        return (bool(rivals) or not states.isdisjoint(against)) and any(
            self._world.takes(part, each) and all(self._holds(part, owner) for owner in owners)
            for part in self._world.made_for(each)
        )

    def _taken(self, objects: Iterable[ApiObject]) -> set[Side]:
        """The sides on which objects stand that the snapshot holds."""
        return {
            side
            for each in objects
            for sides in self._world.sides_of(each)
            if self._part.takes(sides)
            for side in sides
        }

    def _holds(self, part: SnapshotPart, owner: ObjectRef) -> bool:
        found = self._world.named(owner)
        return not found or any(self._world.takes(part, each) for each in found)
