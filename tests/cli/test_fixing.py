"""``trainlint check --diff``, ``--fix`` and ``--unsafe-fixes``: what they print, write and refuse."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from trainlint.cli.main import cli
from trainlint.fix.store import NotWrittenError, replace_file

JOB = """# the encoder
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: encoder
  labels: {gpu: 8}   # eight of them
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/encoder:1
              env:
                - name: FAST
                  value: yes
"""
GATE = """apiVersion: batch/v1
kind: Job
metadata: {name: gated, namespace: a}
spec:
  template:
    spec:
      restartPolicy: Never
      schedulingGates:
        - name: example.com/wait
      containers:
        - {name: x, image: registry.example/x:1}
"""

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str, **options: object) -> Result:
        return CliRunner().invoke(cli, ["check", *arguments], prog_name="trainlint", **options)  # type: ignore[arg-type]

    return invoke


def test_diff_prints_diffs_and_changes_nothing(run: Run) -> None:
    Path("job.yaml").write_text(JOB)
    done = run("--diff")
    assert done.exit_code == 1
    assert Path("job.yaml").read_text() == JOB
    assert "# safe: cannot change what already works (--fix applies it)\n" in done.stdout
    assert '-  labels: {gpu: 8}   # eight of them\n+  labels: {gpu: "8"}   # eight of them\n' in done.stdout
    assert '-                  value: yes\n+                  value: "yes"\n' in done.stdout
    assert "error[unquoted-string] job.yaml:6" in done.stdout


def test_diff_of_a_clean_repository_says_so(run: Run) -> None:
    Path("job.yaml").write_text(JOB.replace("yes", "'1'").replace("gpu: 8", "gpu: eight"))
    done = run("--diff", "--ignore", "workload,fabric")
    assert (done.exit_code, done.stdout) == (0, "# nothing to fix\n")


def test_fix_applies_safe_repairs_and_reports_what_is_left(run: Run) -> None:
    Path("job.yaml").write_text(JOB)
    Path("gate.yaml").write_text(GATE)
    done = run("--fix", "--output", "concise", "--fail-on", "warning", "--ignore", "fabric,workload")
    assert Path("job.yaml").read_text() == JOB.replace("gpu: 8", 'gpu: "8"').replace("yes", '"yes"')
    assert Path("gate.yaml").read_text() == GATE
    assert done.exit_code == 1
    assert [line.partition(" ")[2].partition("]")[0] for line in done.stdout.splitlines()[:-1]] == [
        "warning[scheduling-gate-committed"
    ]
    assert "fixed (safe) job.yaml: put quotes around gpu\n" in done.stderr
    assert "2 repairs in 1 file: 2 findings fixed\n" in done.stderr


def test_unsafe_fixes_apply_the_rest(run: Run) -> None:
    Path("gate.yaml").write_text(GATE)
    done = run("--fix", "--unsafe-fixes", "--fail-on", "warning", "--ignore", "fabric,workload")
    assert done.exit_code == 0
    gates = "      schedulingGates:\n        - name: example.com/wait\n"
    assert Path("gate.yaml").read_text() == GATE.replace(gates, "")


def test_a_clean_repository_has_nothing_to_fix(run: Run) -> None:
    Path("job.yaml").write_text(JOB.replace("yes", "'1'").replace("gpu: 8", "gpu: eight"))
    done = run("--fix", "--ignore", "workload,fabric", "--quiet")
    assert (done.exit_code, done.stderr) == (0, "nothing to fix\n")


def test_standard_input_is_only_shown(run: Run) -> None:
    done = run("--diff", "-", input=JOB)
    assert done.exit_code == 1
    assert "--- a/<stdin>\n" in done.stdout
    refused = run("--fix", "-", input=JOB)
    assert refused.exit_code == 2
    assert refused.stderr == "trainlint: --fix: standard input cannot be changed; see what could be with --diff\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fix", "--diff"), "--diff shows what could be changed, --fix changes it: use one of them"),
        (("--unsafe-fixes",), "--unsafe-fixes says which repairs --fix may apply: add --fix, or --diff to see them"),
        (("--fix", "--write-baseline", "b.json"), "--write-baseline accepts all findings, --fix repairs them"),
    ],
)
def test_options_that_contradict_each_other_are_refused(run: Run, arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr


def test_a_file_that_was_named_is_the_only_one_that_changes(run: Run) -> None:
    for name in ("one.yaml", "two.yaml"):
        Path(name).write_text(JOB.replace("encoder", name.partition(".")[0]))
    assert run("--fix", "one.yaml").exit_code in {0, 1}
    assert '"yes"' in Path("one.yaml").read_text()
    assert '"yes"' not in Path("two.yaml").read_text()


@pytest.mark.needs("git")
def test_with_a_base_only_what_is_new_is_fixed(run: Run) -> None:
    Path("old.yaml").write_text(JOB)
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "base")):
        subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)
    Path("new.yaml").write_text(JOB.replace("encoder", "decoder"))
    assert run("--fix", "--base", "HEAD").exit_code in {0, 1}
    assert Path("old.yaml").read_text() == JOB
    assert '"yes"' in Path("new.yaml").read_text()


@pytest.mark.needs("git")
def test_nothing_is_written_through_a_link_out_of_the_repository(run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(JOB)
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "link.yaml").symlink_to(outside)
    (repository / "own.yaml").write_text(JOB.replace("encoder", "own"))
    subprocess.run(["git", "init", "-q"], cwd=repository, check=True)
    os.chdir(repository)
    run("--fix", "--unsafe-fixes")
    assert outside.read_text() == JOB
    assert '"yes"' in (repository / "own.yaml").read_text()


def test_a_link_inside_of_the_repository_stays_a_link(run: Run) -> None:
    Path("real").mkdir()
    Path("real/job.yaml").write_text(JOB)
    Path("job.yaml").symlink_to("real/job.yaml")
    run("--fix")
    assert Path("job.yaml").is_symlink()
    assert '"yes"' in Path("real/job.yaml").read_text()


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 2\n")
    with pytest.raises(NotWrittenError, match=r"a.yaml: it changed while it was read"):
        replace_file(tmp_path, "a.yaml", b"a: 1\n", b"a: 3\n")
    assert (tmp_path / "a.yaml").read_text() == "a: 2\n"


@pytest.mark.parametrize("name", ["../a.yaml", "link.yaml", ".git/a.yaml"])
def test_a_path_that_leads_elsewhere_is_never_written(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    for path in (tmp_path / "a.yaml", root / ".git/a.yaml"):
        path.write_text("a: 1\n")
    (root / "link.yaml").symlink_to(tmp_path / "a.yaml")
    with pytest.raises(NotWrittenError, match="leads out of"):
        replace_file(root, name, b"a: 1\n", b"a: 3\n")
    assert (tmp_path / "a.yaml").read_text() == (root / ".git/a.yaml").read_text() == "a: 1\n"


def test_a_file_that_cannot_be_written_is_a_message_and_exit_code_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("job.yaml").write_text(JOB)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    done = run("--fix", "--no-cache")
    assert done.exit_code == 2
    assert "trainlint: job.yaml: it cannot be written: No space left on device\n" in done.stderr
    assert Path("job.yaml").read_text() == JOB


def test_json_holds_the_repairs(run: Run) -> None:
    Path("job.yaml").write_text(JOB)
    report = json.loads(run("--diff", "--output", "json").stdout)
    first = report["repairs"][0]
    assert (first["safety"], first["applied"], first["steps"]) == ("safe", False, ["put quotes around gpu"])
    assert first["changes"][0]["edits"] == [
        {"line": 6, "column": 1, "end_line": 7, "end_column": 1, "text": '  labels: {gpu: "8"}   # eight of them\n'}
    ]
    assert first["fixes"] == [each["id"] for each in report["findings"] if each["location"]["line"] == 6]
    assert "repairs" not in json.loads(run("--output", "json").stdout)
    assert [each["applied"] for each in json.loads(run("--fix", "--output", "json").stdout)["repairs"]] == [True, True]


def test_sarif_holds_the_repairs_as_fixes(run: Run) -> None:
    Path("job.yaml").write_text(JOB)
    log = json.loads(run("--diff", "--output", "sarif").stdout)
    fixes = [each["fixes"] for each in log["runs"][0]["results"] if each["ruleId"] == "unquoted-string"]
    (change,) = fixes[0][0]["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "job.yaml"
    (replacement,) = change["replacements"]
    assert replacement["deletedRegion"] == {"startLine": 6, "startColumn": 1, "endLine": 7, "endColumn": 1}
    assert replacement["insertedContent"]["text"] == '  labels: {gpu: "8"}   # eight of them\n'
