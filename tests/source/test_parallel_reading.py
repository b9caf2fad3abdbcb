"""Many files read by two processes: the same readings as by one, whatever happens to the other process."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from trainlint.engine import check
from trainlint.engine.progress import silent
from trainlint.engine.reading import begin, read_all
from trainlint.finding import UsageError
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source import parallel_reading as ahead
from trainlint.source.cache import Cache
from trainlint.source.files import discover
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import Reading, read_file
from trainlint.source.world import World

pytestmark = [
    pytest.mark.needs("linux"),  # elsewhere one process reads all files
    pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning"),  # those of pytest-xdist hold no locks
]

KINDS = KindFilter({"Pod", "Node"})
POD = "kind: Pod\nmetadata: {name: p%d}\nspec: {containers: [{name: a, env: [{name: E, value: [.inf, 1e3, ~]}]}]}\n"
BROKEN = "kind: Pod\nmetadata: {name: p\n---\nkind: Node\n"
TEMPLATE = "kind: Pod\nmetadata:\n  name: {{ .Values.name }}\n"
TWICE = "kind: Node\nkind: Node\n# trainlint: ignore[duplicate-key] on purpose\n"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    for number in range(40):
        text = (POD % number, BROKEN, TEMPLATE, TWICE, "a: 1\n")[number % 5]
        (tmp_path / f"{number:02}.yaml").write_text(text)
    (tmp_path / "41.yaml").write_bytes(b"kind: Pod\n\xff")
    monkeypatch.setattr(ahead, "MANY", 1)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    return discover([tmp_path])


def shown(readings: list[Reading]) -> list[str]:
    """Everything that readings hold: documents are compared by identity, so by what they say."""
    return [repr((each, [(one.text, one.data, one.line) for one in each.documents])) for each in readings]


def one_by_one(world: World) -> list[str]:
    return shown([read_file(file, KindFilter(READ_KINDS)) for file in world.files])


def test_two_processes_read_what_one_reads(world: World) -> None:
    assert shown(read_all(world, silent)) == one_by_one(world)


def test_child_and_parent_go_towards_each_other_and_leave_nothing_out(world: World) -> None:
    found = ahead.start_reading(world.files, KINDS)
    assert found is not None
    ours = list(found.ours())
    theirs = list(found.theirs())
    assert (*ours, *(file for file, _ in theirs)) == world.files
    assert all(each is not None for _, each in theirs)


def test_a_child_that_has_the_time_reads_all_files(world: World) -> None:
    found = ahead.start_reading(world.files, KINDS)
    assert found is not None
    os.waitid(os.P_PID, found._child._process, os.WEXITED | os.WNOWAIT)
    assert list(found.ours()) == []
    assert [file for file, each in found.theirs() if each is not None] == list(world.files)


def test_a_parent_that_is_quicker_reads_all_files(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "_read", lambda *_: time.sleep(60))
    found = ahead.start_reading(world.files, KINDS)
    assert found is not None
    child = found._child._process
    assert list(found.ours()) == list(world.files[: found._meeting.back])
    found.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)


def test_a_cache_keeps_what_the_child_read(world: World, tmp_path: Path) -> None:
    kinds = KindFilter(READ_KINDS)
    store = tmp_path / "store" / "one.readings"
    first = read_all(world, silent, cache=Cache(store, kinds))
    again = Cache(store, kinds)
    assert not again.is_empty
    assert shown(read_all(world, silent, cache=again)) == shown(first) == one_by_one(world)
    assert not again._fresh


def test_what_an_earlier_run_read_the_child_takes_from_the_cache(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store" / "one.readings"
    kinds = KindFilter(READ_KINDS)
    first = read_all(world, silent, cache=Cache(store, kinds))
    (tmp_path / "02.yaml").write_text("kind: Pod\nmetadata: {name: other}\n")
    for _ in range(2):  # with one file that is new, then with none
        again = Cache(store, kinds)
        begun = begin(world, again)
        assert begun is not None
        os.waitid(os.P_PID, begun._child._process, os.WEXITED | os.WNOWAIT)
        readings = read_all(world, silent, cache=again, begun=begun)
        assert shown(readings) == one_by_one(world) != shown(first)
    before = store.read_bytes()
    assert before.count(b"\n") == len(world.files) + 2  # the head, and what the changed file was
    monkeypatch.setattr("trainlint.source.reading.read", lambda *_, **__: pytest.fail("it is known"))
    assert shown(read_all(world, silent, cache=Cache(store, kinds))) == shown(readings)


def test_what_another_run_drops_from_the_cache_meanwhile_is_not_kept_as_nothing(world: World, tmp_path: Path) -> None:
    store = tmp_path / "store" / "one.readings"
    kinds = KindFilter(READ_KINDS)
    read_all(world, silent, cache=Cache(store, kinds))
    (tmp_path / "02.yaml").write_text("kind: Pod\nmetadata: {name: other}\n")
    again = Cache(store, kinds)
    begun = begin(world, again)
    assert begun is not None
    os.waitid(os.P_PID, begun._child._process, os.WEXITED | os.WNOWAIT)
    store.unlink()
    read_all(world, silent, cache=again, begun=begun)
    assert store.read_bytes().count(b"\n") == 2  # only what is new
    assert shown(read_all(world, silent, cache=Cache(store, kinds))) == one_by_one(world)


def test_a_run_reads_ahead_and_leaves_no_child_behind_when_it_breaks_off(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[ahead.ParallelReading] = []

    def watched(*asked: object) -> ahead.ParallelReading | None:
        found = begin(*asked)  # type: ignore[arg-type]
        assert found is not None
        begun.append(found)
        return found

    monkeypatch.setattr(sys.modules["trainlint.engine.check"], "begin", watched)
    check([world.root])
    (world.root / "trainlint.yaml").write_text("nonsense: 1\n")
    with pytest.raises(UsageError):
        check([world.root])
    assert [each._child._process for each in begun] == [0, 0]


def test_what_a_child_that_dies_was_to_read_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: object, **__: object) -> None:
        os._exit(3)

    monkeypatch.setattr(ahead, "_read", dies)
    assert shown(read_all(world, silent)) == one_by_one(world)


def test_a_file_that_changes_meanwhile_is_never_kept_as_what_it_was(world: World, tmp_path: Path) -> None:
    kinds = KindFilter(READ_KINDS)
    cache = Cache(tmp_path / "store" / "one.readings", kinds)
    found = ahead.start_reading(world.files, kinds, cache)
    assert found is not None
    os.waitid(os.P_PID, found._child._process, os.WEXITED | os.WNOWAIT)
    taken = dict(found.theirs())[world.files[1]]
    Path(world.files[1].path).write_text("kind: Node\nmetadata: {name: other}\n")
    assert taken is not None
    assert taken.entry is not None
    cache.keep(taken.key, taken.entry)
    cache.save()
    (reading,) = (Cache(tmp_path / "store" / "one.readings", kinds).read(world.files[1]),)
    assert reading.documents[0].data["metadata"] == {"name": "other"}


@pytest.mark.parametrize("reason", ["threads", "one processor", "a profiler"])
def test_no_process_is_divided_where_that_is_not_safe_or_not_quicker(
    world: World, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    if reason == "threads":
        monkeypatch.setattr(threading, "active_count", lambda: 2)
    elif reason == "one processor":
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0})
    else:
        monkeypatch.setattr(sys, "getprofile", lambda: silent)
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("it was divided"))
    assert ahead.start_reading(world.files, KINDS) is None


@pytest.mark.parametrize("call", ["fork", "memfd_create"])
def test_where_no_process_is_to_be_had_one_reads_all(world: World, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def refuses(*_: object) -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, call, refuses)
    assert shown(read_all(world, silent)) == one_by_one(world)


def test_whoever_ignores_the_end_of_children_gets_everything_read(world: World) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel then forgets how children end
    try:
        assert shown(read_all(world, silent)) == one_by_one(world)
    finally:
        signal.signal(signal.SIGCHLD, before)
