"""Git, only ever asked: no hooks, no locks, no network, no prompt, and no setting that changes what it prints."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

from trainlint.source.executables import executable, repository_of

__all__ = ["MAX_SECONDS", "GitError", "git"]

MAX_SECONDS: Final = 120.0
"""Of one command; to list a repository of a million files takes a few."""

_SETTINGS: Final = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.quotepath=off",
    "safe.bareRepository=explicit",  # a directory with the files of a repository in it is none
)


class GitError(Exception):
    """Git is not there, or refuses; the message is its own."""


def git(directory: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """The output of a Git command at the root of the work tree that holds a directory.

    The root is where ``.git`` is: a directory below it that looks like a repository is not asked.

    Raises:
        GitError: no work tree holds the directory, Git is not there, it refuses, or it takes too long.
    """
    home = repository_of(Path(os.path.realpath(directory)))
    if home is None:
        raise GitError(f"{directory} is in no Git work tree")
    program = executable("git", home)
    if program is None:
        raise GitError("git: No such file or directory")
    settings = [part for each in _SETTINGS for part in ("-c", each)]
    command = [program, *settings, "--literal-pathspecs", "-C", str(home), *arguments]
    try:
        done = subprocess.run(  # noqa: S603 (fixed command, no shell)
            command, check=False, capture_output=True, input=stdin, env=_environment(home), timeout=MAX_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise GitError(f"git {arguments[0]} took more than {MAX_SECONDS:g} seconds") from None
    except OSError as error:
        raise GitError(f"git: {error.strerror or error}") from None
    if done.returncode:
        raise GitError(done.stderr.decode("utf-8", "replace").strip() or f"git ended with code {done.returncode}")
    return done.stdout


def _environment(home: Path) -> dict[str, str]:
    # Hooks run with GIT_DIR and GIT_INDEX_FILE of the repository that is committed to, which need not be this one.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return environment | {
        "GIT_CEILING_DIRECTORIES": str(home.parent),  # where .git is broken, no repository above it is taken instead
        "GIT_OPTIONAL_LOCKS": "0",  # the index is not refreshed
        "GIT_NO_LAZY_FETCH": "1",  # objects that a partial clone lacks are not fetched ...
        "GIT_ALLOW_PROTOCOL": "none",  # ... nor by a Git that does not know the line above
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
