"""Files that are named, opened so that a link of a repository leads nowhere else, and that no pipe stops the run."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from trainlint.finding import UsageError
from trainlint.source.executables import repository_of
from trainlint.source.git import GitError, git

__all__ = ["MAX_FILE", "place_of", "read_regular"]

MAX_FILE: Final = 64 << 20
"""Bytes up to which a file that is named is read."""

_OPENED: Final = Path("/proc")
"""Links of its ``fd`` directories are files that are open already: what they name may be no path."""
_MAX_LINKS: Final = 40  # like Linux


def place_of(path: Path) -> Path:
    """The real path of a file, which need not be there.

    Links of this machine are followed, those of a repository inside it only, and never into its ``.git``.

    Raises:
        UsageError: a symbolic link of a repository leads out of it, or links lead in a circle.
    """
    here = Path(path.anchor) if path.is_absolute() else Path(os.path.realpath(Path.cwd()))
    waiting = list(reversed(path.parts[1:] if path.is_absolute() else path.parts))
    links = 0
    while waiting:
        step = waiting.pop()
        if step == "..":
            here = here.parent
            continue
        link = here / step
        if not link.is_symlink() or (link.parent.name == "fd" and _OPENED in link.parents):
            here = link
            continue
        links += 1
        if links > _MAX_LINKS:
            raise UsageError(f"{path}: the symbolic links lead in a circle")
        _check(path, link, repository_of(here))
        target = link.readlink()
        if target.is_absolute():
            here, waiting = Path(target.anchor), [*waiting, *reversed(target.parts[1:])]
        else:
            waiting += reversed(target.parts)
    return here


def _check(path: Path, link: Path, home: Path | None) -> None:
    """Refuse a link of a repository that leads out of it; one that Git does not know is the user's own."""
    if home is None:
        return
    real = Path(os.path.realpath(link))
    out = not real.is_relative_to(home) or ".git" in map(str.lower, real.relative_to(home).parts)
    if out and _is_known(link, home):
        raise UsageError(f"{path}: the symbolic link {link} leads out of the repository; name the file that you mean")


def _is_known(link: Path, home: Path) -> bool:
    try:
        return bool(git(home, "ls-files", "-z", "--", link.relative_to(home).as_posix()))
    except GitError:
        return True


def read_regular(path: Path) -> bytes:
    """The bytes of a file that the user or a manifest named.

    Raises:
        UsageError: a symbolic link leads out of its repository, it is no regular file, or too large.
        OSError: it cannot be read.
    """
    # Neither a pipe without a writer nor a terminal may keep the run waiting.
    handle = os.open(place_of(path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as stream:
        state = os.fstat(stream.fileno())
        if not stat.S_ISREG(state.st_mode):
            raise UsageError(f"{path}: it is no regular file")
        if state.st_size > MAX_FILE:
            raise UsageError(f"{path}: it is larger than {MAX_FILE >> 20} MiB")
        return stream.read()
