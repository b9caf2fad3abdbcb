"""Runs a case: a small repository with the findings it must give. The format is in README.md."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from trainlint.engine import check
from trainlint.finding import Severity
from trainlint.result import Placed, Result

__all__ = ["Outcome", "run_case"]


@dataclass
class Outcome:
    """What a case's run missed or said too much; empty when it passes."""

    problems: list[str] = field(default_factory=list)
    result: Result | None = None


def run_case(folder: Path) -> Outcome:
    """Lint a copy of the case's repository outside of any Git work tree and compare."""
    case = yaml.safe_load((folder / "case.yaml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "repository"
        if (folder / "base").is_dir() and (folder / "head").is_dir():
            result = _compared(folder, root)
        else:
            shutil.copytree(folder, root, ignore=shutil.ignore_patterns("case.yaml"))
            result = check([root])
    outcome = Outcome(result=result)
    _compare(case, result, folder.name.partition("--")[0], outcome.problems)
    return outcome


def _compared(folder: Path, root: Path) -> Result:
    """Commit ``base/``, put ``head/`` in its place, and compare the two."""
    shutil.copytree(folder / "base", root)
    identity = ("-c", "user.name=case", "-c", "user.email=case@example.com", "-c", "commit.gpgsign=false")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "base")):
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)
    for entry in root.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    shutil.copytree(folder / "head", root, dirs_exist_ok=True)
    return check([root], base="HEAD")


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
    for want in case.get("groups", ()):
        problems += _group_problems(want, result)
    if case.get("unknown") and not result.unknowns:
        problems.append("missing: an unknown")
    problems += [f"a rule broke: {failure}" for failure in result.failures]


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


def _group_problems(want: dict[str, Any], result: Result) -> list[str]:
    groups = [group for group in result.groups if group.name == want["name"]]
    if not groups:
        return [f"missing group {want['name']}, there are {sorted(group.name for group in result.groups)}"]
    problems = []
    for group in groups:
        for key, value in (("exists", group.exists.value), ("for_all", group.for_all.value)):
            if key in want and want[key] != value:
                problems.append(f"group {group.name}: {key} is {value}, not {want[key]} {group.missing} {group.notes}")
        if "zones" in want and sorted(want["zones"]) != sorted(group.viable_zones):
            problems.append(f"group {group.name}: viable zones are {group.viable_zones}, not {want['zones']}")
    return problems
