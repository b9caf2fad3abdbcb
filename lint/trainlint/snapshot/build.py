"""Snapshots: what would be deployed together, with the settings of the cluster that it would be deployed to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from trainlint.deploy.kinds import DEPLOYER_KINDS, SOURCE_KINDS
from trainlint.installed.kinds import may_admit
from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.model.settings import Settings
from trainlint.snapshot.alternative_parts import parts
from trainlint.snapshot.alternative_sets import find_alternatives
from trainlint.snapshot.alternatives import Sides, SnapshotPart
from trainlint.snapshot.closed_kinds import opened
from trainlint.snapshot.interning import Interning
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.snapshot.multikueue_jobs import handing_on
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.objects_of_parts import EVERYWHERE, Partition
from trainlint.snapshot.omissions import OmittedObjects, WorldParts
from trainlint.snapshot.repository import Repository
from trainlint.snapshot.snapshot import Snapshot
from trainlint.snapshot.snapshot_of_objects import APART, once, snapshot_of
from trainlint.source.prefilter import DEFINITION
from trainlint.source.reading import is_kustomization
from trainlint.source.testdata import home_of_test
from trainlint.workload.kinds import is_training

if TYPE_CHECKING:
    from trainlint.deploy.deployment import Release
    from trainlint.inventory.external_inventory import GivenNodes
    from trainlint.snapshot.cluster_builder import Cluster, Fleet

__all__ = ["Snapshot", "build_snapshots"]

Charts = Sequence[tuple[str, "Release"]]
"""Charts that are installed, each with the file that says so."""

SILENT: Final = APART | {DEFINITION} | {kind for _, kind in DEPLOYER_KINDS | SOURCE_KINDS}
"""Kinds that make no state of a cluster by themselves where deployers say what does."""


def build_snapshots(
    repository: Repository,
    settings: Sequence[Settings],
    fleet: Fleet | None = None,
    known: Iterable[Snapshot] = (),
    nodes: tuple[GivenNodes, ...] = (),
) -> tuple[Snapshot, ...]:
    """Every snapshot of the repository: each cluster that is known to get a part of it, and what is left over, with
    each of its sets of alternatives for each cluster of which the settings say no paths (design, section 7).

    Of ``known`` snapshots, those that would come out the same are taken as they are. ``nodes`` are not in Git.

    Raises:
        UsageError: an Inventory is wrong, or nodes were given of a cluster that is not there.
    """
    clusters = handing_on(fleet.clusters) if fleet is not None else ()
    charts = fleet.charts if fleet is not None else ()
    interning = Interning(known)
    nodes = _assigned(nodes, repository, clusters, settings)
    found = [
        _of_cluster(repository, cluster, stated, charts, interning, nodes)
        for cluster in clusters
        for stated in _settings_of(cluster, clusters, settings)
    ]
    taken = frozenset[str]().union(
        *(cluster.files for cluster in clusters), *(each.inventories for each in settings if each.paths)
    )
    homes = repository.test_homes
    left = [each for each in repository.objects if each.file not in taken and not home_of_test(each.file, homes)]
    general = _general(clusters, settings)
    tests = _tests(repository, general[0], interning) if homes else ()
    if clusters and not any(each.meta.kind not in SILENT for each in left):
        return (*found, *tests)
    read = [each for each in left if each.meta.kind in READ_KINDS or may_admit(each.meta)]
    context = clusters[0] if len(clusters) == 1 else None
    alternatives = find_alternatives(read, repository.together, repository.places, repository.transformed)
    sides = Sides(alternatives, repository.places)
    dealt = Partition(left if alternatives else (), repository, sides)
    made = parts(alternatives, sides, objects=len(left))
    world = WorldParts(left, sides, made) if alternatives else None
    for part in made:
        rest = OmittedObjects(part, world) if world is not None else None
        own = dealt.to(part) if alternatives else left  # without alternatives everything is one part
        changed = dealt.transformed(part) if alternatives else repository.transformed
        found += [
            _left_over(
                repository, part, own, changed, each, context, charts, interning, rest, nodes, prefix=len(general) > 1
            )
            for each in general
        ]
    return (*found, *tests)


def _tests(repository: Repository, settings: Settings, interning: Interning) -> Iterator[Snapshot]:
    """Each directory of a test tool that makes pods of a training kind: a world of its own (decision 11)."""
    own: dict[str, list[ApiObject]] = {}
    for each in repository.objects:
        if home := home_of_test(each.file, repository.test_homes):
            own.setdefault(home, []).append(each)
    for home, objects in sorted(own.items()):
        if any(is_training(each.meta.api_version, each.meta.kind) for each in objects):
            changed = {file: by for file, by in repository.transformed.items() if file.startswith(home)}
            yield snapshot_of(
                repository,
                f"test {home.rstrip('/')}",
                "a test tool applies what lies there, and nothing else",
                tuple(once(objects)),
                settings,
                interning,
                unrendered=changed,
                opened=opened(objects, transformed=changed, rendered=(), templates=False),
                moved=repository.moved,
            )


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


def _of_cluster(
    repository: Repository,
    cluster: Cluster,
    settings: Settings,
    charts: Charts,
    interning: Interning,
    given: tuple[GivenNodes, ...],
) -> Snapshot:
    """What is deployed to a cluster."""
    own = tuple(once(cluster.objects))
    nodes = any(each.meta.kind in INVENTORY_KINDS for each in own)
    objects = own if nodes or settings.inventories else (*own, *_platform(repository))
    name = cluster.name if settings.cluster in ("", cluster.name) else f"{settings.cluster}: {cluster.name}"
    return snapshot_of(
        repository,
        name,
        cluster.why,
        objects,
        settings,
        interning,
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
        given=given,
        names={cluster.name, settings.cluster},
        releases=[*cluster.releases, *(each for file, each in charts if _inflates(file, cluster))],
        moved={},
        unknowns=cluster.unknowns,
        assumes=cluster.assumes,
        emptied=cluster.emptied,
        together={cluster.name: cluster.files},
    )


def _has_templates(repository: Repository, cluster: Cluster) -> bool:
    """Whether templates that were not rendered lie in what is deployed to the cluster."""
    return any(
        reading.templates and reading.file not in repository.rendered_files and cluster.covers(reading.file)
        for reading in repository.readings
    )


def _inflates(file: str, cluster: Cluster) -> bool:
    return is_kustomization(file) and cluster.covers(file)


def _platform(repository: Repository) -> Iterator[ApiObject]:
    """The nodes that no deployer brings: inventories outside of every kustomization (design, section 7.4)."""
    for each in repository.objects:
        if each.meta.kind in EVERYWHERE and each.file not in repository.together:
            yield each


def _left_over(
    repository: Repository,
    part: SnapshotPart,
    own: Sequence[ApiObject],
    transformed: Mapping[str, str],
    settings: Settings,
    context: Cluster | None,
    charts: Charts,
    interning: Interning,
    rest: OmittedObjects | None,
    given: tuple[GivenNodes, ...],
    *,
    prefix: bool,
) -> Snapshot:
    """A part that no deployer names; with the only cluster that there is, where it would have to run."""
    there = context.objects if context is not None else ()
    objects = tuple(once([*own, *there]))
    changed = context.unrendered if context is not None else {}
    why = part.why
    if context is not None:
        why = f"no deployer of {context.name}, the only cluster, names it; {why}"
    return snapshot_of(
        repository,
        f"{settings.cluster}: {part.name}" if prefix else part.name,
        why,
        objects,
        settings,
        interning,
        unrendered={**transformed, **changed},
        opened=opened(
            objects,
            transformed=transformed,
            rendered=repository.rendered,
            templates=repository.has_templates,
            part=part,
            followed=context.followed if context is not None else (),
        ),
        moved=repository.moved,
        rest=rest,
        given=given,
        names={settings.cluster, *([context.name] if context is not None else [])},
        releases=[
            *(each for file, each in charts if part.holds(file)),
            *(context.releases if context is not None else ()),
        ],
        emptied=context.emptied if context is not None else (),
        together=repository.reached,
    )


def _assigned(
    nodes: tuple[GivenNodes, ...], repository: Repository, clusters: Sequence[Cluster], settings: Sequence[Settings]
) -> tuple[GivenNodes, ...]:
    """The nodes with the cluster that each is of. Raises UsageError."""
    if not nodes:
        return ()
    from trainlint.snapshot.external_nodes import assigned  # noqa: PLC0415 (only where nodes are given)

    return assigned(nodes, repository, clusters, settings)
