"""Baselines: files that list the findings which a team has accepted for now."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

from trainlint.engine.finding_matches import entry_of, is_worse, match
from trainlint.engine.repository_state import State
from trainlint.engine.setup import Setup
from trainlint.finding import Finding, Severity, UsageError
from trainlint.result import Baseline, BaselineEntry, Result
from trainlint.rule import all_rules
from trainlint.source.file_access import read_regular

__all__ = ["apply_baseline", "read_baseline", "render_baseline"]

VERSION: Final = 1
_KEYS: Final = tuple(field.name for field in fields(BaselineEntry))


def apply_baseline(file: Path, state: State, setup: Setup, kept: Sequence[Finding]) -> tuple[list[Finding], Baseline]:
    """The findings that the baseline does not accept, and what it did.

    A finding that is more severe than its entry is not accepted. Raises UsageError for a file that is no baseline.
    """
    entries = read_baseline(file)
    now = [entry_of(finding) for finding in kept]
    pairs = match(now, entries)
    accepted = {index for index, other in pairs.items() if not is_worse(now[index], entries[other])}
    left = [entry for index, entry in enumerate(entries) if index not in pairs.values()]
    seen = [entry for entry in left if _was_looked_for(entry, state, setup)]
    return [finding for index, finding in enumerate(kept) if index not in accepted], Baseline(
        file=str(file),
        accepted=tuple(state.places.placed(kept[index]) for index in sorted(accepted)),
        stale=tuple(seen),
        elsewhere=tuple(entry for entry in left if entry not in seen),
    )


def _was_looked_for(entry: BaselineEntry, state: State, setup: Setup) -> bool:
    """Whether this run would have found it: not if its rule did not run, broke, or the file is in another part."""
    ran = {rule.name for rule in setup.rules} - {failure.rule for failure in state.failures}
    if entry.rule not in ran and any(entry.rule == rule.name for rule in all_rules()):
        return False
    if state.world.scope is not None:
        return entry.file in state.world.scope
    path = state.world.root / entry.file
    return any(tree == path or tree in path.parents for tree in state.world.trees)


def read_baseline(file: Path) -> list[BaselineEntry]:
    """The entries of a baseline.

    Raises:
        UsageError: it cannot be read, or is no baseline; the message says what is wrong with it.
    """
    try:
        data = json.loads(read_regular(file))
    except OSError as error:
        raise UsageError(f"--baseline: cannot read {file}: {error.strerror or error}") from None
    except json.JSONDecodeError as error:
        raise _wrong(file, f"line {error.lineno}: no JSON: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError):
        raise _wrong(file, "no JSON") from None
    if not isinstance(data, dict) or "baseline" not in data:
        raise _wrong(file, 'it is no object with the member "baseline"')
    if data["baseline"] != VERSION:
        raise _wrong(file, f"its format is {data['baseline']!r}, and this trainlint reads {VERSION}")
    found = data.get("findings")
    if not isinstance(found, list):
        raise _wrong(file, '"findings" is no list')
    return [_entry(file, number, value) for number, value in enumerate(found)]


def _entry(file: Path, number: int, value: Any) -> BaselineEntry:
    if not isinstance(value, dict):
        raise _wrong(file, f"findings[{number}] is no object")
    for key in _KEYS:
        if not isinstance(value.get(key), str):
            raise _wrong(file, f'findings[{number}] has no text "{key}"')
    if value["severity"] not in set(Severity):
        raise _wrong(file, f"findings[{number}]: {value['severity']!r} is no severity")
    return BaselineEntry(**{key: value[key] for key in _KEYS})


def _wrong(file: Path, what: str) -> UsageError:
    return UsageError(f"--baseline: {file}: {what}; name another file, or remove it and use --write-baseline")


def render_baseline(result: Result) -> str:
    """The baseline that accepts every finding of a run, and what an older one says of what this run did not look at.

    One line for each entry, sorted, so that a change shows what was added and what went away.
    """
    accepted = result.baseline.accepted if result.baseline else ()
    elsewhere: Iterable[BaselineEntry] = result.baseline.elsewhere if result.baseline else ()
    entries = [*elsewhere, *(entry_of(placed.finding) for placed in (*result.findings, *accepted))]
    entries.sort(key=lambda entry: (entry.file, entry.rule, entry.path, entry.id, entry.message))
    lines = [f"    {json.dumps(asdict(entry), ensure_ascii=False)}" for entry in entries]
    body = "[\n" + ",\n".join(lines) + "\n  ]" if lines else "[]"
    return f'{{\n  "baseline": {VERSION},\n  "findings": {body}\n}}\n'
