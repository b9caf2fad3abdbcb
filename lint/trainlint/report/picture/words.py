"""What a picture says in words: the answer, the way out, connections and pools."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.report.zone_graph import counted
from trainlint.result import PlacedRelated
from trainlint.result.graph import GraphPool, GroupGraph, Link, RolePlacement, Ruling

__all__ = ["alike", "assignments_text", "capital", "headline", "pool_lines", "sentences", "unique", "way_out"]

NEAR: Final = 2
ZONES: Final = 4


def headline(graph: GroupGraph) -> str:
    """The answer in one sentence."""
    table = graph.table
    good = [zone.name for zone in graph.zones if zone.answer is Answer.PROVED]
    zones = ", ".join(good[:ZONES]) + (f" and {len(good) - ZONES} more" if len(good) > ZONES else "")
    missing = "; ".join(table.missing) or "more than is told"
    if table.exists is Answer.REFUTED:
        return _refuted(graph)
    if table.for_all is Answer.REFUTED:
        return f"It can run in {zones or 'some placement'}, but the scheduler may {_misplaced(graph)}."
    if table.exists is Answer.UNKNOWN:
        return f"Not decided. What is missing: {missing}."
    if table.exists is Answer.CONDITIONAL:
        return "It can run where the cluster has what its pods need."
    if table.for_all is Answer.UNKNOWN:
        return f"It can run in {zones or 'some placement'}; whether it always does is not decided. Missing: {missing}."
    return f"It runs in {zones or 'every placement'}, whatever the scheduler chooses."


def _misplaced(graph: GroupGraph) -> str:
    """What the scheduler may do instead."""
    if graph.waiting:
        names = ", ".join(graph.roles[role].name for role, _ in graph.waiting)
        return f"place its first pods so that {names} never starts"
    if graph.split:
        zones = ", ".join(dict.fromkeys(assignment.zone for assignment in graph.counterexample))
        return f"spread it over {zones}: slow and billed"
    if graph.counterexample:
        return "place it so that a policy cuts connections that it needs"
    return f"place it so that it does not: {'; '.join(graph.table.notes) or 'see the findings'}"


def _refuted(graph: GroupGraph) -> str:
    if graph.across:
        return "No single zone takes all its pods: it runs only spread over zones, which is slow and billed."
    denied = any(each.answer is Permission.DENY for link in graph.links for each in link.rulings)
    if denied and not graph.zones:
        return "It can never run: connections that it needs are denied wherever its pods land."
    if not denied and not any(zone.lacks for zone in graph.zones):
        return "Something other than zones and policies keeps its pods from starting. The findings say what."
    if not graph.table.blamed:
        return "No single zone takes all its pods and lets them talk to each other. The findings say what follows."
    return "It can never run: no zone takes all its pods and lets them talk to each other."


def way_out(graph: GroupGraph) -> tuple[str, ...]:
    """What the zone that lacks least would need, each step as a sentence without its end; none if unknown."""
    zone = next((each for each in graph.zones if each.name == graph.closest), None)
    if zone is None or graph.table.exists is not Answer.REFUTED:
        return ()
    steps = [reason.remedy for _, reason in zone.lacks]
    denied = (
        ruling
        for link in graph.links
        for ruling in link.between(zone.name, zone.name)
        if ruling.answer is Permission.DENY
    )
    steps += [ruling.repairs[0].text if ruling.repairs else "" for ruling in denied]
    return tuple(dict.fromkeys(steps)) if all(steps) else ()


def sentences(links: Sequence[tuple[Link, Ruling | None]]) -> Iterator[str]:
    """Why the connections are needed, and what decides about them."""
    for link, ruling in links:
        yield f"Needed because {link.why}."
        if ruling is None:
            yield "It could not be judged."
        elif ruling.answer is Permission.ALLOW:
            yield f"{capital(ruling.egress)}; {ruling.ingress}."
        else:
            for text in (ruling.egress, ruling.ingress):
                if " is allowed" not in text:
                    yield f"{capital(text)}."
            for each in ruling.near[:NEAR]:
                yield f"Nearly matched: {each.role}."
            if ruling.open:
                yield f"Only port {', '.join(ruling.open)} is open."


def capital(text: str) -> str:
    """A sentence as it begins."""
    return text[:1].upper() + text[1:]


def unique(places: Sequence[PlacedRelated]) -> tuple[PlacedRelated, ...]:
    """Each place once, with all its parts."""
    found: dict[tuple[object, ...], PlacedRelated] = {}
    for each in places:
        key = (each.file, each.span, each.base)
        before = found.get(key)
        if before is None:
            found[key] = each
        elif each.role not in before.role:
            found[key] = replace(before, role=f"{before.role}; {each.role}")
    return tuple(found.values())


def alike(pools: Iterable[GraphPool]) -> list[GraphPool]:
    """The pools, those united that differ in nothing that a picture shows."""
    united: dict[Hashable, GraphPool] = {}
    for pool in pools:
        key = (pool.zone, pool.taints, pool.accelerators)
        before = united.get(key)
        if before is not None:
            unlimited = pool.maximum is None or before.maximum is None
            pool = replace(  # noqa: PLW2901 (both together)
                before,
                names=(*before.names, *pool.names),
                minimum=before.minimum + pool.minimum,
                maximum=None if unlimited else (pool.maximum or 0) + (before.maximum or 0),
            )
        united[key] = pool
    return list(united.values())


def pool_lines(pool: GraphPool) -> tuple[str, ...]:
    """A pool in a few short lines."""
    if pool.maximum is None:
        size = f"{pool.minimum} or more nodes"
    elif pool.minimum == pool.maximum:
        size = f"{pool.maximum} node{'' if pool.maximum == 1 else 's'}"
    else:
        size = f"{pool.minimum} to {pool.maximum} nodes"
    lines = [counted(pool.names), ", ".join((size, *(f"{each} each" for each in pool.accelerators)))]
    if pool.taints:
        lines.append(f"taint {', '.join(pool.taints)}")
    return tuple(lines)


def assignments_text(graph: GroupGraph, assignments: Sequence[RolePlacement]) -> str:
    """The nodes on which pods of a placement are; empty where only the zone is known."""
    known = {pool.name: pool.names for pool in graph.pools}
    names = [
        name for assignment in assignments if assignment.pool for name in known.get(assignment.pool, (assignment.pool,))
    ]
    nodes = sum(assignment.nodes for assignment in assignments)
    if not names:
        return ""
    of = f"{nodes} node{'' if nodes == 1 else 's'} of " if nodes and nodes != len(names) else ""
    return f"on {of}{counted(names)}"
