"""The values that the charts of one release see: what is given, and their own below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trainlint.finding import Location
from trainlint.source.helm.files import ChartFiles, RefusedChartError
from trainlint.source.helm.install import HelmInstall
from trainlint.source.helm.origin import Given
from trainlint.source.helm.staging import StagedChart
from trainlint.source.helm.values import ValuesError, load_values, merged

__all__ = ["ReleaseValues"]


class ReleaseValues:
    """The values of one release. Raises ValuesError where a values file is not there, or is none."""

    def __init__(self, files: ChartFiles, staged: StagedChart, install: HelmInstall) -> None:
        self._staged = staged
        self._layers = tuple(_layers(files, staged, install))
        self._known: dict[str, tuple[Given, ...]] = {}

    @property
    def given(self) -> dict[str, Any]:
        """What is given to the chart over its own values."""
        values: dict[str, Any] = {}
        for each in self._layers:
            values = merged(values, each.data)
        return values

    @property
    def all(self) -> dict[str, Any]:
        """What is given, and the chart's own values below it."""
        own = self._own("")
        return merged(own.data, self.given) if own is not None else self.given

    def seen(self, home: str) -> Sequence[Given]:
        """The values that a chart sees, named as helm names it; what counts most last."""
        if home not in self._known:
            parent, _, alias = home.rpartition("/charts/")
            above = self.seen(parent) if parent else self._layers
            passed = (Given(each.at, each.data, (*each.prefix, alias)) for each in above) if parent else self._layers
            own = self._own(self._staged.homes.get(home, ""))
            self._known[home] = (*((own,) if own is not None else ()), *passed)
        return self._known[home]

    def _own(self, home: str) -> Given | None:
        """The values of the chart in a directory of the copy; those of a packed chart stand in no file."""
        content = self._staged.files.get(f"{home}values.yaml")
        if content is None:
            return None
        try:
            data = load_values(content)
        except ValuesError:
            return None  # helm says what is wrong with it
        return Given(Location(self._staged.names.get(f"{home}values.yaml", ""), 0), data)


def _layers(files: ChartFiles, staged: StagedChart, install: HelmInstall) -> Iterator[Given]:
    for name in install.value_files:
        try:
            content = files.read(name)
        except RefusedChartError as error:
            raise ValuesError(str(error)) from None
        if content is None:
            raise ValuesError(f"the values file {name} is not there")
        try:
            yield Given(Location(name, 0), load_values(content))
        except ValuesError as error:
            raise ValuesError(f"{name}: {error}") from None
    if isinstance(install.values, dict):
        yield Given(install.values_at or install.at or Location(staged.chart.file, 0), install.values)
