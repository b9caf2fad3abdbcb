"""What is written, and what is read beside manifests: never through a link of the repository, never a pipe."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.source.repositories import commit, repository, write

import trainlint
from trainlint.source.cache import read_own

pytestmark = [pytest.mark.needs("git"), pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")]

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
DEMO = Path(trainlint.__file__).parent / "demo"
ADMITS = "  ingress:\n    - fromEndpoints: [{matchLabels: {lane: east}}]"
REFUSES = ADMITS.replace("east", "east, tenant: none")
TWICE = "kind: Pod\nkind: Pod\n"


def run(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    return subprocess.run(
        [sys.executable, "-I", "-m", "trainlint", *arguments],
        cwd=cwd,
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return repository(tmp_path / "r", {"a.yaml": POD})


@pytest.mark.parametrize("option", ["--output=json={}", "--write-baseline={}"])
@pytest.mark.parametrize("link", ["file", "directory", "chain", "git"])
def test_reports_are_not_written_through_links_of_the_repository(home: Path, option: str, link: str) -> None:
    victim = home.parent / "theirs" / "victim"
    write(home.parent, {"theirs/victim": "precious"})
    targets = {
        "file": ("report", "../theirs/victim", "report"),
        "directory": ("out", str(victim.parent), "out/victim"),
        "chain": ("second", "../theirs/victim", "first"),
        "git": ("report", ".git/description", "report"),
    }
    name, target, named = targets[link]
    (home / name).symlink_to(target)
    if link == "chain":
        (home / "first").symlink_to("second")
    commit(home)
    before = (home / ".git/description").read_bytes()
    done = run("check", option.format(named), cwd=home)
    assert (done.returncode, "leads out of the repository" in done.stderr) == (2, True), done
    assert victim.read_text() == "precious"
    assert (home / ".git/description").read_bytes() == before


def test_reports_are_written_through_links_that_are_no_part_of_a_change(home: Path) -> None:
    """Links inside the repository, links that Git does not know, and those of the machine."""
    (home / "inside").symlink_to("a.json")
    commit(home)
    (home / "own").symlink_to(home.parent / "own.json")
    (home.parent / "link.json").symlink_to(home.parent / "behind.json")
    for name in ("inside", "own", "../link.json"):
        assert run("check", f"--output=json={name}", cwd=home).returncode == 0
    assert (home / "a.json").is_file()
    assert (home.parent / "own.json").is_file()
    assert (home.parent / "behind.json").is_file()


def test_a_path_that_is_a_link_out_of_the_repository_is_not_read(home: Path) -> None:
    write(home.parent, {"secret/a.yaml": TWICE})
    (home / "deploy").symlink_to("../secret")
    commit(home)
    done = run("check", "deploy", cwd=home)
    assert (done.returncode, "leads out of the repository" in done.stderr) == (2, True)


@pytest.mark.parametrize("what", ["link", "pipe"])
def test_the_configuration_that_is_named_is_a_regular_file_of_its_place(home: Path, what: str) -> None:
    write(home.parent, {"secret.yaml": "password: hunter2\n"})
    if what == "link":
        (home / "lint.yaml").symlink_to("../secret.yaml")
        commit(home)
    else:
        os.mkfifo(home / "lint.yaml")
    done = run("check", "--config", "lint.yaml", cwd=home)
    assert done.returncode == 2
    assert "hunter2" not in done.stderr + done.stdout
    assert ("leads out" if what == "link" else "no regular file") in done.stderr


@pytest.mark.parametrize("what", ["link", "pipe"])
def test_ignore_files_outside_git_are_regular_files(tmp_path: Path, what: str) -> None:
    write(tmp_path, {"world/a.yaml": TWICE, "elsewhere": "*.yaml\n"})
    if what == "link":
        (tmp_path / "world/.gitignore").symlink_to("../elsewhere")
    else:
        os.mkfifo(tmp_path / "world/.gitignore")
    assert "a.yaml:2" in run("check", ".", "--output", "concise", cwd=tmp_path / "world").stdout


PIPES = {
    "b.yaml": POD,
    "kustomization.yaml": "resources: [a.yaml]\n",
    "trainlint.yaml": "version: 1\n",
    "k/kustomization.yaml": "resources: [c.yaml]\nnamePrefix: x-\n",
    "k/c.yaml": POD,
    "chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
    "chart/values.yaml": "a: 1\n",
    "chart/templates/d.yaml": POD,
}


@pytest.mark.parametrize("where", ["unknown", "tracked", "outside"])
@pytest.mark.parametrize("name", PIPES)
def test_pipes_among_manifests_are_not_opened(tmp_path: Path, name: str, where: str) -> None:
    """Files that Git knows, and those of a walk, may have become pipes; to open one is to wait for a writer."""
    home = tmp_path / "r"
    files = {"a.yaml": POD, **PIPES}
    if where == "tracked":
        repository(home, files)
    else:
        write(home, files)
        if where == "unknown":
            subprocess.run(["git", "init", "-q"], cwd=home, check=True)
    (home / name).unlink()
    os.mkfifo(home / name)
    done = run("check", ".", cwd=home)
    assert done.returncode in (0, 1, 2), done.stderr
    assert "Traceback" not in done.stderr


# The cache.


def poisoned(home: Path, cache: Path) -> Path:
    """A cache in which a manifest was clean when it was read, under the key that it has now."""
    run("check", ".", cwd=home, TRAINLINT_CACHE_DIR=str(cache))
    (entry,) = cache.glob("*.readings")
    return entry


def test_entries_of_the_cache_that_are_links_or_pipes_are_not_believed(home: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    entry = poisoned(home, cache)
    assert read_own(entry)
    elsewhere = tmp_path / "elsewhere"
    entry.rename(elsewhere)
    entry.symlink_to(elsewhere)
    assert read_own(entry) is None
    entry.unlink()
    os.link(elsewhere, entry)
    assert read_own(entry) is None, "a file of ours that another user gave a second name"
    entry.unlink()
    os.mkfifo(entry)
    assert run("check", ".", cwd=home, TRAINLINT_CACHE_DIR=str(cache)).returncode == 0


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files away")
def test_entries_of_another_user_are_not_believed(home: Path, tmp_path: Path) -> None:
    entry = poisoned(home, tmp_path / "cache")
    os.chown(entry, 12345, 12345)
    assert read_own(entry) is None


# What a runner of workflows, or a terminal, reads.

COMMANDS = ("##[warning]theirs", "##vso[task.setvariable]theirs", "::warning::theirs", "::ERROR file=x::theirs")


def hostile_names(command: str) -> dict[str, str | bytes]:
    """Manifests in which commands stand where messages quote them, after words of every length."""
    role = "kind: Role\napiVersion: v1\n"
    texts = [f"{'x' * count} {command}" for count in range(1, 60, 3)]
    pods = [f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {text!r}}}\nspec: 7\n" for text in texts]
    return {
        "a.yaml": "---\n".join(pods),
        "b.yaml": f"{role}metadata:\n  {command!r}: 1\n  {command!r}: 2\n",
        f"{command.replace('/', '')}.yaml": TWICE,
    }


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("form", ["text", "concise", "json", "sarif", "junit", "markdown"])
def test_no_report_holds_a_command_of_a_manifest(tmp_path: Path, form: str, command: str) -> None:
    home = repository(tmp_path / "r", hostile_names(command))
    done = run("check", ".", "--output", form, "--no-cache", cwd=home, GITHUB_ACTIONS="true")
    lines = (done.stdout + done.stderr).splitlines()
    assert "theirs" in done.stdout
    assert not [line for line in lines if "##[" in line or "##vso[" in line]
    assert not [line for line in lines if line.strip().lower().startswith(("::warning", "::error"))]


def test_messages_hold_no_command_of_a_path(tmp_path: Path) -> None:
    done = run("check", "##[warning]x\n::warning::x", cwd=tmp_path, GITHUB_ACTIONS="true")
    assert done.returncode == 2
    assert "##[" not in done.stderr
    assert not [line for line in done.stderr.splitlines() if line.startswith("::")]


def test_differences_do_not_steer_a_terminal(tmp_path: Path) -> None:
    """The line above a repair is shown with its escapes, and written into a file or a pipe as it is."""
    home = tmp_path / "r"
    for part in ("cluster", "fixed"):
        shutil.copytree(DEMO / part, home / part, ignore=shutil.ignore_patterns("__pycache__"))
    policy = home / "cluster" / "lanes.yaml"
    text = policy.read_text(encoding="utf-8")
    assert ADMITS in text
    policy.write_text(text.replace(ADMITS, REFUSES), encoding="utf-8")
    for file in (home / "fixed").rglob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("nodeSelector: {", "# \u202e\u200b\n      nodeSelector: {"), encoding="utf-8")
    plain = run("check", ".", "--diff", cwd=home)
    assert "\u202e" in plain.stdout
    ours, theirs = pty.openpty()
    command = [sys.executable, "-I", "-m", "trainlint", "check", ".", "--diff", "--color=never"]
    with subprocess.Popen(
        command, cwd=home, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL
    ) as done:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:
                break
            if not part:
                break
            parts.append(part)
        done.wait()
    os.close(ours)
    shown = b"".join(parts).decode()
    assert "\\u202e" in shown
    assert "\u202e" not in shown
    assert "\u200b" not in shown
