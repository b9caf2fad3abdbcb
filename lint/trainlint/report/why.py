"""An explanation of a connection for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from trainlint.finding import Location
from trainlint.model.policy import Action, Permission, PolicyEntry
from trainlint.policy.explanation import NearMiss, Side
from trainlint.questions.answer import Asked, ConnectionAnswer, OpeningRepair
from trainlint.report.diagnostic import place
from trainlint.report.excerpt import Frame, excerpt
from trainlint.report.options import Options
from trainlint.report.terminal import Paint, escape, wrap
from trainlint.result import PlacedRelated
from trainlint.wording.misses import miss_text
from trainlint.wording.verdicts import decision_text

__all__ = ["connection", "render"]

WORDS: Final = {Permission.ALLOW: "allowed", Permission.DENY: "denied", Permission.UNKNOWN: "not known"}
STYLES: Final = {Permission.ALLOW: "good", Permission.DENY: "bad", Permission.UNKNOWN: "open"}
ENTRIES: Final = 4
"""Entries of one kind that are shown with their source; the others get one line each."""

Placed = Mapping[Location, PlacedRelated]


def connection(answer: ConnectionAnswer, asked: Asked) -> str:
    """The connection in words."""
    if asked.ports is None:
        ports = f"every {asked.protocol} port"
    else:
        ports = f"{asked.protocol} port{'' if asked.ports.first == asked.ports.last else 's'} {asked.ports}"
    return f"{answer.source} -> {answer.target}, {ports}"


def render(answers: Sequence[ConnectionAnswer], asked: Asked, places: Placed, options: Options) -> str:
    """All answers, one after the other."""
    several = len({answer.snapshots for answer in answers}) > 1
    pages = (_Page(answer, asked, places, options).lines(several=several) for answer in answers)
    return "\n".join("\n".join(lines) + "\n" for lines in pages)


class _Page:
    """One answer as text."""

    def __init__(self, answer: ConnectionAnswer, asked: Asked, places: Placed, options: Options) -> None:
        self.answer, self.asked, self.places, self.columns = answer, asked, places, options.width
        self.paint = Paint(options.color)
        last = max((placed.span.line + len(placed.lines) for placed in places.values()), default=1)
        self.frame = Frame(last, self.paint, options.width)

    def lines(self, *, several: bool) -> Iterator[str]:
        """The page; where ``several`` snapshots have answers of their own, it says whose this is."""
        answer = self.answer
        verdict = answer.verdict
        if several and answer.snapshots:
            word = "snapshot" if len(answer.snapshots) == 1 else "snapshots"
            yield self.paint("bold", f"in {word} {escape(', '.join(answer.snapshots))}")
        if answer.where:
            yield self.paint("bold", answer.where)
        yield from self._sentence(f"{connection(answer, self.asked)}:", WORDS[verdict.answer], verdict.answer)
        if verdict.partly:
            ports = ", ".join(str(each) for each in verdict.allowed)
            yield from self._text(f"open are only {self.asked.protocol} {ports}")
        for side in answer.sides:
            yield ""
            yield from self._side(side)
        if answer.denied:
            yield ""
            yield from self._repairs(answer.repairs)
        yield from self._notes()

    def _sentence(self, head: str, word: str, permission: Permission) -> Iterator[str]:
        *lines, last = wrap(f"{head} {word}", self.columns)
        yield from (self.paint("bold", line) for line in lines)
        start = last.removesuffix(word)
        yield self.paint("bold", start) + self.paint(STYLES[permission], word)

    def _text(self, text: str, indent: str = "  ") -> Iterator[str]:
        yield from (f"{indent}{line}" for line in wrap(text, self.columns - len(indent)))

    def _side(self, side: Side) -> Iterator[str]:
        decision = side.decision
        if not side.policed:
            yield from self._text(f"at {side.subject}: no policy of this cluster is about its {decision.direction}", "")
            return
        lines = wrap(f"at {side.subject}, {decision_text(decision)}", self.columns)
        yield from (self.paint(STYLES[decision.answer], line) for line in lines)
        for entry in decision.deciding[:ENTRIES]:
            style = "error" if entry.action is Action.DENY else "frame"
            yield from self._place(entry.at, f"{_verb(entry, decision.answer)} ({entry.origin})", style)
        yield from self._listed(decision.deciding[ENTRIES:], "decides too")
        for entry in side.overruled[:ENTRIES]:
            yield from self._place(entry.at, f"allows it, and a deny wins ({entry.origin})", "frame")
        yield from self._listed(side.overruled[ENTRIES:], "allows it, and a deny wins")
        near = {id(miss.entry) for miss in side.near}
        for miss in side.near:
            yield from self._miss(miss)
        if side.more:
            entries = "entry selects" if side.more == 1 else "entries select"
            yield from self._text(f"{side.more} more {entries} these pods and {_is_are(side.more)} further off")
        if not decision.deciding and decision.answer is not Permission.ALLOW:
            left = [entry for entry in decision.isolating if id(entry) not in near]
            yield from self._listed(left, f"admits only what it lists ({decision.direction})")

    def _miss(self, miss: NearMiss) -> Iterator[str]:
        sure = any(each.certain for each in miss.shortfalls)
        head = "nearly matched" if sure else "may match"
        by_place: dict[Location, list[str]] = {}
        for each in miss.shortfalls:
            by_place.setdefault(each.at or miss.entry.at, []).append(miss_text(each.reason))
        shown = any(self._line(at) == self._line(miss.entry.at) for at in by_place)
        where = "" if shown else f", {self._where(miss.entry.at)}"
        yield from self._text(f"{head}: {miss.entry.origin}{where}")
        for at, texts in by_place.items():
            yield from self._place(at, "; ".join(texts), "frame")

    def _listed(self, entries: Sequence[PolicyEntry], role: str) -> Iterator[str]:
        for at, entry in {entry.at: entry for entry in entries}.items():
            yield from self._text(f"{role}: {entry.origin}, {self._where(at)}")

    def _repairs(self, repairs: Sequence[OpeningRepair]) -> Iterator[str]:
        if not repairs:
            sides = (self.answer.verdict.egress, self.answer.verdict.ingress)
            denied = any(entry.action is Action.DENY for side in sides for entry in side.deciding)
            text = (
                "an entry denies this connection, and no other entry can allow it: only a change of that entry opens it"
                if denied
                else "no change of labels, and no port added to an entry, opens this connection (all that there are "
                "were tried): it takes a policy of its own"
            )
            yield from self._text(text, "")
            return
        yield self.paint("help", "smallest change that opens it (tried on the policies as they are):")
        for number, repair in enumerate(repairs):
            for count, change in enumerate(repair.changes):
                joint = "and " if count else "or " if number else ""
                yield from self._text(f"{joint}{change.text}")
                if change.at is not None:
                    yield from self._place(change.at, "", "frame")
            if repair.answer is not Permission.ALLOW:
                yield from self._text("the other direction stays not known")

    def _notes(self) -> Iterator[str]:
        for inert in self.answer.inert:
            yield ""
            where = f" ({self._where(inert.at)})" if inert.at is not None else ""
            yield from self._text(f"not in force: {inert.text}{where}", "")
        if self.answer.assumptions:
            yield ""
            yield from self._text(f"assumes: {'; '.join(self.answer.assumptions)}", "")

    def _place(self, at: Location, label: str, style: str) -> Iterator[str]:
        placed = self.places[at]
        arrow = self.paint("frame", "-->")
        yield f"{' ' * self.frame.gutter}{arrow} {place(placed.file, placed.span, base=placed.base)}"
        yield from excerpt(self.frame, placed.lines, placed.span, style, label)
        if not label:
            yield self.frame.row()

    def _line(self, at: Location) -> tuple[str, int]:
        return (self.places[at].file, self.places[at].span.line)

    def _where(self, at: Location) -> str:
        placed = self.places[at]
        return f"{placed.file}:{placed.span.line}:{placed.span.column}"


def _verb(entry: PolicyEntry, answer: Permission) -> str:
    if entry.action is Action.DENY:
        return "denies it"
    if answer is Permission.DENY:
        return "would allow it after an authentication"
    return "allows it"


def _is_are(count: int) -> str:
    return "is" if count == 1 else "are"
