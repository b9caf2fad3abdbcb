"""The options ``--diff``, ``--fix`` and ``--unsafe-fixes``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainlint.cli.output import complain
from trainlint.finding import UsageError
from trainlint.report.terminal import escape

if TYPE_CHECKING:
    from trainlint.engine.request import Repairs
    from trainlint.result import Repair, Result

__all__ = ["fix_options", "fixed", "wanted"]

Command = Callable[..., None]


def fix_options(command: Command) -> Command:
    """Add the three options."""
    for option in (
        click.option("--unsafe-fixes", is_flag=True, help="With --fix: also repairs that need a review."),
        click.option("--fix", is_flag=True, help="Apply the repairs that cannot change what already works."),
        click.option("--diff", is_flag=True, help="Show what fixes the findings, as diffs; nothing is changed."),
    ):
        command = option(command)
    return command


def wanted(*, diff: bool, fix: bool, unsafe: bool, stdin: bool, baseline: bool) -> Repairs | None:
    """Which repairs to look for; ``None`` where none are asked for.

    Raises:
        UsageError: the options contradict each other, or standard input.
    """
    if fix and diff:
        raise UsageError("--diff shows what could be changed, --fix changes it: use one of them")
    if unsafe and not (fix or diff):
        raise UsageError("--unsafe-fixes says which repairs --fix may apply: add --fix, or --diff to see them")
    if fix and stdin:
        raise UsageError("--fix: standard input cannot be changed; see what could be with --diff")
    if fix and baseline:
        raise UsageError("--write-baseline accepts all findings, --fix repairs them: use one of them")
    if not (fix or diff):
        return None
    from trainlint.engine.request import Repairs  # noqa: PLC0415 (heavy)

    return Repairs.EACH if diff else Repairs.ALL if unsafe else Repairs.SAFE


def fixed(result: Result, again: Callable[[], Result]) -> tuple[Result, bool]:
    """Write the changed files and look at what is left; whether everything could be written.

    What was done, and what could not be, is said on standard error.
    """
    from trainlint.fix.store import NotWrittenError, replace_file  # noqa: PLC0415 (seldom needed)

    written = set()
    complete = True
    for change in result.changes:
        try:
            replace_file(Path(result.root), change.file, change.before, change.after)
            written.add(change.file)
        except NotWrittenError as error:
            complain(f"trainlint: {escape(str(error))}")
            complete = False
    applied = [each for each in result.repairs or () if {change.file for change in each.changes} <= written]
    for each in applied:
        complain(_line(each))
    fixed = {name for each in applied for name in each.fixes}
    left = again() if written else result
    if left.findings or applied:
        complain(_summary(applied, len(fixed), len(written)))
    else:
        complain("nothing to fix")
    return replace(left, repairs=tuple(applied), changes=result.changes), complete


def _line(repair: Repair) -> str:
    files = ", ".join(change.file for change in repair.changes)
    return escape(f"fixed ({repair.safety}) {files}: {'; '.join(repair.steps)}")


def _summary(applied: list[Repair], findings: int, files: int) -> str:
    if not applied:
        return "nothing was fixed; trainlint check --diff shows what could be"
    repairs = "1 repair" if len(applied) == 1 else f"{len(applied)} repairs"
    where = "1 file" if files == 1 else f"{files} files"
    return f"{repairs} in {where}: {findings} finding{'' if findings == 1 else 's'} fixed"
