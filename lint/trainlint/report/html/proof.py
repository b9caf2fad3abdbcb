"""One group: its pictures with the notes that explain them, and the proof as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.model.policy import Permission
from trainlint.model.workload import DNS_PEER
from trainlint.questions.table import Row
from trainlint.report.element import Child, Markup, element, joined
from trainlint.report.html.parts import answer, excerpt, listed, place, rows
from trainlint.report.picture.horizontal_layout import beside
from trainlint.report.picture.layout import Layout
from trainlint.report.picture.svg import drawing
from trainlint.report.picture.vertical_layout import below
from trainlint.report.picture.view import Note, View
from trainlint.report.picture.views import views
from trainlint.report.picture.words import headline, way_out
from trainlint.report.zone_graph import VERDICTS, zone_title
from trainlint.result import PlacedRelated
from trainlint.result.graph import GroupGraph, Link

__all__ = ["pictures", "proof"]

BROAD: Final = 760
"""Pictures that are wider have their notes below, not beside."""


def pictures(graph: GroupGraph, key: str) -> Markup:
    """The answer in a sentence, and the pictures, one of which is shown at a time."""
    shown = views(graph)
    tabs = [
        element(
            "button",
            view.title,
            type="button",
            role="tab",
            id=f"{key}-{view.key}-tab",
            aria_controls=f"{key}-{view.key}",
            aria_selected="false" if number else "true",
            tabindex=-1 if number else 0,
        )
        for number, view in enumerate(shown)
    ]
    return joined(
        [
            element("p", headline(graph), class_="headline"),
            _way_out(graph),
            element("div", *tabs, role="tablist", aria_label="Pictures") if len(tabs) > 1 else None,
            *(_picture(graph, view, f"{key}-{view.key}", hidden=number > 0) for number, view in enumerate(shown)),
        ]
    )


def _way_out(graph: GroupGraph) -> Markup | None:
    steps = way_out(graph)
    if not steps:
        return None
    zone = zone_title(graph.closest)
    if len(steps) == 1:
        return element("p", element("strong", f"{zone} is the closest. What it needs: "), steps[0], class_="remedy")
    return element(
        "div",
        element("p", element("strong", f"{zone} is the closest. What it needs:"), class_="remedy"),
        listed(element("span", step, class_="remedy") for step in steps),
    )


def _picture(graph: GroupGraph, view: View, key: str, *, hidden: bool) -> Markup:
    layout = beside(view)
    drawn = [_svg(graph, view, layout, key, "across" if len(view.columns) > 1 else "")]
    if len(view.columns) > 1:
        drawn.append(_svg(graph, view, below(view), key, "down"))
    more = f" Not shown: {', '.join(view.more)}." if view.more else ""
    caption = f"{view.title}. Choose a part of the picture to see the lines that decide it.{more}"
    order = sorted(range(len(view.notes)), key=lambda index: view.notes[index].number or len(view.notes) + index)
    return element(
        "div",
        element("figure", element("div", *drawn, class_="scroll"), element("figcaption", caption, _legend(view))),
        element("div", *(_note(view.notes[index], f"{key}-{index}") for index in order), class_="notes"),
        class_="view broad" if layout.width > BROAD else "view",
        id=key,
        role="tabpanel",
        hidden=hidden,
    )


def _svg(graph: GroupGraph, view: View, layout: Layout, key: str, shape: str) -> Markup:
    return element(
        "svg",
        drawing(view, layout, f"{key}{shape}", notes=key, title=f"{graph.group}: {view.title}"),
        class_=f"picture {shape}".strip(),
        role="group",
        aria_label=f"{view.title} of {graph.group}",
        width=layout.width,
        height=layout.height,
        viewBox=f"0 0 {layout.width:.0f} {layout.height:.0f}",
    )


def _legend(view: View) -> Markup:
    known = {"good": "permitted", "slow": "permitted, but slow", "bad": "cut: denied by a policy", "open": "not known"}
    tones = {arrow.tone for arrow in view.arrows}
    items = [(tone, said) for tone, said in known.items() if tone in tones]
    return element(
        "span",
        *(element("span", element("span", class_=f"swatch {tone}", aria_hidden="true"), said) for tone, said in items),
        class_="legend",
    )


def _note(note: Note, name: str) -> Markup:
    number = element("span", str(note.number), class_="step") if note.number else None
    return element(
        "div",
        element("h4", number, note.title),
        *(element("p", said) for said in note.texts),
        *(_change(change.text, change.places, first=index == 0) for index, change in enumerate(note.changes)),
        *(_place(each) for each in note.places),
        id=name,
        class_=f"why {note.tone}" + (" numbered" if note.number else ""),
        tabindex=-1,
    )


def _place(each: PlacedRelated) -> Markup:
    role = element("span", each.role, class_="role") if each.role else None
    return element("div", place(each.file, each.span), role, excerpt(each.lines, each.span), class_="spot")


def _change(text: str, places: Sequence[PlacedRelated], *, first: bool) -> Markup:
    return element(
        "div",
        element("p", element("strong", "To fix it: " if first else "Or: "), text, class_="remedy"),
        *(
            element("div", place(each.file, each.span), excerpt(each.lines, each.span), class_="spot")
            for each in places
        ),
    )


def proof(graph: GroupGraph) -> Markup:
    """Zones, placements and connections as tables."""
    table = graph.table
    return joined(
        filter(
            None,
            [
                _zones(graph),
                _placement("A placement that works", table.witness),
                _placement("A placement that the scheduler may choose and that does not work", table.counterexample),
                _connections(graph),
            ],
        )
    )


def _zones(graph: GroupGraph) -> Markup | None:
    if not graph.table.zones:
        return None
    answers = {zone.name: zone.answer for zone in graph.zones}
    body = [(row.name, answer(answers.get(row.name) or row.answer), listed(row.lacks)) for row in graph.table.zones]
    return _folded(f"Zones ({len(body)})", rows(("zone", "takes the group", "what is missing there"), body))


def _placement(title: str, assignments: Sequence[Row]) -> Markup | None:
    if not assignments:
        return None
    body = [
        (
            row.pods,
            row.role,
            row.zone,
            row.pool,
            str(row.nodes or ""),
            "?" if row.gpus is None else str(row.gpus),
            joined(_peers(row)),
        )
        for row in assignments
    ]
    return _folded(title, rows(("pods", "role", "zone", "pool", "nodes", "accelerators", "reaches"), body))


def _peers(row: Row) -> Iterator[Child]:
    """The pods that the pods of a zone reach, and those that they do not."""
    peers = (("", row.reaches, None), ("cut off from ", row.cut, "cut"), ("perhaps ", row.unsure, None))
    for word, found, style in peers:
        if found:
            yield element("span", f"{word}{', '.join(found)}", class_=style)
            yield " "


def _connections(graph: GroupGraph) -> Markup | None:
    if not graph.links:
        return None
    body = [
        (
            f"{graph.roles[link.source].name} → {DNS_PEER if link.target is None else graph.roles[link.target].name}",
            f"{link.protocol} {link.ports}",
            joined([link.why, " ", place(link.at.file, link.at.span)]),
            listed(_rulings(link)) or "not judged",
        )
        for link in graph.links
    ]
    return _folded(f"Connections ({len(body)})", rows(("from and to", "ports", "needed because", "verdict"), body))


def _rulings(link: Link) -> Iterator[Child]:
    for ruling in link.rulings:
        everywhere = len(link.rulings) == 1
        pairs = [
            f"{_zone(one)} → {_zone(other)}" if other or link.target is not None else _zone(one)
            for one, other in ruling.pairs
        ]
        more = f" and {len(pairs) - 4} more" if len(pairs) > 4 else ""
        between = "wherever the pods land" if everywhere else f"{', '.join(pairs[:4])}{more}"
        nodes = f" {ruling.nodes}" if ruling.nodes else ""
        name = "cut" if ruling.answer is Permission.DENY else None
        yield joined([element("strong", VERDICTS[ruling.answer], class_=name), f"{nodes}: {between}"])


def _zone(name: str) -> str:
    return zone_title(name) if name else "anywhere"


def _folded(title: str, inside: Markup) -> Markup:
    return element("details", element("summary", title), inside)
