"""Snapshots: what would be deployed together, with the settings of the cluster that it would be deployed to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TypeVar

from trainlint.fact import fact, remembered, together
from trainlint.finding import Location, Unknown
from trainlint.inventory.read import INVENTORY_KINDS, nearest_inventories, read_inventories, united
from trainlint.model.pool import Inventory
from trainlint.model.settings import Cni, Settings
from trainlint.model.workload import ObjectRef, Workloads
from trainlint.snapshot.alternatives import Part, find_alternatives, parts
from trainlint.snapshot.objects import ApiObject, Key
from trainlint.snapshot.openness import opened
from trainlint.snapshot.repository import READ_KINDS, Repository
from trainlint.workload.reading import read_workloads

__all__ = ["Snapshot", "build_snapshots"]

T = TypeVar("T")

APART = INVENTORY_KINDS | {"Namespace"}
CILIUM_KINDS = frozenset({"CiliumCIDRGroup", "CiliumClusterwideNetworkPolicy", "CiliumNetworkPolicy"})


@fact(eq=False, slots=False)
class Snapshot:
    """All facts of one state of one cluster.

    ``unrendered`` maps files to the kustomization that would change their objects: what is read from them is not what
    will be deployed. ``opened`` maps namespaces (empty: all) to what may add objects to them.
    ``moved`` maps files to the namespaces that kustomizations put their objects into. ``elsewhere`` are inventories of
    other states, which count for nobody here.
    """

    name: str
    why: str
    objects: tuple[ApiObject, ...]
    settings: Settings
    namespaces: Mapping[str, Mapping[str, str]]
    inventories: tuple[Inventory, ...]
    workloads: Workloads
    elsewhere: tuple[Inventory, ...] = ()
    unrendered: Mapping[str, str] = field(default_factory=dict)
    moved: Mapping[str, frozenset[str]] = field(default_factory=dict)
    opened: Mapping[str, str] = field(default_factory=dict)
    unknowns: tuple[Unknown, ...] = ()

    @cached_property
    def by_ref(self) -> Mapping[ObjectRef, ApiObject]:
        """The objects by the identity that findings show."""
        return {each.ref: each for each in self.objects}

    @cached_property
    def documents(self) -> int:
        """How many documents it was made from."""
        return len({(each.file, each.field.document.index) for each in self.objects})

    def may_hold_more(self, namespace: str) -> str:
        """What may add objects to a namespace that are not read here (decision 5); empty where nothing does."""
        return self.opened.get(namespace, self.opened.get("", ""))

    def inventories_for(self, place: Location) -> tuple[Inventory, ...]:
        """The inventory that counts for a workload: the nearest one; none; or several that nobody can choose from."""
        found = self._inventories_for.get(place.file)
        if found is None:
            nearest = nearest_inventories(self.inventories, place.file, self.elsewhere)
            whole = _united(together(*nearest)) if len(nearest) > 1 else None
            found = self._inventories_for[place.file] = nearest if whole is None else (whole,)
        return found

    @cached_property
    def _inventories_for(self) -> dict[str, tuple[Inventory, ...]]:
        """The answers so far, by file."""
        return {}


_united = remembered(united)
"""What several inventories are together, so that the same ones are always the same."""


def build_snapshots(repository: Repository, settings: Sequence[Settings]) -> tuple[Snapshot, ...]:
    """Every snapshot of the repository: each set of alternatives, for each cluster that the settings name."""
    read = [each for each in repository.objects if each.meta.kind in READ_KINDS]
    found = parts(find_alternatives(read, repository.together))
    said = _Said()
    return tuple(
        _snapshot(repository, part, cluster, said, prefix=len(settings) > 1) for part in found for cluster in settings
    )


class _Said:
    """What snapshots say equally is said once: what follows from the very same facts need not be found out again."""

    def __init__(self) -> None:
        self._settings: list[Settings] = []
        self._namespaces: list[Mapping[str, Mapping[str, str]]] = []

    def settings(self, found: Settings) -> Settings:
        """The settings that are equal, and came first."""
        return _first(found, self._settings)

    def namespaces(self, found: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
        """The namespaces that are equal, and came first."""
        return _first(found, self._namespaces)


def _first(found: T, before: list[T]) -> T:
    for each in before:
        if each == found:
            return each
    before.append(found)
    return found


def _snapshot(repository: Repository, part: Part, settings: Settings, said: _Said, *, prefix: bool) -> Snapshot:
    objects = tuple(_once(_belonging(repository, part)))
    settings = said.settings(_with_cni(settings, objects))
    inventories = _inventories(_inventory_objects(objects), settings)
    workloads = read_workloads([each.field for each in objects], settings)
    name = f"{settings.cluster}: {part.name}" if prefix else part.name
    settings = said.settings(replace(settings, assumptions=tuple(_assumptions(settings, objects))))
    return Snapshot(
        name=name,
        why=part.why,
        objects=objects,
        settings=settings,
        namespaces=said.namespaces(_namespaces(objects)),
        inventories=inventories,
        workloads=workloads,
        elsewhere=_elsewhere(repository, objects, settings),
        unrendered={file: by for file, by in repository.transformed.items() if part.holds(file)},
        moved=repository.moved,
        opened=opened(
            objects,
            transformed=repository.transformed,
            templates=any(reading.templates for reading in repository.readings),
            part=part,
        ),
        unknowns=(*workloads.unknowns, *_disputed(objects)),
    )


def _elsewhere(repository: Repository, objects: Sequence[ApiObject], settings: Settings) -> tuple[Inventory, ...]:
    """The inventories of other snapshots: they tell that the repository makes several clusters."""
    here = {each.file for each in objects}
    return _inventories(_inventory_objects(each for each in repository.objects if each.file not in here), settings)


def _inventory_objects(objects: Iterable[ApiObject]) -> tuple[ApiObject, ...]:
    return together(*(each for each in objects if each.meta.kind in INVENTORY_KINDS))


@remembered
def _inventories(objects: tuple[ApiObject, ...], settings: Settings) -> tuple[Inventory, ...]:
    return read_inventories(((each.meta, each.field) for each in objects), settings)


def _belonging(repository: Repository, part: Part) -> Iterator[ApiObject]:
    """Inventories outside every kustomization join every snapshot, the nearest counts (design, section 7.4)."""
    inside: dict[str, bool] = {}
    for each in repository.objects:
        file = each.file
        held = inside.get(file)
        if held is None:
            held = inside[file] = part.holds(file)
        if held or (
            each.meta.kind in INVENTORY_KINDS and file not in repository.together and part.holds(file, everywhere=True)
        ):
            yield each


def _once(objects: Iterable[ApiObject]) -> Iterator[ApiObject]:
    """Copies of one object in several files count once, but each directory's nodes are an inventory of their own."""
    seen: set[Key] = set()
    for each in objects:
        key = None if each.meta.kind in APART else each.key
        if key is None or key not in seen:
            yield each
        if key is not None:
            seen.add(key)


def _with_cni(settings: Settings, objects: Iterable[ApiObject]) -> Settings:
    """The network plugin that nobody stated: Cilium where its policies are in use, else one that nobody knows."""
    if settings.cni.stated or any(each.meta.kind in CILIUM_KINDS for each in objects):
        return settings
    return replace(settings, cni=Cni(name="", version=""))


def _assumptions(settings: Settings, objects: Sequence[ApiObject]) -> Iterator[str]:
    policies = any("Policy" in each.meta.kind for each in objects)
    if policies and not settings.cni.stated:
        if settings.cni.name == "cilium":
            yield f"Cilium {settings.cni.version}: its policies are in use, its version is not stated"
        else:
            yield "a network plugin that follows the NetworkPolicy specification: none is stated"
    if objects and not settings.kubernetes_stated:
        yield f"Kubernetes {settings.kubernetes}: no version is stated"
    if any(_unstated(each) for each in objects):
        yield 'namespace "default" for objects that name none'


def _unstated(each: ApiObject) -> bool:
    return not each.meta.namespace and each.ref.namespace == "default" and each.meta.kind not in INVENTORY_KINDS


def _namespaces(objects: Iterable[ApiObject]) -> Mapping[str, Mapping[str, str]]:
    """Every namespace that is defined or used, with its labels; the API server adds its name as a label."""
    found: dict[str, dict[str, str]] = {}
    for each in objects:
        if each.meta.kind == "Namespace":
            found.setdefault(each.meta.name, {}).update(each.meta.labels)
        elif each.ref.namespace:
            found.setdefault(each.ref.namespace, {})
    return {name: {**labels, "kubernetes.io/metadata.name": name} for name, labels in found.items()}


def _disputed(objects: Iterable[ApiObject]) -> Iterator[Unknown]:
    """Namespaces of which two documents say different things: which of them is applied last, nobody knows."""
    said: dict[tuple[str, str], ApiObject] = {}
    for each in objects:
        for label in each.meta.labels if each.meta.kind == "Namespace" else ():
            before = said.setdefault((each.meta.name, label), each)
            if before.meta.labels[label] != each.meta.labels[label]:
                yield Unknown(
                    subject=f"namespace {each.meta.name}",
                    missing=f"its label {label}: it is {before.meta.labels[label]} in {before.file}, "
                    f"{each.meta.labels[label]} in {each.file}",
                    remedy="define the namespace once",
                    at=each.field.at,
                )
