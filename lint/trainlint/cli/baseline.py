"""The options ``--baseline`` and ``--write-baseline``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from trainlint.cli.output import write
from trainlint.finding import UsageError
from trainlint.result import Baseline, Result

__all__ = ["accept_all", "baseline_file"]


def baseline_file(read: Path | None, written: str | None, base: str | None) -> Path | None:
    """The file of both options; ``written`` is empty where it was given without a file; ``None`` where neither option
    is given.

    Raises:
        UsageError: they contradict each other or ``--base``, or no file is named.
    """
    if written is None:
        return read
    if base is not None:
        raise UsageError("--write-baseline accepts all findings, --base reports only new ones: use one of them")
    if not written and read is None:
        raise UsageError("--write-baseline: name the file to write: --write-baseline FILE")
    if written and read is not None and Path(written) != read:
        raise UsageError(f"--write-baseline {written}: --baseline names another file, {read}: use one of them")
    return Path(written) if written else read


def accept_all(result: Result, file: Path) -> Result:
    """Write the baseline that accepts every finding, and the result in which it does.

    Raises:
        UsageError: the file cannot be written.
    """
    from trainlint.engine.baseline import render_baseline  # noqa: PLC0415 (heavy)

    write(file, render_baseline(result), option="--write-baseline")
    before = result.baseline or Baseline(str(file))
    accepted = (*result.findings, *before.accepted)
    return replace(result, findings=(), baseline=replace(before, accepted=accepted, written=True))
