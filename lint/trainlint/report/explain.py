"""Arguments for people: numbered steps, every sentence with its places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from trainlint.finding import Location
from trainlint.questions.argument import Argument, Statement
from trainlint.report.diagnostic import diagnostic
from trainlint.report.options import Options
from trainlint.report.terminal import Paint, width, wrap
from trainlint.result import Placed, PlacedRelated

__all__ = ["argument_text"]

PLACES: Final = 4
"""Places of one sentence that are shown; the others are counted."""

Places = Mapping[Location, PlacedRelated]


def argument_text(findings: Sequence[Placed], arguments: Sequence[Argument], places: Places, options: Options) -> str:
    """The finding, if one was asked for, and the arguments one after the other."""
    paint = Paint(options.color)
    pages = [list(diagnostic(each, paint, options.width, several_snapshots=True)) for each in findings]
    pages += [list(_page(each, places, paint, options.width)) for each in arguments]
    if findings and not arguments:
        pages.append(["this finding is about no group: what it says above is all that there is to prove"])
    return "\n".join("\n".join(page) + "\n" for page in pages)


def _page(argument: Argument, places: Places, paint: Paint, columns: int) -> Iterator[str]:
    title = f"{argument.group} ({argument.kind}) in {', '.join(argument.snapshots)}: "
    title += f"exists {argument.exists}, for all {argument.for_all}"
    yield from (paint("bold", line) for line in wrap(title, columns))
    for number, step in enumerate(argument.steps, 1):
        yield ""
        yield from (paint("bold", line) for line in _hanging(f"{number}.", step.title, columns, "  "))
        for statement in step.statements:
            yield from _statement(statement, places, columns, "   ")


def _statement(statement: Statement, places: Places, columns: int, indent: str) -> Iterator[str]:
    named = list(dict.fromkeys(_place(places[at]) for at in statement.places))
    shown = named[:PLACES] if len(named) > PLACES + 1 else named
    more = [f"{len(named) - len(shown)} more"] if len(shown) < len(named) else []
    where = f" ({', '.join([*shown, *more])})" if named else ""
    yield from _hanging(f"{indent}-", f"{statement.text}{where}", columns, f"{indent}  ")
    for each in statement.below:
        yield from _statement(each, places, columns, f"{indent}  ")


def _hanging(mark: str, text: str, columns: int, indent: str) -> Iterator[str]:
    """Lines of which only the first carries the mark."""
    for count, line in enumerate(wrap(text, columns - max(width(mark) + 1, width(indent)))):
        yield f"{mark} {line}" if not count else f"{indent}{line}"


def _place(placed: PlacedRelated) -> str:
    return f"{placed.file}:{placed.span.line}"
