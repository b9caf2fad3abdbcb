"""What holds of repairs: they apply, fix what they say, and bring no error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from tests.fuzz.laws import Breach
from tests.fuzz.worlds import World

from trainlint.finding import Severity
from trainlint.fix.diff import unified
from trainlint.model.known import Answer
from trainlint.report import Options, reporter
from trainlint.result import FileChange, Repair, Result

__all__ = ["applied", "breaches_of_repairs"]

MOST = 3
"""Repairs of one repository that are tried: each is a run of its own."""
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
LINE = re.compile(r"# |#$|--- |\+\+\+ |@@ |[-+ ]|\\ No newline|$")

Check = Callable[[World], Result]


def breaches_of_repairs(world: World, result: Result, check: Check) -> Iterator[Breach]:
    """What is wrong with the repairs of a result; ``check`` gives the result of another repository."""
    text = reporter("diff")(result, Options())
    if wrong := next((line for line in text.split("\n") if not LINE.match(line)), None):
        yield Breach("diff", f"no line of a diff: {wrong!r}")
    for repair in (result.repairs or ())[:MOST]:
        wrong = [each for change in repair.changes for each in _of_change(change, world)]
        yield from wrong
        if not wrong:
            after = {**world, **{change.file: change.after for change in repair.changes}}
            yield from _of_repair(repair, result, check(after))


def _of_repair(repair: Repair, before: Result, after: Result) -> Iterator[Breach]:
    what = f"{repair.safety}: {'; '.join(repair.steps)}"
    if after.failures:
        yield Breach("repair breaks a rule", f"{after.failures[0]} after {what}")
    fixed = {(each.finding.id, each.finding.at.file) for each in before.findings if each.finding.id in repair.fixes}
    left = {(each.finding.id, each.finding.at.file): each.finding.rule for each in after.findings}
    for key in sorted(fixed & left.keys()):
        yield Breach("repair fixes nothing", f"{left[key]} is still there after {what}")
    for rule in sorted((_errors(after) - _errors(before)).keys()):
        if not any(f"[{rule}]" in each for each in repair.leaves):
            said = next(each.finding.message for each in after.findings if each.finding.rule == rule)
            yield Breach("repair brings an error", f"{rule} ({said[:200]}) after {what}")
    if repair.group:
        for group in after.groups:
            refuted = Answer.REFUTED in (group.exists, group.for_all)
            if refuted and (group.name, group.snapshot) == (repair.group, repair.snapshot):
                yield Breach("repair fixes no group", f"{group.kind} is refuted still after {what}")


def _errors(result: Result) -> Counter[str]:
    """How many errors each rule has."""
    return Counter(each.finding.rule for each in result.findings if each.finding.severity is Severity.ERROR)


def _of_change(change: FileChange, world: World) -> Iterator[Breach]:
    if world.get(change.file) != change.before:
        yield Breach("edit", "what is changed is not the file")
    try:
        _of_diff(change)
    except (ValueError, IndexError, UnicodeDecodeError) as error:
        yield Breach("diff", f"{type(error).__name__}: {error}")


def applied(text: str, lines: list[str]) -> list[str]:
    """The lines of a file after a unified diff about it.

    Raises:
        ValueError: it is no diff, or about other lines.
    """
    made: list[str] = []
    at = 0
    rest = text.split("\n")[:-1]
    if not rest[0].startswith("--- ") or not rest[1].startswith("+++ "):
        raise ValueError("no head of a diff")
    position = 2
    while position < len(rest):
        head = HUNK.fullmatch(rest[position])
        if head is None:
            raise ValueError(f"no head of a hunk: {rest[position]!r}")
        start, old = int(head[1]), int(head[2] or 1)
        new = int(head[4] or 1)
        begin = start - 1 if old else start
        made += lines[at:begin]
        at = begin
        position += 1
        while old or new or (position < len(rest) and rest[position].startswith("\\")):
            line = rest[position]
            position += 1
            if line.startswith("\\"):
                continue
            if line[0] in " -":
                if lines[at] != line[1:]:
                    raise ValueError(f"line {at + 1} is {lines[at]!r}, not {line[1:]!r}")
                at += 1
                old -= 1
            if line[0] in " +":
                made.append(line[1:])
                new -= 1
    return made + lines[at:]


def _of_diff(change: FileChange) -> None:
    old, new = (content.decode("utf-8-sig", "replace").split("\n") for content in (change.before, change.after))
    old, new = (lines[:-1] if lines[-1] == "" else lines for lines in (old, new))
    if change.before[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in change.before[:4]:
        return  # a diff of these shows the text, not the bytes
    if applied(unified(change.file, change.before, change.after), old) != new:
        raise ValueError("the diff does not make what is written")
