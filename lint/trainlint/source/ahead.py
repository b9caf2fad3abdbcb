"""Many files read by two processes at once: half of them by a child, which hands over what it read as plain values."""

from __future__ import annotations

import marshal
import os
import sys
import threading
from collections.abc import Sequence

from trainlint.fact import fact
from trainlint.source import plain
from trainlint.source.cache import is_entry, key_of
from trainlint.source.files import STDIN, SourceFile
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import MAX_BYTES, Reading, read

__all__ = ["Ahead", "Found", "read_ahead"]


@fact
class Found:
    """What the child read of a file, and how a cache keeps it: under which key, and as what (empty: not at all)."""

    reading: Reading
    key: bytes
    entry: bytes | None


class Ahead:
    """What a child reads of some files meanwhile. Who asks waits for it; what it did not read is nobody's."""

    def __init__(self, pid: int, output: int, files: Sequence[SourceFile]) -> None:
        self._pid = pid
        self._output = output
        self._names = frozenset(file.name for file in files)
        self._found: dict[str, tuple[bytes, bytes | None, plain.Plain]] | None = None

    def reads(self, file: SourceFile) -> bool:
        """Whether the file is one of those that the child reads."""
        return file.name in self._names

    def take(self, file: SourceFile) -> Found | None:
        """What the child read of the file; ``None`` if somebody else must read it."""
        if not self.reads(file):
            return None
        if self._found is None:
            self._found = self._collected()
        found = self._found.pop(file.name, None)
        return None if found is None else Found(plain.from_plain(file.name, found[2]), found[0], found[1])

    def _collected(self) -> dict[str, tuple[bytes, bytes | None, plain.Plain]]:
        with open(self._output, "rb") as stream:  # noqa: PTH123 (a file without a name)
            try:
                _, status = os.waitpid(self._pid, 0)
            except ChildProcessError:  # who started us ignores SIGCHLD: the child is gone, and nobody knows how
                return {}
            stream.seek(0)
            # What this very program wrote a moment ago, into a file that nobody else can open.
            return dict(marshal.load(stream)) if status == 0 else {}  # noqa: S302


def read_ahead(files: Sequence[SourceFile], kinds: KindFilter, *, cached: bool) -> Ahead | None:
    """Let a child read every second of some files; ``None`` where that would not be quicker, or not be safe.

    A process is divided only while it has one thread: another one may hold a lock for which the child would wait.
    ``cached`` says that a cache keeps what was read.
    """
    if not _is_safe() or len(os.sched_getaffinity(0)) < 2:
        return None
    theirs = files[1::2]
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        output = os.memfd_create("readings")
    except OSError:
        return None
    try:
        pid = os.fork()
    except OSError:  # no more processes are allowed, or there is no memory for one
        os.close(output)
        return None
    if pid:
        return Ahead(pid, output, theirs)
    status = 1
    try:
        found = [each for file in theirs if (each := _read(file, kinds, cached=cached)) is not None]
        with open(output, "wb") as stream:  # noqa: PTH123
            marshal.dump(found, stream)
        status = 0
    finally:  # whatever happened: what it was about is read again, and fails again, where somebody sees it
        os._exit(status)


def _read(
    file: SourceFile, kinds: KindFilter, *, cached: bool
) -> tuple[str, tuple[bytes, bytes | None, plain.Plain]] | None:
    """A file as plain values; ``None`` where nothing can be read, which the parent will find out and say."""
    if file.name == STDIN:
        return None
    try:
        content = file.read_up_to(MAX_BYTES)
    except OSError:
        return None
    if content is None:
        return None
    reading = read(file.name, content, kinds, chart=file.chart)
    entry = plain.to_json(reading) if cached else None
    if entry is not None and not is_entry(entry, content):
        entry = None
    return file.name, (key_of(file, content) if cached else b"", entry, plain.to_plain(reading))


def _is_safe() -> bool:
    watched = sys.gettrace() is not None or sys.getprofile() is not None
    return sys.platform == "linux" and threading.active_count() == 1 and not watched
