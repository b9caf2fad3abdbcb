"""What holds of every result, whatever the repository: its places, its answers, and that nothing broke."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.fuzz.worlds import World
from tests.test_robustness import POSSIBLE

from trainlint.finding import Certainty, Finding, Severity, Span
from trainlint.model.known import Answer
from trainlint.result import GroupVerdict, Placed, Result

__all__ = ["Breach", "breaches", "is_packing"]

FATAL = {
    *("no-viable-zone", "no-matching-node", "request-exceeds-node", "untolerated-taint", "group-exceeds-capacity"),
    *(
        "invalid-extended-resource",
        "exclusive-topology-insufficient",
        "affinity-deadlock",
        "accelerator-shape-mismatch",
    ),
    *("anti-affinity-exceeds-domains", "spread-unsatisfiable", "volume-zone-conflict", "host-port-conflict"),
    *("flow-denied", "dns-egress-blocked"),
}
"""Rules whose proven errors say that the group runs nowhere."""

PACKED = "so that the last pods find no room"

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\d+|[\w.-]*/[\w./-]*")


@dataclass(frozen=True)
class Breach:
    """A law that does not hold, and how that shows."""

    law: str
    text: str

    @property
    def kind(self) -> str:
        """What equal breaches of different repositories share: the text without names and numbers."""
        return f"{self.law}: {' '.join(_QUOTED.sub('#', self.text).split())[:100]}"


def breaches(world: World, result: Result) -> Iterator[Breach]:
    """The laws of one result that do not hold."""
    for failure in result.failures:
        yield Breach("exit 70", f"{failure.rule}: {failure.message}")
    yield from _places(world, result)
    for group in result.groups:
        yield from _answers(group)
        yield from _heard(group, result, world)
        yield from _contradicted(group, result)


def _places(world: World, result: Result) -> Iterator[Breach]:
    lines: dict[str, list[str]] = {}
    for placed in (*result.findings, *result.suppressed):
        yield from _place(f"{placed.finding.rule}", placed.finding.at.file, placed.span, world, lines)
        for related in placed.related:
            yield from _place(f"{placed.finding.rule} related", related.file, related.span, world, lines)
    for unknown in result.unknowns:
        if unknown.file is not None:
            line = unknown.line or 0
            yield from _place("unknown", unknown.file, Span(line, 1, line, 1), world, lines)


def _place(who: str, file: str, span: Span, world: World, known: dict[str, list[str]]) -> Iterator[Breach]:
    if file not in world:
        yield Breach("place", f"{who}: there is no file {file!r}")
        return
    if file not in known:
        known[file] = _lines(world[file])
    lines = known[file]
    if not 1 <= span.line <= span.end_line <= len(lines):
        yield Breach("place", f"{who}: {span} is not within the {len(lines)} lines of {file!r}")
        return
    ends = ((span.line, span.column), (span.end_line, span.end_column))
    if ends[0] > ends[1] or any(not 1 <= column <= len(lines[line - 1]) + 2 for line, column in ends):
        yield Breach("place", f"{who}: {span} is not within its lines of {file!r}")


MARKS = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def _lines(content: bytes) -> list[str]:
    """The lines of a file as an editor shows them."""
    name = next((name for mark, name in MARKS if content.startswith(mark)), "utf-8-sig")
    if name == "utf-8-sig" and b"\0" in content[:4]:
        name = (
            {1: "utf-16-le", 0: "utf-16-be"}.get(content[:2].find(b"\0"), name)
            if content[:4].count(b"\0") < 3
            else name
        )
        if content[:4].count(b"\0") == 3:
            name = "utf-32-le" if content[:1] != b"\0" else "utf-32-be"
    return re.split(r"\r\n|\n|\r", content.decode(name, "replace"))


def _answers(group: GroupVerdict) -> Iterator[Breach]:
    answers = (group.exists, group.for_all)
    if answers not in POSSIBLE:
        yield Breach("answers", f"{group.exists} and {group.for_all} exclude each other")
    if Answer.UNKNOWN in answers and not any(group.missing):
        yield Breach("reason", f"{group.kind} is unknown and nothing says why")
    if group.exists is Answer.PROVED:
        zones = {zone for each in group.witness.values() for zone in each}
        if not group.witness or not zones <= set(group.viable_zones):
            yield Breach("witness", f"{group.kind} is proved by {group.witness} in {group.viable_zones}")


def _about(placed: Placed, group: GroupVerdict) -> bool:
    """Whether a finding names a group, or points at an object that makes its pods."""
    finding = placed.finding
    if finding.cause == group.name or finding.cause.startswith(f"{group.name} "):
        return True
    if any(name in finding.message for name in (group.name, *(role.name for role in group.roles))):
        return True
    if finding.rule == "rejected-object" and "kustomization" in finding.at.file:
        return True  # one line that spoils the names of all objects is one finding
    homes = {(role.at.file, role.at.document) for role in group.roles if role.at is not None}
    return any((at.file, at.document) in homes for at in (finding.at, *(each.at for each in finding.places)))


def _quieted(world: Mapping[str, bytes]) -> bool:
    """Whether settings may leave findings out."""
    settings = ("\n".join(_lines(text)) for name, text in world.items() if "trainlint" in name)
    return any("rules" in text or "ignore" in text for text in settings)


def is_packing(group: GroupVerdict) -> bool:
    """Whether a group that can run may be placed badly only for the order in which its pods fill the nodes."""
    runs = group.exists in (Answer.PROVED, Answer.CONDITIONAL) and group.for_all is Answer.REFUTED
    return runs and any(each.endswith(PACKED) or "finds no room: " in each for each in group.notes)


def _heard(group: GroupVerdict, result: Result, world: World) -> Iterator[Breach]:
    if Answer.REFUTED not in (group.exists, group.for_all) or _quieted(world):
        return
    if is_packing(group):
        return  # a note of the group by decision 2; ``packing`` looks whether it is one
    found = (*result.findings, *result.suppressed)
    if not any(_about(placed, group) for placed in found):
        other = ", ".join(sorted({each.finding.rule for each in found}))
        yield Breach("heard", f"{group.kind} is refuted without a finding; notes: {group.notes}; others: {other}")


def _contradicted(group: GroupVerdict, result: Result) -> Iterator[Breach]:
    if group.exists not in (Answer.PROVED, Answer.CONDITIONAL):
        return
    homes = {(role.at.file, role.at.document, role.at.path) for role in group.roles if role.at and not role.dependency}
    names = [each.name for each in result.groups if each.snapshot == group.snapshot]
    for placed in result.findings:
        finding = placed.finding
        if (
            group.snapshot in finding.snapshots
            and _is_fatal(finding)
            and _stands(finding, group, homes, named=names.count(group.name) == 1)
        ):
            yield Breach("contradicted", f"{group.exists} {group.kind} has {finding.rule}: {finding.message[:200]}")


def _is_fatal(finding: Finding) -> bool:
    return (
        finding.rule in FATAL
        and finding.certainty is Certainty.PROVEN
        and (finding.severity or Severity.ERROR) is Severity.ERROR
    )


def _stands(
    finding: Finding, group: GroupVerdict, homes: set[tuple[str, int, tuple[str | int, ...]]], *, named: bool
) -> bool:
    """Whether a finding is about the group; ``named``: no other group, of another kind, has its name."""
    if finding.cause and named:  # it says which group it is about
        return finding.cause == group.name
    at = finding.at
    return any(
        (at.file, at.document) == (file, document) and at.path[: len(path)] == path for file, document, path in homes
    )
