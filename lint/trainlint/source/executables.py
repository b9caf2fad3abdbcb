"""Programs on the PATH, by their absolute paths: never one of the directory, or the repository, that is looked at."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["executable", "repository_of"]


def executable(name: str, *outside: Path) -> str | None:
    """The absolute path of a program, ``None`` if it is not there.

    Entries of the PATH that are empty or relative do not count, and none below the current repository or one of the
    directories ``outside``: what lies there may come with a change that is only to be read.
    """
    closed = [*_current(), *(os.path.realpath(each) for each in outside)]
    for directory in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if not os.path.isabs(directory):  # noqa: PTH117 (texts of the environment, not always paths)
            continue
        for each in _names(name):
            path = Path(directory, each)
            try:
                if path.is_file() and os.access(path, os.X_OK) and not _is_below(path, closed):
                    return str(path)
            except (OSError, ValueError):
                continue
    return None


def repository_of(directory: Path) -> Path | None:
    """The root of the Git work tree that holds a directory; ``None`` where it stands in none."""
    for here in (directory, *directory.parents):
        if (here / ".git").exists():
            return here
    return None


def _current() -> Iterator[str]:
    try:
        here = Path(os.path.realpath(Path.cwd()))
    except OSError:  # it is not there any more
        return
    home = repository_of(here)
    if home is not None:
        yield str(home)


def _is_below(path: Path, closed: list[str]) -> bool:
    """Whether a program stands in one of the directories, or is a link to a file in one."""
    places = (os.path.realpath(path.parent), os.path.realpath(path))
    return any(f"{place}{os.sep}".startswith(os.path.join(home, "")) for place in places for home in closed)  # noqa: PTH118


def _names(name: str) -> Iterator[str]:
    if sys.platform == "win32":
        for end in os.environ.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(os.pathsep):
            yield name + end.lower()
    else:
        yield name
