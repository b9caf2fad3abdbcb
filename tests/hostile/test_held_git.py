"""Settings and variables of Git that would start programs or lead elsewhere: none does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.source.repositories import commit, git, repository, write

pytestmark = [pytest.mark.needs("git"), pytest.mark.skipif(sys.platform == "win32", reason="scripts")]

TWICE = "kind: Pod\nkind: Pod\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"


def check(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-m", "trainlint", "check", ".", "--output=concise", "--no-cache", *arguments],
        cwd=home,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


CONFIG = """
[core]
	fsmonitor = "RUN"
	sshCommand = "RUN"
	pager = "RUN"
	editor = "RUN"
	askPass = "RUN"
	gitProxy = "RUN"
	alternateRefsCommand = "RUN"
	hooksPath = .hooks
	attributesFile = .attributes
[diff]
	external = "RUN"
[diff "x"]
	command = "RUN"
	textconv = "RUN"
[filter "x"]
	clean = "RUN"
	smudge = "RUN"
	process = "RUN"
	required = true
[merge "x"]
	driver = "RUN"
[alias]
	ls-files = "!RUN"
	rev-parse = "!RUN"
	cat-file = "!RUN"
	diff = "!RUN"
[credential]
	helper = "!RUN"
[gpg]
	program = "RUN"
[log]
	showSignature = true
[uploadpack]
	packObjectsHook = "RUN"
[pager]
	ls-files = "RUN"
	diff = "RUN"
	cat-file = "RUN"
[remote "origin"]
	url = ext::RUN
	promisor = true
	partialclonefilter = blob:none
[protocol]
	allow = always
[include]
	path = ../more.config
"""


def hostile(tmp_path: Path) -> tuple[Path, Path]:
    """A repository whose settings, hooks and attributes all start a program, and the mark that it would leave."""
    mark = tmp_path / "mark"
    home = repository(tmp_path / "r", {"a.yaml": POD})
    base = commit(
        home, {"b.yaml": POD.replace("name: a", "name: b"), ".gitattributes": "*.yaml filter=x diff=x merge=x\n"}
    )
    assert base
    run = f"touch {mark}; cat"
    write(home, {f".hooks/{name}": f"#!/bin/sh\n{run}\n" for name in ("post-index-change", "reference-transaction")})
    write(home, {".git/hooks/post-index-change": f"#!/bin/sh\n{run}\n", "more.config": f'[core]\n\tpager = "{run}"\n'})
    for each in (*(home / ".hooks").iterdir(), home / ".git/hooks/post-index-change"):
        each.chmod(0o755)
    with (home / ".git/config").open("a") as stream:
        stream.write(CONFIG.replace("RUN", run))
    return home, mark


@pytest.mark.parametrize("arguments", [(), ("--base", "HEAD~1"), ("--base", "HEAD")])
def test_settings_of_the_repository_start_nothing(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    home, mark = hostile(tmp_path)
    write(home, {"a.yaml": TWICE, "new.yaml": TWICE.replace("kind: Pod\n", "kind: Job\n")})
    done = check(home, *arguments)
    assert not mark.exists()
    assert "a.yaml:2" in done.stdout, done.stderr
    assert "new.yaml:2" in done.stdout


def test_objects_that_a_partial_clone_lacks_are_not_fetched(tmp_path: Path) -> None:
    home, mark = hostile(tmp_path)
    blob = git(home, "-c", "core.fsmonitor=false", "rev-parse", "HEAD:b.yaml").splitlines()[-1]
    mark.unlink(missing_ok=True)
    (home / ".git/objects" / blob[:2] / blob[2:]).unlink()
    done = check(home, "--base", "HEAD")
    assert not mark.exists()
    assert done.returncode in (0, 1, 2)


VARIABLES = {
    "GIT_DIR": "OTHER/.git",
    "GIT_WORK_TREE": "OTHER",
    "GIT_INDEX_FILE": "OTHER/.git/index",
    "GIT_OBJECT_DIRECTORY": "OTHER/.git/objects",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": "OTHER/.git/objects",
    "GIT_COMMON_DIR": "OTHER/.git",
    "GIT_NAMESPACE": "x",
    "GIT_CONFIG_GLOBAL": "OTHER/config",
    "GIT_CONFIG_SYSTEM": "OTHER/config",
    "GIT_CONFIG": "OTHER/config",
    "GIT_CONFIG_PARAMETERS": "'core.fsmonitor=RUN'",
    "GIT_EXTERNAL_DIFF": "RUN",
    "GIT_SSH_COMMAND": "RUN",
    "GIT_SSH": "RUN",
    "GIT_ASKPASS": "RUN",
    "GIT_PAGER": "RUN",
    "GIT_EDITOR": "RUN",
    "GIT_PROXY_COMMAND": "RUN",
    "GIT_EXEC_PATH": "OTHER/bin",
    "GIT_TRACE": "MARK",
    "GIT_TRACE2": "MARK",
    "GIT_LITERAL_PATHSPECS": "0",
    "GIT_GLOB_PATHSPECS": "1",
    "GIT_CEILING_DIRECTORIES": "/",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM": "0",
    "GIT_REPLACE_REF_BASE": "refs/x",
    "GIT_ATTR_SOURCE": "HEAD~1",
}


@pytest.mark.parametrize("together", [*VARIABLES, "all", "counted"])
def test_variables_of_git_change_nothing(tmp_path: Path, together: str) -> None:
    """Those of a hook, or of a job, that name another repository, its settings or a program."""
    home, mark = repository(tmp_path / "r", {"a.yaml": POD}), tmp_path / "mark"
    other = repository(tmp_path / "other", {"other.yaml": POD.replace("name: a", "name: other")})
    write(home, {"a.yaml": TWICE})
    program = tmp_path / "other/bin/git-ls-files"
    write(other, {"bin/git-ls-files": f"#!/bin/sh\ntouch {mark}\n", "bin/run": f"#!/bin/sh\ntouch {mark}\n"})
    write(
        other,
        {"config": f'[core]\n\tfsmonitor = "{other}/bin/run"\n\texcludesFile = {other}/ignore\n', "ignore": "*\n"},
    )
    for each in (program, other / "bin/run"):
        each.chmod(0o755)
    if together == "counted":
        values = {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "core.fsmonitor",
            "GIT_CONFIG_VALUE_0": f"{other}/bin/run",
        }
    else:
        named = VARIABLES if together == "all" else {together: VARIABLES[together]}
        values = {
            name: value.replace("OTHER", str(other)).replace("RUN", f"{other}/bin/run").replace("MARK", str(mark))
            for name, value in named.items()
        }
    for arguments in ((), ("--base", "HEAD")):
        done = check(home, *arguments, **values)
        assert (done.returncode, "a.yaml:2" in done.stdout) == (1, True), done.stderr
        assert "other.yaml" not in done.stdout
    assert not mark.exists()
