"""Files that are written whole or not at all, whatever interrupts the run."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

__all__ = ["PART", "write_whole"]

PART: Final = ".trainlint-"
"""How the name of a file begins that is still being written."""

_NEW: Final = 0o666
"""The permissions of a new file, before the user's umask takes some away."""
_OPENED: Final = Path("/proc")
"""What lies below it is open already, as ``/dev/stdout`` is."""


def write_whole(file: Path, content: Iterable[bytes], *, mode: int | None = None, durable: bool = True) -> None:
    """Put a new file in the place of the one that is there, at once; a link is replaced, not followed.

    ``mode`` are its permissions. Without them it has those of the old file, and a device, a pipe or a file that is
    open already takes the content as it comes. ``durable``: the content is on the disk before the old file goes.

    Raises:
        OSError: it cannot be written; the old file is as it was.
    """
    old = _permissions(file)
    if mode is None and _takes_content(file, old):
        with file.open("wb") as stream:
            stream.writelines(content)
        return
    wanted = mode if mode is not None or old is None else stat.S_IMODE(old)
    part = file.with_name(f"{PART}{os.urandom(8).hex()}")
    try:
        with os.fdopen(_made(part, _NEW if wanted is None else wanted), "wb") as stream:
            stream.writelines(content)
            stream.flush()
            if durable:
                os.fsync(stream.fileno())
        if wanted is not None:
            part.chmod(wanted)
        part.replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _takes_content(file: Path, old: int | None) -> bool:
    special = old is not None and not stat.S_ISREG(old) and not stat.S_ISLNK(old)
    return special or _OPENED in file.parents


def _permissions(file: Path) -> int | None:
    try:
        return file.lstat().st_mode
    except FileNotFoundError:
        return None


def _made(part: Path, mode: int) -> int:
    """A new file of a name that was free, open for writing."""
    return os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
