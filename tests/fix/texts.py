"""Documents in many hands: one value, written in every style that people write manifests in."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from trainlint.source.document import Document
from trainlint.source.loader import load

__all__ = ["document", "paths", "texts", "values", "written"]

keys = st.sampled_from(["a", "app", "nodeSelector", "x-y", "topology.kubernetes.io/zone", "on", "1", "with space"])
scalars = st.one_of(
    st.sampled_from(["v", "true", "1.10", "a: b", "x # y", "", "zone-a", "it's", 'say "so"', "é"]),
    st.integers(-3, 300),
    st.booleans(),
    st.none(),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=8,
)
roots = st.dictionaries(keys, values, min_size=1, max_size=4)


def document(text: str, file: str = "a.yaml") -> Document:
    """A document as the reader makes it."""
    loaded = load(text)
    return Document(file, 0, 1, text, loaded.data, loaded.duplicates)


def paths(value: Any, here: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every path of a value but the top."""
    found: list[tuple[str | int, ...]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in items:
        found += [(*here, step), *paths(inner, (*here, step))]
    return found


@st.composite
def texts(draw: st.DrawFn) -> tuple[Any, str]:
    """A value and a text of it: block or flow, any indentation, comments with tabs, quotes of both kinds."""
    value = draw(roots)
    return value, written(draw, value)


def written(draw: st.DrawFn, value: dict[str, Any]) -> str:
    """A text of a value."""
    writer = _Writer(draw, step=draw(st.integers(1, 5)), dash=draw(st.integers(0, 3)))
    lines = writer.mapping(value, 0)
    return "\n".join(lines) + draw(st.sampled_from(["\n", "", "\n\n", "\n# the end\n"]))


class _Writer:
    def __init__(self, draw: st.DrawFn, step: int, dash: int) -> None:
        self._draw, self._step, self._dash = draw, step, dash
        self._comments = 0

    def mapping(self, value: dict[str, Any], column: int) -> list[str]:
        lines: list[str] = []
        for key, inner in value.items():
            lines += self._comment(column)
            lines += self._entry(f"{' ' * column}{self.scalar(key)}:", inner, column)
        return lines

    def _entry(self, head: str, inner: Any, column: int) -> list[str]:
        block = isinstance(inner, (dict, list)) and inner and self._draw(st.integers(0, 3))
        if not block:
            return [f"{head} {self.flow(inner)}{self._tail()}"]
        below = (
            self.mapping(inner, column + self._step)
            if isinstance(inner, dict)
            else self.sequence(inner, column + self._dash)
        )
        return [head + self._tail(), *below]

    def sequence(self, value: list[Any], column: int) -> list[str]:
        lines: list[str] = []
        for inner in value:
            lines += self._comment(column)
            dash = " " * column + "-" + " " * self._draw(st.integers(1, 3))
            if isinstance(inner, dict) and inner and self._draw(st.booleans()):
                below = self.mapping(inner, len(dash))
                comments = [line for line in below[:1] if line.lstrip().startswith("#")]
                while below[0].lstrip().startswith("#"):
                    below.pop(0)
                lines += [f"{' ' * column}{each.lstrip()}" for each in comments]
                lines += [dash + below[0][len(dash) :], *below[1:]]
            else:
                lines.append(f"{dash}{self.flow(inner)}{self._tail()}")
        return lines

    def flow(self, value: Any) -> str:
        gap = self._draw(st.sampled_from(["", " "]))
        if isinstance(value, dict):
            return "{" + gap + ", ".join(f"{self.scalar(k)}: {self.flow(v)}" for k, v in value.items()) + gap + "}"
        if isinstance(value, list):
            return "[" + gap + ", ".join(self.flow(each) for each in value) + gap + "]"
        return self.scalar(value)

    def scalar(self, value: Any) -> str:
        if value is None:
            return self._draw(st.sampled_from(["null", "~"]))
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int):
            return str(value)
        plain = value in {"v", "a", "app", "nodeSelector", "x-y", "topology.kubernetes.io/zone", "zone-a", "é"}
        style = self._draw(st.sampled_from(["plain", "'", '"'])) if plain else self._draw(st.sampled_from(["'", '"']))
        if style == "plain":
            return str(value)
        if style == "'":
            return "'" + value.replace("'", "''") + "'"
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def _comment(self, column: int) -> list[str]:
        if self._draw(st.integers(0, 4)):
            return []
        self._comments += 1
        return [f"{' ' * column}# comment {self._comments}\twith a tab"]

    def _tail(self) -> str:
        if self._draw(st.integers(0, 6)):
            return ""
        self._comments += 1
        return f"  # comment {self._comments}"
