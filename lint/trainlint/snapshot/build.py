"""Snapshots: what would be deployed together, with the settings of the cluster that it would be deployed to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from trainlint.fact import fact
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
        nearest = nearest_inventories(self.inventories, place.file, self.elsewhere)
        if len(nearest) < 2:
            return nearest
        key = tuple(map(id, nearest))
        if key not in self._united:
            self._united[key] = united(nearest)
        together = self._united[key]
        return nearest if together is None else (together,)

    @cached_property
    def _united(self) -> dict[tuple[int, ...], Inventory | None]:
        """What several inventories are together, so that the same ones are always the same."""
        return {}


def build_snapshots(
    repository: Repository, settings: Sequence[Settings], known: Iterable[Snapshot] = ()
) -> tuple[Snapshot, ...]:
    """Every snapshot of the repository: each set of alternatives, for each cluster that the settings name.

    Of ``known`` snapshots, those that would come out the same are taken as they are.
    """
    before = {each.name: each for each in known}
    read = [each for each in repository.objects if each.meta.kind in READ_KINDS]
    found = parts(find_alternatives(read, repository.together))
    return tuple(
        _snapshot(repository, part, cluster, before, prefix=len(settings) > 1) for part in found for cluster in settings
    )


def _snapshot(
    repository: Repository, part: Part, settings: Settings, known: Mapping[str, Snapshot], *, prefix: bool
) -> Snapshot:
    objects = tuple(_once(each for each in repository.objects if _belongs(each, part, repository)))
    name = f"{settings.cluster}: {part.name}" if prefix else part.name
    unrendered = {file: by for file, by in repository.transformed.items() if part.holds(file)}
    templates = any(reading.templates for reading in repository.readings)
    opened_by = opened(objects, transformed=repository.transformed, templates=templates, part=part)
    settings = _with_cni(settings, objects)
    before = known.get(name)
    if before is not None and _is_same(before, objects) and (before.why, before.opened) == (part.why, opened_by):
        return before
    inventories = read_inventories(((each.meta, each.field) for each in objects), settings)
    workloads = read_workloads([each.field for each in objects], settings)
    settings = replace(settings, assumptions=tuple(_assumptions(settings, objects)))
    return Snapshot(
        name=name,
        why=part.why,
        objects=objects,
        settings=settings,
        namespaces=_namespaces(objects),
        inventories=inventories,
        workloads=workloads,
        elsewhere=_elsewhere(repository, objects, settings),
        unrendered=unrendered,
        moved=repository.moved,
        opened=opened_by,
        unknowns=(*workloads.unknowns, *_disputed(objects)),
    )


def _is_same(known: Snapshot, objects: Sequence[ApiObject]) -> bool:
    """Whether a snapshot holds the very same objects, of the very same documents."""
    return len(known.objects) == len(objects) and all(
        one.field.document is other.field.document and one.field.path == other.field.path
        for one, other in zip(known.objects, objects, strict=True)
    )


def _elsewhere(repository: Repository, objects: Sequence[ApiObject], settings: Settings) -> tuple[Inventory, ...]:
    """The inventories of other snapshots: they tell that the repository makes several clusters."""
    here = {each.file for each in objects}
    others = [(each.meta, each.field) for each in repository.objects if each.file not in here]
    return read_inventories(others, settings)


def _belongs(item: ApiObject, part: Part, repository: Repository) -> bool:
    """Inventories outside every kustomization join every snapshot, the nearest counts (design, section 7.4)."""
    everywhere = item.meta.kind in INVENTORY_KINDS and item.file not in repository.together
    return part.holds(item.file, everywhere=everywhere)


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
