"""A summary for a pull request, to be read in ten seconds: what breaks and for which jobs; the details are folded."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Final

from trainlint.model.known import Answer
from trainlint.report.concern import groups_of
from trainlint.report.diagnostic import diagnostic
from trainlint.report.headline import NAME, compared, count, headline, severity_of
from trainlint.report.markup import cell, clipped, code, code_cell, fenced, prose
from trainlint.report.mermaid import GROUPS, picture
from trainlint.report.options import Options
from trainlint.report.overview import summary
from trainlint.report.terminal import Paint, escape
from trainlint.report.values import listed
from trainlint.result import Placed, Result
from trainlint.result.answers import can_run, connections, decided, every_placement, worst_first

__all__ = ["LIMIT", "render"]

LIMIT: Final = 60_000
"""Characters of the whole: GitHub refuses comments above 65,536, and the action adds a few lines."""
ROWS: Final = 10
GROUP_ROWS: Final = 30
LISTED: Final = 20
MESSAGE: Final = 500


def render(result: Result, options: Options) -> str:
    """Headline, what breaks, groups, picture, and folded details: as many as a comment may hold, the rest counted."""
    parts = [
        f"### {headline(result)}",
        prose(" ".join(summary(result, Paint(color=False), 1 << 30))),
        compared(result),
        _failures(result),
        _breaks(result),
    ]
    if not options.quiet:
        parts += [_groups(result), _picture(result), _unknowns(result), _assumed(result)]
    folded = [("details", placed) for placed in result.findings]
    if options.show_suppressed:
        folded += [("suppressed", placed) for placed in result.suppressed]
    return _cut([part for part in parts if part], folded)


def _cut(parts: Sequence[str], folded: Sequence[tuple[str, Placed]]) -> str:
    """The parts that fit, then the details of as many findings as still do; what is left out is counted."""
    last = "and {} more parts, which are left out here: this summary is as long as a comment may be"
    size, kept = len(last) + 8, []
    for part in parts:
        if size + len(part) + 2 <= LIMIT:
            size += len(part) + 2
            kept.append(part)
    left = len(parts) - len(kept)
    for number, (title, placed) in enumerate(folded):
        text = _details(placed, title)
        if size + len(text) + 2 > LIMIT:
            left += len(folded) - number
            break
        size += len(text) + 2
        kept.append(text)
    if left:
        kept.append(last.format(left))
    return "\n\n".join(kept) + "\n"


def _failures(result: Result) -> str:
    return "\n".join(f"- rule {code(each.rule)} broke: {prose(each.message)}" for each in result.failures)


def _breaks(result: Result) -> str:
    """The table of findings, the worst first."""
    if not result.findings:
        return ""
    rows = ["| | job | what breaks | where |", "|---|---|---|---|"]
    ordered = sorted(result.findings, key=lambda placed: severity_of(placed).rank)
    for placed in ordered[:ROWS]:
        names = list(dict.fromkeys(group.name for group in groups_of(placed, result.groups)))
        jobs = listed([_name(name) for name in names], 3)
        finding = placed.finding
        named = finding.predicate and finding.groups == (*names[:1],)
        message = finding.predicate if named else finding.message
        what = f"{cell(clipped(message, MESSAGE))} ({code(placed.finding.rule)})"
        rows.append(f"| {severity_of(placed)} | {jobs} | {what} | {_where(placed)} |")
    if len(ordered) > ROWS:
        rows.append(f"| | | and {len(ordered) - ROWS} more, below | |")
    return "\n".join(rows)


def _name(text: str) -> str:
    return code_cell(clipped(text, NAME))


def _where(placed: Placed) -> str:
    gone = " in the base revision" if placed.base else ""
    return _name(_at(placed)) + gone


def _at(placed: Placed) -> str:
    return f"{placed.finding.at.file}:{placed.span.line}"


def _groups(result: Result) -> str:
    """The verdict on each group, those with trouble first."""
    if not result.groups:
        return ""
    several = len(result.snapshots) > 1
    rows = [
        f"| group | {'snapshot | ' if several else ''}pods | can run | every placement | connections |",
        f"|---|{'---|' if several else ''}---:|---|---|---|",
    ]
    ordered = worst_first(result.groups)
    for group in ordered[:GROUP_ROWS]:
        entries = [
            _name(group.shown),
            *([_name(group.snapshot)] if several else []),
            "?" if group.pods is None else str(group.pods),
            _answer(can_run(group)),
            _answer(every_placement(group)),
            _answer(connections(group)),
        ]
        rows.append(f"| {' | '.join(entries)} |")
    text = "\n".join(rows)
    if len(ordered) > GROUP_ROWS:
        text += f"\n\nand {count(len(ordered) - GROUP_ROWS, 'group')} more: {decided(ordered[GROUP_ROWS:])}"
    return text


def _answer(text: str) -> str:
    return f"**{text}**" if text in {"no", "denied"} else prose(text)


def _picture(result: Result) -> str:
    """The refuted groups in their zones."""
    refuted = [group for group in result.groups if group.answer is Answer.REFUTED and group.roles]
    lines = picture(refuted, snapshots=len(result.snapshots) > 1)
    if not lines:
        return ""
    more = f"\n\n(the first {GROUPS} of {len(refuted)} refuted groups)" if len(refuted) > GROUPS else ""
    return fenced(lines, "mermaid") + more


def _details(placed: Placed, title: str) -> str:
    """One finding as at a terminal, folded."""
    finding = placed.finding
    about = f"{title}: {severity_of(placed)} {finding.rule} at "
    lines = diagnostic(placed, Paint(color=False), 100, several_snapshots=True)
    return _folded(about, fenced(lines, "text"), _at(placed))


def _folded(title: str, body: str, name: str = "") -> str:
    """A section that opens at a click. ``name`` comes from outside: code protects it, as spans do in Markdown."""
    shown = f"{title}<code>{html.escape(escape(name), quote=False)}</code>" if name else title
    return f"<details><summary>{shown}</summary>\n\n{body}\n\n</details>"


def _unknowns(result: Result) -> str:
    grouped: dict[tuple[str, str], list[str]] = {}
    for unknown in result.unknowns:
        grouped.setdefault((unknown.missing, unknown.remedy), []).append(unknown.subject)
    lines = [
        f"- {listed([prose(subject) for subject in dict.fromkeys(subjects)], 3)}: {prose(missing)}"
        + (f" ({prose(remedy)})" if remedy else "")
        for (missing, remedy), subjects in grouped.items()
    ]
    return _list(f"unknown: {count(len(result.unknowns), 'fact')}", lines)


def _assumed(result: Result) -> str:
    return _list("assumed", [f"- {prose(text)}" for text in dict.fromkeys(result.assumptions)])


def _list(title: str, lines: Iterable[str]) -> str:
    shown = list(lines)
    if not shown:
        return ""
    more = [f"- and {len(shown) - LISTED} more"] if len(shown) > LISTED else []
    return _folded(title, "\n".join([*shown[:LISTED], *more]))
