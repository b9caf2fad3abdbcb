"""Where reports go, and in which colours."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from trainlint.cli.names import unknown_name
from trainlint.fact import fact
from trainlint.finding import UsageError
from trainlint.report import FORMATS
from trainlint.report.commands import tamed
from trainlint.report.terminal import escape
from trainlint.source.file_access import place_of
from trainlint.source.whole_file import write_whole

__all__ = [
    "ReportOutput",
    "columns",
    "complain",
    "emit",
    "flush",
    "is_screen",
    "output_option",
    "publish",
    "targets",
    "use_color",
    "write",
]

F = TypeVar("F", bound=Callable[..., Any])

NARROW: Final = 40
WIDE: Final = 100


@fact
class ReportOutput:
    """A report to write: its format, and the file (``None`` for standard output)."""

    format: str
    file: Path | None = None


def output_option(formats: Collection[str]) -> Callable[[F], F]:
    """Add ``--output`` for these formats; the command sees it as ``outputs``."""
    *others, last = formats
    listed = f"{', '.join(others)} or {last}" if others else last
    text = f"Write {listed} to standard output or to FILE; repeatable."
    return click.option("--output", "outputs", multiple=True, metavar="FORMAT[=FILE]", help=text)


def publish(chosen: Iterable[ReportOutput], text: Callable[[ReportOutput], str]) -> bool:
    """Write everything that was asked for; whether all of it could be written (if not, why is on standard error)."""
    written = True
    for target in chosen:
        try:
            if target.file is None:
                emit(text(target), target.format)
            else:
                write(target.file, text(target))
        except UsageError as error:
            complain(f"trainlint: {escape(str(error))}")
            written = False
    return written


def targets(values: Iterable[str], formats: Collection[str] = FORMATS) -> tuple[ReportOutput, ...]:
    """What ``--output FORMAT[=FILE]`` asks for; text on standard output unless a format goes there.

    Raises:
        UsageError: an unknown format, two for standard output, or two for one file.
    """
    chosen: list[ReportOutput] = []
    for value in values:
        name, equals, file = value.partition("=")
        if name not in formats:
            raise UsageError(f"--output: {unknown_name('format', name, formats)}")
        if equals and not file:
            raise UsageError(f"--output: {value!r} names no file; write {name}=FILE, or {name} for standard output")
        target = ReportOutput(name, Path(file) if file and file != "-" else None)
        if any(other.file == target.file for other in chosen):
            where = "standard output" if target.file is None else f"the file {file}"
            raise UsageError(f"--output: only one report can go to {where}")
        chosen.append(target)
    if all(target.file is not None for target in chosen):
        chosen.insert(0, ReportOutput("text"))
    return tuple(chosen)


def use_color(choice: str) -> bool:
    """Whether to colour standard output: ``always``, ``never``, or ``auto``: a terminal and no NO_COLOR."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_screen() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def columns() -> int:
    """The columns of standard output: those of the terminal within limits, else 80."""
    if not sys.stdout.isatty():
        return 80
    return max(NARROW, min(WIDE, shutil.get_terminal_size().columns))


def complain(text: str) -> None:
    """Write lines to standard error, where a runner may look for commands."""
    click.echo(tamed(text), err=True)


def emit(text: str, form: str = "text") -> None:
    """Write a report of some format to standard output; characters that it cannot show are escaped, a reader that left
    is no error.

    Raises:
        UsageError: it cannot be written (a full disk).
    """
    if sys.stdout is None:
        return
    encoding = sys.stdout.encoding or "utf-8"
    with _guarded():
        sys.stdout.write(tamed(text, form).encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()


def flush() -> None:
    """Write out what is left, before the interpreter does it with a message of its own."""
    if sys.stdout is not None:
        with contextlib.suppress(UsageError), _guarded():
            sys.stdout.flush()


def write(file: Path, text: str, *, option: str = "--output") -> None:
    """Write a file that ``option`` names, as UTF-8, whole or not at all.

    Raises:
        UsageError: that is not possible, or a symbolic link of a repository leads out of it; the old file is as it was.
    """
    try:
        write_whole(place_of(file), (text.encode("utf-8", "backslashreplace"),))
    except OSError as error:
        raise UsageError(f"{option}: cannot write {file}: {error.strerror or error}") from error
    except UsageError as error:
        raise UsageError(f"{option}: cannot write {error}") from None


@contextlib.contextmanager
def _guarded() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # What is still buffered goes nowhere, or the interpreter would complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise UsageError(f"cannot write to standard output: {error.strerror or error}") from error
