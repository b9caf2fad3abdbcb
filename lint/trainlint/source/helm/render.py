"""Charts rendered by helm: each with its own values, with each values file beside it, or as a deployer installs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trainlint.finding import Location, Unknown
from trainlint.source.helm.chart import Chart, find_charts, local_home
from trainlint.source.helm.engine import Copy, Engine, Store
from trainlint.source.helm.files import ChartFiles, RefusedChartError
from trainlint.source.helm.install import MAX_VALUES_FILES, HelmInstall, TemplateCluster, by_itself
from trainlint.source.helm.release import ChartRelease, Numbers, failed
from trainlint.source.helm.renderer import HelmProgram, Worker
from trainlint.source.helm.staging import stage
from trainlint.source.prefilter import KindFilter
from trainlint.source.rendered_root import RenderedRoot
from trainlint.source.world import World

__all__ = ["render_charts"]

ASSUMED = (
    'charts that no deployer installs: under their own names, in the namespace "default", with their own values and '
    "with each values file that stands with them"
)


def render_charts(
    world: World,
    kinds: KindFilter,
    program: HelmProgram,
    *,
    store: Store,
    cluster: TemplateCluster | None = None,
    installs: Sequence[HelmInstall] = (),
) -> tuple[RenderedRoot, ...]:
    """What the charts of a world make. One that nothing installs, and no other one brings in, is installed under its
    own name.

    Only documents of the ``kinds`` are kept. A release that cannot be rendered is ``failed``, and says why.
    """
    found: list[RenderedRoot] = []
    files = ChartFiles(world)
    templates = [(file.chart, file.name) for file in world.files if file.chart]
    with Worker(program) as worker:
        each_chart = _Charts(Engine(worker, program, store, cluster or TemplateCluster()), files, kinds)
        charts = find_charts(world)
        parts = {local_home(each, chart.directory) for chart in charts for each in chart.dependencies}
        for chart in charts:
            covered = frozenset(name for home, name in templates if _is_within(home, chart.directory))
            stated = [each for each in installs if each.chart == chart.directory]
            if chart.library:
                found.append(RenderedRoot(chart.file, (), covered))
            elif stated or chart.directory not in parts:
                found += each_chart.releases(chart, stated, covered)
    return tuple(found)


def _is_within(home: str, chart: str) -> bool:
    return home == chart or home.startswith("charts/" if chart == "." else f"{chart}/charts/")


class _Charts:
    """Renders one chart after the other."""

    def __init__(self, engine: Engine, files: ChartFiles, kinds: KindFilter) -> None:
        self._engine = engine
        self._files = files
        self._kinds = kinds
        self._numbers = Numbers()

    def releases(self, chart: Chart, stated: Sequence[HelmInstall], covered: frozenset[str]) -> Iterator[RenderedRoot]:
        """The releases of a chart. One that only works with more values than its own is not installed without."""
        subject = f"chart {chart.directory}"
        try:
            staged = stage(self._files, chart)
        except RefusedChartError as error:
            yield failed(chart.file, chart.directory, subject, str(error), error.remedy, Location(chart.file, 0))
            return
        releases = stated or by_itself(chart)
        with Copy() as copy:
            made = [
                ChartRelease(self._files, staged, each, copy, self._numbers, deployed=bool(stated)).rendered(
                    self._engine, self._kinds, covered | staged.templates
                )
                for each in releases
            ]
        if not stated and len(made) > 1 and made[0].failed and not all(each.failed for each in made):
            del made[0]
        for each in made:
            if each.documents and not stated:
                yield replace(each, assumptions=(ASSUMED, *each.assumptions), undeployed=True)
            else:
                yield each
        left = len(chart.values_files) - MAX_VALUES_FILES
        if left > 0 and not stated:
            missing = f"what it makes with {left} of its {len(chart.values_files)} values files"
            command = "helm template --values FILE | trainlint check -"
            remedy, at = f"lint what it makes with them: {command}", Location(chart.file, 0)
            unknown = Unknown(subject, missing, remedy, at, command=command)
            yield RenderedRoot(chart.file, (), frozenset(), (unknown,))
