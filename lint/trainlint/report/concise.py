"""One line for each finding, as compilers write them, for editors and for grep."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Severity
from trainlint.report.diagnostic import place
from trainlint.report.options import Options
from trainlint.report.overview import summary
from trainlint.report.terminal import Paint, escape
from trainlint.result import Placed, Result

__all__ = ["render"]


def render(result: Result, options: Options) -> str:
    """``file:line:column: severity[rule] message``, then rules that broke and the summary in one line each."""
    return "".join(f"{line}\n" for line in _lines(result, options, Paint(options.color)))


def _lines(result: Result, options: Options, paint: Paint) -> Iterator[str]:
    for placed in result.findings:
        yield _line(placed, paint)
    for placed in result.suppressed if options.show_suppressed else ():
        yield f"{_line(placed, paint)} (suppressed{': ' if placed.reason else ''}{escape(placed.reason)})"
    for failure in result.failures:
        yield f"trainlint: {paint('error', 'internal error:')} rule {failure.rule} broke: {escape(failure.message)}"
    if not options.quiet or result.failures:
        yield " ".join(summary(result, paint, 1 << 30))


def _line(placed: Placed, paint: Paint) -> str:
    finding = placed.finding
    severity = finding.severity or Severity.ERROR
    message = escape(" ".join(finding.message.split()))
    gone = " (in the base revision)" if placed.base else ""
    return f"{place(finding.at.file, placed.span)}: {paint(severity, f'{severity}[{finding.rule}]')} {message}{gone}"
