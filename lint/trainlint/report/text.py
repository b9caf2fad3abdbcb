"""The report for people, at a terminal or in a log."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.report.diagnostic import diagnostic
from trainlint.report.options import Options
from trainlint.report.overview import overview, summary
from trainlint.report.terminal import Paint
from trainlint.result import Result

__all__ = ["render"]


def render(result: Result, options: Options) -> str:
    """Findings as a compiler shows them, then groups, unknowns, assumptions and one line of summary."""
    lines = list(_lines(result, options, Paint(options.color, options.screen)))
    return "\n".join(lines) + "\n" if lines else ""


def _lines(result: Result, options: Options, paint: Paint) -> Iterator[str]:
    several = len(result.snapshots) > 1
    shown = [*result.findings, *(result.suppressed if options.show_suppressed else ())]
    for placed in shown:
        yield from diagnostic(placed, paint, options.width, several_snapshots=several)
        yield ""
    if result.repairs is not None and not result.changes:
        from trainlint.report.diff import sections  # noqa: PLC0415 (only where repairs were asked for)

        yield from sections(result, paint, options.width)
    if not options.quiet or result.failures:
        yield from overview(result, paint, options.width, verbose=options.verbose)
        yield from summary(result, paint, options.width)
