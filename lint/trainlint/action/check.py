"""Run trainlint in a workflow of GitHub: find the base of a pull request, lint, and say where the reports are.

Everything comes from environment variables, nothing from the text of a script: what a pull request says (names of
branches, titles) is never run. The exit code is trainlint's.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

__all__ = ["main"]

USAGE: Final = 2
COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
SETTINGS: Final = (
    "safe.bareRepository=explicit",  # a directory of the pull request that looks like a repository is none
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "maintenance.auto=false",
    "gc.auto=0",
)
MAX_SECONDS: Final = 600.0
"""Of one Git command: a fetch of a large repository takes minutes."""


def main() -> int:
    """Lint as the inputs of the action say; the exit code of trainlint."""
    paths = [line.strip() for line in os.environ.get("INPUT_PATHS", "").splitlines() if line.strip()] or ["."]
    try:
        arguments = shlex.split(os.environ.get("INPUT_ARGS", ""))
    except ValueError as error:
        return _refuse(f"the input args cannot be split into arguments: {error}")
    base = os.environ.get("INPUT_BASE", "").strip()
    if base.startswith("-"):
        return _refuse(f"the input base is no revision: {base}")
    folder = Path(tempfile.mkdtemp(prefix="trainlint-", dir=os.environ.get("RUNNER_TEMP")))
    report, sarif, text, summary = (folder / f"trainlint.{kind}" for kind in ("json", "sarif", "txt", "md"))
    targets = [f"json={report}", f"sarif={sarif}", f"text={text}", f"markdown={summary}"]
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        targets.append(f"markdown={os.environ['GITHUB_STEP_SUMMARY']}")
    command = ["check", "--output", "github"]
    command += [argument for target in targets for argument in ("--output", target)]
    commit = _commit(_repository(paths[0]), base or _base_of_event())
    command += ["--base", commit] if commit else []
    # Isolated: neither the directory of the pull request nor PYTHONPATH may give trainlint its modules.
    done = subprocess.run(
        [sys.executable, "-I", "-m", "trainlint", *command, *arguments, "--", *paths],
        capture_output=True,
        check=False,
    )
    if text.is_file():
        _show(text.read_text(encoding="utf-8"))
    if done.stderr:  # the runner reads commands from both streams
        _show(done.stderr.decode("utf-8", "replace"))
    sys.stdout.flush()
    sys.stdout.buffer.write(done.stdout)
    sys.stdout.flush()
    findings = json.loads(report.read_bytes())["findings"] if report.is_file() else None
    _output("findings", "" if findings is None else str(len(findings)))
    _output("sarif-file", str(sarif) if sarif.is_file() else "")
    _output("summary-file", str(summary) if summary.is_file() else "")
    return done.returncode


def _refuse(message: str) -> int:
    print(f"::error title=trainlint::{_data(message)}")
    return USAGE


def _data(text: str) -> str:
    """A message as workflow commands hold it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _show(text: str) -> None:
    """Print a report to the log. It quotes manifests, so nothing in it may be taken for a workflow command."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}\n{text}\n::{token}::")


def _output(name: str, value: str) -> None:
    """Set an output of the step; the values are numbers, and paths below the runner's own directory."""
    file = os.environ.get("GITHUB_OUTPUT")
    if file:
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(f"{name}={value}\n")


def _repository(path: str) -> Path | None:
    """The root of the repository that holds a path: where ``.git`` is, found once; ``None`` outside of one."""
    real = Path(os.path.realpath(path))
    return next((here for here in (real, *real.parents) if (here / ".git").exists()), None)


def _base_of_event() -> str:
    """The commit into which a pull request or a merge queue merges; empty for other events."""
    event = _event()
    found = _step(_step(_step(event, "pull_request"), "base"), "sha") or _step(_step(event, "merge_group"), "base_sha")
    return found if isinstance(found, str) and COMMIT.fullmatch(found) else ""


def _event() -> Any:
    try:
        return json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_bytes())
    except (KeyError, OSError, ValueError):
        return None


def _step(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _commit(home: Path | None, revision: str) -> str:
    """The id of the commit; empty, with a warning, if it is not here and cannot be fetched.

    A checkout is shallow unless told otherwise: then the one commit is fetched, by its id. Of a partial clone all that
    the commit holds is fetched, as trainlint itself fetches nothing.
    """
    if not revision:
        return ""
    if home is None:
        return _without(revision, "this is no Git repository")
    partial = bool(_git(home, "config", "--get", "remote.origin.partialclonefilter").stdout.strip())
    found = _git(home, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if found.returncode == 0 and not partial:
        return found.stdout.strip()
    shallow = _git(home, "rev-parse", "--is-shallow-repository").stdout.strip() == "true"
    fetch = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"]
    fetch += ["--depth=1"] if shallow else []
    fetch += ["--refetch", "--no-filter"] if partial else []
    wanted = found.stdout.strip() or revision.removeprefix("origin/")
    fetched = _git(home, *fetch, "--end-of-options", "origin", wanted)
    if fetched.returncode == 0:
        found = _git(home, "rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}")
        if found.returncode == 0:
            return found.stdout.strip()
    return _without(revision, (fetched.stderr.strip() or "no reason given").splitlines()[-1])


def _without(revision: str, reason: str) -> str:
    """Warn that there is no base; an empty text."""
    message = (
        f"The base {revision} is not in this clone and cannot be fetched ({reason}), so all findings are reported, not "
        "only new ones. Give actions/checkout `fetch-depth: 0`, or the job the permission `contents: read`."
    )
    print(f"::warning title=trainlint::{_data(message)}")
    return ""


def _git(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A Git command at the root of the repository, with what it printed; 1 where it cannot run, or takes too long."""
    environment = {name: value for name, value in os.environ.items() if name not in ("GIT_DIR", "GIT_WORK_TREE")}
    environment |= {"GIT_CEILING_DIRECTORIES": str(home.parent), "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    settings = [part for each in SETTINGS for part in ("-c", each)]
    try:
        return subprocess.run(
            [_program("git", home), *settings, "-C", str(home), *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, 1, "", f"git took more than {MAX_SECONDS:g} seconds")
    except OSError as error:
        return subprocess.CompletedProcess(arguments, 1, "", f"git: {error.strerror}")


def _program(name: str, home: Path) -> str:
    """The absolute path of a program on the PATH, never one in the repository. Raises FileNotFoundError."""
    names = [name] if sys.platform != "win32" else [f"{name}.exe", f"{name}.cmd"]
    for directory in os.environ.get("PATH", "").split(os.pathsep):
        for path in (Path(directory, each) for each in names if Path(directory).is_absolute()):
            inside = any(each.is_relative_to(home) for each in (path.parent.resolve(), path.resolve()))
            if path.is_file() and os.access(path, os.X_OK) and not inside:
                return str(path)
    raise FileNotFoundError(errno.ENOENT, "no such program on the PATH")


if __name__ == "__main__":
    sys.exit(main())
