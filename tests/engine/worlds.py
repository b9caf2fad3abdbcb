"""Small repositories that tests write, and what came out of them in a form that is easy to compare."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trainlint.engine import check
from trainlint.result import Result

__all__ = ["TODAY", "by_rule", "found", "lint", "verdicts", "write"]

TODAY = dt.date(2026, 6, 1)


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write the files below ``root``."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def lint(root: Path, files: Mapping[str, str | bytes] | None = None, *paths: str, **options: Any) -> Result:
    """The result for ``root`` (or the paths in it) after writing the files; a rule that breaks fails the test.

    What is said of the workloads themselves is left out: they are kept small, and are no good trainings.
    """
    write(root, files or {})
    options.setdefault("ignore", frozenset({"workload", "fabric"}))
    result = check([root / path for path in paths] or [root], today=options.pop("today", TODAY), **options)
    assert result.failures == ()
    return result


def found(result: Result) -> list[tuple[str, str]]:
    """Rule and place (``file:line``) of every finding, sorted."""
    return sorted((each.finding.rule, f"{each.finding.at.file}:{each.span.line}") for each in result.findings)


def by_rule(result: Result, rule: str) -> Any:
    """The only finding of a rule."""
    (only,) = (each for each in result.findings if each.finding.rule == rule)
    return only


def verdicts(result: Result) -> dict[tuple[str, str], tuple[str, str]]:
    """Exists and for all, by group and snapshot."""
    return {(each.name, each.snapshot): (each.exists.value, each.for_all.value) for each in result.groups}
