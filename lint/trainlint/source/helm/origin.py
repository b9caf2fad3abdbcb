"""Where the values of a rendered object were written: in the template, or in the values file that it takes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Location, Path, Span
from trainlint.source.helm.lines import ACTION, LineNode, action_text, sections
from trainlint.source.helm.places import TemplatePlace, choose, find, span_of
from trainlint.source.helm.reference import EACH, Steps
from trainlint.source.helm.unset_values import blank_texts, with_blanks

__all__ = ["Given", "TemplateOrigin", "TemplateText"]

_GLOBAL: Final = "global"


@fact(eq=False)
class Given:
    """Values that are given to a chart: where they begin, and which of them the chart in question sees (``prefix``)."""

    at: Location
    data: Any
    prefix: Steps = ()


class TemplateText:
    """The text of one template, read when the place of something in it is asked for."""

    def __init__(self, file: str, read: Callable[[], str]) -> None:
        self.file = file
        self._read = read

    @cached_property
    def lines(self) -> list[str]:
        """Its lines."""
        return self._read().split("\n")

    @cached_property
    def sections(self) -> tuple[LineNode, ...]:
        """Its documents."""
        return sections(self._read())

    @cached_property
    def blanks(self) -> frozenset[str]:
        """What its values are where the actions in them print nothing."""
        return blank_texts(self.sections)


class TemplateOrigin:
    """Called with a path of a rendered object, it tells where that was written.

    ``given`` are the values that the template saw, what counts most last. What a template takes from them unchanged
    stands there: that is the line to change. All else stands in the template, as the document ``index`` of it.
    """

    def __init__(self, template: TemplateText, index: int, data: Any, given: Sequence[Given]) -> None:
        self._template = template
        self._index = index
        self._data = data
        self._given = given
        self._known: dict[Path, Location] = {}

    @property
    def place(self) -> Location:
        """The object itself."""
        return Location(self._template.file, self._index)

    def __call__(self, path: Path) -> Location:
        """Where the value at a path was written."""
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = self._location(path)
        return found

    def key(self, path: Path) -> Location:
        """Where the key at the end of a path was written: in the template, wherever its value is taken from, unless all
        that it stands among is taken.
        """
        return self(path[:-1]).child(path[-1]) if path else self.place

    def span(self, path: Path) -> tuple[Path, Span]:
        """The nearest place at or above a path that is in the template, and its span."""
        found, node = self._place(path)
        return found, span_of(node, self._template.lines)

    def with_blanks(self) -> Any:
        """The rendered object, with placeholders for values that are not given."""
        return with_blanks(self._data, self._template.blanks, self._written) if self._template.blanks else self._data

    def _written(self, path: Path) -> LineNode | None:
        reached, node = self._place(path)
        return node if reached == path else None

    @cached_property
    def _section(self) -> LineNode:
        return choose(self._template.sections, self._data)

    def _place(self, path: Path) -> TemplatePlace:
        return find(self._section, self._data, path)

    def _location(self, path: Path) -> Location:
        value, depth = self._value(path)
        here, rest = path[:depth], path[depth:]  # what is not there stands at its nearest parent
        if here:
            reached, node = self._place(here)
            inside = here[len(reached) :]
            for steps in _steps(node, inside):
                for given, below in _seen(steps[1:], self._given):
                    there = list(_alternatives(given.data, below + inside))
                    same = next((where for where, written in there if _same(written, value)), None)
                    if same is not None and given.at.file:
                        return given.at.child(*same, *rest)
                    if there:
                        break  # it is made of another value than this one
        return self.place.child(*path)

    def _value(self, path: Path) -> tuple[Any, int]:
        """The value at a path, or at its nearest parent that is there, and how many steps lead to that."""
        value = self._data
        for depth, step in enumerate(path):
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return value, depth
        return value, len(path)


def _steps(node: LineNode, inside: Path) -> Iterator[Steps]:
    """The value that a node takes over as it is, alone (``{{ .Values.workers }}``) or with all below it."""
    if not node.inserts and not node.value and not inside and len(node.children) == 1 and node.insertions:
        node = node.children[0]  # all that stands under the key
    if node.inserts:
        found = node.scope.single(node.value)
    elif inside and node.children:
        return
    else:
        text = node.value.strip().strip("\"'")
        action = ACTION.fullmatch(text)
        found = node.scope.single(action_text(action)) if action is not None else None
    if found is not None:
        yield found


def _seen(steps: Steps, given: Sequence[Given]) -> Iterator[tuple[Given, Path]]:
    """Where a chart's value may be given, what counts most first."""
    for each in reversed(given):
        yield each, (steps if steps[:1] == (_GLOBAL,) else (*each.prefix, *steps))


def _alternatives(data: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """The values at a path; at ``EACH`` of all elements."""
    found: Iterable[tuple[Path, Any]] = [((), data)]
    for step in path:
        found = [
            ((*above, key), below)
            for above, value in found
            for key, below in (_entries(value) if step == EACH else _entry(value, step))
        ]
    matches = list(found)
    if len(matches) == 1 or EACH not in path:
        yield from matches
        return
    for where, value in matches:
        if sum(_same(value, other) for _, other in matches) == 1:
            yield where, value


def _entry(value: Any, step: str | int) -> Iterator[tuple[str | int, Any]]:
    try:
        yield step, value[step]
    except (KeyError, IndexError, TypeError):
        return


def _entries(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are written alike: quoting makes texts of numbers."""
    if isinstance(one, dict | list) or isinstance(other, dict | list):
        return bool(one == other)
    return _text(one) == _text(other)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)
