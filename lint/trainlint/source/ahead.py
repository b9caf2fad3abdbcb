"""Many files read by two processes at once: a child hands over what it read as plain values."""

from __future__ import annotations

import marshal
import mmap
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from trainlint.fact import fact
from trainlint.source import plain
from trainlint.source.cache import Cache, is_entry, key_of
from trainlint.source.files import STDIN, SourceFile
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import MAX_BYTES, Reading, read

__all__ = ["Ahead", "Found", "read_ahead"]

MANY: Final = 200
"""Files from which on it is worth while to read them in two processes."""


@fact
class Found:
    """What the child read of a file, and the key for a cache; ``entry`` is what that should keep, if it is new."""

    reading: Reading
    key: bytes
    entry: bytes | None


class Meeting:
    """How far two processes came that go towards each other through a list: up to ``front``, and down to ``back``.

    Both read and write it without a lock. At worst both take the item where they meet, or nobody does.
    """

    def __init__(self, items: int) -> None:
        self._shared = memoryview(mmap.mmap(-1, 16)).cast("Q")
        self.back = items

    @property
    def front(self) -> int:
        """The first item that the process at the beginning has not taken."""
        return self._shared[0]

    @front.setter
    def front(self, item: int) -> None:
        self._shared[0] = item

    @property
    def back(self) -> int:
        """The last item that the process at the end has taken."""
        return self._shared[1]

    @back.setter
    def back(self, item: int) -> None:
        self._shared[1] = item


class Ahead:
    """Some files: a child reads them from the last one on, until it meets this process, which reads them from the first
    one on as soon as it has time. What the child did not read, or could not, is left to this process.
    """

    def __init__(self, files: Sequence[SourceFile], meeting: Meeting, child: int, output: int) -> None:
        self._files = files
        self._meeting = meeting
        self._child = child
        self._output = output

    @property
    def left(self) -> int:
        """How many files nobody has taken so far."""
        return max(0, self._meeting.back - self._meeting.front)

    def ours(self) -> Iterator[SourceFile]:
        """The files for this process."""
        for number, file in enumerate(self._files):
            if number >= self._meeting.back:
                return
            self._meeting.front = number + 1
            yield file

    def theirs(self) -> Iterator[tuple[SourceFile, Found | None]]:
        """The other files, with what the child read of each: to be asked for last, for it waits for the child."""
        found = self._collected()
        for file in self._files[self._meeting.front :]:
            yield file, _found(file, *found[file.name]) if file.name in found else None

    def close(self) -> None:
        """End a child for which nobody waits any more."""
        if self._child:
            with suppress(OSError):
                os.kill(self._child, signal.SIGKILL)
            self._wait()
            os.close(self._output)

    def _collected(self) -> dict[str, tuple[bytes, bytes | None, bytes]]:
        if not self._child:
            return {}
        with open(self._output, "rb") as stream:  # noqa: PTH123 (a file without a name)
            status = self._wait()
            stream.seek(0)
            # What this very program wrote a moment ago, into a file that nobody else can open.
            return {name: rest for name, *rest in marshal.loads(stream.read())} if status == 0 else {}  # noqa: S302

    def _wait(self) -> int | None:
        """The status with which the child ended; ``None`` where who started us ignores SIGCHLD: then nobody knows."""
        child, self._child = self._child, 0
        try:
            return os.waitpid(child, 0)[1]
        except ChildProcessError:
            return None


def read_ahead(files: Sequence[SourceFile], kinds: KindFilter, cache: Cache | None = None) -> Ahead | None:
    """Let a child begin to read files, or take them from the cache; ``None`` where that would not be quicker, or not be
    safe.

    A process is divided only while it has one thread: another one may hold a lock for which the child would wait.
    """
    if len(files) < MANY or not _is_safe() or len(os.sched_getaffinity(0)) < 2:
        return None
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # whoever started us may have closed them
            stream.flush()  # or the child would write it too
    try:
        output = os.memfd_create("readings")
    except OSError:
        return None
    meeting = Meeting(len(files))
    try:
        child = os.fork()
    except OSError:  # no more processes are allowed, or there is no memory for one
        os.close(output)
        return None
    if child:
        return Ahead(files, meeting, child, output)
    status = 1
    try:
        with open(output, "wb") as stream:  # noqa: PTH123
            stream.write(marshal.dumps(list(_backwards(files, meeting, kinds, cache))))
        status = 0
    finally:  # whatever happened: what it was about is read again, and fails again, where somebody sees it
        os._exit(status)


def _backwards(
    files: Sequence[SourceFile], meeting: Meeting, kinds: KindFilter, cache: Cache | None
) -> Iterator[tuple[str, bytes, bytes | None, bytes]]:
    for number in range(len(files) - 1, -1, -1):
        if number < meeting.front:
            return
        meeting.back = number
        found = _read(files[number], kinds, cache)
        if found is not None:
            yield found


def _read(file: SourceFile, kinds: KindFilter, cache: Cache | None) -> tuple[str, bytes, bytes | None, bytes] | None:
    """A file as plain values; ``None`` where nothing can be read, which the parent will find out and say."""
    if file.name == STDIN:
        return None
    try:
        content = file.read_up_to(MAX_BYTES)
    except OSError:
        return None
    if content is None:
        return None
    key = key_of(file, content) if cache is not None else b""
    parts = cache.recall(key) if cache is not None else None
    entry = None
    if parts is None:
        reading = read(file.name, content, kinds, chart=file.chart)
        parts = plain.to_plain(reading)
        entry = plain.to_json(reading) if cache is not None else None
        if entry is not None and not is_entry(entry, content):
            entry = None
    return file.name, key, entry, marshal.dumps(parts) if any(parts) else b""


def _found(file: SourceFile, key: bytes, entry: bytes | None, parts: bytes) -> Found | None:
    try:
        reading = plain.from_plain(file.name, marshal.loads(parts)) if parts else Reading(file.name)  # noqa: S302
    except (ValueError, TypeError):  # an entry of the cache that this program did not write
        return None
    return Found(reading, key, entry)


def _is_safe() -> bool:
    watched = sys.gettrace() is not None or sys.getprofile() is not None
    return sys.platform == "linux" and threading.active_count() == 1 and not watched
