"""A child process that makes something for this one, beginning with all that is known here."""

from __future__ import annotations

import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

__all__ = ["Child", "WorkSplit", "end_all", "ended", "fork", "started"]

_running: set[int] = set()
"""The processes that were started here and have not ended: they end before this one."""


def started(process: int) -> None:
    """Know of a process, which ends with this one."""
    _running.add(process)


def ended(process: int) -> None:
    """Forget a process that has ended."""
    _running.discard(process)


def end_all() -> None:
    """End all processes that were started here."""
    for process in tuple(_running):
        with suppress(OSError):
            os.kill(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)


class WorkSplit:
    """How far two processes came that go towards each other through a list: up to ``front``, and down to ``back``.

    Both read and write it without a lock. At worst both take the item where they meet, or neither does.
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


class Child:
    """A child at work. Its bytes lie in a file that has no name, so no other process can open it."""

    def __init__(self, process: int, output: int) -> None:
        self._process = process
        self._output = output
        started(process)

    def bytes(self) -> bytes | None:
        """What it made, when it is done; ``None`` where it failed, or where it was asked for before."""
        if not self._process:
            return None
        with open(self._output, "rb") as stream:  # noqa: PTH123 (a file without a name)
            status = self._wait()
            stream.seek(0)
            return stream.read() if status == 0 else None

    def close(self) -> None:
        """End a child whose result is not needed any more."""
        if self._process:
            with suppress(OSError):
                os.kill(self._process, signal.SIGKILL)
            self._wait()
            os.close(self._output)

    def _wait(self) -> int | None:
        """The child's exit status; ``None`` (unknown) where the parent of this process ignores SIGCHLD."""
        process, self._process = self._process, 0
        try:
            return os.waitpid(process, 0)[1]
        except ChildProcessError:
            return None
        finally:
            ended(process)


def fork(work: Callable[[], bytes]) -> Child | None:
    """Let a child do some work; ``None`` where that would not be quicker, or not be safe.

    A process is divided only while it has one thread: another one may hold a lock for which the child would wait.
    Faults in the child are not reported: its work is left to this process.
    """
    if not _is_safe() or len(os.sched_getaffinity(0)) < 2:
        return None
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # the parent process may have closed them
            stream.flush()  # or the child would write it too
    try:
        output = os.memfd_create("made by a child")
    except OSError:
        return None
    try:
        process = os.fork()
    except OSError:  # no more processes are allowed, or there is no memory for one
        os.close(output)
        return None
    if process:
        return Child(process, output)
    _running.clear()  # they are not its own
    status = 1
    try:
        with open(output, "wb") as stream:  # noqa: PTH123
            stream.write(work())
        status = 0
    finally:
        os._exit(status)


def _is_safe() -> bool:
    watched = sys.gettrace() is not None or sys.getprofile() is not None
    return sys.platform == "linux" and threading.active_count() == 1 and not watched
