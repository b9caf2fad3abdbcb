"""Which configuration file counts: from the linted path upwards to the root of the repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from trainlint.engine import check
from trainlint.finding import Severity, UsageError

NOTE, WARNING = "fail_on: note\n", "fail_on: warning\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "repository"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "-q", str(root)], check=True, env=environment)
    monkeypatch.chdir(tmp_path)
    return root


def fail_on(*paths: Path, config: Path | None = None) -> Severity:
    return check(paths, config=config).fail_on


@pytest.mark.parametrize("name", ["trainlint.yaml", ".trainlint.yaml"])
def test_a_file_at_the_root_counts_for_whatever_is_linted(repository: Path, name: str) -> None:
    (repository / name).write_text(WARNING)
    for path in (repository, repository / "a", repository / "a" / "b" / "pod.yaml"):
        assert fail_on(path) is Severity.WARNING


def test_the_nearest_one_counts(repository: Path) -> None:
    (repository / "trainlint.yaml").write_text(WARNING)
    (repository / "a" / ".trainlint.yaml").write_text(NOTE)
    assert fail_on(repository) is Severity.WARNING
    assert fail_on(repository / "a" / "b") is Severity.NOTE
    assert fail_on(repository / "a" / "b" / "pod.yaml") is Severity.NOTE


def test_one_that_git_ignores_counts_too(repository: Path) -> None:
    (repository / ".gitignore").write_text("trainlint.yaml\n")
    (repository / "trainlint.yaml").write_text(NOTE)
    assert fail_on(repository) is Severity.NOTE


def test_one_above_the_repository_does_not(repository: Path) -> None:
    (repository.parent / "trainlint.yaml").write_text(NOTE)
    assert fail_on(repository / "a") is Severity.ERROR


def test_one_below_what_is_linted_does_not_and_that_is_said(repository: Path) -> None:
    (repository / "a" / "trainlint.yaml").write_text(NOTE)
    result = check((repository,))
    assert result.fail_on is Severity.ERROR
    assert any(text.startswith("a/trainlint.yaml does not count") for text in result.assumptions)
    for name in "cdef":
        (repository / name).mkdir()
        (repository / name / "trainlint.yaml").write_text(NOTE)
    said = [text for text in check((repository,)).assumptions if "not count" in text]
    assert [text.partition(":")[0] for text in said] == [
        "a/trainlint.yaml, c/trainlint.yaml, d/trainlint.yaml and 2 more do not count"
    ]


def test_two_of_one_directory_are_refused(repository: Path) -> None:
    for name in ("trainlint.yaml", ".trainlint.yaml"):
        (repository / name).write_text(NOTE)
    with pytest.raises(UsageError, match=r"trainlint.yaml and .trainlint.yaml: only one"):
        check((repository,))


def test_the_one_that_is_named_counts_alone(repository: Path) -> None:
    (repository / "trainlint.yaml").write_text(NOTE)
    other = repository.parent / "other.yaml"
    other.write_text(WARNING)
    assert fail_on(repository, config=other) is Severity.WARNING


def test_for_several_paths_it_is_looked_for_above_them_all(repository: Path) -> None:
    (repository / "a" / "c").mkdir()
    (repository / "a" / "trainlint.yaml").write_text(NOTE)
    (repository / "a" / "b" / "trainlint.yaml").write_text(WARNING)
    assert fail_on(repository / "a" / "b", repository / "a" / "c") is Severity.NOTE


def test_a_wrong_one_is_named_as_reports_name_files(repository: Path) -> None:
    (repository / "a" / "trainlint.yaml").write_text("fail_on: no\n")
    with pytest.raises(UsageError, match=r"^a/trainlint.yaml:1:1: configuration: fail_on: "):
        check((repository / "a" / "b",))
