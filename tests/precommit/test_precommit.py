"""The hooks of .pre-commit-hooks.yaml, run by the real pre-commit in throw-away repositories."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from tests.source.repositories import IDENTITY, commit, git, repository, write

pytestmark = [pytest.mark.needs("git"), pytest.mark.xdist_group("precommit")]  # one worker installs for all

ROOT = Path(__file__).parent.parent.parent
PUBLISHED = ("lint", "rules", "schemas", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
DEMO = ROOT / "lint" / "trainlint" / "demo"
POLICY = "cluster/lanes.yaml"
ADMITS = "  ingress:\n    - fromEndpoints: [{matchLabels: {lane: east}}]"
REFUSES = ADMITS.replace("east", "east, tenant: none")
DENY = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny, namespace: speech}
spec: {podSelector: {}, policyTypes: [Ingress]}
"""
BROKEN = "kind: Job\nmetadata: {name: [}\n"
HOOKS = ("trainlint", "trainlint-changed")


@dataclass(frozen=True)
class Hooks:
    """The repository of the hooks, the variables under which pre-commit runs, and those under which it has no network.

    Under CI the hooks are installed as a user's would be; elsewhere the packages that they need are those of the
    environment of the tests, so that no network is needed.
    """

    repository: Path
    environment: dict[str, str]

    def config(self, hook: str) -> str:
        entry = {
            "repo": str(self.repository),
            "rev": git(self.repository, "rev-parse", "HEAD"),
            "hooks": [{"id": hook}],
        }
        return yaml.safe_dump({"repos": [entry]})

    def run(self, root: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
        offline = {"PIP_NO_INDEX": "1", "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
        return _run(root, self.environment | offline, *command)


def _run(root: Path, environment: dict[str, str], *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)), cwd=root, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="session")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    """The hooks as a repository offers them, installed by pre-commit."""
    folder = tmp_path_factory.mktemp("hooks")
    offered = repository(folder / "trainlint")
    for name in PUBLISHED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, offered / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, offered / name)
    commit(offered)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHON"))}
    environment |= {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "HOME": str(folder),
        "PRE_COMMIT_HOME": str(folder / "pre-commit"),
        "TRAINLINT_CACHE_DIR": str(folder / "cache"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}",
    }
    if not os.environ.get("CI"):
        environment |= {
            "PIP_NO_BUILD_ISOLATION": "0",  # pip's reading of it: isolation is off
            "PIP_NO_DEPS": "1",
            "PYTHONPATH": sysconfig.get_path("purelib"),
        }
    found = Hooks(offered, environment)
    user = repository(folder / "user", {".pre-commit-config.yaml": found.config("trainlint")})
    done = _run(user, environment, "pre-commit", "install-hooks")
    assert done.returncode == 0, done.stdout + done.stderr
    return found


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """A repository whose only commit is the fixed state of the demo."""
    root = repository(tmp_path / "a name with spaces and ü")
    for part in ("cluster", "fixed"):
        shutil.copytree(DEMO / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    commit(root)
    return root


def stage(root: Path, files: dict[str, str | bytes]) -> None:
    write(root, files)
    git(root, "add", "-A")


def break_policy(root: Path) -> None:
    text = (root / POLICY).read_text(encoding="utf-8")
    assert ADMITS in text
    stage(root, {POLICY: text.replace(ADMITS, REFUSES, 1)})


def use(hooks: Hooks, root: Path, hook: str) -> None:
    """Configure the hook, commit that, and let Git run it from now on."""
    commit(root, {".pre-commit-config.yaml": hooks.config(hook)})
    done = hooks.run(root, "pre-commit", "install")
    assert done.returncode == 0, done.stdout + done.stderr


def try_commit(hooks: Hooks, root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return hooks.run(root, "git", *IDENTITY, "commit", "-q", "-m", "a change", *arguments)


@pytest.mark.parametrize("hook", HOOKS)
def test_a_commit_that_breaks_a_job_is_refused_and_one_that_does_not_passes(
    hooks: Hooks, story: Path, hook: str
) -> None:
    """Only the policy is staged, and the job that it breaks is named: no file names are passed."""
    use(hooks, story, hook)
    stage(story, {"notes.md": "Words.\n"})
    done = try_commit(hooks, story)
    assert done.returncode == 0, done.stdout + done.stderr
    break_policy(story)
    done = try_commit(hooks, story)
    output = done.stdout + done.stderr
    assert done.returncode == 1, output
    assert "error[flow-denied]" in output
    assert "exit code: 1" in output
    assert git(story, "status", "--porcelain") == f"M  {POLICY}"  # nothing else was touched


@pytest.mark.parametrize(("hook", "code"), [("trainlint", 1), ("trainlint-changed", 0)])
def test_what_was_broken_before_stops_only_the_hook_that_looks_at_everything(
    hooks: Hooks, tmp_path: Path, hook: str, code: int
) -> None:
    root = repository(tmp_path / "w", {"broken.yaml": BROKEN})
    use(hooks, root, hook)
    stage(root, {"notes.md": "Words.\n"})
    done = try_commit(hooks, root)
    assert done.returncode == code, done.stdout + done.stderr


@pytest.mark.parametrize("hook", HOOKS)
def test_a_commit_that_only_deletes_a_manifest_is_looked_at(hooks: Hooks, story: Path, hook: str) -> None:
    use(hooks, story, hook)
    stage(story, {"cluster/deny.yaml": DENY})
    assert try_commit(hooks, story).returncode == 0
    (story / "cluster" / "lanes.yaml").unlink()
    git(story, "add", "-A")
    done = try_commit(hooks, story)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "error[flow-denied]" in done.stdout + done.stderr


@pytest.mark.parametrize("hook", HOOKS)
def test_what_is_not_staged_is_not_looked_at(hooks: Hooks, story: Path, hook: str) -> None:
    """pre-commit puts aside what is not staged; the index that Git gives to hooks is respected."""
    use(hooks, story, hook)
    break_policy(story)
    git(story, "reset", "-q")
    write(story, {"notes.md": "Words.\n"})
    git(story, "add", "notes.md")
    done = try_commit(hooks, story)
    assert done.returncode == 0, done.stdout + done.stderr
    assert git(story, "status", "--porcelain").strip() == f"M {POLICY}"


@pytest.mark.parametrize("hook", HOOKS)
def test_a_part_of_the_work_tree_can_be_committed(hooks: Hooks, story: Path, hook: str) -> None:
    """``git commit -a`` and ``git commit FILE`` give an index of their own to the hook (GIT_INDEX_FILE)."""
    use(hooks, story, hook)
    write(story, {"notes.md": "Words.\n"})
    git(story, "add", "-A")
    assert try_commit(hooks, story).returncode == 0
    write(story, {"notes.md": "More words.\n", POLICY: (story / POLICY).read_text().replace(ADMITS, REFUSES, 1)})
    done = try_commit(hooks, story, "notes.md")
    assert done.returncode == 0, done.stdout + done.stderr
    assert try_commit(hooks, story, "-a").returncode == 1


@pytest.mark.parametrize("hook", HOOKS)
def test_the_first_commit_of_a_repository_passes_through_the_hook(hooks: Hooks, tmp_path: Path, hook: str) -> None:
    root = repository(tmp_path / "w")
    stage(root, {".pre-commit-config.yaml": hooks.config(hook), "broken.yaml": BROKEN})
    assert hooks.run(root, "pre-commit", "install").returncode == 0
    done = try_commit(hooks, root)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "error[syntax-error]" in done.stdout + done.stderr
    (root / "broken.yaml").unlink()
    git(root, "add", "-A")
    assert try_commit(hooks, root).returncode == 0


@pytest.mark.parametrize("hook", HOOKS)
def test_a_linked_work_tree_has_its_own_state(hooks: Hooks, story: Path, tmp_path: Path, hook: str) -> None:
    """In a linked work tree Git tells hooks where it is (GIT_DIR)."""
    use(hooks, story, hook)
    git(story, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    break_policy(tmp_path / "linked")
    done = try_commit(hooks, tmp_path / "linked")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "error[flow-denied]" in done.stdout + done.stderr
    stage(story, {"notes.md": "Words.\n"})
    assert try_commit(hooks, story).returncode == 0


def test_the_hooks_are_the_two_that_are_documented() -> None:
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {each["id"]: each["entry"] for each in offered} == {
        "trainlint": "trainlint check",
        "trainlint-changed": "trainlint check --base HEAD",
    }
    assert all(each["pass_filenames"] is False and each["language"] == "python" for each in offered)


def test_what_was_installed_is_the_repository_of_the_hooks(hooks: Hooks) -> None:
    (python,) = Path(hooks.environment["PRE_COMMIT_HOME"]).glob("repo*/py_env-*/bin/python")
    code = "import trainlint; print(trainlint.__file__)"
    done = hooks.run(python.parent, python, "-c", code)
    assert Path(done.stdout).is_relative_to(hooks.environment["PRE_COMMIT_HOME"]), done.stderr
