"""Changed files on disk: each is replaced at once, and only if it is still what was read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from trainlint.source.whole_file import write_whole

__all__ = ["NotWrittenError", "replace_file"]


class NotWrittenError(Exception):
    """A file was not changed; the message says which, why, and what to do."""


def replace_file(root: Path, file: str, before: bytes, after: bytes) -> None:
    """Put ``after`` in the place of ``before``, with the same mode.

    Raises:
        NotWrittenError: the file leads out of ``root``, is no plain file, holds something else by now, or cannot be
            written.
    """
    path = Path(root, file)
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(os.path.realpath(root)) or ".git" in real.relative_to(os.path.realpath(root)).parts:
        raise NotWrittenError(f"{file}: it leads out of {root}, so it was not changed; change it by hand")
    try:
        if not stat.S_ISREG(real.stat().st_mode):
            raise NotWrittenError(f"{file}: it is no plain file, so it was not changed")
        if real.read_bytes() != before:
            raise NotWrittenError(f"{file}: it changed while it was read, so it was left alone; run again")
        write_whole(real, (after,))
    except OSError as error:
        raise NotWrittenError(f"{file}: it cannot be written: {error.strerror or error}") from None
