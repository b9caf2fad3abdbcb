"""The charts of a world: what each is called, which values files stand with it, and what it depends on."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load
from trainlint.source.text import NotTextError, decode
from trainlint.source.world import CHART_FILE, SourceFile, World
from trainlint.source.yaml_values import Loaded

__all__ = [
    "CHART_FILE",
    "Chart",
    "Dependency",
    "dependencies_of",
    "find_charts",
    "in_chart",
    "local_home",
    "yaml_mapping",
]

REQUIREMENTS: Final = "requirements.yaml"
"""Where charts of the first API version keep their dependencies."""

_VALUES: Final = lazy_pattern(r"(?:[^/]*[-._])?values(?:[-._][^/]*)?\.ya?ml")
_LOCAL: Final = "file://"
_HOMES: Final = ("", "ci/", "values/")
"""Where values files stand with a chart; ``ci/`` is where chart-testing looks."""


@fact
class Dependency:
    """A chart that another one brings in, and where that is written.

    ``conditions`` and ``tags`` are the values that switch it off; ``imports`` says that its values become the parent's.
    """

    name: str
    repository: str
    at: Location
    alias: str = ""
    conditions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    imports: bool = False


@fact
class Chart:
    """``directory`` is its name below the world's root (``.`` for the root itself), ``values_files`` are those beside
    its own ``values.yaml``. A ``library`` makes no objects of its own.
    """

    directory: str
    name: str
    library: bool = False
    dependencies: tuple[Dependency, ...] = ()
    values_files: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """Its Chart.yaml."""
        return in_chart(self.directory, CHART_FILE)


def in_chart(directory: str, name: str) -> str:
    """The name, below the world's root, of a file of a chart."""
    return posixpath.normpath(posixpath.join(directory, name))


def find_charts(world: World) -> tuple[Chart, ...]:
    """The charts that are no part of another one, by directory. One whose Chart.yaml says no name is none."""
    files = {file.name: file for file in world.files}
    homes = sorted(posixpath.dirname(name) or "." for name in files if posixpath.basename(name) == CHART_FILE)
    known = set(homes)
    names = sorted(files)
    found = []
    for home in homes:
        if _is_part(home, known):
            continue
        chart_yaml = yaml_mapping(_text(files[in_chart(home, CHART_FILE)]))
        name = chart_yaml.get("name")
        if isinstance(name, str) and name:
            requirements = files.get(in_chart(home, REQUIREMENTS))
            more = yaml_mapping(_text(requirements)) if requirements is not None else {}
            found.append(
                Chart(
                    home,
                    name,
                    library=chart_yaml.get("type") == "library",
                    dependencies=dependencies_of(chart_yaml, more, home),
                    values_files=tuple(_values_files(home, names)),
                )
            )
    return tuple(found)


def _is_part(home: str, known: set[str]) -> bool:
    """Whether a chart lies in another one: as its dependency, or among its templates and files."""
    above = home
    while above not in (".", ""):
        above = posixpath.dirname(above) or "."
        if above in known:
            inside = home if above == "." else home.removeprefix(f"{above}/")
            if f"{inside}/".startswith(("charts/", "templates/", "files/", "crds/")):
                return True
    return False


def local_home(dependency: Dependency, directory: str) -> str:
    """The directory that a dependency of the chart in ``directory`` names in the repository; empty for another one.

    It may lead out of the repository (``../``) or to an absolute place.
    """
    if not dependency.repository.startswith(_LOCAL):
        return ""
    path = dependency.repository.removeprefix(_LOCAL)
    return path if path.startswith(("/", "~")) else in_chart(directory, path)


def _values_files(home: str, names: list[str]) -> Iterator[str]:
    prefix = "" if home == "." else f"{home}/"
    for name in names:
        if not name.startswith(prefix):
            continue
        inside = name.removeprefix(prefix)
        folder, slash, last = inside.rpartition("/")
        if folder + slash not in _HOMES or inside in ("values.yaml", CHART_FILE, REQUIREMENTS):
            continue
        if _VALUES.fullmatch(last) or (folder == "values" and last.endswith((".yaml", ".yml"))):
            yield name


def dependencies_of(
    chart_yaml: Mapping[str, Any], requirements: Mapping[str, Any], home: str
) -> tuple[Dependency, ...]:
    """What Chart.yaml (or, for an older chart, requirements.yaml) says that a chart brings in."""
    found = []
    for file, mapping in ((CHART_FILE, chart_yaml), (REQUIREMENTS, requirements)):
        entries = mapping.get("dependencies")
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
                continue
            tags = entry.get("tags")
            found.append(
                Dependency(
                    entry["name"],
                    str(entry.get("repository") or ""),
                    Location(in_chart(home, file), 0, ("dependencies", index)),
                    alias=str(entry.get("alias") or ""),
                    conditions=tuple(filter(None, str(entry.get("condition") or "").replace(" ", "").split(","))),
                    tags=tuple(map(str, tags)) if isinstance(tags, list) else (),
                    imports=bool(entry.get("import-values")),
                )
            )
    return tuple(found)


def yaml_mapping(text: str) -> dict[str, Any]:
    """The mapping that a text is; empty for anything else."""
    try:
        loaded: Loaded = load(text)
    except (YamlError, TooDeepError):
        return {}
    return loaded.data if isinstance(loaded.data, dict) else {}


def _text(file: SourceFile) -> str:
    try:
        return decode(file.read())
    except (OSError, NotTextError):
        return ""
