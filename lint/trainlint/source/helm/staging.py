"""A chart with all charts inside it, as helm is to find it: unpacked, complete as far as the repository goes."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from trainlint.finding import Location
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.helm.archive import unpacked
from trainlint.source.helm.chart import (
    CHART_FILE,
    REQUIREMENTS,
    Chart,
    Dependency,
    dependencies_of,
    local_home,
    yaml_mapping,
)
from trainlint.source.helm.files import MAX_FILES, ChartFiles, RefusedChartError
from trainlint.source.helm.schema import is_closed
from trainlint.source.text import NotTextError, decode

__all__ = ["StagedChart", "stage"]

_ARCHIVE: Final = lazy_pattern(r"((?:.*/)?charts/)[^/]+\.tgz", re.DOTALL)
_PRINTED: Final = lazy_pattern(r"(?:charts/[^/]+/)*(?:templates|files)/")
_NAME: Final = lazy_pattern(r"\w[\w.-]*")
_MAX_DEPTH: Final = 8
MAX_CHARTS: Final = 500
"""Charts that one brings in, each as often as it does; public ones have a hundred at most."""
MAX_BYTES: Final = 128 << 20
"""Bytes of a chart with all that it brings in, unpacked."""


@dataclass(eq=False)
class StagedChart:
    """``files`` by their names in the copy; ``names`` says which file of the world each is, if one.

    ``missing`` are the dependencies that the repository does not hold; ``packed`` maps a chart inside this one, as
    helm names it (``train/charts/common``), to where it is brought in, for those that no file of the world is for.
    ``homes`` maps each of helm's names of a chart to its directory in the copy. ``charts`` and ``size`` (bytes)
    count what was collected, each chart as often as it is brought in.
    """

    chart: Chart
    files: dict[str, bytes] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    missing: list[Dependency] = field(default_factory=list)
    packed: dict[str, Location] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)
    charts: int = 0
    size: int = 0

    @property
    def templates(self) -> frozenset[str]:
        """The files of the world that it renders, and those that by custom are there for templates to print."""
        return frozenset(name for inside, name in self.names.items() if _PRINTED.match(inside))

    def home(self, template: str) -> str:
        """The chart of a template, both as helm names them."""
        home = posixpath.dirname(template)
        while home and home not in self.homes:
            home = posixpath.dirname(home)
        return home or self.chart.name

    def inside(self, template: str) -> str:
        """The name in the copy of a template as helm names it."""
        home = self.home(template)
        return f"{self.homes[home]}{template.removeprefix(f'{home}/')}"

    def source(self, template: str) -> tuple[str, Location | None]:
        """The file of the world that helm names so, or the place that brings in its chart; empty without either."""
        return self.names.get(self.inside(template), ""), self.packed.get(self.home(template))


def stage(files: ChartFiles, chart: Chart) -> StagedChart:
    """Everything that helm needs for one chart.

    Raises:
        RefusedError: a file or link that is not read.
    """
    staged = StagedChart(chart)
    _add(staged, files, chart.directory, "", 0)
    for name in [name for name in staged.files if posixpath.basename(name) == "values.schema.json"]:
        if not is_closed(staged.files[name]):  # helm would fetch what it refers to, or read it from the disk
            del staged.files[name]
    staged.homes[chart.name] = ""
    _name_homes(staged, chart.name, "", chart.dependencies, 0)
    return staged


def _add(staged: StagedChart, files: ChartFiles, directory: str, prefix: str, depth: int) -> None:
    for inside, (name, content) in files.below(directory).items():
        staged.files[prefix + inside] = content
        staged.names[prefix + inside] = name
        staged.size += len(content)
    staged.charts += 1
    if staged.charts > MAX_CHARTS or len(staged.files) > MAX_FILES or staged.size > MAX_BYTES:
        raise RefusedChartError(
            f"with the charts that it brings in it is more than {MAX_CHARTS} charts, {MAX_FILES} files or "
            f"{MAX_BYTES >> 20} MiB",
            "bring in less",
        )
    _unpack(staged.files, prefix)
    present = dict(_inside(staged.files, prefix))
    local, missing = set(), set()
    for each in _dependencies(staged.files, prefix, directory):
        if each.name in present:
            continue
        home = _local(each, directory)
        if home and depth < _MAX_DEPTH and files.holds(home) and not f"{directory}/".startswith(f"{home}/"):
            _add(staged, files, home, f"{prefix}charts/{each.name}/", depth + 1)
            local.add(each.name)
        else:
            staged.missing.append(each)
            missing.add(each.name)
    if local or missing:
        _rewrite(staged.files, prefix, local, missing)


def _local(dependency: Dependency, directory: str) -> str:
    """The directory of a dependency that is in the repository; empty for one that is elsewhere."""
    home = local_home(dependency, directory)
    if home and not _NAME.fullmatch(dependency.name):
        raise RefusedChartError(f"{dependency.name!r} is no name for a chart", "fix its dependencies")
    if home.startswith(("/", "~", "..")):
        raise RefusedChartError(
            f"its dependency {dependency.name} is outside of the repository ({dependency.repository})",
            "put it into the repository",
        )
    return home


def _unpack(files: dict[str, bytes], prefix: str) -> None:
    for _ in range(_MAX_DEPTH):
        archives = [
            (name, found[1]) for name in files if name.startswith(prefix) and (found := _ARCHIVE.fullmatch(name))
        ]
        if not archives:
            return
        for name, home in archives:
            left = MAX_BYTES - sum(map(len, files.values()))
            for inside, content in unpacked(name, files.pop(name), left).items():
                files.setdefault(home + inside, content)


def _inside(files: Mapping[str, bytes], prefix: str) -> Iterator[tuple[str, str]]:
    """The charts directly inside one: the name of each, and its directory in the copy."""
    for name in files:
        inside = name.removeprefix(prefix)
        if name.startswith(f"{prefix}charts/") and inside.count("/") == 2 and inside.endswith(f"/{CHART_FILE}"):
            said = yaml_mapping(_text(files[name])).get("name")
            yield str(said), name.removesuffix(CHART_FILE)


def _dependencies(files: Mapping[str, bytes], prefix: str, home: str) -> tuple[Dependency, ...]:
    said = yaml_mapping(_text(files.get(f"{prefix}{CHART_FILE}", b"")))
    more = yaml_mapping(_text(files.get(f"{prefix}{REQUIREMENTS}", b"")))
    return dependencies_of(said, more, home)


def _rewrite(files: dict[str, bytes], prefix: str, local: set[str], missing: set[str]) -> None:
    """Leave out dependencies that are not there, and take those of the repository in whatever version they are."""
    for name in (f"{prefix}{CHART_FILE}", f"{prefix}{REQUIREMENTS}"):
        said = yaml_mapping(_text(files.get(name, b"")))
        entries = said.get("dependencies")
        if isinstance(entries, list):
            kept: list[Any] = []
            for entry in entries:
                known = entry.get("name") if isinstance(entry, dict) else None
                if known in local:
                    kept.append({**entry, "version": ">=0.0.0-0"})
                elif known not in missing:
                    kept.append(entry)
            files[name] = json.dumps({**said, "dependencies": kept}).encode()


def _name_homes(staged: StagedChart, named: str, prefix: str, dependencies: tuple[Dependency, ...], depth: int) -> None:
    """What helm calls the charts inside one: by their alias, else by their name."""
    if depth > _MAX_DEPTH:
        return
    for name, home in list(_inside(staged.files, prefix)):
        said: list[Dependency] = [each for each in dependencies if each.name == name]
        calls: list[tuple[str, Location | None]] = [(each.alias or name, each.at) for each in said]
        for alias, at in calls or [(name, None)]:
            called = f"{named}/charts/{alias}"
            staged.homes[called] = home
            if len(staged.homes) > MAX_CHARTS:
                raise RefusedChartError(f"it brings in more than {MAX_CHARTS} charts", "bring in less")
            if f"{home}{CHART_FILE}" not in staged.names:
                known = at if at is not None and at.file else staged.packed.get(named)
                staged.packed[called] = staged.packed.get(named) or known or Location(staged.chart.file, 0)
            world = posixpath.dirname(staged.names.get(f"{home}{CHART_FILE}", "")) or "."
            _name_homes(staged, called, home, _dependencies(staged.files, home, world), depth + 1)


def _text(content: bytes) -> str:
    try:
        return decode(content)
    except NotTextError:
        return ""
