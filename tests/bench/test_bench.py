"""The synthetic repository is what the benchmark says it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.ballast import MEGABYTES, ballast
from tests.bench.cluster import node_list, policies
from tests.bench.growth import AXES, exponent
from tests.bench.processes import interleaved
from tests.bench.repository import Scales, build, build_scaled, build_small
from tests.bench.stages import run_stages
from tests.bench.training import trains
from tests.bench.verdicts import documents, pods, time_verdicts

from trainlint.engine import check
from trainlint.model.known import Answer


def test_full_size_is_1000_pods_in_150_groups_under_200_policies_on_500_nodes() -> None:
    groups = trains(1)
    assert len(groups) == 150
    assert sum(train.pods for train in groups) == 1000
    assert len({(train.namespace, train.name) for train in groups}) == 150
    assert sum(text.count("\nspec:") for _, text in policies(groups)) == 200
    nodes = node_list(1)
    assert nodes.count("\n  kind: Node\n") == 500
    zones = Counter(line.split()[1] for line in nodes.splitlines() if "topology.kubernetes.io/zone:" in line)
    assert len(zones) == 3
    assert min(zones.values()) > 150


def test_full_size_has_20_mb_that_say_nothing_about_training() -> None:
    size = sum(len(text) for _, text in ballast(1))
    assert MEGABYTES * 1_000_000 <= size < 1.02 * MEGABYTES * 1_000_000


def test_twice_the_scale_is_twice_the_repository(tmp_path: Path) -> None:
    once, twice = build(tmp_path / "once", 0.2), build(tmp_path / "twice", 0.4)
    assert twice.groups == 2 * once.groups
    assert twice.pods == 2 * once.pods
    assert twice.bytes / once.bytes == pytest.approx(2, abs=0.1)


def test_a_built_repository_is_read_whole_and_its_groups_are_judged(tmp_path: Path) -> None:
    size = build(tmp_path, 0.4)
    result = check([tmp_path])
    assert sum(group.pods or 0 for group in result.groups) == size.pods
    assert len(result.groups) == size.groups
    assert {group.exists for group in result.groups} == {Answer.PROVED}
    assert {group.for_all for group in result.groups} == {Answer.PROVED, Answer.REFUTED}
    assert not result.failures
    assert not result.unknowns
    assert {each.finding.category for each in result.findings} == {"topology"}


def test_the_small_repository_has_20_files_and_groups_that_can_run(tmp_path: Path) -> None:
    assert build_small(tmp_path).files == len([path for path in tmp_path.rglob("*") if path.is_file()]) == 20
    assert [group.exists for group in check([tmp_path]).groups] == [Answer.PROVED] * 3


def test_every_stage_takes_some_time(tmp_path: Path) -> None:
    size = build(tmp_path, 0.02)
    stages = run_stages(tmp_path)
    assert stages.counts["groups"] == size.groups
    assert {"discover", "read", "snapshots", "proofs", "rules", "report"} <= set(stages.seconds)


def test_commands_take_turns_and_a_failing_one_stops_the_benchmark(tmp_path: Path) -> None:
    quick, slow = interleaved([["true"], ["sleep", "0.1"]], runs=3, caches=tmp_path)
    assert slow.wall > 0.1 > quick.wall
    assert slow.cpu < 0.1
    with pytest.raises(SystemExit, match="exit 2"):
        interleaved([["sh", "-c", "exit 2"]], runs=1, caches=tmp_path)


def test_policies_alone_are_many_and_decide_something() -> None:
    written = documents(2000)
    assert len({(each.data["kind"], str(each.data["metadata"])) for each in written}) == 2000
    assert len({(each.namespace, str(sorted(each.labels.items()))) for each in pods()}) == 2000
    assert len({each.namespace for each in pods()}) == 100
    timing = time_verdicts(2000)
    assert timing.verdicts == 20 * 19
    assert 0 < timing.allowed < timing.verdicts


def test_each_thing_can_be_scaled_by_itself(tmp_path: Path) -> None:
    small = Scales(1, 0.1, 0.1, 0.1, 0.01)
    plain = build_scaled(tmp_path / "plain", small)
    for axis in AXES:
        found = build_scaled(tmp_path / axis, replace(small, **{axis: 4 * getattr(small, axis)}))
        grown = {
            "pods": found.pods == pytest.approx(4 * plain.pods, rel=0.1) and found.groups == plain.groups,
            "groups": found.groups == pytest.approx(4 * plain.groups, rel=0.1),
            "policies": found.files == plain.files + 60,
            "nodes": found.files == plain.files and found.bytes > 1.5 * plain.bytes,
            "files": found.files > plain.files and found.pods == plain.pods,
        }
        assert grown[axis], (axis, plain, found)


def test_the_exponent_of_a_square_is_two() -> None:
    assert exponent(4, 16) == pytest.approx(2)
    assert exponent(10, 10) == pytest.approx(1)
    assert exponent(10, 1) == pytest.approx(0)
