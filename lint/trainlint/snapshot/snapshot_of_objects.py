"""One snapshot: the settings, nodes and workloads that follow from the objects of one state of one cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from trainlint.finding import Path, Unknown
from trainlint.installed.definitions import GROUPS
from trainlint.installed.kinds import EVIDENT_KINDS, enforces, may_admit
from trainlint.installed.known_settings import KnownSettings
from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.kube.meta import Meta
from trainlint.model.because import Because
from trainlint.model.namespace import Namespaces
from trainlint.model.settings import Settings
from trainlint.model.workload import Workloads
from trainlint.snapshot.closed_kinds import Opening
from trainlint.snapshot.cluster_assumptions import assumptions, with_cni
from trainlint.snapshot.interning import Interning
from trainlint.snapshot.namespaces import disputed, namespaces_of
from trainlint.snapshot.nodes import inventories_elsewhere, inventories_of
from trainlint.snapshot.objects import ApiObject, Key
from trainlint.snapshot.omissions import OmittedObjects
from trainlint.snapshot.platform_evidence import with_platform
from trainlint.snapshot.repository import Repository
from trainlint.snapshot.snapshot import Snapshot
from trainlint.source.document import Document, Field
from trainlint.source.prefilter import DEFINITION
from trainlint.workload.kinds import workload_kind
from trainlint.workload.reading import read_workloads

if TYPE_CHECKING:
    from trainlint.deploy.deployment import Release
    from trainlint.installed.gates import Gate, RefusedByPolicy
    from trainlint.inventory.external_inventory import GivenNodes
    from trainlint.model.pool import Inventory
    from trainlint.snapshot.substituted_variables import EmptiedVariables

__all__ = ["APART", "once", "snapshot_of"]

_NONE: Final[Mapping[str, frozenset[str]]] = {}
APART = INVENTORY_KINDS | {"Namespace", DEFINITION}
"""Kinds of which several objects of one name are no copies: each directory has nodes, or CRDs, of its own."""


def snapshot_of(
    repository: Repository,
    name: str,
    why: str,
    objects: tuple[ApiObject, ...],
    settings: Settings,
    interning: Interning,
    *,
    unrendered: Mapping[str, str],
    opened: Mapping[str, Opening],
    moved: Mapping[str, frozenset[str]],
    home: str = "",
    releases: Iterable[Release] = (),
    unknowns: Iterable[Unknown] = (),
    assumes: Iterable[Because] = (),
    emptied: Iterable[EmptiedVariables] = (),
    rest: OmittedObjects | None = None,
    given: tuple[GivenNodes, ...] = (),
    names: Iterable[str] = (),
    together: Mapping[str, frozenset[str]] = _NONE,
) -> Snapshot:
    """The snapshot of these objects under these settings, or the one that was known before where it is the same."""
    if settings.namespace:
        from trainlint.snapshot.delivery import carried  # noqa: PLC0415 (as are all that only clusters need)

        objects = tuple(carried(each, namespace=settings.namespace, moves=False) for each in objects)
    found = _informed(settings, objects, repository, tuple(releases))
    settings = interning.settings(with_cni(found.settings, objects))
    inventories = interning.inventories(inventories_of(repository, objects, settings, home))
    inventories, given = _with_given(inventories, given, set(names) - {""})
    every = (*inventories, *(each.inventory for each in given))
    settings, sign = with_platform(settings, every, objects, tuple(releases))
    alone = bool(settings.inventories or (home and inventories))
    elsewhere = () if alone else inventories_elsewhere(repository, objects, settings)
    settings, unread = _defined(settings, objects, repository)
    stated, doubts = settings, (*disputed(objects), *found.unknowns, *unread, *unknowns)
    assumed = (*assumes, *found.assumes, *sign, *assumptions(stated, objects, inventories))
    settings = interning.settings(replace(stated, assumptions=assumed))
    before = interning.known.get(name)
    if before is not None and before.is_same(
        objects,
        (*inventories, *elsewhere),
        doubts,
        (why, settings, dict(unrendered), dict(opened), dict(together)),
        rest,
    ):
        return before
    workloads = read_workloads([each.field for each in objects], stated)
    namespaces = interning.namespaces(namespaces_of(objects))
    found_gates, refused = _admission(objects, workloads, namespaces)
    return Snapshot(
        name=name,
        why=why,
        objects=objects,
        settings=settings,
        namespaces=namespaces,
        inventories=inventories,
        workloads=workloads,
        elsewhere=elsewhere,
        unrendered=unrendered,
        moved=moved,
        opened=opened,
        unknowns=(*workloads.unknowns, *doubts, *(each.unknown() for each in found_gates)),
        gates=found_gates,
        refused=refused,
        read=found.read,
        emptied=tuple(emptied),
        rest=rest,
        given=given,
        together=together,
    )


def _with_given(
    inventories: tuple[Inventory, ...], given: tuple[GivenNodes, ...], names: set[str]
) -> tuple[tuple[Inventory, ...], tuple[GivenNodes, ...]]:
    """The inventories with nodes that are given for one of them, and those that are given for the whole cluster."""
    if not given:
        return inventories, ()
    from trainlint.snapshot.external_nodes import nodes_of, shared_out  # noqa: PLC0415 (only where nodes are given)

    described = {each.cluster for each in inventories}
    return shared_out(nodes_of(given, names | described if names else set()), inventories, names)


def _informed(
    settings: Settings, objects: Sequence[ApiObject], repository: Repository, releases: tuple[Release, ...]
) -> KnownSettings:
    """The settings with what the objects state. A chart that nothing installs states nothing: its values are
    unknown.
    """
    if not releases and EVIDENT_KINDS.isdisjoint(each.meta.kind for each in objects):
        return KnownSettings(settings)
    from trainlint.installed.read import informed  # noqa: PLC0415

    assumed = {id(document) for root in repository.rendered if root.undeployed for document in root.documents}
    evident = ((each.meta, each.field) for each in objects if id(each.field.document) not in assumed)
    return informed(settings, evident, releases)


def _defined(
    settings: Settings, objects: Sequence[ApiObject], repository: Repository
) -> tuple[Settings, tuple[Unknown, ...]]:
    """The settings with the CRDs of the kinds that are used, and what is not known of these."""
    if not any(each.meta.kind == DEFINITION for each in objects):
        return settings, ()
    from trainlint.installed.definitions import definitions  # noqa: PLC0415 (few repositories hold CRDs)
    from trainlint.workload.custom_kinds import description_of  # noqa: PLC0415

    def is_judged(meta: Meta) -> bool:
        return (
            workload_kind(meta.api_version, meta.kind) is not None
            or meta.api_group in GROUPS
            or description_of(settings.workloads, meta) is not None
        )

    def document_of(item: Field) -> Document | None:
        return repository.document_at(item.document.at((*item.path, "spec", "group")))

    found, unknowns = definitions(((each.meta, each.field) for each in objects), is_judged, document_of)
    return replace(settings, definitions=found) if found else settings, unknowns


def _admission(
    objects: Sequence[ApiObject], workloads: Workloads, namespaces: Namespaces
) -> tuple[tuple[Gate, ...], tuple[RefusedByPolicy, ...]]:
    """What may change or refuse pods of groups when they are created, and what policies refuse of all workloads."""
    if not workloads.objects or not any(may_admit(each.meta) or enforces(each.meta) for each in objects):
        return (), ()
    from trainlint.installed.gates import admission_of  # noqa: PLC0415 (few repositories hold admission objects)

    return admission_of(((each.meta, each.field) for each in objects), workloads, namespaces)


def once(objects: Iterable[ApiObject]) -> Iterator[ApiObject]:
    """Copies of one object in several files count once, but each directory's nodes are an inventory of their own.

    What two paths of a cluster bring, one within the other, is one object too, where a placeholder keeps its name or
    namespace from being known.
    """
    seen: set[Key | tuple[int, Path, str]] = set()
    for each in objects:
        known = None if each.meta.kind in APART else each.key
        key = known or (id(each.field.document), each.field.path, each.meta.namespace)
        if key not in seen:
            yield each
        seen.add(key)
