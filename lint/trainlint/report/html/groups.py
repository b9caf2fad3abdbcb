"""The table of groups, and a section for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from trainlint.model.known import Answer
from trainlint.report.element import Child, Markup, element, joined
from trainlint.report.html.findings import option_list
from trainlint.report.html.parts import answer, listed, rows, section
from trainlint.report.html.proof import pictures, proof
from trainlint.result import GroupVerdict, Result
from trainlint.result.answers import can_run, connections, every_placement

__all__ = ["groups"]

ORDER: Final = (Answer.REFUTED, Answer.UNKNOWN, Answer.CONDITIONAL, Answer.PROVED)


def groups(result: Result, anchors: Sequence[str], found: dict[int, list[tuple[str, str, str]]]) -> Child:
    """The section of groups; ``found`` has for each one the findings about it (name on the page, text, remedy)."""
    if not result.groups:
        return None
    order = sorted(range(len(result.groups)), key=lambda number: ORDER.index(result.groups[number].answer))
    several = len(result.snapshots) > 1
    table = rows(
        ("group", *(("snapshot",) if several else ()), "pods", "can run", "every placement", "connections", "findings"),
        (_row(result.groups[number], anchors[number], len(found.get(number, ())), several=several) for number in order),
        id="group-table",
    )
    details = [_details(result, number, anchors[number], found.get(number, ()), several=several) for number in order]
    return section("groups", "Groups", _filters(result, order) if len(order) > 1 else None, table, *details)


def _filters(result: Result, order: Iterable[int]) -> Markup:
    counts = {each: sum(result.groups[number].answer is each for number in order) for each in ORDER}
    boxes = [
        element(
            "label",
            element("input", type="checkbox", name="answer", value=str(each), checked=True),
            answer(each),
            f" {counts[each]}",
        )
        for each in ORDER
        if counts[each]
    ]
    states = [
        (each.name, each.name, sum(group.snapshot == each.name for group in result.groups)) for each in result.snapshots
    ]
    return element(
        "form",
        element("fieldset", element("legend", "Answer"), *boxes),
        option_list("snapshot", "Snapshot", states) if len(states) > 1 else None,
        element("label", "Name ", element("input", type="search", name="text", placeholder="part of a name")),
        element("output", class_="count", name="count", aria_live="polite"),
        element("button", "Show all", type="reset"),
        class_="filters",
        id="group-filters",
        aria_label="Filter the groups",
    )


def _row(group: GroupVerdict, anchor: str, count: int, *, several: bool) -> list[Child]:
    link = element(
        "a", group.shown, href=f"#{anchor}", class_="open", data_answer=str(group.answer), data_snapshot=group.snapshot
    )
    return [
        link,
        *((group.snapshot,) if several else ()),
        "?" if group.pods is None else str(group.pods),
        answer(group.exists, can_run(group)),
        answer(group.for_all, every_placement(group)),
        answer(group.connections, connections(group)),
        str(count) if count else "",
    ]


def _details(
    result: Result, number: int, anchor: str, found: Iterable[tuple[str, str, str]], *, several: bool
) -> Markup:
    group = result.groups[number]
    where = f", snapshot {group.snapshot}" if several else ""
    graph = result.graphs[number] if result.graphs else None
    parts: list[Child] = [
        element("h3", element("code", group.name), " ", answer(group.answer), id=f"{anchor}/title"),
        element("p", f"{group.kind}{where}", class_="about"),
    ]
    if graph is not None:
        parts += [pictures(graph, f"g{number}"), proof(graph)]
    parts += [_texts("What is missing", group.missing), _texts("Notes", group.notes)]
    links = [
        joined(
            [
                element("a", text, href=f"#{name}"),
                element("p", element("strong", "To fix it: "), remedy, class_="remedy") if remedy else None,
            ]
        )
        for name, text, remedy in found
    ]
    if links:
        parts += [element("h4", "Findings about it"), listed(links)]
    return element("section", *parts, class_="group", id=anchor, tabindex=-1, aria_labelledby=f"{anchor}/title")


def _texts(title: str, texts: Sequence[str]) -> Markup | None:
    return joined([element("h4", title), listed(texts)]) if texts else None
