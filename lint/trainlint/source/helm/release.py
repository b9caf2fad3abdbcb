"""One release of one chart: what it makes, or why it makes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from trainlint.finding import Location, Path, Span, Unknown
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import Document
from trainlint.source.helm.chart import Dependency, in_chart
from trainlint.source.helm.engine import Copy, Engine
from trainlint.source.helm.files import ChartFiles
from trainlint.source.helm.install import HelmInstall, is_custom
from trainlint.source.helm.manifests import BrokenError, manifests
from trainlint.source.helm.message import complaint
from trainlint.source.helm.origin import TemplateOrigin, TemplateText
from trainlint.source.helm.release_values import ReleaseValues
from trainlint.source.helm.renderer import Failed
from trainlint.source.helm.staging import StagedChart
from trainlint.source.helm.values import ValuesError, enabled
from trainlint.source.prefilter import KindFilter
from trainlint.source.rendered_root import RenderedRoot
from trainlint.source.spans import locate
from trainlint.source.text import NotTextError, decode

__all__ = ["ChartRelease", "Numbers", "failed"]

FIRST: Final = 1000
"""Documents that stand in a file for what it brings in are counted from here on: below are its own."""

_ASKED: Final = lazy_pattern(r"APIVersions\.Has\s+\"([^\"]+)\"")

Spanned = Callable[[Path], tuple[Path, Span]]


class Numbers(Counter[str]):
    """How many documents stand for a file by now: each has an index of its own."""

    def next(self, file: str, first: int = 0) -> int:
        """The index of the next one."""
        self[file] += 1
        return first + self[file] - 1


class ChartRelease:
    """``copy`` is one of the chart for helm, ``files`` reads what else it needs. Where it is not ``deployed``,
    the values that the chart itself leaves empty are not given.
    """

    def __init__(
        self,
        files: ChartFiles,
        staged: StagedChart,
        install: HelmInstall,
        copy: Copy,
        numbers: Numbers,
        *,
        deployed: bool,
    ) -> None:
        self._files = files
        self._staged = staged
        self._install = install
        self._deployed = deployed
        self._copy = copy
        self._numbers = numbers
        self._chart = staged.chart
        self._root = install.at.file if install.at is not None else self._chart.file
        with_files = f" with {', '.join(install.value_files)}" if install.value_files else ""
        self._subject = f"chart {self._chart.directory}{with_files}"
        self._templates: dict[str, TemplateText] = {}

    def rendered(self, engine: Engine, kinds: KindFilter, covered: frozenset[str]) -> RenderedRoot:
        """What it makes of the ``kinds``; ``covered`` are the templates that it stands for."""
        try:
            values = ReleaseValues(self._files, self._staged, self._install)
        except ValuesError as error:
            return failed(
                self._root, self._chart.directory, self._subject, str(error), "fix it", Location(self._root, 0)
            )
        missing = [each for each in self._staged.missing if enabled(each, values.all)]
        if any(each.imports for each in missing):
            return self._refused("it takes values from charts that are not there", missing)
        try:
            made = engine.render(self._staged, self._copy, self._install, values.given)
            documents, places = self._documents(made, kinds, values)
        except Failed as error:
            return self._refused(str(error), missing)
        except BrokenError as error:
            return self._refused(f"{error.template}:1: {error}", missing)
        unknowns = tuple(self._absent(each) for each in missing)
        assumptions = tuple(self._assumed(engine.cluster.apis))
        return RenderedRoot(
            self._root,
            documents,
            covered,
            unknowns,
            places=places,
            assumptions=assumptions,
            chart=self._chart.directory,
            at=self._install.at,
        )

    def _documents(
        self, made: Mapping[str, str], kinds: KindFilter, values: ReleaseValues
    ) -> tuple[tuple[Document, ...], dict[tuple[str, int], Spanned]]:
        documents: list[Document] = []
        places: dict[tuple[str, int], Spanned] = {}
        for each in manifests(made, kinds):
            template, brought = self._template(each.template)
            number = self._numbers.next(f"in {template.file}", FIRST if brought is not None else 0)
            seen = values.seen(self._staged.home(each.template))
            origin = TemplateOrigin(template, number, each.loaded.data, seen)
            places[template.file, number] = origin.span if brought is None else self._entry(brought)
            index = self._numbers.next(self._root, FIRST)
            data = each.loaded.data if self._deployed else origin.with_blanks()
            documents.append(Document(self._root, index, 1, each.text, data, each.loaded.duplicates, origin))
        return tuple(documents), places

    def _template(self, called: str) -> tuple[TemplateText, Location | None]:
        """A template as helm names it; one of a packed chart stands at the place that brings it in."""
        name, brought = self._staged.source(called)
        if name:
            brought = None
        known = self._templates.get(called)
        if known is None:
            content = self._staged.files.get(self._staged.inside(called), b"")
            file = name or (brought.file if brought is not None else self._chart.file)
            known = self._templates[called] = TemplateText(file, lambda: _text(content))
        return known, brought

    def _entry(self, brought: Location) -> Spanned:
        """Where a packed chart is brought in stands for all that it makes."""

        def span(path: Path) -> tuple[Path, Span]:
            text = _text(self._files.read(brought.file) or b"")
            return path, locate(Document(brought.file, 0, 1, text, None), brought.path)[1]

        return span

    def _refused(self, text: str, missing: Sequence[Dependency]) -> RenderedRoot:
        """It makes nothing: helm's message, at the line that it names."""
        said = complaint(text)
        name, brought = self._staged.source(said.template) if said.template else ("", None)
        at = Location(name, 0) if name else brought or Location(self._root, 0)
        span = Span(said.line, 1, said.line, 2) if name and said.line else None
        message, (remedy, command) = said.text, self._values_needed()
        if missing:
            message += f"; charts that it brings in are not there ({', '.join(each.name for each in missing)})"
            remedy, command = self._build()
        return failed(self._root, self._chart.directory, self._subject, message, remedy, at, span, command)

    def _values_needed(self) -> tuple[str, str]:
        example = in_chart(self._chart.directory, "values-prod.yaml")
        command = f"helm template {self._chart.directory} --values FILE | trainlint check -"
        return (
            f"put the values that it is installed with beside it ({example}), or lint what it makes: {command}",
            command,
        )

    def _build(self) -> tuple[str, str]:
        command = f"helm dependency build {self._chart.directory}"
        return f"run `{command}` before linting: its charts/ is read, also where Git ignores it", command

    def _absent(self, dependency: Dependency) -> Unknown:
        where = dependency.repository or "its charts/ directory"
        subject = f"the chart {dependency.name} from {where}, in {self._subject}"
        command = "helm dependency build"
        remedy = f"run `{command}` before linting: the charts/ that it fills is read, also where Git ignores it"
        return Unknown(subject, "the chart is not in the repository", remedy, dependency.at, command=command)

    def _assumed(self, apis: frozenset[str]) -> Iterator[str]:
        """The questions that templates ask about the cluster, with the answers that they got."""
        asked: dict[str, None] = {}
        for name, content in self._staged.files.items():
            if b"APIVersions" in content and "/templates/" in f"/{name}":
                asked.update(dict.fromkeys(filter(is_custom, _ASKED.findall(_text(content)))))
        for api in sorted(asked):
            if api in apis:
                yield f"the cluster serves {api}, which the repository uses: templates of charts ask for it"
            else:
                yield f"the cluster does not serve {api}, which the repository does not use: templates of charts ask"


def failed(
    root: str,
    chart: str,
    subject: str,
    why: str,
    remedy: str,
    at: Location,
    span: Span | None = None,
    command: str = "",
) -> RenderedRoot:
    """A release of a chart (its directory) of which nothing could be rendered."""
    unknown = Unknown(subject, f"its rendered objects: {why}", remedy, at, span, command)
    return RenderedRoot(root, (), frozenset(), (unknown,), why, chart=chart)


def _text(content: bytes) -> str:
    try:
        return decode(content)
    except NotTextError:
        return ""
