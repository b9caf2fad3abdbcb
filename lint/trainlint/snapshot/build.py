"""Snapshots: what would be deployed together, with the settings of the cluster that it would be deployed to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Final, TypeVar

from trainlint.deploy.deployment import Release, Way
from trainlint.deploy.kinds import DEPLOYER_KINDS, SOURCE_KINDS
from trainlint.fact import fact, remembered, together
from trainlint.finding import Location, Unknown
from trainlint.installed.changers import changers
from trainlint.installed.read import informed
from trainlint.inventory.read import INVENTORY_KINDS, nearest_inventories, read_inventories, united
from trainlint.kube.meta import Meta
from trainlint.model.pool import Inventory
from trainlint.model.settings import Cni, Settings
from trainlint.model.workload import ObjectRef, Workloads
from trainlint.snapshot.alternatives import Part, find_alternatives, parts
from trainlint.snapshot.carried import carried
from trainlint.snapshot.growing import Cluster, Fleet
from trainlint.snapshot.objects import ApiObject, Key
from trainlint.snapshot.openness import opened
from trainlint.snapshot.repository import HYPERNODE_KINDS, READ_KINDS, Repository
from trainlint.source.document import Field
from trainlint.source.reading import is_kustomization
from trainlint.workload.reading import read_workloads

__all__ = ["Snapshot", "build_snapshots"]

T = TypeVar("T")

APART = INVENTORY_KINDS | {"Namespace"}
SILENT: Final = APART | {kind for _, kind in DEPLOYER_KINDS | SOURCE_KINDS}
"""Kinds that make no state of a cluster by themselves where deployers say what does."""
EVERYWHERE = INVENTORY_KINDS | HYPERNODE_KINDS
CILIUM_KINDS = frozenset({"CiliumCIDRGroup", "CiliumClusterwideNetworkPolicy", "CiliumNetworkPolicy"})


@fact(eq=False, slots=False)
class Snapshot:
    """All facts of one state of one cluster.

    ``unrendered`` maps files to the kustomization that would change their objects: what is read from them is not what
    will be deployed. ``opened`` maps namespaces (empty: all) to what may add objects to them.
    ``moved`` maps files to the namespaces that kustomizations put their objects into. ``elsewhere`` are inventories of
    other states, which count for nobody here. ``read`` says where settings were read that the repository itself states.
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
    read: Mapping[str, Field] = field(default_factory=dict)

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


def build_snapshots(
    repository: Repository, settings: Sequence[Settings], fleet: Fleet | None = None
) -> tuple[Snapshot, ...]:
    """Every snapshot of the repository: each cluster that is known to get a part of it, and what is left over, with
    each of its sets of alternatives for each cluster of which the settings say no paths (design, section 7).
    """
    fleet = fleet or Fleet()
    clusters = fleet.clusters
    said = _Said()
    found = [
        _of_cluster(repository, cluster, stated, fleet, said)
        for cluster in clusters
        for stated in _settings_of(cluster, clusters, settings)
    ]
    taken = frozenset[str]().union(
        *(cluster.files for cluster in clusters), *(each.inventories for each in settings if each.paths)
    )
    left = [each for each in repository.objects if each.file not in taken]
    if clusters and not any(each.meta.kind not in SILENT for each in left):
        return tuple(found)
    general = _general(clusters, settings)
    read = [each for each in left if each.meta.kind in READ_KINDS]
    context = clusters[0] if len(clusters) == 1 else None
    for part in parts(find_alternatives(read, repository.together)):
        found += [
            _left_over(repository, part, left, each, context, fleet, said, prefix=len(general) > 1) for each in general
        ]
    return tuple(found)


def _settings_of(cluster: Cluster, clusters: Sequence[Cluster], settings: Sequence[Settings]) -> tuple[Settings, ...]:
    """The settings of a cluster: those of its name, or those that are for no cluster in particular."""
    named = next((each for each in settings if each.cluster == cluster.name), None)
    if named is not None:
        return (named,)
    return tuple(replace(each, cluster=each.cluster or cluster.name) for each in _general(clusters, settings))


def _general(clusters: Sequence[Cluster], settings: Sequence[Settings]) -> tuple[Settings, ...]:
    """The settings that are bound to no cluster that was found; the defaults where all are."""
    names = {cluster.name for cluster in clusters}
    found = tuple(each for each in settings if not each.paths and each.cluster not in names)
    if found:
        return found
    one = settings[0] if settings else Settings()
    common = Settings(cross_zone_allowed=one.cross_zone_allowed, workloads=one.workloads, groups=one.groups)
    return (common,)


def _of_cluster(repository: Repository, cluster: Cluster, settings: Settings, fleet: Fleet, said: _Said) -> Snapshot:
    """What is deployed to a cluster."""
    own = tuple(_once(cluster.objects))
    nodes = any(each.meta.kind in INVENTORY_KINDS for each in own)
    objects = own if nodes or settings.inventories else (*own, *_platform(repository))
    name = cluster.name if settings.cluster in ("", cluster.name) else f"{settings.cluster}: {cluster.name}"
    return _snapshot(
        repository,
        name,
        cluster.why,
        objects,
        settings,
        said,
        unrendered=cluster.unrendered,
        opened={
            **opened(
                objects,
                transformed=cluster.unrendered,
                rendered=[each for each in repository.rendered if each.root in cluster.files],
                templates=_has_templates(repository, cluster),
                followed=cluster.followed,
            ),
            **cluster.open,
        },
        home=cluster.name if nodes else "",
        releases=[*cluster.releases, *(each for file, each in fleet.charts if _inflates(file, cluster))],
        moved={},
        unknowns=cluster.unknowns,
        assumes=cluster.assumes,
    )


def _has_templates(repository: Repository, cluster: Cluster) -> bool:
    """Whether templates that were not rendered lie in what is deployed to the cluster."""
    paths = [each.path for each in cluster.deployments if each.way is not Way.CHART]
    return any(
        reading.templates
        and reading.file not in repository.rendered_files
        and any(not path or reading.file.startswith(f"{path}/") for path in paths)
        for reading in repository.readings
    )


def _inflates(file: str, cluster: Cluster) -> bool:
    return is_kustomization(file) and cluster.covers(file)


def _platform(repository: Repository) -> Iterator[ApiObject]:
    """The nodes of a cluster that nobody deploys: inventories outside of every kustomization (design, section 7.4)."""
    for each in repository.objects:
        if each.meta.kind in EVERYWHERE and each.file not in repository.together:
            yield each


def _left_over(
    repository: Repository,
    part: Part,
    left: Sequence[ApiObject],
    settings: Settings,
    context: Cluster | None,
    fleet: Fleet,
    said: _Said,
    *,
    prefix: bool,
) -> Snapshot:
    """A part that no deployer names; with the only cluster that there is, where it would have to run."""
    there = context.objects if context is not None else ()
    objects = tuple(_once([*_belonging(left, repository, part), *there]))
    transformed = {file: by for file, by in repository.transformed.items() if part.holds(file)}
    changed = context.unrendered if context is not None else {}
    why = part.why
    if context is not None:
        why = f"no deployer of {context.name}, the only cluster, names it; {why}"
    return _snapshot(
        repository,
        f"{settings.cluster}: {part.name}" if prefix else part.name,
        why,
        objects,
        settings,
        said,
        unrendered={**transformed, **changed},
        opened=opened(
            objects,
            transformed=repository.transformed,
            rendered=repository.rendered,
            templates=any(
                reading.templates and reading.file not in repository.rendered_files for reading in repository.readings
            ),
            part=part,
            followed=context.followed if context is not None else (),
        ),
        moved=repository.moved,
        releases=[
            *(each for file, each in fleet.charts if part.holds(file)),
            *(context.releases if context is not None else ()),
        ],
    )


def _snapshot(
    repository: Repository,
    name: str,
    why: str,
    objects: tuple[ApiObject, ...],
    settings: Settings,
    said: _Said,
    *,
    unrendered: Mapping[str, str],
    opened: Mapping[str, str],
    moved: Mapping[str, frozenset[str]],
    home: str = "",
    releases: Iterable[Release] = (),
    unknowns: Iterable[Unknown] = (),
    assumes: Iterable[str] = (),
) -> Snapshot:
    if settings.namespace:
        objects = tuple(carried(each, namespace=settings.namespace, moves=False) for each in objects)
    found = informed(settings, _evident(objects, repository), releases)
    settings = said.settings(_with_cni(found.settings, objects))
    inventories = _inventories(repository, objects, settings, home)
    workloads = read_workloads([each.field for each in objects], settings)
    namespaces = said.namespaces(_namespaces(objects))
    items = ((each.meta, each.field) for each in objects)
    settings = said.settings(
        replace(settings, assumptions=(*assumes, *found.assumes, *_assumptions(settings, objects)))
    )
    return Snapshot(
        name=name,
        why=why,
        objects=objects,
        settings=settings,
        namespaces=namespaces,
        inventories=inventories,
        workloads=workloads,
        elsewhere=() if settings.inventories or (home and inventories) else _elsewhere(repository, objects, settings),
        unrendered=unrendered,
        moved=moved,
        opened=opened,
        unknowns=(
            *workloads.unknowns,
            *_disputed(objects),
            *found.unknowns,
            *changers(items, workloads.groups, namespaces),
            *unknowns,
        ),
        read=found.read,
    )


def _evident(objects: Iterable[ApiObject], repository: Repository) -> Iterator[tuple[Meta, Field]]:
    """The objects that state settings: what a chart makes that nobody installs does not, its values are anybody's."""
    assumed = {id(document) for root in repository.rendered if root.undeployed for document in root.documents}
    return ((each.meta, each.field) for each in objects if id(each.field.document) not in assumed)


def _inventories(
    repository: Repository, objects: Sequence[ApiObject], settings: Settings, home: str
) -> tuple[Inventory, ...]:
    """The inventories of a snapshot: those of the files that the settings name, or all that are in it.

    What is deployed to the cluster ``home`` and names no other is about its own nodes, wherever it stands.
    """
    if settings.inventories:
        files = frozenset(settings.inventories)
        named = _inventory_objects(each for each in repository.objects if each.file in files)
        return _of_one_cluster(named, settings)
    read = _of_one_cluster if home else _of_any
    found = read(_inventory_objects(objects), settings)
    mine = tuple(each for each in found if each.cluster == home)
    return mine or tuple(each for each in found if not home or not each.cluster) or found


def _elsewhere(repository: Repository, objects: Sequence[ApiObject], settings: Settings) -> tuple[Inventory, ...]:
    """The inventories of other snapshots: they tell that the repository makes several clusters."""
    here = {each.file for each in objects}
    return _of_any(_inventory_objects(each for each in repository.objects if each.file not in here), settings)


def _inventory_objects(objects: Iterable[ApiObject]) -> tuple[ApiObject, ...]:
    return together(*(each for each in objects if each.meta.kind in INVENTORY_KINDS))


@remembered
def _of_any(objects: tuple[ApiObject, ...], settings: Settings) -> tuple[Inventory, ...]:
    return read_inventories(((each.meta, each.field) for each in objects), settings)


@remembered
def _of_one_cluster(objects: tuple[ApiObject, ...], settings: Settings) -> tuple[Inventory, ...]:
    return read_inventories(((each.meta, each.field) for each in objects), settings, together=True)


def _belonging(objects: Iterable[ApiObject], repository: Repository, part: Part) -> Iterator[ApiObject]:
    """What describes nodes, outside every kustomization, joins every snapshot; the nearest counts (design, 7.4)."""
    inside: dict[str, bool] = {}
    for each in objects:
        file = each.file
        held = inside.get(file)
        if held is None:
            held = inside[file] = part.holds(file)
        outside = each.meta.kind in EVERYWHERE and file not in repository.together
        if held or (outside and part.holds(file, everywhere=True)):
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
    if policies and settings.cni.stated and settings.cni.name == "cilium" and not settings.cni.version_stated:
        yield f"Cilium {settings.cni.version}: its version is not stated"
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
