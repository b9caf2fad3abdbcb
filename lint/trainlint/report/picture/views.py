"""The pictures of a group: the placement that breaks it, one that works, and where each role can run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from trainlint.model.known import Answer
from trainlint.report.picture.connections import connect
from trainlint.report.picture.notes import Notes
from trainlint.report.picture.view import DNS, PENDING, Box, Column, Note, RoleState, View
from trainlint.report.picture.words import alike, assignments_text, capital, pool_lines
from trainlint.report.zone_graph import pools_text, zone_title
from trainlint.result.graph import GroupGraph, Reason, RolePlacement, RoleZone

__all__ = ["views"]

COLUMNS: Final = 6
ROWS: Final = 16
ARROWS: Final = 24
POOLS: Final = 3
TAKES: Final = {
    Answer.PROVED: "It takes the whole group.",
    Answer.REFUTED: "It does not take the whole group.",
    Answer.CONDITIONAL: "It takes the whole group if its nodes have what the pods need.",
    Answer.UNKNOWN: "Whether it takes the whole group is not decided.",
}


def views(graph: GroupGraph) -> tuple[View, ...]:
    """The pictures that there is something to see in, the one to look at first before the others."""
    found = []
    if graph.counterexample:
        found.append(_View(graph, "bad", "A placement that the scheduler may choose").placement(graph.counterexample))
    if graph.witness and graph.answer is not Answer.PROVED:  # else it is one of many
        found.append(_View(graph, "good", "A placement that works").placement(graph.witness))
    every = _View(graph, "all", "Where each role can run").everywhere()
    return (*found, every)


class _View:
    """Collects one picture."""

    def __init__(self, graph: GroupGraph, key: str, title: str) -> None:
        self.graph, self.key, self.title = graph, key, title
        self.notes = Notes()
        self.boxes: list[Box] = []
        self.more: list[str] = []
        self.shown = range(min(ROWS, len(graph.roles)))
        if len(graph.roles) > ROWS:
            self.more.append(f"{len(graph.roles) - ROWS} more roles")

    def placement(self, assignments: Sequence[RolePlacement]) -> View:
        """The pods where a placement has them, and the roles that it leaves waiting."""
        here: dict[tuple[int, str], list[RolePlacement]] = {}
        for assignment in assignments:
            here.setdefault((assignment.role, assignment.zone), []).append(assignment)
        for (role, zone), found in here.items():
            if role in self.shown:
                self._placed(role, zone, found)
        for role, reason in self.graph.waiting if self.key == "bad" else ():
            if role in self.shown:
                self._pending(role, "stays Pending", reason)
                for role_zone in self.graph.role_zones:
                    if role_zone.role == role and role_zone.pools and (role, role_zone.zone) not in here:
                        self._vacant(role_zone)
        return self._made()

    def everywhere(self) -> View:
        """Every role in every zone that may take it, and why the others do not."""
        for role in self.shown:
            role_zones = [role_zone for role_zone in self.graph.role_zones if role_zone.role == role]
            for role_zone in role_zones or [RoleZone(role, "", Answer.UNKNOWN)]:
                self._possible(role_zone)
            if role_zones and all(role_zone.fits is Answer.REFUTED for role_zone in role_zones):
                self._pending(role, "no node takes it")
        self._lacking()
        for role, reason in self.graph.obstacles:
            box = next((each for each in self.boxes if each.row == role and each.state != RoleState.REFUSED), None)
            if box is not None:
                note = Note(f"{box.title} never starts", "bad", 0, (f"{capital(reason.text)}.",), reason.places)
                self.notes.turn(box.note, note)
        return self._made()

    def _zones(self) -> list[str]:
        """The columns to show: those with the most pods or possible pods."""
        useful: dict[str, int] = {}
        for box in self.boxes:
            useful[box.column] = useful.get(box.column, 0) + (box.state != RoleState.REFUSED)
        names = [zone for zone in useful if zone not in {PENDING, DNS}]
        best = sorted(names, key=lambda name: (-useful[name], name))[:COLUMNS]
        if len(names) > len(best):
            self.more.append(f"{len(names) - len(best)} more zones")
        return [*sorted(best), *(key for key in (PENDING, DNS) if key in useful)]

    def _made(self) -> View:
        connected = connect(self.graph, self.key, self.boxes, self.notes)
        keys = self._zones()
        kept = [index for index, box in enumerate(self.boxes) if box.column in keys]
        index = {old: new for new, old in enumerate(kept)}
        arrows = [
            replace(arrow, source=index[arrow.source], target=index[arrow.target])
            for arrow in connected
            if arrow.source in index and arrow.target in index
        ]
        if len(arrows) > ARROWS:
            self.more.append(f"{len(arrows) - ARROWS} more connections")
        columns = tuple(self._column(key) for key in keys)
        boxes = tuple(self.boxes[old] for old in kept)
        notes = tuple(self.notes.all)
        return View(self.key, self.title, columns, boxes, tuple(arrows[:ARROWS]), notes, tuple(self.more))

    def _column(self, key: str) -> Column:
        if key in {PENDING, DNS}:
            title = "Pending: on no node" if key == PENDING else "cluster DNS"
            return Column(key, title, None, (), self.notes.add(Note(title)))
        zone = next((each for each in self.graph.zones if each.name == key), None)
        pools = alike(pool for pool in self.graph.pools if pool.zone == key)
        answer = None if zone is None else zone.answer
        said = () if answer is None else (TAKES[answer],)
        note = Note(
            zone_title(key),
            texts=(*said, *(" · ".join(pool_lines(pool)) for pool in pools)),
            places=tuple(pool.at for pool in pools if pool.at is not None),
        )
        shown = [pool_lines(pool) for pool in pools[:POOLS]]
        if len(pools) > POOLS:
            shown.append((f"and {len(pools) - POOLS} more pools",))
        return Column(key, zone_title(key), answer, tuple(shown), self.notes.add(note))

    def _placed(self, role: int, zone: str, assignments: Sequence[RolePlacement]) -> None:
        pods = sum(assignment.pods for assignment in assignments)
        lines = [self._pods(role, pods), *filter(None, [assignments_text(self.graph, assignments)])]
        about = self.graph.roles[role]
        note = Note(
            f"{about.name} in {zone_title(zone)}",
            texts=(f"{lines[0]} {lines[1] if len(lines) > 1 else ''}".strip() + ".",),
            places=(about.at,),
        )
        self.boxes.append(Box(role, zone, RoleState.PLACED, about.name, tuple(lines), self.notes.add(note)))

    def _possible(self, role_zone: RoleZone) -> None:
        about = self.graph.roles[role_zone.role]
        text = "" if role_zone.why is None else role_zone.why.text
        short = text if role_zone.why is None else role_zone.why.short or text
        if role_zone.fits is Answer.REFUTED:
            state, lines = RoleState.REFUSED, [f"cannot run here: {short}"]
        else:
            state = RoleState.POSSIBLE if role_zone.fits is Answer.PROVED else RoleState.UNSURE
            pools = pools_text(self.graph, role_zone.pools)
            doubt = f"not decided: {short}" if text else "not decided: which nodes there are"
            lines = [self._pods(role_zone.role), f"on {pools}" if state == RoleState.POSSIBLE else doubt]
        note = Note(
            f"{about.name} in {zone_title(role_zone.zone)}",
            texts=(f"{capital(text)}.",)
            if text
            else (f"One pod fits on {pools_text(self.graph, role_zone.pools)}.",)
            if role_zone.pools
            else (),
            places=(about.at,) if role_zone.why is None else role_zone.why.places,
            changes=(Reason(role_zone.why.remedy),) if role_zone.why is not None and role_zone.why.remedy else (),
        )
        self.boxes.append(Box(role_zone.role, role_zone.zone, state, about.name, tuple(lines), self.notes.add(note)))

    def _pending(self, role: int, why: str, reason: Reason | None = None) -> None:
        about = self.graph.roles[role]
        title = f"{about.name}: Pending, {why}"
        if reason is None:
            note = self.notes.add(Note(title, "bad", places=(about.at,)))
        else:
            note = self.notes.numbered(Note(title, "bad", 0, (f"{capital(reason.text)}.",), reason.places))
        self.boxes.append(Box(role, PENDING, RoleState.PENDING, about.name, (self._pods(role), why), note))

    def _vacant(self, role_zone: RoleZone) -> None:
        """Where a role that waits would have nodes."""
        about = self.graph.roles[role_zone.role]
        text = f"has nodes here: {pools_text(self.graph, role_zone.pools)}"
        note = self.notes.add(
            Note(f"{about.name} in {zone_title(role_zone.zone)}", texts=(f"It {text}.",), places=(about.at,))
        )
        self.boxes.append(Box(role_zone.role, role_zone.zone, RoleState.REFUSED, about.name, (text,), note))

    def _pods(self, role: int, pods: int | None = None) -> str:
        about = self.graph.roles[role]
        number = about.pods if pods is None else pods
        if number is None:
            return "an unknown number of pods"
        said = f"{number} pod{'' if number == 1 else 's'}"
        total = (about.accelerators or 0) * number
        return said + (f", {total} accelerator{'' if total == 1 else 's'}" if total else "")

    def _lacking(self) -> None:
        """Number what keeps a zone from taking the whole group, at the box that it is about."""
        if any(zone.answer is Answer.PROVED for zone in self.graph.zones):
            return
        for zone in sorted(self.graph.zones, key=lambda each: each.name != self.graph.closest):
            for role, reason in zone.lacks:
                box = next((each for each in self.boxes if each.row == role and each.column == zone.name), None)
                if box is None:
                    continue
                self._lacks(box, zone_title(zone.name), reason)

    def _lacks(self, box: Box, zone: str, reason: Reason) -> None:
        refused = box.state == RoleState.REFUSED
        title = f"{box.title} cannot run in {zone}" if refused else f"{zone} does not take all"
        changes = (Reason(reason.remedy),) if reason.remedy else ()
        self.notes.turn(box.note, Note(title, "bad", 0, (f"{capital(reason.text)}.",), reason.places, changes))
