"""Throw-away Git repositories."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

__all__ = ["commit", "fingerprint", "git", "repository", "write"]

IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")


def git(directory: Path, *arguments: str) -> str:
    """What a Git command prints, whatever this machine has configured."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", *IDENTITY, "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments]
    done = subprocess.run(command, cwd=directory, check=True, capture_output=True, env=environment)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def write(directory: Path, files: dict[str, str | bytes]) -> None:
    """Write files, and the directories above them."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def commit(directory: Path, files: dict[str, str | bytes] | None = None) -> str:
    """Commit everything, after writing the files; the id of the commit."""
    write(directory, files or {})
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "--allow-empty", "-m", "a state")
    return git(directory, "rev-parse", "HEAD")


def repository(directory: Path, files: dict[str, str | bytes] | None = None) -> Path:
    """A repository with one commit, if there are files."""
    directory.mkdir(parents=True)
    git(directory, "init", "-q")
    if files is not None:
        commit(directory, files)
    return directory


def fingerprint(directory: Path) -> dict[str, str]:
    """Every file below a directory, Git's own included, with its content and the time of its last change."""
    return {
        str(path.relative_to(directory)): f"{path.lstat().st_mtime_ns} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted(directory.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
