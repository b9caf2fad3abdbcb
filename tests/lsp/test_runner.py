"""Runs that overlap: one at a time, after a moment of quiet, the stale one given up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from trainlint.lsp import runner
from trainlint.lsp.runner import Runner

Progress = Callable[[str, int, int], None]


class Job:
    """Counts its runs, which tell their progress until they are through."""

    def __init__(self, steps: int = 1) -> None:
        self.steps = steps
        self.begun = self.ended = 0

    def __call__(self, progress: Progress) -> int:
        self.begun += 1
        for step in range(self.steps):
            progress("judging", step, self.steps)
            time.sleep(0.01)
        self.ended += 1
        return self.ended


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "QUIET", 0.02)


async def started(job: Callable[[Progress], int]) -> tuple[Runner[int], list[int], list[Exception]]:
    found: list[int] = []
    failed: list[Exception] = []
    return Runner(job, found.append, failed.append, asyncio.Semaphore(1)), found, failed


async def until(met: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not met():
            await asyncio.sleep(0.005)


def test_several_requests_at_once_are_one_run() -> None:
    async def main() -> None:
        job = Job()
        runs, found, _ = await started(job)
        for _ in range(5):
            runs.request()
        await until(lambda: found)
        await asyncio.sleep(0.2)
        assert job.begun == 1
        await runs.stop()

    asyncio.run(main())


def test_a_run_is_given_up_for_a_newer_request() -> None:
    async def main() -> None:
        job = Job(steps=100)
        runs, found, failed = await started(job)
        runs.request()
        await until(lambda: job.begun == 1)
        job.steps = 1
        runs.request()
        await until(lambda: found)
        assert (job.begun, job.ended, failed) == (2, 1, [])
        await runs.stop()

    asyncio.run(main())


def test_requests_that_never_end_do_not_keep_a_run_from_its_end() -> None:
    async def main() -> None:
        job = Job(steps=10)
        runs, found, _ = await started(job)

        async def pester() -> None:
            while not found:
                runs.request()
                await asyncio.sleep(0.05)

        await asyncio.wait_for(pester(), 20)
        assert job.begun > 1
        await runs.stop()

    asyncio.run(main())


def test_a_run_that_breaks_is_told_and_the_next_one_runs() -> None:
    async def main() -> None:
        calls: list[int] = []

        def job(progress: Progress) -> int:
            calls.append(1)
            if len(calls) == 1:
                raise ValueError("no")
            return 7

        runs, found, failed = await started(job)
        runs.request()
        await until(lambda: failed)
        runs.request()
        await until(lambda: found)
        assert (found, [str(each) for each in failed]) == ([7], ["no"])
        await runs.stop()

    asyncio.run(main())


def test_runners_that_share_a_turn_never_run_at_once() -> None:
    async def main() -> None:
        at_once: list[int] = []
        running = 0

        def job(progress: Progress) -> int:
            nonlocal running
            running += 1
            at_once.append(running)
            time.sleep(0.05)
            running -= 1
            return 1

        turn = asyncio.Semaphore(1)
        found: list[int] = []
        both = [Runner(job, found.append, lambda error: None, turn) for _ in range(2)]
        for each in both:
            each.request()
        await until(lambda: len(found) == 2)
        assert at_once == [1, 1]
        for each in both:
            await each.stop()

    asyncio.run(main())
