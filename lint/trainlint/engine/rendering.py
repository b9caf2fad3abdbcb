"""What the renderers make of a state: once for each state, between what was read and what is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from trainlint.deploy.kinds import DEPLOYER_KINDS
from trainlint.engine.setup import Setup
from trainlint.model.settings import Settings
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.snapshot.repository import Repository, read_repository
from trainlint.source.build_cache import Builds
from trainlint.source.kustomize_program import kustomize
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import Reading, is_kustomization
from trainlint.source.rendered_root import BuildRoot, RenderedRoot
from trainlint.source.world import World

if TYPE_CHECKING:
    from trainlint.deploy.deployment import Release
    from trainlint.finding import Location
    from trainlint.snapshot.cluster_builder import Fleet
    from trainlint.source.helm.install import HelmInstall
    from trainlint.source.kustomization_faults import BuildFault

__all__ = ["rendered_repository"]


Tell = Callable[[str, int, int], None]

DEPLOYERS: Final = frozenset(kind for _, kind in DEPLOYER_KINDS)
MAX_ROUNDS: Final = 5
"""How deep deployers may lie in what others render: an app of apps of charts takes three."""


def rendered_repository(
    world: World, readings: Sequence[Reading], setup: Setup, builds: Builds, tell: Tell
) -> tuple[Repository, Fleet | None]:
    """The repository with everything rendered that can be, and what is deployed of it.

    Nothing is rendered where there is no renderer, or the configuration wants none.

    What is rendered may hold deployers, which name more that must be rendered: kustomizations by themselves, charts
    with the values of who installs them. ``tell`` is told what is done.
    """

    faults = _faults(world, readings)

    def read(*rendered: RenderedRoot) -> Repository:
        names = [file.name for file in world.files]
        return read_repository(readings, names, world.real, rendered, faults, lambda engine: _is_missing(engine, setup))

    kustomizations = _kustomizations(world, readings, setup, builds, tell)
    repository = read(*kustomizations, *_charts(world, readings, setup, builds))
    if not _deploys(repository, setup.settings):
        return repository, None
    from trainlint.deploy.remotes import addressed, archived  # noqa: PLC0415
    from trainlint.deploy.sources import Sources, remotes_of  # noqa: PLC0415
    from trainlint.snapshot.cluster_builder import deployed_unbuilt  # noqa: PLC0415
    from trainlint.snapshot.conflicting_deployers import conflicts  # noqa: PLC0415
    from trainlint.snapshot.fleet import find_fleet  # noqa: PLC0415 (most repositories have no deployers)
    from trainlint.snapshot.rendering_plan import RenderingPlan, planned  # noqa: PLC0415
    from trainlint.source.library import Library  # noqa: PLC0415

    written = [(each.meta, each.field) for each in repository.objects]
    sources = Sources(
        Library(world.files), lambda: remotes_of(world.root), lambda: addressed(written), lambda: archived(written)
    )
    plan, fleet = RenderingPlan(), find_fleet(repository, setup.settings, sources)
    for _ in range(MAX_ROUNDS):
        before, plan = plan, planned(repository, fleet.clusters)
        more = _kustomizations(world, readings, setup, builds, tell, plan.kustomizations)
        if plan.charts == before.charts and _same(more, kustomizations):
            break  # everything that is named is rendered
        kustomizations = more
        repository = read(*more, *_charts(world, readings, setup, builds, tuple(_installs(plan.charts))))
        fleet = find_fleet(repository, setup.settings, sources)
    fought, failed = tuple(conflicts(fleet.clusters)), tuple(deployed_unbuilt(repository.unbuilt, fleet.clusters))
    lost = tuple(dict.fromkeys(each for cluster in fleet.clusters for each in cluster.emptied))
    found = replace(
        repository,
        duplicates=(*repository.duplicates, *fought),
        unknowns=(*repository.unknowns, *fleet.unknowns),
        unbuilt=failed,
        emptied=lost,
    )
    return found, fleet


def _faults(world: World, readings: Sequence[Reading]) -> Mapping[str, tuple[BuildFault, ...]]:
    """What keeps kustomizations from being built, seen from outside."""
    if not any(is_kustomization(reading.file) for reading in readings):
        return {}
    from trainlint.source.kustomization_faults import faults  # noqa: PLC0415 (only where there are kustomizations)

    return faults(world, readings)


def _same(one: Iterable[RenderedRoot], other: Iterable[RenderedRoot]) -> bool:
    """Whether the same was rendered: who deploys a root may let it read more files."""
    return [(each.root, each.overlay, each.failure) for each in one] == [
        (each.root, each.overlay, each.failure) for each in other
    ]


def _deploys(repository: Repository, settings: Iterable[Settings]) -> bool:
    """Whether anything says what goes where."""
    return any(each.paths for each in settings) or any(
        each.meta.kind in DEPLOYERS and (each.meta.api_group, each.meta.kind) in DEPLOYER_KINDS
        for each in repository.objects
    )


def _installs(charts: Iterable[tuple[Release, Location | None]]) -> Iterator[HelmInstall]:
    """How deployers install charts, where all of their values are known."""
    from trainlint.source.helm.install import HelmInstall  # noqa: PLC0415 (only where there are charts)
    from trainlint.source.helm.values import merged  # noqa: PLC0415

    for release, at in charts:
        if any(each.missing for each in release.values):
            continue
        files: list[str] = []
        values: dict[str, Any] = {}
        place: Location | None = None
        for each in release.values:
            if each.field is None:
                continue
            if each.file and not values:
                files.append(each.file)
            else:
                values, place = merged(values, each.field.value), each.field.at
        yield HelmInstall(
            release.path or ".",
            release.name,
            release.namespace or "default",
            tuple(files),
            values or None,
            values_at=place,
            at=at,
        )


def _kustomizations(
    world: World, readings: Sequence[Reading], setup: Setup, builds: Builds, tell: Tell, extra: Iterable[BuildRoot] = ()
) -> tuple[RenderedRoot, ...]:
    if not any(is_kustomization(reading.file) for reading in readings):
        return ()
    program = kustomize() if setup.configuration.render.kustomize else None
    if program is None:
        return ()
    from trainlint.source.kustomize import render  # noqa: PLC0415 (only where there is something to render)

    return render(world, readings, KindFilter(READ_KINDS), builds, program, extra, tell)


def _charts(
    world: World, readings: Sequence[Reading], setup: Setup, builds: Builds, installs: Sequence[HelmInstall] = ()
) -> tuple[RenderedRoot, ...]:
    if not setup.configuration.render.helm or not any(file.chart for file in world.files):
        return ()
    from trainlint.source.helm.install import TemplateCluster, served  # noqa: PLC0415 (only where there are charts)
    from trainlint.source.helm.render import render_charts  # noqa: PLC0415
    from trainlint.source.helm.renderer import helm  # noqa: PLC0415

    program = helm()
    if program is None:
        return ()
    cluster = TemplateCluster(_version(setup.settings), served(readings) | _of_plugins(setup.settings))
    return render_charts(world, KindFilter(READ_KINDS), program, store=builds, cluster=cluster, installs=installs)


def _is_missing(engine: str, setup: Setup) -> bool:
    """Whether a renderer is wanted and none was found."""
    if engine == "kustomize":
        return setup.configuration.render.kustomize and kustomize() is None
    from trainlint.source.helm.renderer import helm  # noqa: PLC0415 (only where there are charts)

    return setup.configuration.render.helm and helm() is None


def _version(settings: Sequence[Settings]) -> str:
    """The version of Kubernetes that templates are told: of several the oldest, which has the least."""
    stated = [each.kubernetes for each in settings if each.kubernetes_stated]
    return min(stated or [each.kubernetes for each in settings], key=_numbers)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]


def _of_plugins(settings: Sequence[Settings]) -> frozenset[str]:
    """The APIs of a network plugin that the configuration names."""
    if not any(each.cni.stated and each.cni.name == "cilium" for each in settings):
        return frozenset()
    kinds = ("CiliumClusterwideNetworkPolicy", "CiliumNetworkPolicy")
    return frozenset({"cilium.io/v2", *(f"cilium.io/v2/{kind}" for kind in kinds)})
