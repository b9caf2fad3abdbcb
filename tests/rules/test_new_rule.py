"""``make new-rule`` and ``make quick``: a new rule works from the start, by the documented steps alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests import quick

from trainlint.rule import all_rules

ROOT = Path(__file__).parents[2]
FOLDERS = ("lint", "rules", "schemas", "docs", "man", "tests/golden/examples")
FILES = (
    "Makefile", "pyproject.toml", "tests/conftest.py", "tests/test_rule_examples.py", "tests/test_docs.py",
    "tests/test_rules_table.py", "tests/golden/golden.py", "tests/golden/test_examples.py",
)  # fmt: skip
NEW = "workload/left-over-switch"
MODULE = "rules/trainlint_rules/workload/left_over_switch.py"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What a new rule needs of the project, without Git."""
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run(root: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """A program of this environment, with the packages of ``root``."""
    paths = os.pathsep.join(str(root / folder) for folder in ("lint", "rules", "schemas", "."))
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        list(map(str, command)), cwd=root, env=environment, capture_output=True, text=True, check=False
    )


def succeed(root: Path, *command: str | Path) -> str:
    done = run(root, sys.executable, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.needs("git", "kustomize", "helm")
def test_a_new_rule_works_from_the_start(copy: Path) -> None:
    assert MODULE in succeed(copy, "rules/new.py", NEW)
    succeed(copy, "rules/table.py")
    succeed(copy, "docs/generate.py")
    examples = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "left-over-switch")
    succeed(copy, *examples, "--update-golden", "tests/golden/test_examples.py")
    assert "3 passed" in succeed(copy, *examples, "tests/test_rule_examples.py", "tests/golden/test_examples.py")
    succeed(copy, "-m", "ruff", "check", MODULE)
    succeed(copy, "-m", "ruff", "format", "--check", MODULE)
    succeed(copy, "rules/table.py", "--check")
    succeed(copy, "docs/generate.py", "--check")
    assert "left-over-switch" in succeed(copy, "-m", "trainlint", "rule")
    told = (copy / "tests/golden/examples/workload/left-over-switch.json").read_text(encoding="utf-8")
    assert "container train sets LEFT_OVER_SWITCH" in told


def test_the_skeleton_is_typed(tmp_path: Path) -> None:
    code = "import sys; sys.path.insert(0, 'rules'); import new; print(new.skeleton(sys.argv[1]), end='')"
    module = tmp_path / "left_over_switch.py"
    module.write_text(succeed(ROOT, "-c", code, NEW), encoding="utf-8")
    done = run(ROOT, sys.executable, "-m", "mypy", module)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("left-over-switch", "no category/rule-name"),
        ("workload/Left", "no category/rule-name"),
        ("workload/left_over", "no category/rule-name"),
        ("nowhere/left-over-switch", "no category: one of fabric, "),
        ("workload/rejected-object", "there is a rule rejected-object in workload"),
        ("policy/rejected-object", "there is a rule rejected-object in workload"),
    ],
)
def test_a_name_that_is_none_writes_nothing(name: str, why: str) -> None:
    before = sorted((ROOT / "rules").rglob("*.py"))
    done = run(ROOT, sys.executable, "rules/new.py", name)
    assert done.returncode == 2
    assert why in done.stderr
    assert sorted((ROOT / "rules").rglob("*.py")) == before


@pytest.mark.needs("make")
def test_make_takes_the_same_steps(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / ".venv").mkdir()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for stamp in (".runtime", ".development"):
        (tmp_path / ".venv" / stamp).touch()
    steps = run(tmp_path, "make", "--no-print-directory", "-n", "new-rule", f"NAME={NEW}").stdout
    assert re.findall(r"bin/python (\S+ ?\S*)", steps) == [
        f"rules/new.py {NEW}", "rules/table.py", "docs/generate.py", "-m tests.quick",
    ]  # fmt: skip
    quick = run(tmp_path, "make", "--no-print-directory", "-n", "quick", "RULE=a").stdout
    assert quick.strip().endswith("-m tests.quick a")
    assert "--update-golden a" in run(tmp_path, "make", "-n", "golden", "RULE=a").stdout


def test_everything_about_a_rule_is_selected() -> None:
    rule = next(each for each in all_rules() if each.name == "flow-denied")
    chosen = quick.selected([rule])
    cases = list((ROOT / "tests" / "cases" / "policy").glob("flow-denied--*"))
    assert len([each for each in chosen if "::test_case[" in each]) == len(cases) > 5
    assert not [each for each in chosen if "control-plane-flow-denied" in each]
    done = run(ROOT, sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *chosen)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(chosen)} tests collected" in done.stdout


@pytest.mark.parametrize(
    ("file", "rules", "tests"),
    [
        ("rules/trainlint_rules/placement/untolerated_taint.py", {"untolerated-taint"}, set()),
        ("tests/cases/policy/flow-denied--deny-beats-allow/case.yaml", {"flow-denied"}, set()),
        ("tests/policy/test_verdicts.py", set(), {"tests/policy/test_verdicts.py"}),
        ("rules/trainlint_rules/workload/restart_policy_hangs/restarts.py", {"restart-policy-hangs"}, set()),
        ("lint/trainlint/control_plane/denied_connections.py", {"control-plane-flow-denied"}, set()),
        ("lint/trainlint/policy/identity.py", set(), set()),
        ("README.md", set(), set()),
    ],
)
def test_a_change_concerns_rules_and_tests(file: str, rules: set[str], tests: set[str]) -> None:
    found, files = quick.concerned([file])
    assert {rule.name for rule in found} == rules
    assert set(files) >= tests


def test_a_module_concerns_the_tests_that_bear_its_name() -> None:
    assert "tests/scheduling/test_quantity.py" in quick.concerned(["lint/trainlint/scheduling/quantity.py"])[1]


def test_an_unknown_rule_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert quick.main(["no-such-rule"]) == 2
    assert "no such rule: no-such-rule" in capsys.readouterr().err
