"""Nothing of the checkout is started: no module of Python, no repository inside it, no program beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.action.conftest import offline
from tests.action.runner import Job
from tests.source.repositories import commit, git, repository, write

from trainlint.source.executables import executable
from trainlint.source.git import GitError
from trainlint.source.git import git as ask

pytestmark = pytest.mark.needs("git")

JOB = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
MODULES = [*sorted(sys.stdlib_module_names - {"__main__"}), "sitecustomize", "usercustomize", "pip", "trainlint"]


def hostile_modules(home: Path, mark: Path) -> None:
    """A module of every name that any program of Python may import; each leaves a mark."""
    text = f"open({str(mark)!r}, 'a').write(__name__ + chr(10))\n"
    write(home, {f"{name}.py": text for name in MODULES})
    write(home, {f"{name}/__init__.py": text for name in ("encodings", "venv", "ensurepip", "json", "trainlint_rules")})


def test_modules_of_the_checkout_are_not_imported(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    home = repository(tmp_path / "workspace", {"a.yaml": JOB})
    hostile_modules(home, mark)
    temp = tmp_path / "temp"
    temp.mkdir()
    variables = {**offline(tmp_path / "shims"), "PYTHONPATH": "."}
    job = Job(home, temp, environment=variables, event={"pull_request": {"number": 1}}).run()
    assert [step.name for step in job.steps] == ["Install trainlint", "Lint", "Comment"]
    assert job.code == 0
    assert not mark.exists(), mark.read_text()


def job_of(home: Path, temp: Path, **inputs: str) -> Job:
    """A job in which trainlint, of the environment of the tests, is installed already."""
    temp.mkdir()
    (temp / "trainlint").symlink_to(sys.prefix)
    event = {"pull_request": {"number": 1, "base": {"sha": "1" * 40}}}
    return Job(home, temp, inputs=inputs, event=event, ready=frozenset({"Install trainlint", "Comment"}))


def bare(directory: Path, mark: Path) -> None:
    """The files of a repository, without a work tree, whose settings start a program."""
    touch = f"touch {mark}; false"
    write(
        directory,
        {
            "HEAD": "ref: refs/heads/main\n",
            "objects/info/packs": "",
            "refs/heads/keep": "",
            "info/exclude": "a.yaml\n",
            "hooks/reference-transaction": f"#!/bin/sh\n{touch}\n",
            "config": f"[core]\n\tbare = false\n\tworktree = .\n\trepositoryformatversion = 0\n"
            f'\tfsmonitor = "{touch}"\n'
            f'\tsshCommand = "{touch}"\n[remote "origin"]\n\turl = ssh://localhost/x\n',
        },
    )


def test_a_bare_repository_in_the_checkout_is_not_asked_by_the_action(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    home = repository(tmp_path / "workspace", {"deploy/a.yaml": JOB})
    git(home, "remote", "add", "origin", (tmp_path / "gone").as_uri())
    bare(home / "deploy", mark)
    job_of(home, tmp_path / "temp", paths="deploy").run()
    assert not mark.exists()


def test_the_hooks_of_the_checkout_are_not_run_by_the_action(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    origin = repository(tmp_path / "origin", {"a.yaml": JOB})
    home = repository(tmp_path / "workspace", {"a.yaml": JOB + "# more\n"})
    write(home, {".husky/reference-transaction": f"#!/bin/sh\ntouch {mark}\n"})
    (home / ".husky/reference-transaction").chmod(0o755)
    git(home, "remote", "add", "origin", origin.as_uri())
    git(home, "config", "core.hooksPath", ".husky")
    job = job_of(home, tmp_path / "temp")
    job.event = {"pull_request": {"base": {"sha": git(origin, "rev-parse", "HEAD")}}}
    assert "cannot be fetched" not in job.run()["Lint"].log
    assert not mark.exists()


def trainlint(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-m", "trainlint", *arguments],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_bare_repository_hides_no_manifests(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    home = repository(tmp_path / "r", {"deploy/a.yaml": "kind: Pod\nkind: Pod\n", "deploy/b.yaml": JOB})
    bare(home / "deploy", mark)
    commit(home)
    checked = trainlint("check", "deploy", "--output", "concise", cwd=home)
    assert "deploy/a.yaml:2" in checked.stdout
    assert not mark.exists()


def test_git_does_not_leave_the_repository_that_it_is_told(tmp_path: Path) -> None:
    home = repository(tmp_path / "r", {"a.yaml": JOB})
    (home / "inside" / ".git").mkdir(parents=True)
    with pytest.raises(GitError):
        ask(home / "inside", "rev-parse", "HEAD")


def test_git_has_a_limit_of_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = repository(tmp_path / "r", {"a.yaml": JOB})
    slow = tmp_path / "bin" / "git"
    write(tmp_path, {"bin/git": "#!/bin/sh\nexec sleep 60\n"})
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("trainlint.source.git.MAX_SECONDS", 0.2)
    with pytest.raises(GitError, match="took more than"):
        ask(home, "rev-parse", "HEAD")


@pytest.mark.parametrize("entry", ["", ".", "bin", "{home}/bin", "{home}/sub/../bin", "{tmp}/linked"])
def test_programs_of_the_repository_are_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    home = repository(tmp_path / "r", {"bin/helm": "#!/bin/sh\n", "helm": "#!/bin/sh\n", "sub/a.yaml": JOB})
    for each in (home / "helm", home / "bin/helm"):
        each.chmod(0o755)
    (tmp_path / "linked").symlink_to(home / "bin")
    theirs = tmp_path / "theirs"
    write(theirs, {"helm": "#!/bin/sh\n"})
    (theirs / "helm").chmod(0o755)
    monkeypatch.chdir(home)
    path = [entry.format(home=home, tmp=tmp_path), str(theirs)]
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    assert executable("helm") == str(theirs / "helm")
    monkeypatch.chdir(tmp_path)
    assert executable("helm", home) == str(theirs / "helm")
