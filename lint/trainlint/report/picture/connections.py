"""The arrows of a picture: which boxes are connected, what is cut, and what only runs slowly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trainlint.model.policy import Permission
from trainlint.model.workload import DNS_PEER
from trainlint.report.picture.notes import Notes
from trainlint.report.picture.view import DNS, PENDING, Arrow, Box, Note, RoleState
from trainlint.report.picture.words import sentences, unique
from trainlint.report.zone_graph import VERDICTS, where
from trainlint.result.graph import GroupGraph, Link, Ruling

__all__ = ["connect"]

PORTS: Final = 2
TONES: Final = {Permission.ALLOW: "good", Permission.DENY: "bad", Permission.UNKNOWN: "open"}
ORDER: Final = (Permission.DENY, Permission.UNKNOWN, Permission.ALLOW)

Judged = list[tuple[Link, Ruling | None]]


def connect(graph: GroupGraph, key: str, boxes: list[Box], notes: Notes) -> list[Arrow]:
    """The arrows between the boxes that stand for pods, the worst first; DNS gets a box where it is not permitted.

    What says the same is one arrow, also in both directions where it is permitted.
    """
    return _Connections(graph, key, boxes, notes).arrows()


class _Connections:
    def __init__(self, graph: GroupGraph, key: str, boxes: list[Box], notes: Notes) -> None:
        self.graph, self.key, self.boxes, self.notes = graph, key, boxes, notes
        self.standing: dict[int | None, list[int]] = {}
        for index, box in enumerate(boxes):
            if box.state != RoleState.REFUSED:
                self.standing.setdefault(box.row, []).append(index)

    def arrows(self) -> list[Arrow]:
        found: dict[tuple[int, int, Permission], Judged] = {}
        for link in self.graph.links:
            for source in self.standing.get(link.source, ()):
                for target in self._targets(link, source):
                    for ruling in self._between(link, source, target):
                        answer = Permission.UNKNOWN if ruling is None else ruling.answer
                        found.setdefault((source, target, answer), []).append((link, ruling))
        arrows = []
        for (source, target, answer), judged in sorted(found.items(), key=lambda item: ORDER.index(item[0][2])):
            back = found.get((target, source, answer)) if answer is Permission.ALLOW and source != target else None
            if back is None:
                arrows.append(self._arrow(source, target, answer, judged))
            elif source < target:
                arrows.append(self._arrow(source, target, answer, [*judged, *back], both=True))
        return arrows

    def _targets(self, link: Link, source: int) -> list[int]:
        """The boxes at the other end: of what is permitted only those in the zone, if there are any."""
        if link.target is None:
            return self._dns(link, source)
        targets = self.standing.get(link.target, [])
        if self.key != "all":
            return targets
        zone = self.boxes[source].column
        near = [index for index in targets if self.boxes[index].column == zone]
        cut = [index for index in targets if any(map(_is_cut, self._between(link, source, index)))]
        return list(dict.fromkeys([*(near or targets), *cut]))

    def _dns(self, link: Link, source: int) -> list[int]:
        """The box of DNS, where it is not simply permitted."""
        rulings = link.between(self.boxes[source].column, "")
        if not link.rulings or all(ruling.answer is Permission.ALLOW for ruling in rulings):
            return []
        found = next((index for index, box in enumerate(self.boxes) if box.column == DNS), None)
        if found is None:
            note = self.notes.add(Note("the cluster's DNS", texts=("Pods ask it for the names that they call.",)))
            self.boxes.append(Box(-1, DNS, RoleState.DNS, DNS_PEER, (), note))
            found = len(self.boxes) - 1
        return [found]

    def _between(self, link: Link, source: int, target: int) -> Sequence[Ruling | None]:
        one, other = self.boxes[source].column, self.boxes[target].column
        if not link.rulings:
            return [None]
        if PENDING in {one, other}:  # wherever it would be: only what is denied everywhere says something
            return link.rulings if len(link.rulings) == 1 and _is_cut(link.rulings[0]) else ()
        return list(link.between(one, other))

    def _arrow(self, source: int, target: int, answer: Permission, judged: Judged, *, both: bool = False) -> Arrow:
        ports = list(dict.fromkeys(f"{link.protocol} {link.ports}" for link, _ in judged))
        more = f", +{len(ports) - PORTS}" if len(ports) > PORTS else ""
        rulings = [ruling for _, ruling in judged if ruling is not None]
        decided = [place for ruling in rulings for place in ruling.decided]
        slow = answer is Permission.ALLOW and self._slow(source, target)
        lines = ports[:PORTS]
        lines[-1] += more
        if source == target and answer is Permission.ALLOW:
            lines = []  # pods of one role in one zone: the line itself says it
        verdict = len(lines)
        if answer is not Permission.ALLOW:
            nodes = " " + rulings[0].nodes if rulings and rulings[0].nodes else ""
            lines.append(f"{VERDICTS[answer]}{nodes}")
            lines += [text.rpartition("/")[2] for text in list(where(decided))[:2]]
        elif slow:
            lines.append("crosses zones: slow")
        one, other = self.boxes[source].title, self.boxes[target].title
        said = "permitted, but slow and billed" if slow else VERDICTS[answer]
        note = Note(
            f"{one} {'↔' if both else '→'} {other}, {', '.join(ports)}: {said}",
            "slow" if slow else TONES[answer],
            texts=tuple(dict.fromkeys(sentences(judged))),
            places=unique(
                (*(link.at for link, _ in judged), *decided, *(each for one in rulings for each in one.near))
            ),
            changes=tuple(dict.fromkeys(repair for ruling in rulings for repair in ruling.repairs)),
        )
        index = self.notes.numbered(note) if slow or answer is Permission.DENY else self.notes.add(note)
        return Arrow(source, target, note.tone, tuple(lines), index, both, verdict)

    def _slow(self, source: int, target: int) -> bool:
        """Whether this is what is wrong with a placement: ranks that exchange data across zones."""
        return self.key == "bad" and self.graph.split and self.boxes[source].column != self.boxes[target].column


def _is_cut(ruling: Ruling | None) -> bool:
    return ruling is not None and ruling.answer is Permission.DENY
