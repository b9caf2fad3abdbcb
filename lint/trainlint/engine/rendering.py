"""What the renderers make of a state: once for each state, between what was read and what is judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trainlint.engine.setup import Setup
from trainlint.model.settings import Settings
from trainlint.snapshot.repository import READ_KINDS
from trainlint.source.builds import Builds
from trainlint.source.files import World
from trainlint.source.prefilter import KindFilter
from trainlint.source.program import kustomize
from trainlint.source.reading import Reading, is_kustomization
from trainlint.source.rendered import Rendered

__all__ = ["rendered"]


def rendered(
    world: World, readings: Sequence[Reading], setup: Setup, builds: Builds, extra: Iterable[str] = ()
) -> tuple[Rendered, ...]:
    """Everything that is rendered; nothing where there is no renderer, or the configuration wants none.

    ``extra`` are directories of kustomizations that somebody deploys by themselves.
    """
    return (*_kustomizations(world, readings, setup, builds, extra), *_charts(world, readings, setup, builds))


def _kustomizations(
    world: World, readings: Sequence[Reading], setup: Setup, builds: Builds, extra: Iterable[str]
) -> tuple[Rendered, ...]:
    if not any(is_kustomization(reading.file) for reading in readings):
        return ()
    program = kustomize() if setup.configuration.render.kustomize else None
    if program is None:
        return ()
    from trainlint.source.kustomize import render  # noqa: PLC0415 (only where there is something to render)

    return render(world, readings, KindFilter(READ_KINDS), builds, program, extra)


def _charts(world: World, readings: Sequence[Reading], setup: Setup, builds: Builds) -> tuple[Rendered, ...]:
    if not setup.configuration.render.helm or not any(file.chart for file in world.files):
        return ()
    from trainlint.source.helm.install import Cluster, served  # noqa: PLC0415 (only where there are charts)
    from trainlint.source.helm.render import render_charts  # noqa: PLC0415
    from trainlint.source.helm.renderer import helm  # noqa: PLC0415

    program = helm()
    if program is None:
        return ()
    cluster = Cluster(_version(setup.settings), served(readings) | _of_plugins(setup.settings))
    return render_charts(world, KindFilter(READ_KINDS), program, store=builds, cluster=cluster)


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
