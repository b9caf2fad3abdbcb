"""Runs a job again on each request: after a moment of quiet, one at a time; a stale run is given up."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from trainlint.engine.progress import Progress

__all__ = ["Runner"]

QUIET: Final = 0.2
"""Seconds without a request before a run begins: editors save several files at once."""

PATIENCE: Final = 3
"""Runs in a row that are given up for a newer request; the next one is let finish."""

Found = TypeVar("Found")


class _SupersededError(Exception):
    """A newer request made the run pointless."""


class Runner(Generic[Found]):
    """``job`` runs in a thread and is told by its ``progress`` when to give up; ``done`` and ``failed`` in the loop.

    ``turn`` is shared by runners that should not run at once.
    """

    def __init__(
        self,
        job: Callable[[Progress], Found],
        done: Callable[[Found], None],
        failed: Callable[[Exception], None],
        turn: asyncio.Semaphore,
    ) -> None:
        self._job, self._done, self._failed, self._turn = job, done, failed, turn
        self._asked = asyncio.Event()
        self._stale = threading.Event()
        self._task = asyncio.create_task(self._serve())

    def request(self) -> None:
        """Ask for a run on what is there now."""
        self._asked.set()
        self._stale.set()

    async def stop(self) -> None:
        """Give up what runs, and end."""
        self._stale.set()
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _serve(self) -> None:
        given_up = 0
        while True:
            await self._asked.wait()
            while self._asked.is_set():
                self._asked.clear()
                await asyncio.sleep(QUIET)
            async with self._turn:
                self._stale.clear()
                given_up = 0 if await self._run(patient=given_up >= PATIENCE) else given_up + 1

    async def _run(self, *, patient: bool) -> bool:
        """Whether it came to an end."""

        def progress(stage: str, done: int, total: int) -> None:
            if self._stale.is_set() and not patient:
                raise _SupersededError

        try:
            found = await asyncio.to_thread(self._job, progress)
        except _SupersededError:
            return False
        except Exception as error:
            self._failed(error)
        else:
            self._done(found)
        return True
