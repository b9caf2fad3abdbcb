"""What the renderers make of a state: once for each state, between what was read and what is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from trainlint.engine.setup import Setup
from trainlint.snapshot.repository import READ_KINDS
from trainlint.source.builds import Builds
from trainlint.source.files import World
from trainlint.source.prefilter import KindFilter
from trainlint.source.program import kustomize
from trainlint.source.reading import Reading, is_kustomization
from trainlint.source.rendered import Deployed, Rendered

__all__ = ["rendered"]


def rendered(
    world: World,
    readings: Sequence[Reading],
    setup: Setup,
    builds: Builds,
    tell: Callable[[str, int, int], None],
    extra: Iterable[Deployed] = (),
) -> tuple[Rendered, ...]:
    """Everything that is rendered; nothing where there is no renderer, or the configuration wants none.

    ``extra`` are directories of kustomizations that somebody deploys by themselves. ``tell`` is told what is done.
    """
    if not any(is_kustomization(reading.file) for reading in readings):
        return ()
    program = kustomize() if setup.configuration.render.kustomize else None
    if program is None:
        return ()
    from trainlint.source.kustomize import render  # noqa: PLC0415 (only where there is something to render)

    return render(world, readings, KindFilter(READ_KINDS), builds, program, extra, tell)
