"""All facts of one state of one cluster."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from trainlint.fact import fact, remembered, together
from trainlint.finding import Location, Unknown
from trainlint.inventory.example_nodes import concerning
from trainlint.inventory.read import nearest_inventories, united
from trainlint.model.namespace import Namespaces
from trainlint.model.pool import Inventory
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef, Workloads
from trainlint.snapshot.closed_kinds import Opening
from trainlint.snapshot.label_transformers import LabelTransformers
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.omissions import OmittedObjects
from trainlint.source.document import Field

if TYPE_CHECKING:
    from trainlint.installed.gates import Gate, RefusedByPolicy
    from trainlint.inventory.external_inventory import GivenNodes
    from trainlint.snapshot.substituted_variables import EmptiedVariables

__all__ = ["Snapshot"]


@fact(eq=False, slots=False)
class Snapshot:
    """All facts of one state of one cluster.

    ``unrendered`` maps files to the kustomization that would change their objects: what is read from them is not what
    will be deployed. ``opened`` maps namespaces (empty: all) to what may add objects to them.
    ``moved`` maps files to the namespaces that kustomizations put their objects into. ``elsewhere`` are inventories of
    other states, which do not count here. ``read`` says where settings were read that the repository itself states.
    ``emptied`` are the variables that deployers replace in its objects although the pods set them,
    ``gates`` the admission objects that may refuse or change what groups are made of, ``refused`` what admission
    policies refuse of workloads.
    ``together`` are the files that one kustomization, or the deployers of one cluster, bring at once, by its name.
    ``rest`` is what it leaves out, where it is one of several that have alternatives. ``given`` are nodes that are not
    in Git: they count beside what Git describes for every workload.
    """

    name: str
    why: str
    objects: tuple[ApiObject, ...]
    settings: Settings
    namespaces: Namespaces
    inventories: tuple[Inventory, ...]
    workloads: Workloads
    elsewhere: tuple[Inventory, ...] = ()
    unrendered: Mapping[str, str] = field(default_factory=dict)
    moved: Mapping[str, frozenset[str]] = field(default_factory=dict)
    opened: Mapping[str, Opening] = field(default_factory=dict)
    unknowns: tuple[Unknown, ...] = ()
    read: Mapping[str, Field] = field(default_factory=dict)
    emptied: tuple[EmptiedVariables, ...] = ()
    gates: tuple[Gate, ...] = ()
    refused: tuple[RefusedByPolicy, ...] = ()
    rest: OmittedObjects | None = None
    given: tuple[GivenNodes, ...] = ()
    together: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def every_inventory(self) -> tuple[Inventory, ...]:
        """The inventories in Git, and what was given beside them."""
        return (*self.inventories, *(each.inventory for each in self.given))

    def brings_both(self, one: str, other: str) -> bool:
        """Whether the objects of two files are surely deployed together."""
        return one == other or any(one in files and other in files for files in self.together.values())

    @cached_property
    def by_ref(self) -> Mapping[ObjectRef, ApiObject]:
        """The objects by the identity that findings show."""
        return {each.ref: each for each in self.objects}

    @cached_property
    def label_transformers(self) -> LabelTransformers:
        """The labels that kustomizations add to selectors."""
        return LabelTransformers(self.objects)

    @cached_property
    def documents(self) -> int:
        """How many documents it was made from."""
        return len({(each.file, each.field.document.index) for each in self.objects})

    def may_hold_more(self, namespace: str) -> bool:
        """Whether something may add objects to a namespace that are not read here (decision 5)."""
        return namespace in self.opened or "" in self.opened

    def is_near(self, file: str) -> bool:
        """Whether what a file holds may be meant for it: not for a definition elsewhere than the one beside it."""
        return self.rest is None or self.rest.is_near(file)

    def inventories_for(self, place: Location) -> tuple[Inventory, ...]:
        """The inventory that counts for a workload: the nearest one; none; or several that compete."""
        found = self._inventories_for.get(place.file)
        if found is None:
            named = bool(self.settings.inventories)  # inventories that the configuration names count everywhere
            inventories = self.inventories if named else concerning(self.inventories, place.file)
            nearest = nearest_inventories(inventories, place.file, self.elsewhere)
            whole = _united(together(*nearest)) if len(nearest) > 1 else None
            found = nearest if whole is None else (whole,)
            if self.given:
                found = (_with_given(self.given, together(*found), self.settings.nodes),)
            self._inventories_for[place.file] = found
        return found

    def is_same(
        self,
        objects: Sequence[ApiObject],
        inventories: Sequence[Inventory],
        unknowns: Collection[Unknown],
        said: tuple[object, ...],
        rest: OmittedObjects | None,
    ) -> bool:
        """Whether it holds the very same objects, of the same documents, as they are deployed, leaves the same out,
        and the same is said about it.
        """
        nodes = (*self.inventories, *self.elsewhere)
        return (
            len(self.objects) == len(objects)
            and len(nodes) == len(inventories)
            and all(map(_is_same, self.objects, objects))
            and all(one is other for one, other in zip(nodes, inventories, strict=True))
            and set(unknowns) <= set(self.unknowns)
            and _leave_the_same(self.rest, rest)
            and (self.why, self.settings, dict(self.unrendered), dict(self.opened), dict(self.together)) == said
        )

    @cached_property
    def _inventories_for(self) -> dict[str, tuple[Inventory, ...]]:
        """The answers so far, by file."""
        return {}


def _leave_the_same(one: OmittedObjects | None, other: OmittedObjects | None) -> bool:
    """Whether two snapshots leave out the same documents."""
    if one is None or other is None:
        return one is other
    return len(one.documents) == len(other.documents) and all(
        mine is theirs for mine, theirs in zip(one.documents, other.documents, strict=True)
    )


def _is_same(one: ApiObject, other: ApiObject) -> bool:
    """Whether two objects stand at one place of one document, and their deployers leave them equal."""
    return (
        one.field.document is other.field.document
        and one.field.path == other.field.path
        and (one.field.value is other.field.value or bool(one.field.value == other.field.value))
    )


def _joined(given: tuple[GivenNodes, ...], described: tuple[Inventory, ...], stated: str) -> Inventory:
    from trainlint.inventory.inventory_union import joined  # noqa: PLC0415 (only where nodes are given)

    return joined(given, described, stated)


_with_given = remembered(_joined)
_united = remembered(united)
"""What several inventories are together, so that the same ones are always the same."""
