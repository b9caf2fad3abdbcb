"""Charts rendered by helm: each with its own values, with each values file beside it, or as somebody installs it."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path as Directory
from typing import Any, Final, Protocol

from trainlint.finding import Location, Path, Span, Unknown
from trainlint.source.document import Document
from trainlint.source.files import World
from trainlint.source.helm.chart import Chart, find_charts, in_chart
from trainlint.source.helm.files import ChartFiles, RefusedError
from trainlint.source.helm.install import MAX_VALUES_FILES, Cluster, HelmInstall, by_itself, is_custom
from trainlint.source.helm.manifests import BrokenError, manifests
from trainlint.source.helm.message import complaint
from trainlint.source.helm.origin import Given, Origin, Template
from trainlint.source.helm.renderer import Failed, Program, Request, Worker
from trainlint.source.helm.staging import Staged, stage
from trainlint.source.helm.values import ValuesError, enabled, load_values, merged
from trainlint.source.prefilter import KindFilter
from trainlint.source.rendered import Rendered
from trainlint.source.spans import locate
from trainlint.source.text import NotTextError, decode

__all__ = ["Store", "render_charts"]

TIME_LIMIT: Final = 120.0
"""Seconds that all charts of a repository may take together."""

EACH_RELEASE: Final = 1000
"""Documents of a template are counted from here on in the next release of the chart."""

_ASKED: Final = re.compile(r"APIVersions\.Has\s+\"([^\"]+)\"")


class Store(Protocol):
    """Keeps what was rendered, by a digest of all that it was made from."""

    def get_text(self, digest: str) -> bytes | None:
        """What was kept."""

    def keep_text(self, digest: str, text: bytes) -> None:
        """Keep it."""


def render_charts(
    world: World,
    kinds: KindFilter,
    program: Program,
    *,
    store: Store,
    cluster: Cluster | None = None,
    installs: Sequence[HelmInstall] = (),
) -> tuple[Rendered, ...]:
    """What the charts of a world make. A chart that nobody installs is installed under its own name.

    Only documents of the ``kinds`` are kept. A release that cannot be rendered is ``failed``, and says why.
    """
    found: list[Rendered] = []
    files = ChartFiles(world)
    covered = _templates(world)
    with Worker(program) as worker:
        engine = _Engine(worker, program, store, kinds, cluster or Cluster())
        for chart in find_charts(world):
            here = frozenset(name for home, name in covered if _is_within(home, chart.directory))
            if chart.library:
                found.append(Rendered(chart.file, (), here))
                continue
            said = [each for each in installs if each.chart == chart.directory]
            found += _chart(engine, files, chart, said, here)
    return tuple(found)


def _templates(world: World) -> list[tuple[str, str]]:
    """The templates of all charts, each with its chart."""
    return [(file.chart, file.name) for file in world.files if file.chart]


def _is_within(home: str, chart: str) -> bool:
    return home == chart or home.startswith("charts/" if chart == "." else f"{chart}/charts/")


def _chart(
    engine: _Engine, files: ChartFiles, chart: Chart, said: Sequence[HelmInstall], covered: frozenset[str]
) -> Iterator[Rendered]:
    """The releases of one chart. One that only works with more values than its own is not installed without them."""
    try:
        staged = stage(files, chart)
    except RefusedError as error:
        yield _failed(
            chart, chart.file, Unknown(f"chart {chart.directory}", str(error), error.remedy, _top(chart.file))
        )
        return
    releases = said or by_itself(chart)
    with tempfile.TemporaryDirectory(prefix="trainlint-chart-") as home:
        made = [
            _Release(engine, files, staged, each, number, home).rendered(covered)
            for number, each in enumerate(releases)
        ]
    if not said and len(made) > 1 and made[0].failed and not all(each.failed for each in made):
        del made[0]
    yield from made
    left = len(chart.values_files) - MAX_VALUES_FILES
    if left > 0 and not said:
        missing = (
            f"what it makes with {left} of its {len(chart.values_files)} values files: {MAX_VALUES_FILES} are tried"
        )
        yield _failed(chart, chart.file, Unknown(f"chart {chart.directory}", missing, at=_top(chart.file)))


def _failed(chart: Chart, root: str, unknown: Unknown) -> Rendered:
    return Rendered(root or chart.file, (), frozenset(), (unknown,), failed=True)


def _top(file: str) -> Location:
    return Location(file, 0)


class _Engine:
    """Renders what nobody rendered before, as long as there is time."""

    def __init__(self, worker: Worker, program: Program, store: Store, kinds: KindFilter, cluster: Cluster) -> None:
        self.kinds = kinds
        self.cluster = cluster
        self._worker = worker
        self._identity = program.identity
        self._store = store
        self._until = time.monotonic() + TIME_LIMIT

    def render(self, staged: Staged, home: str, install: HelmInstall, values: Mapping[str, Any]) -> dict[str, str]:
        """What each template makes. Raises Failed."""
        request = Request(
            chart=home,
            name=install.release,
            namespace=install.namespace,
            values=json.dumps(values),
            kube_version=_version(self.cluster.kubernetes),
            api_versions=tuple(sorted(self.cluster.apis)),
        )
        digest = self._digest(staged, request)
        kept = self._store.get_text(digest)
        if kept is not None:
            known: dict[str, Any] = json.loads(kept)
            if "error" in known:
                raise Failed(known["error"])
            return known
        if time.monotonic() > self._until:
            raise Failed(f"it was not tried: the charts before it took {TIME_LIMIT:g} seconds")
        _write(staged, Directory(home))
        made = self._worker.render(request)
        self._store.keep_text(digest, json.dumps(made).encode())
        return made

    def _digest(self, staged: Staged, request: Request) -> str:
        parts = [self._identity, request.name, request.namespace, request.values, request.kube_version]
        digest = hashlib.sha256("\0".join([*parts, *request.api_versions, ""]).encode())
        for name, content in sorted(staged.files.items()):
            digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape") + content)
        return digest.hexdigest()


def _version(stated: str) -> str:
    """``1.33`` as helm wants it."""
    parts = stated.removeprefix("v").split(".")
    return f"v{'.'.join([*parts, '0', '0'][:3])}" if stated else ""


def _write(staged: Staged, home: Directory) -> None:
    """Put the chart on the disk, if it is not there yet."""
    if any(home.iterdir()):
        return
    made: set[Directory] = set()
    for name, content in staged.files.items():
        path = home / name
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        path.write_bytes(content)


class _Release:
    """One release of one chart."""

    def __init__(
        self, engine: _Engine, files: ChartFiles, staged: Staged, install: HelmInstall, number: int, home: str
    ) -> None:
        self._engine = engine
        self._files = files
        self._staged = staged
        self._chart = staged.chart
        self._install = install
        self._first = number * EACH_RELEASE
        self._home = home
        self._root = install.at.file if install.at is not None else self._chart.file
        self._subject = f"chart {self._chart.directory}"
        if install.value_files:
            self._subject += f" with {', '.join(install.value_files)}"
        self._templates: dict[str, Template] = {}
        self._given: dict[str, tuple[Given, ...]] = {}

    def rendered(self, covered: frozenset[str]) -> Rendered:
        """What it makes, or why it makes nothing."""
        try:
            layers = list(self._layers())
            values: dict[str, Any] = {}
            for each in layers:
                values = merged(values, each.data)
            own = self._own("")
            missing = [
                each
                for each in self._staged.missing
                if enabled(each, merged(own.data if own is not None else {}, values))
            ]
            if any(each.imports for each in missing):
                raise Failed("some of its values come from charts that are not there")
            self._given[self._chart.name] = (*((own,) if own is not None else ()), *layers)
        except ValuesError as error:
            return _failed(self._chart, self._root, Unknown(self._subject, str(error), at=_top(self._root)))
        except Failed as error:
            return self._refused(str(error), missing)
        try:
            made = self._engine.render(self._staged, self._home, self._install, values)
            documents, places = self._documents(made)
        except Failed as error:
            return self._refused(str(error), missing)
        except BrokenError as error:
            return self._refused(f"{error.template}:1: {error}", missing)
        unknowns = tuple(self._absent(each) for each in missing)
        return Rendered(self._root, documents, covered, unknowns, places=places, assumptions=tuple(self._assumed()))

    def _layers(self) -> Iterator[Given]:
        """The values that are given to the chart, what counts most last. Raises ValuesError."""
        for name in self._install.value_files:
            try:
                content = self._files.read(name)
            except RefusedError as error:
                raise ValuesError(str(error)) from None
            if content is None:
                raise ValuesError(f"the values file {name} is not there")
            try:
                yield Given(_top(name), load_values(content))
            except ValuesError as error:
                raise ValuesError(f"{name}: {error}") from None
        inline = self._install.values
        if isinstance(inline, dict):
            yield Given(self._install.values_at or self._install.at or _top(self._root), inline)

    def _own(self, home: str) -> Given | None:
        """The values of the chart in a directory of the copy; those of a packed chart stand nowhere."""
        content = self._staged.files.get(f"{home}values.yaml")
        if content is None:
            return None
        try:
            data = load_values(content)
        except ValuesError:
            return None  # helm says what is wrong with it
        name = self._staged.names.get(f"{home}values.yaml", "")
        return Given(_top(name), data)

    def _documents(self, made: Mapping[str, str]) -> tuple[tuple[Document, ...], dict[tuple[str, int], Any]]:
        documents: list[Document] = []
        places: dict[tuple[str, int], Any] = {}
        counted: Counter[str] = Counter()
        for index, each in enumerate(manifests(made, self._engine.kinds)):
            template, bring = self._template(each.template)
            number = self._first + counted[template.file]
            counted[template.file] += 1
            origin = Origin(template, number, each.loaded.data, self._seen(each.template), bring)
            places[template.file, number] = origin.span if bring is None else self._entry(bring)
            documents.append(
                Document(
                    self._root,
                    self._first + index + 1,
                    1,
                    each.text,
                    each.loaded.data,
                    each.loaded.duplicates,
                    origin,
                )
            )
        return tuple(documents), places

    def _entry(self, bring: Location) -> Callable[[Path], tuple[Path, Span]]:
        """Where a packed chart is brought in stands for all that it makes."""

        def span(path: Path) -> tuple[Path, Span]:
            text = _text(self._files.read(bring.file) or b"")
            return path, locate(Document(bring.file, 0, 1, text, None), bring.path)[1]

        return span

    def _template(self, called: str) -> tuple[Template, Location | None]:
        """A template as helm names it; of a packed chart, with the place that brings it in."""
        name, bring = self._staged.source(called)
        known = self._templates.get(called)
        if known is None:
            inside = self._staged.inside(called)
            file = name or (bring.file if bring is not None else self._chart.file)
            known = self._templates[called] = Template(file, lambda: _text(self._staged.files.get(inside, b"")))
        return known, bring if not name else None

    def _seen(self, called: str) -> tuple[Given, ...]:
        return self._given_to(self._staged.home(called))

    def _given_to(self, home: str) -> tuple[Given, ...]:
        """The values that a chart sees, as helm names it: its own, and what those above give to it."""
        if home not in self._given:
            parent, _, alias = home.rpartition("/charts/")
            above = self._given_to(parent) if parent else ()
            own = self._own(self._staged.homes.get(home, ""))
            passed = (Given(each.at, each.data, (*each.prefix, alias)) for each in above)
            self._given[home] = (*((own,) if own is not None else ()), *passed)
        return self._given[home]

    def _refused(self, text: str, missing: Sequence[Any]) -> Rendered:
        """It makes nothing: helm's message, at the line that it names."""
        said = complaint(text, self._home)
        name, bring = self._staged.source(said.template) if said.template else ("", None)
        at = _top(name) if name else bring or _top(self._root)
        span = Span(said.line, 1, said.line, 2) if name and said.line else None
        message = said.text
        remedy = (
            f"put the values that it is installed with beside it ({self._example()}), or lint what it makes: "
            f"helm template {self._chart.directory} --values FILE | trainlint check -"
        )
        if missing:
            names = ", ".join(each.name for each in missing)
            message += f"; the charts that it brings in are not there ({names})"
            remedy = self._build()
        unknown = Unknown(self._subject, f"it does not render: {message}", remedy, at, span)
        return _failed(self._chart, self._root, unknown)

    def _example(self) -> str:
        return in_chart(self._chart.directory, "values-prod.yaml")

    def _build(self) -> str:
        return (
            f"run `helm dependency build {self._chart.directory}` before linting: "
            "its charts/ is read, also where Git ignores it"
        )

    def _absent(self, dependency: Any) -> Unknown:
        where = dependency.repository or "its charts/ directory"
        missing = f"what the chart {dependency.name} adds, which it brings in from {where}: it is not in the repository"
        return Unknown(self._subject, missing, self._build(), dependency.at)

    def _assumed(self) -> Iterator[str]:
        """The questions that templates ask about the cluster, with the answers that they got."""
        asked: dict[str, None] = {}
        for name, content in self._staged.files.items():
            if b"APIVersions" in content and "/templates/" in f"/{name}":
                asked.update(dict.fromkeys(filter(is_custom, _ASKED.findall(_text(content)))))
        for api in sorted(asked):
            if api in self._engine.cluster.apis:
                yield f"the cluster serves {api}, which the repository uses: templates of charts ask for it"
            else:
                yield f"the cluster does not serve {api}, which the repository does not use: templates of charts ask"


def _text(content: bytes) -> str:
    try:
        return decode(content)
    except NotTextError:
        return ""
