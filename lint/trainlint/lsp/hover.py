"""The verdict on the group whose object is under the cursor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol.types import Hover, MarkupContent, MarkupKind, Position, Range

from trainlint.engine.observation import Home, Observation
from trainlint.lsp.positions import Texts
from trainlint.result import GroupVerdict

__all__ = ["hover"]


def hover(seen: Observation, texts: Texts, file: Path, position: Position) -> Hover | None:
    """What is proved about the groups whose objects stand there; ``None`` where none does."""
    name = texts.name(file)
    here: list[tuple[Range, Home]] = []
    for home in seen.homes:
        if home.file == name:
            place = texts.range(home.file, home.span)
            if _key(place.start) <= _key(position) <= _key(place.end):
                here.append((place, home))
    if not here:
        return None
    several = len({home.verdict.snapshot for home in seen.homes}) > 1
    text = "\n\n".join("\n".join(_lines(home.verdict, several=several)) for _, home in here)
    return Hover(MarkupContent(MarkupKind.Markdown, text), here[0][0])


def _key(position: Position) -> tuple[int, int]:
    return (position.line, position.character)


def _lines(verdict: GroupVerdict, *, several: bool) -> Iterator[str]:
    where = f" in `{verdict.snapshot}`" if several else ""
    yield f"**{_plain(verdict.name)}** ({_plain(verdict.kind)}){where}"
    yield ""
    yield f"- runs in some zone: **{verdict.exists}**{_zones(verdict.viable_zones)}"
    yield f"- whatever the scheduler chooses: **{verdict.for_all}**"
    if verdict.witness:
        yield f"- works: {_placement(verdict.witness)}"
    if verdict.counterexample:
        yield f"- does not: {_placement(verdict.counterexample)}"
    yield from (f"- unknown: {_plain(text)}" for text in verdict.missing)
    yield from (f"- note: {_plain(text)}" for text in verdict.notes)
    yield ""
    yield f"`trainlint explain {verdict.name}`"


def _zones(zones: Sequence[str]) -> str:
    return f" ({_plain(', '.join(zones))})" if zones else ""


def _placement(pods: Mapping[str, Any]) -> str:
    return _plain(
        "; ".join(
            f"{name}: {', '.join(f'{count} in {zone}' for zone, count in zones.items())}"
            for name, zones in pods.items()
        )
    )


def _plain(text: str) -> str:
    """Text of manifests in Markdown: nothing in it is markup."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#|!~" else char for char in " ".join(text.split()))
