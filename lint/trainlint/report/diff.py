"""Repairs as unified diffs, each under lines that say what it does: ``git apply`` and ``patch`` pass over those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.finding import Safety, Severity
from trainlint.fix.diff import unified
from trainlint.report.options import Options
from trainlint.report.terminal import Paint, escape, shown_on, wrap
from trainlint.result import FileChange, Placed, Repair, Result

__all__ = ["described", "extent", "render", "repair_lines", "sections"]

STYLES = {"+": "good", "-": "bad", "@": "frame"}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MEANINGS = {
    Safety.SAFE: "safe: cannot change what already works (--fix applies it)",
    Safety.UNSAFE: "unsafe: read it first, for it may change where pods run, what they use or which pods they reach "
    "(--fix --unsafe-fixes applies it)",
    Safety.OPENING: "opening: admits more traffic; think it over, nothing applies it for you",
}


def render(result: Result, options: Options) -> str:
    """Every repair with its diff, then the groups for which none was found."""
    return "".join(f"{line}\n" for line in sections(result, Paint(options.color, options.screen), options.width))


def sections(result: Result, paint: Paint, columns: int) -> Iterator[str]:
    """The lines of all repairs."""
    repairs = result.repairs or ()
    for kind in Safety:
        if any(each.safety is kind for each in repairs):
            yield from _comment(MEANINGS[kind], paint, columns, "frame")
    for number, repair in enumerate(repairs, 1):
        head = f"repair {number} of {len(repairs)}, {repair.safety}: {extent(repair)}"
        yield from _comment(head, paint, columns, "bold")
        yield from (line for text in described(repair, result) for line in _comment(text, paint, columns, "frame"))
        yield from repair_lines(repair, paint)
        yield ""
    for each in result.unrepaired:
        if not each.group:
            yield from _comment(each.why, paint, columns, "bold")
            continue
        where = f" ({each.snapshot})" if len(result.snapshots) > 1 else ""
        yield from _comment(f"no repair was found for group {each.group}{where}: {each.why}", paint, columns, "bold")
    if not repairs and not result.unrepaired:
        what = "nothing to fix" if not result.findings else "no repair is known for what was found"
        yield from _comment(what, paint, columns, "bold")


def extent(repair: Repair) -> str:
    """How large a repair is, and what it is for: ``three edits in two files fix group ml/llama (before)``."""
    edits, files = repair.edits, len(repair.changes)
    size = (
        f"{_number(edits)} {'edit' if edits == 1 else 'edits'} in {_number(files)} {'file' if files == 1 else 'files'}"
    )
    if not repair.group:
        return size
    where = f" ({repair.snapshot})" if repair.snapshot not in ("", ".") else ""
    return f"{size} {'fixes' if edits == 1 else 'fix'} group {repair.group}{where}"


def described(repair: Repair, result: Result) -> Iterator[str]:
    """What a repair does, what it fixes, what it opens and what it leaves."""
    yield from (f"- {step}" for step in repair.steps)
    fixed = [_named(placed) for placed in result.findings if placed.finding.id in repair.fixes]
    if fixed:
        yield f"fixes {', '.join(dict.fromkeys(fixed))}"
    yield from (f"opens {each}" for each in repair.opens)
    yield from (f"leaves {each}" for each in repair.leaves)


def repair_lines(repair: Repair, paint: Paint) -> Iterator[str]:
    """The diff."""
    for change in repair.changes:
        yield from (_painted(line, paint) for line in _diff(change))


def _diff(change: FileChange) -> Iterable[str]:
    return unified(change.file, change.before, change.after).removesuffix("\n").split("\n")


def _painted(line: str, paint: Paint) -> str:
    style = STYLES.get(line[:1])
    text = shown_on(line, paint)
    return paint(style, text) if style else text


def _comment(text: str, paint: Paint, columns: int, style: str) -> Iterator[str]:
    for line in wrap(text, columns - 2):
        yield paint(style, f"# {line}")


def _named(placed: Placed) -> str:
    finding = placed.finding
    return f"{finding.severity or Severity.ERROR}[{finding.rule}] {escape(finding.at.file)}:{placed.span.line}"


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else str(count)
