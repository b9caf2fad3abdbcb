"""The shared cases: what can be fixed is, what admits more is only shown, and nothing else changes."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from trainlint.engine.check import check
from trainlint.engine.request import Repairs
from trainlint.finding import Safety
from trainlint.fix.store import replace_file
from trainlint.model.known import Answer
from trainlint.result import FileChange, Result

CASES = Path(__file__).parents[1] / "cases"
MARKER = "repairs.toml"


@dataclass(frozen=True)
class Expected:
    """What ``repairs.toml`` of a case says: its format is in tests/cases/README.md."""

    fix: frozenset[str] = frozenset()
    unsafe: bool = False
    opens: str = ""

    @property
    def safeties(self) -> set[Safety]:
        """The kinds of repairs that are offered."""
        kinds = ((Safety.SAFE, self.fix), (Safety.UNSAFE, self.unsafe), (Safety.OPENING, self.opens))
        return {safety for safety, there in kinds if there}


def expected(folder: Path) -> Expected:
    """What is expected of the repairs of a case: none where it has no ``repairs.toml``."""
    file = folder / MARKER
    if not file.exists():
        return Expected()
    marker = tomllib.loads(file.read_text(encoding="utf-8"))
    assert marker
    assert marker.keys() <= {"fix", "unsafe-fixes", "opens"}, f"{file} holds other keys"
    return Expected(frozenset(marker.get("fix", ())), marker.get("unsafe-fixes", False), marker.get("opens", ""))


ALL = sorted(path for path in CASES.glob("*/*--*") if not (path / "base").is_dir())
OPENING = [path for path in ALL if expected(path).opens]


def copied(folder: Path, tmp_path: Path) -> Path:
    """A copy of the repository of a case."""
    return Path(shutil.copytree(folder, tmp_path / "repository", ignore=shutil.ignore_patterns("case.yaml", MARKER)))


@pytest.fixture(params=ALL, ids=lambda path: path.name)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Expected, Path]:
    return expected(request.param), copied(request.param, tmp_path)


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def apply(root: Path, repairs: Repairs) -> Result:
    """What ``--fix`` does: look, write."""
    result = check([root], repairs=repairs)
    assert result.failures == ()
    for change in result.changes:
        replace_file(Path(result.root), change.file, change.before, change.after)
    return result


def keys(result: Result) -> set[tuple[str, str]]:
    return {(each.finding.rule, each.finding.message) for each in result.findings}


def replayed(change: FileChange) -> bytes:
    """The content after the text edits alone, made without any knowledge of documents."""
    lines = change.before.decode("utf-8-sig").split("\n")
    text = change.before.decode("utf-8-sig")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for edit in sorted(change.edits, key=lambda each: each.span.line, reverse=True):
        start = starts[edit.span.line - 1] + edit.span.column - 1
        end = min(starts[edit.span.end_line - 1] + edit.span.end_column - 1, len(text))
        text = text[:start] + edit.text + text[end:]
    mark = b"\xef\xbb\xbf" if change.before.startswith(b"\xef\xbb\xbf") else b""
    return mark + text.encode()


def unchanged_but(before: Mapping[str, bytes], after: Mapping[str, bytes], result: Result) -> None:
    """Every file is what it was, but for the lines that the edits name."""
    assert before.keys() == after.keys()
    changed = {change.file: change for change in result.changes}
    for name, content in after.items():
        if name in changed:
            assert content == replayed(changed[name]) == changed[name].after
        else:
            assert content == before[name]


def test_a_marker_stands_in_a_case() -> None:
    markers = list(CASES.rglob(MARKER))
    assert len(markers) > 100
    assert {file.parent for file in markers} <= set(ALL)


def test_the_repairs_of_a_case_are_those_of_its_marker(case: tuple[Expected, Path]) -> None:
    wanted, root = case
    assert {each.safety for each in check([root], repairs=Repairs.EACH).repairs or ()} == wanted.safeties


def test_unsafe_fixes_end_the_findings_bring_no_others_and_touch_nothing_else(case: tuple[Expected, Path]) -> None:
    wanted, root = case
    first, before = check([root]), contents(root)
    result = apply(root, Repairs.ALL)
    unchanged_but(before, contents(root), result)
    again = check([root])
    fixed = {each for repair in result.repairs or () for each in repair.fixes}
    assert bool(result.changes) == (wanted.unsafe or bool(wanted.fix))
    assert not {each.finding.id for each in again.findings} & fixed
    left_behind = {text for repair in result.repairs or () for text in repair.leaves}
    new = keys(again) - keys(first)
    assert {rule for rule, _ in new} <= {text.partition("[")[2].partition("]")[0] for text in left_behind} | {
        rule for rule, _ in keys(first)
    }
    assert len(again.findings) <= len(first.findings) - len(fixed) + len(left_behind)
    if result.changes:  # what was fixed once stays as it is
        after = contents(root)
        assert apply(root, Repairs.ALL).changes == ()
        assert contents(root) == after


def test_fix_alone_fixes_only_what_cannot_work_as_it_is(case: tuple[Expected, Path]) -> None:
    wanted, root = case
    first, before = check([root]), contents(root)
    result = apply(root, Repairs.SAFE)
    assert {each.safety for each in result.repairs or ()} <= {Safety.SAFE}
    assert bool(result.changes) == bool(wanted.fix)
    unchanged_but(before, contents(root), result)
    again = check([root])
    gone = {each.finding.rule for each in first.findings} - {each.finding.rule for each in again.findings}
    assert gone >= wanted.fix
    worth = {Answer.REFUTED: 0, Answer.UNKNOWN: 1, Answer.CONDITIONAL: 2, Answer.PROVED: 3}
    for one, other in zip(first.groups, again.groups, strict=True):  # a refused object that is fixed may run now
        assert one.name == other.name
        assert worth[one.exists] <= worth[other.exists]


@pytest.mark.parametrize("folder", OPENING, ids=lambda path: path.name)
def test_what_admits_more_traffic_is_shown_with_what_it_opens_and_never_applied(folder: Path, tmp_path: Path) -> None:
    """It says that it opens what the group of the case lacks, and no other connection."""
    root = copied(folder, tmp_path)
    shown = [each for each in check([root], repairs=Repairs.EACH).repairs or () if each.safety is Safety.OPENING]
    assert expected(folder).opens in "; ".join(text for each in shown for text in each.opens)
    before = contents(root)
    apply(root, Repairs.ALL)
    touched = {change.file for repair in shown for change in repair.changes}
    assert touched
    assert all(contents(root)[each] == before[each] for each in touched)


def test_a_missing_allow_is_a_small_policy_beside_the_job(tmp_path: Path) -> None:
    """The default deny of all states stays; the job's own file gets a policy about its pods, without a namespace as
    the job has none, for ingress only, as that is what is shut.
    """
    (folder,) = CASES.glob("*/flow-denied--policy-beside-an-alternative")
    root = copied(folder, tmp_path)
    (repair,) = (each for each in check([root], repairs=Repairs.EACH).repairs or () if each.safety is Safety.OPENING)
    (change,) = repair.changes
    assert change.file == "team/job.yaml"
    assert change.after.startswith(change.before)
    ranks = {"matchLabels": {"training.kubeflow.org/job-name": "elastic"}}
    assert yaml.safe_load(change.after[len(change.before) :]) == {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "elastic"},
        "spec": {
            "podSelector": ranks,
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [{"podSelector": ranks}]}],
        },
    }


@pytest.mark.needs("git")
@pytest.mark.parametrize("folder", sorted(CASES.glob("policy/policy-loosened--*")), ids=lambda path: path.name)
def test_what_a_change_loosened_is_never_called_fixed(folder: Path, tmp_path: Path) -> None:
    """The rule compares with the base revision, which no trial does: only people can take a change back."""
    root = tmp_path / "repository"
    shutil.copytree(folder / "base", root)
    identity = ("-c", "user.name=case", "-c", "user.email=case@example.invalid")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "base")):
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)
    shutil.copytree(folder / "head", root, dirs_exist_ok=True)
    result = check([root], base="HEAD", repairs=Repairs.EACH)
    loosened = {each.finding.id for each in result.findings if each.finding.rule == "policy-loosened"}
    assert not loosened & {each for repair in result.repairs or () for each in repair.fixes}
