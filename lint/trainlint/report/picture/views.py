"""The pictures of a group: the placement that breaks it, one that works, and where each role can run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.model.workload import DNS_PEER
from trainlint.report.graph.expanded import VERDICTS, pools_text, where, zone_title
from trainlint.report.picture.view import DNS, PENDING, Arrow, Box, Column, Note, State, View
from trainlint.result import PlacedRelated
from trainlint.result.graph import GraphPool, GroupGraph, Link, Reason, Ruling, Seated, Spot

__all__ = ["headline", "views"]

COLUMNS: Final = 6
ROWS: Final = 16
ARROWS: Final = 24
POOLS: Final = 3
PORTS: Final = 2
NEAR: Final = 2
TAKES: Final = {
    Answer.PROVED: "It takes the whole group.",
    Answer.REFUTED: "It does not take the whole group.",
    Answer.UNKNOWN: "Whether it takes the whole group is not decided.",
}
TONES: Final = {Permission.ALLOW: "good", Permission.DENY: "bad", Permission.UNKNOWN: "open"}


def headline(graph: GroupGraph) -> str:
    """The answer in one sentence."""
    table = graph.table
    good = [zone.name for zone in graph.zones if zone.answer is Answer.PROVED]
    zones = ", ".join(good[:4]) + (f" and {len(good) - 4} more" if len(good) > 4 else "")
    if table.exists is Answer.REFUTED:
        closest = f" {zone_title(graph.closest)} is the closest." if graph.closest else ""
        return f"It can never run: no zone takes all its pods and lets them talk to each other.{closest}"
    if table.for_all is Answer.REFUTED:
        why = f": {table.why_bad}" if table.why_bad else ""
        return f"It can run in {zones}, but the scheduler may place it so that it does not{why}."
    if table.exists is Answer.UNKNOWN:
        return f"Not decided. What is missing: {'; '.join(table.missing) or 'more than is told'}."
    if table.for_all is Answer.UNKNOWN:
        return f"It can run in {zones}; whether it always does is not decided. Missing: {'; '.join(table.missing)}."
    return f"It runs in {zones}, whatever the scheduler chooses."


def views(graph: GroupGraph) -> tuple[View, ...]:
    """The pictures that there is something to see in, the one to look at first before the others."""
    found = []
    if graph.counterexample:
        found.append(_View(graph, "bad", "A placement that the scheduler may choose").placement(graph.counterexample))
    if graph.witness:
        found.append(_View(graph, "good", "A placement that works").placement(graph.witness))
    every = _View(graph, "all", "Where each role can run").everywhere()
    return (*found, every)


class _View:
    """Collects one picture."""

    def __init__(self, graph: GroupGraph, key: str, title: str) -> None:
        self.graph, self.key, self.title = graph, key, title
        self.notes: list[Note] = []
        self.boxes: list[Box] = []
        self.arrows: list[Arrow] = []
        self.more: list[str] = []
        self.numbers = 0
        self.shown = range(min(ROWS, len(graph.roles)))
        if len(graph.roles) > ROWS:
            self.more.append(f"{len(graph.roles) - ROWS} more roles")

    def placement(self, seats: Sequence[Seated]) -> View:
        """The pods where a placement has them, and the roles that it leaves waiting."""
        here: dict[tuple[int, str], list[Seated]] = {}
        for seat in seats:
            here.setdefault((seat.role, seat.zone), []).append(seat)
        for (role, zone), found in here.items():
            if role in self.shown:
                self._placed(role, zone, found)
        for role in self.graph.waiting:
            if role in self.shown:
                self._pending(role, "Pending for ever after these are placed")
        self._connect()
        return self._made(self._zones())

    def everywhere(self) -> View:
        """Every role in every zone that may take it, and why the others do not."""
        for role in self.shown:
            spots = [spot for spot in self.graph.spots if spot.role == role]
            for spot in spots or [Spot(role, "", Answer.UNKNOWN)]:
                self._possible(spot)
            if spots and all(spot.fits is Answer.REFUTED for spot in spots):
                self._pending(role, "no node takes it")
        self._lacking()
        self._connect()
        return self._made(self._zones())

    def _zones(self) -> list[str]:
        """The columns to show: those with the most pods or possible pods."""
        useful: dict[str, int] = {}
        for box in self.boxes:
            useful[box.column] = useful.get(box.column, 0) + (box.state != State.REFUSED)
        names = [zone for zone in useful if zone not in {PENDING, DNS}]
        best = sorted(names, key=lambda name: (-useful[name], name))[:COLUMNS]
        if len(names) > len(best):
            self.more.append(f"{len(names) - len(best)} more zones")
        return [*sorted(best), *(key for key in (PENDING, DNS) if key in useful)]

    def _made(self, keys: Sequence[str]) -> View:
        kept = [index for index, box in enumerate(self.boxes) if box.column in keys]
        index = {old: new for new, old in enumerate(kept)}
        arrows = [
            replace(arrow, source=index[arrow.source], target=index[arrow.target])
            for arrow in self.arrows
            if arrow.source in index and arrow.target in index
        ]
        arrows.sort(key=lambda arrow: (arrow.answer is not Permission.DENY, arrow.answer is not Permission.UNKNOWN))
        if len(arrows) > ARROWS:
            self.more.append(f"{len(arrows) - ARROWS} more connections")
        columns = tuple(self._column(key) for key in keys)
        boxes = tuple(self.boxes[old] for old in kept)
        return View(self.key, self.title, columns, boxes, tuple(arrows[:ARROWS]), tuple(self.notes), tuple(self.more))

    def _column(self, key: str) -> Column:
        if key in {PENDING, DNS}:
            title = "Pending: on no node" if key == PENDING else "cluster DNS"
            return Column(key, title, None, (), self._note(Note(title)))
        zone = next((each for each in self.graph.zones if each.name == key), None)
        pools = [pool for pool in self.graph.pools if pool.zone == key]
        answer = None if zone is None else zone.answer
        said = () if answer is None else (TAKES[answer],)
        note = Note(
            zone_title(key),
            texts=(*said, *(" · ".join(_pool(pool)) for pool in pools)),
            places=tuple(pool.at for pool in pools if pool.at is not None),
        )
        shown = [_pool(pool) for pool in pools[:POOLS]]
        if len(pools) > POOLS:
            shown.append((f"and {len(pools) - POOLS} more pools",))
        return Column(key, zone_title(key), answer, tuple(shown), self._note(note))

    def _placed(self, role: int, zone: str, seats: Sequence[Seated]) -> None:
        pods = sum(seat.pods for seat in seats)
        pools = pools_text(self.graph, [seat.pool for seat in seats if seat.pool])
        lines = [self._pods(role, pods), *([f"on {pools}"] if pools else [])]
        about = self.graph.roles[role]
        note = Note(
            f"{about.name} in {zone_title(zone)}",
            texts=(f"{lines[0]} {lines[1] if len(lines) > 1 else ''}".strip() + ".",),
            places=(about.at,),
        )
        self.boxes.append(Box(role, zone, State.PLACED, about.name, tuple(lines), self._note(note)))

    def _possible(self, spot: Spot) -> None:
        about = self.graph.roles[spot.role]
        text = "" if spot.why is None else spot.why.text
        short = text.removeprefix(f"no node takes {about.name}: ").removesuffix(f" for {about.name}")
        if spot.fits is Answer.REFUTED:
            state, lines = State.REFUSED, [f"cannot run here: {short}"]
        else:
            state = State.POSSIBLE if spot.fits is Answer.PROVED else State.UNSURE
            pools = pools_text(self.graph, spot.pools)
            doubt = f"not decided: {short}" if text else "not decided: there is no inventory"
            lines = [self._pods(spot.role), f"on {pools}" if state == State.POSSIBLE else doubt]
        note = Note(
            f"{about.name} in {zone_title(spot.zone)}",
            texts=(text,)
            if text
            else (f"One pod fits on {pools_text(self.graph, spot.pools, 12)}.",)
            if spot.pools
            else (),
            places=(about.at,) if spot.why is None else spot.why.places,
            changes=(Reason(spot.why.remedy),) if spot.why is not None and spot.why.remedy else (),
        )
        self.boxes.append(Box(spot.role, spot.zone, state, about.name, tuple(lines), self._note(note)))

    def _pending(self, role: int, why: str) -> None:
        about = self.graph.roles[role]
        note = self._note(Note(f"{about.name}: Pending", "bad", texts=(f"{why}.",), places=(about.at,)))
        self.boxes.append(Box(role, PENDING, State.PENDING, about.name, (self._pods(role), why), note))

    def _pods(self, role: int, pods: int | None = None) -> str:
        about = self.graph.roles[role]
        number = about.pods if pods is None else pods
        if number is None:
            return "nobody knows how many pods"
        said = f"{number} pod{'' if number == 1 else 's'}"
        return said + (f", {about.accelerators * number} accelerators" if about.accelerators else "")

    def _lacking(self) -> None:
        """Number what keeps a zone from taking the whole group, at the box that it is about."""
        if any(zone.answer is Answer.PROVED for zone in self.graph.zones):
            return
        for zone in sorted(self.graph.zones, key=lambda each: each.name != self.graph.closest):
            for role, reason in zone.lacks:
                box = next((each for each in self.boxes if each.row == role and each.column == zone.name), None)
                if box is None:
                    continue
                note = Note(
                    f"{box.title} cannot run in {zone_title(zone.name)}"
                    if box.state == State.REFUSED
                    else f"{zone_title(zone.name)} does not take all",
                    "bad",
                    self._number(),
                    (reason.text,),
                    reason.places,
                    (Reason(reason.remedy),) if reason.remedy else (),
                )
                self.notes[box.note] = note

    def _connect(self) -> None:
        """Arrows between the boxes that stand for pods; those that say the same are one."""
        standing: dict[int | None, list[int]] = {}
        for index, box in enumerate(self.boxes):
            if box.state != State.REFUSED:
                standing.setdefault(box.row, []).append(index)
        found: dict[tuple[int, int, Permission], list[tuple[Link, Ruling | None]]] = {}
        for link in self.graph.links:
            for source in standing.get(link.source, ()):
                for target in self._targets(link, source, standing):
                    for ruling in self._between(link, source, target):
                        answer = Permission.UNKNOWN if ruling is None else ruling.answer
                        found.setdefault((source, target, answer), []).append((link, ruling))
        for (source, target, answer), links in sorted(found.items(), key=lambda item: item[0][2] is Permission.ALLOW):
            self._arrow(source, target, answer, links)

    def _targets(self, link: Link, source: int, standing: Mapping[int | None, list[int]]) -> list[int]:
        """The boxes at the other end: of what is permitted only those in the zone, if there are any."""
        if link.target is None:
            return self._dns(link, source)
        targets = standing.get(link.target, [])
        if self.key != "all":
            return targets
        zone = self.boxes[source].column
        near = [index for index in targets if self.boxes[index].column == zone]
        cut = [index for index in targets if any(_is_cut(each) for each in self._between(link, source, index))]
        return list(dict.fromkeys([*(near or targets), *cut]))

    def _dns(self, link: Link, source: int) -> list[int]:
        """The box of DNS, where it is not simply permitted."""
        rulings = link.between(self.boxes[source].column, "")
        if not link.rulings or all(ruling.answer is Permission.ALLOW for ruling in rulings):
            return []
        found = next((index for index, box in enumerate(self.boxes) if box.column == DNS), None)
        if found is None:
            note = self._note(Note("the cluster's DNS", texts=("Pods ask it for the names that they call.",)))
            self.boxes.append(Box(-1, DNS, State.DNS, DNS_PEER, (), note))
            found = len(self.boxes) - 1
        return [found]

    def _between(self, link: Link, source: int, target: int) -> list[Ruling | None]:
        one, other = self.boxes[source].column, self.boxes[target].column
        if not link.rulings:
            return [None]
        if PENDING in {one, other}:  # wherever it would be: only what is the same everywhere says something
            return [link.rulings[0]] if len(link.rulings) == 1 else []
        return list(link.between(one, other))

    def _arrow(self, source: int, target: int, answer: Permission, links: Sequence[tuple[Link, Ruling | None]]) -> None:
        ports = list(dict.fromkeys(f"{link.protocol} {link.ports}" for link, _ in links))
        more = f", +{len(ports) - PORTS}" if len(ports) > PORTS else ""
        rulings = [ruling for _, ruling in links if ruling is not None]
        decided = [place for ruling in rulings for place in ruling.decided]
        lines = [", ".join(ports[:PORTS]) + more]
        if answer is not Permission.ALLOW:
            nodes = " " + rulings[0].nodes if rulings and rulings[0].nodes else ""
            lines.append(f"{VERDICTS[answer]}{nodes}")
            lines += [_base(text) for text in list(where(decided))[:2]]
        one, other = self.boxes[source].title, self.boxes[target].title
        note = Note(
            f"{one} → {other}, {', '.join(ports)}: {VERDICTS[answer]}",
            TONES[answer],
            self._number() if answer is Permission.DENY else 0,
            tuple(dict.fromkeys(_sentences(links))),
            _unique((*(link.at for link, _ in links), *decided, *(each for one in rulings for each in one.near))),
            tuple(dict.fromkeys(repair for ruling in rulings for repair in ruling.repairs)),
        )
        self.arrows.append(Arrow(source, target, answer, tuple(lines), self._note(note)))

    def _number(self) -> int:
        self.numbers += 1
        return self.numbers

    def _note(self, note: Note) -> int:
        self.notes.append(note)
        return len(self.notes) - 1


def _is_cut(ruling: Ruling | None) -> bool:
    return ruling is not None and ruling.answer is Permission.DENY


def _sentences(links: Sequence[tuple[Link, Ruling | None]]) -> Iterator[str]:
    for link, ruling in links:
        yield f"Needed because {link.why}."
        if ruling is None:
            yield "Nobody could judge it."
        elif ruling.answer is Permission.ALLOW:
            yield f"{_capital(ruling.egress)}; {ruling.ingress}."
        else:
            for text in (ruling.egress, ruling.ingress):
                if " is allowed" not in text:
                    yield f"{_capital(text)}."
            for each in ruling.near[:NEAR]:
                yield f"Nearly matched: {each.role}."
            if ruling.open:
                yield f"Only port {', '.join(ruling.open)} is open."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _unique(places: Sequence[PlacedRelated]) -> tuple[PlacedRelated, ...]:
    found: dict[tuple[object, ...], PlacedRelated] = {}
    for each in places:
        found.setdefault((each.file, each.span, each.role), each)
    return tuple(found.values())


def _base(text: str) -> str:
    """A place without its folders."""
    return text.rpartition("/")[2]


def _pool(pool: GraphPool) -> tuple[str, ...]:
    names = ", ".join(pool.names[:3]) + (f" and {len(pool.names) - 3} more" if len(pool.names) > 3 else "")
    if pool.maximum is None:
        size = f"{pool.minimum} or more nodes"
    elif pool.minimum == pool.maximum:
        size = f"{pool.maximum} node{'' if pool.maximum == 1 else 's'}"
    else:
        size = f"{pool.minimum} to {pool.maximum} nodes"
    lines = [names, ", ".join((size, *(f"{each} each" for each in pool.accelerators)))]
    if pool.taints:
        lines.append(f"taint {', '.join(pool.taints)}")
    return tuple(lines)
