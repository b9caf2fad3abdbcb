"""How often the allocator searches on a cluster of 500 nodes: once for each kind of claim and node, however many."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bench.devices import GROUPS, NODES, build_devices

from trainlint.engine import check
from trainlint.scheduling.devices.search import Search


def test_equal_nodes_are_searched_once_for_each_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_devices(tmp_path, claims=True)
    searches = 0
    run = Search.run

    def counted(self: Search) -> object:
        nonlocal searches
        searches += 1
        return run(self)

    monkeypatch.setattr(Search, "run", counted)
    groups = check([tmp_path]).groups
    assert len(groups) == GROUPS
    assert 0 < searches < 25 * GROUPS  # of each claim, as many pods as a node takes, and one more
    assert searches < NODES * GROUPS / 20
