"""Reachability graphs as a picture that stands alone: no program makes it, and no program but a browser shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Final

from trainlint.report.element import Child, Markup, element, joined
from trainlint.report.options import Options
from trainlint.report.picture.horizontal_layout import beside
from trainlint.report.picture.layout import LINE, wrapped
from trainlint.report.picture.svg import drawing
from trainlint.report.picture.view import Note
from trainlint.report.picture.views import views
from trainlint.report.picture.words import headline, way_out
from trainlint.report.zone_graph import where, zone_title
from trainlint.result.graph import GroupGraph

__all__ = ["render"]

LEAST: Final = 720
NOTES: Final = 12


def render(graphs: Sequence[GroupGraph], options: Options) -> str:
    """The groups below each other, each with what breaks it in words; light and dark as the reader prefers."""
    parts: list[Child] = [
        element("style", Markup(files("trainlint.report.picture").joinpath("picture.css").read_text()))
    ]
    width, y = float(LEAST), 0.0
    for number, graph in enumerate(graphs):
        part, right, height = _group(graph, f"g{number}")
        parts.append(element("g", part, transform=f"translate(0 {y:.0f})"))
        width, y = max(width, right), y + height
    if not graphs:
        parts.append(element("text", "no groups", x=16, y=30, class_="heading"))
        y = 50.0
    title = f"trainlint: {', '.join(graph.group for graph in graphs) or 'no groups'}"
    root = element(
        "svg",
        element("title", title),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        class_="picture",
        role="img",
        width=width,
        height=y,
        viewBox=f"0 0 {width:.0f} {y:.0f}",
    )
    return f"{root}\n"


def _group(graph: GroupGraph, key: str) -> tuple[Markup, float, float]:
    """One group, its width and height."""
    view = views(graph)[0]
    layout = beside(view)
    inside = drawing(view, layout, key, title=f"{graph.group}: {view.title}")
    width = max(layout.width, LEAST)
    chars = int((width - 32) / 6.6)
    name = f"{graph.group} ({graph.kind})" + (f", snapshot {graph.snapshot}" if graph.snapshot not in {"", "."} else "")
    lines = [
        *((each, "heading", 22) for each in wrapped(name, int(chars * 0.7), 2)),
        *((each, "headline", 19) for each in wrapped(headline(graph), int(chars * 0.85), 4)),
        *((each, "note-change", 17) for each in wrapped(_way_out(graph), chars, 4) if each),
        (view.title + (f" ({', '.join(view.more)} are not shown)" if view.more else ""), "note-place", 18),
    ]
    parts: list[Child] = []
    y = 8.0
    for said, name, step in lines:
        y += step
        parts.append(element("text", said, x=16, y=y, class_=name))
    parts.append(element("g", inside, transform=f"translate(0 {y + 4:.0f})"))
    y += 4 + layout.height
    for note in sorted((each for each in view.notes if each.number), key=lambda each: each.number)[:NOTES]:
        for said, name, indent in _note(note, chars):
            y += LINE + 3
            parts.append(element("text", said, x=16 + indent, y=y, class_=name))
        y += 8
    return joined(parts), width, y + 20


def _way_out(graph: GroupGraph) -> str:
    steps = way_out(graph)
    return f"{zone_title(graph.closest)} is the closest. What it needs: {'; '.join(steps)}." if steps else ""


def _note(note: Note, chars: int) -> Iterator[tuple[str, str, int]]:
    """The lines of a note with their class and indent."""
    for line in wrapped(f"{note.number}. {note.title}", int(chars * 0.8), 3):
        yield line, "note-title bad", 0
    for text in note.texts:
        for line in wrapped(text, chars - 4, 4):
            yield line, "note-line", 20
    for text in where(note.places):
        for line in wrapped(f"at {text}", chars - 4, 2):
            yield line, "note-place", 20
    for number, change in enumerate(note.changes):
        for line in wrapped(f"{'or' if number else 'to fix it:'} {change.text}", chars - 4, 3):
            yield line, "note-change", 20
