"""What the rule says of numbers that contradict each other: places, evidence and the numbers of the remedy."""

from __future__ import annotations

import re

import pytest

from trainlint.finding import Location
from trainlint.workload.checks.counts import NodeCount, NodeEffect, ProcessCount, SizeCount, SizeSource
from trainlint.workload.checks.hostfile import HostfileSlots
from trainlint.workload.checks.plugins import WorldSize
from trainlint.workload.checks.slots import RanksInAll, RanksOnEach, SlotProblem
from trainlint.workload.contract import CountFault
from trainlint_rules.workload.process_count_mismatch import finding_of

AT, THERE, BESIDE = (Location("a.yaml", 0, (step,)) for step in ("at", "there", "beside"))


def on_each(problem: SlotProblem, *, per_socket: bool = False) -> RanksOnEach:
    return RanksOnEach(AT, "j", problem, 9, per_socket, 17, 2, 8, True, 4, THERE)


@pytest.mark.parametrize(
    ("fault", "cause", "evidence", "remedy", "related"),
    [
        (
            ProcessCount(AT, "torchrun", True, "j", 8, 4, THERE),
            "processes",
            {"processes": 8, "accelerators": 4},
            ["4", "8"],
            [THERE],
        ),
        (
            NodeCount(AT, "j", 5, 5, 4, NodeEffect.WAITING, 1, (THERE, BESIDE)),
            "nodes",
            {"nodes": "5", "pods": 4},
            ["4"],
            [THERE, BESIDE],
        ),
        (
            SizeCount(AT, SizeSource.WORLD_SIZE, 31, "j", 4, 32, THERE),
            "size",
            {"told": 31, "pods": 4, "accelerators": 32},
            ["32"],
            [THERE],
        ),
        (on_each(SlotProblem.MORE_THAN_SLOTS), "slots", {"ranks on each": 9, "slots": 8}, ["9", "8"], [THERE]),
        (on_each(SlotProblem.MORE_THAN_PLACES), "slots", {"ranks on each": 9, "slots": 8}, ["18"], [THERE]),
        (on_each(SlotProblem.MORE_THAN_ACCELERATORS), "slots", {"ranks on each": 9, "slots": 8}, ["4"], [THERE]),
        (on_each(SlotProblem.IDLE_ACCELERATORS), "slots", {"ranks on each": 9, "slots": 8}, ["4"], [THERE]),
        (
            RanksInAll(AT, "j", SlotProblem.MORE_THAN_SLOTS, 17, 16, 2, 8, True, 8, THERE),
            "slots",
            {"ranks": 17, "slots": 16},
            ["16"],
            [THERE],
        ),
        (
            HostfileSlots(AT, "launcher", "host", 8, "worker", 4, THERE),
            "hostfile",
            {"slots": 8, "accelerators": 4},
            ["4"],
            [THERE],
        ),
        (
            WorldSize(AT, "1.11.2", ("board", "cache"), "j", 5, 4, THERE, (("worker", BESIDE),)),
            "WORLD_SIZE",
            {"WORLD_SIZE": 5, "ranks": 4},
            ["1.11.2"],
            [THERE, BESIDE],
        ),
    ],
)
def test_a_finding_holds_the_numbers_that_contradict(
    fault: CountFault, cause: str, evidence: dict[str, object], remedy: list[str], related: list[Location]
) -> None:
    found = finding_of(fault)
    assert (found.cause, dict(found.evidence), found.at) == (cause, evidence, AT)
    assert re.findall(r"\d+(?:\.\d+)*", found.remedy) == remedy
    assert [each.at for each in found.related] == related
    assert str(next(iter(evidence.values()))) in found.message


def test_the_first_task_beside_the_ranks_is_the_one_to_move() -> None:
    found = finding_of(WorldSize(AT, "1.11.2", ("board", "cache"), "j", 5, 4, THERE, (("worker", BESIDE),)))
    assert "board" in found.remedy
    assert "cache" not in found.remedy
    assert [each.role for each in found.related][1:] == ["are ranks (worker)"]


def test_a_unit_is_a_socket_where_ranks_are_counted_on_sockets() -> None:
    one, other = (finding_of(on_each(SlotProblem.MORE_THAN_SLOTS, per_socket=each)).remedy for each in (False, True))
    assert one != other
    assert "socket" in other
