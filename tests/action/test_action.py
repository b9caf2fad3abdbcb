"""The shell steps of action.yml, executed as a runner executes them, in throw-away repositories."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.action.conftest import Api, offline
from tests.action.runner import ACTION, ROOT, Job
from tests.source.repositories import commit, git, repository, write

import trainlint

pytestmark = [pytest.mark.needs("git"), pytest.mark.xdist_group("action")]  # one worker installs for all

DEMO = ROOT / "lint" / "trainlint" / "demo"
POLICY = "cluster/lanes.yaml"
ADMITS = "  ingress:\n    - fromEndpoints: [{matchLabels: {lane: east}}]"
REFUSES = ADMITS.replace("east", "east, tenant: none")
GROUP = "speech/conductor+trainers"


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """A server's repository whose only commit is the fixed state of the demo: clean, its group is proved."""
    origin = repository(tmp_path / "origin of the team")
    for part in ("cluster", "fixed"):
        shutil.copytree(DEMO / part, origin / part, ignore=shutil.ignore_patterns("__pycache__"))
    commit(origin)
    return origin


Start = Callable[..., Job]


@pytest.fixture
def start(installed: Job, tmp_path: Path) -> Start:
    """Makes a job in a workspace, with trainlint installed."""

    def job(workspace: Path, **options: Any) -> Job:
        temp = tmp_path / "runner temp"
        if not temp.exists():
            temp.mkdir()
            (temp / "trainlint").symlink_to(installed.temp / "trainlint")
        return Job(workspace, temp, ready=frozenset({"Install trainlint"}), **options)

    return job


def edit(root: Path, old: str = ADMITS, new: str = REFUSES) -> str:
    text = (root / POLICY).read_text(encoding="utf-8")
    assert old in text
    return commit(root, {POLICY: text.replace(old, new, 1)})


def checkout(origin: Path, folder: Path, *, depth: int = 0, revision: str = "HEAD") -> Path:
    """What actions/checkout leaves behind: one commit, detached, unless it is told to fetch more."""
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", origin.as_uri())
    shallow = [f"--depth={depth}"] if depth else []
    git(folder, "fetch", "-q", *shallow, "origin", git(origin, "rev-parse", revision))
    git(folder, "checkout", "-q", "--detach", "FETCH_HEAD")
    return folder


def pull_request(base: str, *, fork: bool = False) -> dict[str, Any]:
    """What is used of the event, and names of branches as an attacker would choose them."""
    evil = "$(touch pwned)`touch pwned`';touch pwned;'\"\n::error::x"
    return {
        "event_name": "pull_request",
        "event": {
            "number": 7,
            "pull_request": {
                "number": 7,
                "title": evil,
                "base": {"sha": base, "ref": evil, "repo": {"full_name": "team/training"}},
                "head": {"ref": evil, "repo": {"full_name": "stranger/training" if fork else "team/training"}},
            },
        },
    }


def line_of(root: Path, text: str) -> int:
    lines = (root / POLICY).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


# The story.


def test_a_policy_breaks_a_job_that_no_commit_touched_and_the_next_commit_fixes_it(
    story: Path, start: Start, tmp_path: Path, api: Api
) -> None:
    """Base: clean. The pull request changes only a policy: its line is reported, exit 1, the summary shows the cut
    edge, one comment says so. The next commit fixes it: clean again, and the comment says that.
    """
    base = git(story, "rev-parse", "HEAD")
    clean = start(checkout(story, tmp_path / "push", depth=1)).run()
    assert (clean.code, clean.outputs["findings"]) == (0, "0")
    assert f"`{GROUP}` | 4 | yes (east) | yes | ok |" in clean["Lint"].summary

    edit(story)
    work = checkout(story, tmp_path / "pull request", depth=1)
    environment = {"GITHUB_API_URL": api.url}
    broken = start(work, environment=environment, **pull_request(base)).run()
    assert (broken.code, broken.outputs["findings"]) == (1, "1")
    (annotation,) = broken["Lint"].commands("error")
    assert annotation.startswith(f"::error file={POLICY},line={line_of(work, 'tenant: none')},")
    assert "flow-denied" in annotation
    summary = broken["Lint"].summary
    assert f"`{GROUP}` cannot run" in summary.splitlines()[0]
    picture = summary.partition("```mermaid\n")[2].partition("```")[0]
    assert re.search(r"trainers.*(-\.|x--|--x).*conductor|(-\.|x--|--x)", picture), picture
    assert f"{POLICY}:{line_of(work, 'tenant: none')}" in summary
    (comment,) = api.bodies()
    assert comment.endswith(summary)

    edit(story, REFUSES, ADMITS)
    git(work, "fetch", "-q", "--depth=1", "origin", git(story, "rev-parse", "HEAD"))
    git(work, "checkout", "-q", "--detach", "FETCH_HEAD")
    fixed = start(work, environment=environment, **pull_request(base)).run()
    assert (fixed.code, fixed.outputs["findings"]) == (0, "0")
    assert fixed["Lint"].commands("error") == []
    (comment,) = api.bodies()
    assert "no new findings" in comment
    assert [method for method, _ in api.requests].count("POST") == 1
    assert api.tokens == {"Bearer token-of-the-job"}


# Where it runs.


def test_what_the_base_had_already_is_not_reported(story: Path, start: Start, tmp_path: Path) -> None:
    base = edit(story)
    commit(story, {"README.md": "Words.\n"})
    job = start(checkout(story, tmp_path / "work", depth=1), **pull_request(base)).run("Lint")
    assert (job.code, job.outputs["findings"]) == (0, "0")
    assert start(tmp_path / "work").run("Lint").code == 1  # as it is after a push


def test_a_full_clone_needs_no_remote(story: Path, start: Start, tmp_path: Path) -> None:
    base = git(story, "rev-parse", "HEAD")
    edit(story)
    work = checkout(story, tmp_path / "work")
    git(work, "remote", "remove", "origin")
    job = start(work, **pull_request(base)).run("Lint")
    assert (job.code, job.outputs["findings"], job["Lint"].commands("warning")) == (1, "1", [])


@pytest.mark.parametrize("depth", [[], ["--depth=1"]], ids=["full", "shallow"])
def test_a_partial_clone_gets_what_the_base_holds(story: Path, start: Start, tmp_path: Path, depth: list[str]) -> None:
    """actions/checkout can leave out all contents but those of the commit (``filter: blob:none``)."""
    base = git(story, "rev-parse", "HEAD")
    edit(story)
    git(story, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", *depth, story.as_uri(), "work")
    job = start(tmp_path / "work", **pull_request(base)).run("Lint")
    assert (job.code, job.outputs["findings"], job["Lint"].commands("warning")) == (1, "1", [])
    assert git(tmp_path / "work", "rev-parse", "--is-shallow-repository") == str(bool(depth)).lower()


def test_a_base_that_cannot_be_fetched_is_said_and_everything_is_reported(
    story: Path, start: Start, tmp_path: Path
) -> None:
    base = edit(story)
    commit(story, {"README.md": "Words.\n"})
    work = checkout(story, tmp_path / "work", depth=1)
    git(work, "remote", "set-url", "origin", (tmp_path / "gone").as_uri())
    job = start(work, **pull_request(base)).run("Lint")
    (warning,) = job["Lint"].commands("warning")
    assert base in warning
    assert "all findings are reported" in warning
    assert (job.code, job.outputs["findings"]) == (1, "1")


def test_the_pull_request_of_a_fork_has_no_comment_and_does_not_fail_for_it(
    story: Path, start: Start, tmp_path: Path, api: Api
) -> None:
    """Its token may only read: the API answers 403."""
    api.refuse = 403
    base = git(story, "rev-parse", "HEAD")
    edit(story)
    work = checkout(story, tmp_path / "work", depth=1)
    job = start(work, environment={"GITHUB_API_URL": api.url}, **pull_request(base, fork=True)).run()
    assert (job["Lint"].code, job["Comment"].code, job.code) == (1, 0, 1)
    assert api.bodies() == []
    assert "no comment" in job["Comment"].log
    assert job["Comment"].commands("warning") == []
    assert len(job["Lint"].commands("error")) == 1
    assert not list(tmp_path.rglob("pwned"))


def test_a_repository_without_training_jobs_is_fine(start: Start, tmp_path: Path, api: Api) -> None:
    origin = repository(tmp_path / "origin", {"README.md": "Words.\n", "values.yaml": "replicas: 1\n"})
    base = git(origin, "rev-parse", "HEAD")
    commit(origin, {"values.yaml": "replicas: 2\n"})
    work = checkout(origin, tmp_path / "work", depth=1)
    job = start(work, environment={"GITHUB_API_URL": api.url}, **pull_request(base)).run()
    assert (job.code, job.outputs["findings"]) == (0, "0")
    assert api.bodies() == []
    assert "nothing to analyse" in job["Lint"].summary


def test_a_merge_group_is_compared_with_its_base(story: Path, start: Start, tmp_path: Path) -> None:
    base = edit(story)
    commit(story, {"README.md": "Words.\n"})
    work = checkout(story, tmp_path / "work", depth=1)
    event = {"event_name": "merge_group", "event": {"merge_group": {"base_sha": base}}}
    job = start(work, **event).run()
    assert (job.code, job.outputs["findings"]) == (0, "0")


@pytest.mark.parametrize("event", [{}, {"pull_request": None}, {"pull_request": {"base": {"sha": "--upload-pack=x"}}}])
def test_an_event_without_a_commit_is_a_full_run(
    story: Path, start: Start, tmp_path: Path, event: dict[str, Any]
) -> None:
    edit(story)
    job = start(checkout(story, tmp_path / "work", depth=1), event=event).run("Lint")
    assert (job.code, job.outputs["findings"], job["Lint"].commands("warning")) == (1, "1", [])


def test_a_workspace_outside_git_is_a_full_run(story: Path, start: Start, tmp_path: Path) -> None:
    base = git(story, "rev-parse", "HEAD")
    edit(story)
    shutil.copytree(story, tmp_path / "work", ignore=shutil.ignore_patterns(".git"))
    job = start(tmp_path / "work", **pull_request(base)).run("Lint")
    assert (job.code, job.outputs["findings"]) == (1, "1")
    assert len(job["Lint"].commands("warning")) == 1


# The inputs.


def test_paths_stand_one_on_a_line_and_may_hold_spaces(start: Start, tmp_path: Path) -> None:
    broken = "kind: Job\nmetadata: {name: [}\n"
    work = repository(tmp_path / "work", {"a b/x.yaml": broken, "c/y.yaml": broken, "d/z.yaml": broken})
    job = start(work, inputs={"paths": "a b\n\n  c  \n"}).run("Lint")
    assert (job.code, job.outputs["findings"]) == (1, "2")
    assert {line.partition(",")[0] for line in job["Lint"].commands("error")} == {
        "::error file=a b/x.yaml",
        "::error file=c/y.yaml",
    }


def test_a_path_that_looks_like_an_option_is_a_path(start: Start, tmp_path: Path) -> None:
    work = repository(tmp_path / "work", {"--help/x.yaml": "kind: Job\nmetadata: {name: [}\n"})
    assert start(work, inputs={"paths": "--help"}).run("Lint").outputs["findings"] == "1"


def test_a_path_below_which_another_repository_was_checked_out(story: Path, start: Start, tmp_path: Path) -> None:
    base = git(story, "rev-parse", "HEAD")
    edit(story)
    workspace = tmp_path / "work"
    workspace.mkdir()
    checkout(story, workspace / "the repo", depth=1)
    job = start(workspace, inputs={"paths": "the repo"}, **pull_request(base)).run("Lint")
    assert (job.code, job.outputs["findings"], job["Lint"].commands("warning")) == (1, "1", [])


def test_arguments_are_split_as_in_a_shell_and_never_run_by_one(story: Path, start: Start, tmp_path: Path) -> None:
    edit(story)
    arguments = "--ignore 'flow-denied, no-viable-zone' --select \"flow-denied\""
    assert start(story, inputs={"args": arguments}).run("Lint").outputs["findings"] == "0"
    evil = start(story, inputs={"args": "--ignore '$(touch pwned)' ; touch pwned"}).run("Lint")
    assert evil.code == 2
    assert not list(story.rglob("pwned"))


@pytest.mark.parametrize("inputs", [{"args": "--ignore 'x"}, {"base": "--output=x"}, {"args": "--no-such-option"}])
def test_wrong_inputs_are_wrong_usage(start: Start, tmp_path: Path, inputs: dict[str, str]) -> None:
    job = start(repository(tmp_path / "work", {"a.yaml": "a: 1\n"}), inputs=inputs).run()
    assert (job.code, job.outputs["findings"], job.outputs["sarif-file"]) == (2, "", "")
    assert [step.name for step in job.steps] == ["Lint"]


def test_a_base_that_is_named_wins_over_that_of_the_event(story: Path, start: Start, tmp_path: Path) -> None:
    git(story, "branch", "stable")
    first = git(story, "rev-parse", "HEAD")
    edit(story)
    work = checkout(story, tmp_path / "work", depth=1)
    head = git(work, "rev-parse", "HEAD")
    for name in ("stable", "origin/stable", first):
        job = start(work, inputs={"base": name}, **pull_request(head)).run("Lint")
        assert (job.code, job.outputs["findings"]) == (1, "1")
    assert start(work, inputs={"base": "HEAD"}, **pull_request(first)).run("Lint").outputs["findings"] == "0"


def test_without_the_comment_the_api_is_not_asked(story: Path, start: Start, tmp_path: Path, api: Api) -> None:
    base = git(story, "rev-parse", "HEAD")
    edit(story)
    environment = {"GITHUB_API_URL": api.url}
    work = checkout(story, tmp_path / "work", depth=1)
    job = start(work, inputs={"comment": "false"}, environment=environment, **pull_request(base)).run("Lint", "Comment")
    assert (job.code, api.requests) == (1, [])


# The outputs.


def test_the_sarif_file_and_the_number_of_findings(story: Path, start: Start) -> None:
    edit(story)
    job = start(story).run("Lint")
    sarif = json.loads(Path(job.outputs["sarif-file"]).read_bytes())
    assert len(sarif["runs"][0]["results"]) == int(job.outputs["findings"]) == 1
    assert Path(job.outputs["sarif-file"]).is_relative_to(job.temp)


def test_what_a_manifest_says_is_no_workflow_command(start: Start, tmp_path: Path) -> None:
    text = 'kind: Job\nmetadata: {"::warning::from a manifest": [}\n'
    work = repository(tmp_path / "work", {"a.yaml": text})
    job = start(work).run("Lint")
    assert job.code == 1
    assert "from a manifest" in job["Lint"].log
    assert job["Lint"].commands("warning") == []
    first, *lines = job["Lint"].log.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert "from a manifest" not in "".join(lines[lines.index(f"::{token}::") :])


def test_nothing_is_written_into_the_workspace(story: Path, start: Start) -> None:
    edit(story)
    start(story).run("Lint")
    assert git(story, "status", "--porcelain", "--ignored") == ""


def test_modules_in_the_workspace_are_not_run(story: Path, start: Start) -> None:
    """A pull request may hold any file: Python must not take it for one of its own."""
    names = ("json.py", "re.py", "trainlint/__init__.py", "click.py", "sitecustomize.py")
    write(story, dict.fromkeys(names, "open('pwned', 'w')\n"))
    job = start(story, environment={"PYTHONPATH": str(story)}).run("Lint")
    assert job.code == 0
    assert not (story / "pwned").exists()


# What README.md shows.


def shown(after: str) -> Any:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"```yaml\n(.*?)```", readme[readme.index(after) :], re.DOTALL)
    assert match
    return yaml.safe_load(match[1])


def test_the_workflow_that_is_shown_uses_what_the_action_has() -> None:
    job = shown("as a GitHub Action")["jobs"]["trainlint"]
    (own,) = (step for step in job["steps"] if step["uses"].startswith("OWNER/"))
    assert own["uses"] == f"OWNER/trainlint@v{trainlint.__version__}"
    assert set(own.get("with", {})) <= set(ACTION["inputs"])
    named = set(re.findall(rf"steps\.{own['id']}\.outputs\.([a-z-]+)", json.dumps(job)))
    assert named
    assert named <= set(ACTION["outputs"])
    assert job["permissions"]["pull-requests"] == "write"


def test_the_hooks_that_are_shown_are_offered() -> None:
    (repository,) = shown("with [pre-commit]")["repos"]
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {each["id"] for each in repository["hooks"]} <= {each["id"] for each in offered}
    assert repository["rev"] == f"v{trainlint.__version__}"


# The installation.


def test_the_action_installs_its_own_checkout(installed: Job) -> None:
    assert installed.code == 0
    python = installed.temp / "trainlint" / "bin" / "python"
    code = (
        "from importlib.metadata import distribution; found = distribution('trainlint');"
        "print(found.version, found.read_text('direct_url.json'))"
    )
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True)
    version, _, url = done.stdout.partition(" ")
    assert version == trainlint.__version__
    assert json.loads(url)["url"] == ROOT.as_uri()


@pytest.mark.parametrize("home", [{"action_repository": "example/trainlint"}, {"repository": "example/trainlint"}])
def test_a_version_is_a_tag_of_the_action_s_own_repository(tmp_path: Path, home: dict[str, str]) -> None:
    """Where a workflow uses the action of its own repository (``uses: ./``), GitHub names no other."""
    files = {
        "pyproject.toml": '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "trainlint"\nversion = "9.9"\n',
        "trainlint.py": "print('the tag')\n",
    }
    origin = repository(tmp_path / "example" / "trainlint", files)
    git(origin, "tag", "v9.9")
    commit(origin, {"trainlint.py": "print('not the tag')\n"})
    (tmp_path / "work").mkdir()
    environment = {**offline(tmp_path / "shims"), "GITHUB_SERVER_URL": tmp_path.as_uri()}
    temp, inputs = tmp_path / "temp", {"version": "v9.9"}
    options = {"action_repository": "", **home}
    job = Job(tmp_path / "work", temp, inputs=inputs, environment=environment, **options)  # type: ignore[arg-type]
    job.temp.mkdir()
    assert job.run("Install trainlint").code == 0
    python = job.temp / "trainlint" / "bin" / "python"
    done = subprocess.run([python, "-I", "-m", "trainlint"], capture_output=True, text=True, check=True)
    assert done.stdout == "the tag\n"


@pytest.mark.parametrize("version", ["; touch pwned", "$(touch pwned)", "-e .", "1.0 other-package", "1@x", "1#egg=x"])
def test_a_version_that_is_no_tag_is_refused(tmp_path: Path, version: str) -> None:
    (tmp_path / "work").mkdir()
    job = Job(tmp_path / "work", tmp_path / "temp", inputs={"version": version}).run("Install trainlint")
    assert job.code == 2
    assert not list(tmp_path.rglob("pwned"))


def test_without_a_python_that_is_new_enough_the_remedy_is_said(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bash").symlink_to(shutil.which("bash") or "")
    job = Job(tmp_path, tmp_path / "temp", environment={"PATH": str(tmp_path / "bin")}).run("Install trainlint")
    (error,) = job["Install trainlint"].commands("error")
    assert job.code == 2
    assert "actions/setup-python" in error


def test_a_python_of_the_tool_cache_will_do(tmp_path: Path) -> None:
    """Runners keep Pythons at RUNNER_TOOL_CACHE/Python/VERSION/ARCHITECTURE."""
    tools = tmp_path / "bin"
    home = tmp_path / "temp" / "tools" / "Python" / "3.12.0" / "x64" / "bin"
    home.mkdir(parents=True)
    tools.mkdir()
    for name in ("bash", "sh"):
        (tools / name).symlink_to(shutil.which(name) or "")
    (home / "python3").write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/calls"\n')
    (home / "python3").chmod(0o755)
    job = Job(tmp_path, tmp_path / "temp", environment={"PATH": str(tools)}).run("Install trainlint")
    assert job.code != 0  # the stand-in makes no environment
    assert f"-m venv --clear {tmp_path}/temp/trainlint" in (tmp_path / "calls").read_text()


# What it is made of.


def test_it_has_these_inputs_and_outputs_and_no_more() -> None:
    assert set(ACTION["inputs"]) == {"paths", "args", "base", "comment", "version"}
    assert set(ACTION["outputs"]) == {"findings", "sarif-file"}
    assert all(not each.get("required") for each in ACTION["inputs"].values())


def test_no_expression_stands_in_a_script() -> None:
    assert all("${{" not in step["run"] for step in ACTION["runs"]["steps"])


def test_only_the_step_that_writes_the_comment_has_a_token() -> None:
    assert [step["name"] for step in ACTION["runs"]["steps"] if "github.token" in str(step)] == ["Comment"]


def test_its_programs_need_nothing_but_the_standard_library() -> None:
    for file in (ROOT / "lint" / "trainlint" / "action").glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
