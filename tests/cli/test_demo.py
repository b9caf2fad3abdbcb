"""``trainlint demo``: the bundled lab is complete, and the command shows both states and what lies between them."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result as Run
from tests.cli.conftest import FakeEngine
from tests.report.samples import everything

from trainlint.result import Result

LAB = Path(str(files("trainlint.demo")))


class Recorder(FakeEngine):
    """Remembers which files each world held while it was checked."""

    def __init__(self) -> None:
        super().__init__(Result("/"))
        self.worlds: list[list[str]] = []
        self.ceilings: list[str] = []

    def check(self, paths: Any, **arguments: Any) -> Result:
        (world,) = paths
        self.worlds.append(sorted(file.relative_to(world).as_posix() for file in world.rglob("*") if file.is_file()))
        self.ceilings.append(os.environ["GIT_CEILING_DIRECTORIES"])
        assert not Path(world).is_relative_to(LAB)
        return super().check(paths, **arguments)


@pytest.fixture
def recorder(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    fake = Recorder()
    monkeypatch.setattr("trainlint.engine.check", fake.check)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", "")
    return fake


def test_each_state_is_checked_with_the_cluster_in_a_world_of_its_own(
    run: Callable[..., Run], recorder: Recorder
) -> None:
    assert run("demo").exit_code == 0
    cluster = ["cluster/dashboard.yaml", "cluster/lanes.yaml", "cluster/pools.yaml"]
    assert recorder.worlds == [["broken/training.yaml", *cluster], sorted([*cluster, "fixed/training.yaml"])]
    assert all(Path(ceiling).is_absolute() for ceiling in recorder.ceilings)


def test_nothing_of_it_stays_behind(
    run: Callable[..., Run], recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run("demo")
    assert list(tmp_path.iterdir()) == []


def test_it_shows_the_failing_state_then_the_changes_then_the_fixed_state(
    run: Callable[..., Run], recorder: Recorder
) -> None:
    text = run("demo").stdout
    titles = ("the failing state", "what fixes it", "the fixed state")
    failing, changes, fixed = (text.index(f"== {title} ==") for title in titles)
    assert failing < changes < fixed
    difference = text[changes:fixed].splitlines()
    assert "--- broken/training.yaml" in difference
    assert "+++ fixed/training.yaml" in difference
    assert "-      labels: {job: whale, role: conductor, lane: west}" in difference
    assert "+      labels: {job: whale, role: conductor, lane: east}" in difference
    assert sum(line.startswith("- The ") for line in difference) == 3


def test_it_ends_with_0_although_the_failing_state_has_errors(run: Callable[..., Run], recorder: Recorder) -> None:
    recorder.result = everything()
    assert run("demo").exit_code == 0


def test_prose_and_code_of_the_demo_fit_into_80_columns(run: Callable[..., Run], recorder: Recorder) -> None:
    text = run("demo").stdout
    # What is quoted from the manifests keeps its width.
    long = [line for line in text.splitlines() if len(line) > 80 and line[:1] not in "+-@ "]
    assert long == []


def test_colour_is_used_when_asked_for(run: Callable[..., Run], recorder: Recorder) -> None:
    assert "\x1b" not in run("demo").stdout
    assert "\x1b[32m+      tolerations:\x1b[0m" in run("demo", "--color", "always").stdout
