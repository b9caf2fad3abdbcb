"""Git, only ever asked: no hooks, no locks, no network, no prompt, and no setting that changes what it prints."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

__all__ = ["GitError", "git"]


class GitError(Exception):
    """Git is not there, or refuses; the message is its own."""


def git(directory: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """The output of a Git command in a directory. Raises GitError."""
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.quotepath=off", "-C", str(directory), *arguments]
    try:
        done = subprocess.run(  # noqa: S603 (fixed command, no shell)
            command, check=False, capture_output=True, input=stdin, env=_environment()
        )
    except OSError as error:
        raise GitError(f"git: {error.strerror or error}") from None
    if done.returncode:
        raise GitError(done.stderr.decode("utf-8", "replace").strip() or f"git ended with code {done.returncode}")
    return done.stdout


def _environment() -> dict[str, str]:
    # Hooks run with GIT_DIR and GIT_INDEX_FILE of the repository that is committed to, which need not be this one.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return environment | {
        "GIT_OPTIONAL_LOCKS": "0",  # the index is not refreshed
        "GIT_NO_LAZY_FETCH": "1",  # objects that a partial clone lacks are not fetched ...
        "GIT_ALLOW_PROTOCOL": "none",  # ... nor by a Git that does not know the line above
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
