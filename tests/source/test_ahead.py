"""Many files read by two processes: the same readings as by one, whatever happens to the other process."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from trainlint.engine import state
from trainlint.engine.state import read_all, silent
from trainlint.source import ahead
from trainlint.source.cache import Cache
from trainlint.source.files import World, discover
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import Reading, read_file

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
    monkeypatch.setattr(state, "MANY", 1)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    return discover([tmp_path])


def shown(readings: list[Reading]) -> list[str]:
    """Everything that readings hold: documents are compared by identity, so by what they say."""
    return [repr((each, [(one.text, one.data, one.line) for one in each.documents])) for each in readings]


def one_by_one(world: World) -> list[str]:
    return shown([read_file(file, KindFilter(state.READ_KINDS)) for file in world.files])


def test_two_processes_read_what_one_reads(world: World) -> None:
    assert shown(read_all(world, silent)) == one_by_one(world)


def test_the_child_reads_every_second_file(world: World) -> None:
    found = ahead.read_ahead(world.files, KINDS, cached=False)
    assert found is not None
    assert [found.reads(file) for file in world.files] == [number % 2 == 1 for number in range(len(world.files))]
    taken = [found.take(file) for file in world.files]
    assert [each is not None for each in taken] == [number % 2 == 1 for number in range(len(world.files))]


def test_a_cache_keeps_what_the_child_read(world: World, tmp_path: Path) -> None:
    kinds = KindFilter(state.READ_KINDS)
    store = tmp_path / "store" / "one.readings"
    first = read_all(world, silent, cache=Cache(store, kinds))
    again = Cache(store, kinds)
    assert not again.is_empty
    assert shown(read_all(world, silent, cache=again)) == shown(first) == one_by_one(world)
    assert not again._fresh


def test_what_a_child_that_dies_was_to_read_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: object, **__: object) -> None:
        os._exit(3)

    monkeypatch.setattr(ahead, "_read", dies)
    assert shown(read_all(world, silent)) == one_by_one(world)


def test_a_file_that_changes_meanwhile_is_never_kept_as_what_it_was(world: World, tmp_path: Path) -> None:
    kinds = KindFilter(state.READ_KINDS)
    cache = Cache(tmp_path / "store" / "one.readings", kinds)
    found = ahead.read_ahead(world.files, kinds, cached=True)
    assert found is not None
    taken = found.take(world.files[1])
    world.files[1].path.write_text("kind: Node\nmetadata: {name: other}\n")
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
    assert ahead.read_ahead(world.files, KINDS, cached=False) is None


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
