"""Runs a case: a small repository with the findings it must give. The format is in README.md."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from tests.golden.golden import commit

from trainlint.engine import check
from trainlint.finding import Severity
from trainlint.model.known import Answer
from trainlint.result import GroupVerdict, Placed, Result

__all__ = ["Outcome", "run_case"]


@dataclass
class Outcome:
    """What a case's run missed or said too much; empty when it passes. ``false`` is what it said and should not have,
    also where it knows only a part of the case, because nothing renders the rest.
    """

    problems: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    result: Result | None = None


def run_case(folder: Path, **options: Any) -> Outcome:
    """Lint a copy of the case's repository outside of any Git work tree, with these options, and compare."""
    case = yaml.safe_load((folder / "case.yaml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "repository"
        if (folder / "base").is_dir() and (folder / "head").is_dir():
            result = _compared(folder, root, options)
        else:
            shutil.copytree(folder, root, ignore=shutil.ignore_patterns("case.yaml"))
            result = check([root], **options)
    outcome = Outcome(result=result)
    named = folder.name.partition("--")[0]
    _compare(case, result, named, outcome.problems)
    outcome.false += _false(case, result)
    return outcome


def _compared(folder: Path, root: Path, options: Mapping[str, Any]) -> Result:
    """Commit ``base/``, put ``head/`` in its place, and compare the two."""
    shutil.copytree(folder / "base", root)
    commit(root)
    for entry in root.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    shutil.copytree(folder / "head", root, dirs_exist_ok=True)
    return check([root], base="HEAD", **options)


def _compare(case: dict[str, Any], result: Result, named: str, problems: list[str]) -> None:
    tolerated = set(case.get("tolerate", ()))
    expected = list(case["expect"])
    wanted = {each["rule"] for each in expected}
    found = [
        each
        for each in result.findings
        if each.finding.rule not in tolerated
        and (each.finding.severity is not Severity.NOTE or each.finding.rule in wanted or each.finding.rule == named)
    ]
    left = list(found)
    for want in expected:
        match = next((each for each in left if _fits(want, each)), None)
        if match is None:
            problems.append(f"missing: {want}")
        else:
            left.remove(match)
    problems += [
        f"unexpected: {each.finding.severity}[{each.finding.rule}] {each.finding.at.file}:{each.span.line} "
        f"{'/'.join(map(str, each.path))}: {each.finding.message}"
        for each in left
    ]
    for want in case.get("related", ()):
        files = {related.file for each in found if each.finding.rule == want["rule"] for related in each.related}
        if want["file"] not in files:
            problems.append(f"missing related place: {want}, there are {sorted(files)}")
    problems += _groups_problems(case.get("groups", ()), result)
    if case.get("unknown") and not result.unknowns:
        problems.append("missing: an unknown")
    problems += [f"a rule broke: {failure}" for failure in result.failures]


def _false(case: dict[str, Any], result: Result) -> Iterator[str]:
    """Errors and warnings that the case does not expect, and answers other than its own."""
    tolerated, expected = case.get("tolerate", ()), case["expect"]
    for each in result.findings:
        if each.finding.severity is Severity.NOTE or each.finding.rule in tolerated:
            continue
        if not any(want["rule"] == each.finding.rule for want in expected):
            yield f"unexpected: {each.finding.rule} in {each.finding.at.file}: {each.finding.message}"
    for group in result.groups:
        wants = [want for want in case.get("groups", ()) if want["name"] == group.name]
        for key, value in (("exists", group.exists), ("for_all", group.for_all)):
            answers = {want[key] for want in wants if key in want}
            if answers and value is not Answer.UNKNOWN and value.value not in answers:
                yield f"group {group.name} in {group.snapshot}: {key} is {value}, not {' or '.join(sorted(answers))}"
    yield from (f"a rule broke: {failure}" for failure in result.failures)


def _fits(want: dict[str, Any], placed: Placed) -> bool:
    finding = placed.finding
    files = {finding.at.file, *(related.file for related in placed.related)}
    if finding.rule != want["rule"] or want.get("file") not in (None, *files):
        return False
    if "path" in want and want.get("file") in (None, finding.at.file):
        path = "/".join(map(str, placed.path))
        one, two = path.split("/"), str(want["path"]).split("/")
        shorter = min(len(one), len(two))
        if path and one[:shorter] != two[:shorter] and not path.endswith(str(want["path"])):
            return False
    for key, value in (("severity", finding.severity), ("certainty", finding.certainty)):
        if key in want and want[key] != str(value):
            return False
    text = " ".join(
        [
            finding.message,
            finding.remedy,
            str(dict(finding.evidence)),
            str(dict(finding.counterexample)),
            *(f"{related.role} {' '.join(related.lines)}" for related in placed.related),
        ]
    )
    return all(str(mention) in text for mention in want.get("mentions", ())) and not any(
        str(mention) in text for mention in want.get("not_mentions", ())
    )


def _groups_problems(wanted: Sequence[dict[str, Any]], result: Result) -> Iterator[str]:
    """A group that is named once has these values in every snapshot; one that is named several times has each of them
    in a snapshot of its own, and no others.
    """
    by_name: dict[str, list[dict[str, Any]]] = {}
    for want in wanted:
        by_name.setdefault(want["name"], []).append(want)
    for name, wants in by_name.items():
        groups = [group for group in result.groups if group.name == name]
        faults = {
            (row, column): _faults(want, group) for row, want in enumerate(wants) for column, group in enumerate(groups)
        }
        if not groups:
            yield f"missing group {name}, there are {sorted(group.name for group in result.groups)}"
        elif len(wants) > len(groups):
            yield f"group {name}: {len(groups)} different results, not {len(wants)}"
        elif len(wants) > 1 and not _matched(range(len(wants)), range(len(groups)), faults):
            yield f"group {name}: no result of its own for each of {wants}: {[*faults.values()]}"
        for column in range(len(groups)):
            own = [faults[row, column] for row in range(len(wants))]
            if all(own):
                yield from own[0]


def _matched(rows: Sequence[int], columns: Sequence[int], faults: Mapping[tuple[int, int], list[str]]) -> bool:
    """Whether each row gets a column of its own in which nothing is wrong."""
    if not rows:
        return True
    return any(
        not faults[rows[0], column] and _matched(rows[1:], [each for each in columns if each != column], faults)
        for column in columns
    )


def _faults(want: dict[str, Any], group: GroupVerdict) -> list[str]:
    """In what a result is not as wanted."""
    problems = []
    what = f"group {group.name} in {group.snapshot}"
    for key, value in (("exists", group.exists.value), ("for_all", group.for_all.value)):
        if key in want and want[key] != value:
            problems.append(f"{what}: {key} is {value}, not {want[key]} {group.missing} {group.notes}")
    if "zones" in want and sorted(want["zones"]) != sorted(group.viable_zones):
        problems.append(f"{what}: viable zones are {group.viable_zones}, not {want['zones']}")
    return problems
