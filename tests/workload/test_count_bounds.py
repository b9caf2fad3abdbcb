"""Numbers of ranks at their bounds: one fewer, as many, and one more than slots, accelerators and pods (W 3, 17.9).

Open MPI refuses more ranks than slots unless it is told to oversubscribe (docs.open-mpi.org: mpirun, "Slots"); NCCL
refuses two ranks on one device (N 6.47).
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.workload.manifests import read

from trainlint.finding import Certainty, Severity
from trainlint.workload.checks.counts import NodeCount, NodeEffect, SizeCount, SizeSource, node_counts, size_counts
from trainlint.workload.checks.slots import RanksInAll, RanksOnEach, SlotProblem, slot_counts
from trainlint.workload.communicators import communicators

MPI = """
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: j}
spec:
  SPEC
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: l, ENV command: [COMMAND]}]}}}
    Worker: {replicas: WORKERS, template: {spec: {containers: [{name: w, resources: {limits: {LIMITS}}}]}}}
"""
WORDS = ("spec", "mpiReplicaSpecs", "Launcher", "template", "spec", "containers", 0, "command")


def ranks(
    command: str, spec: str = "slotsPerWorker: 8", gpus: int = 8, workers: str = "2", env: str = ""
) -> RanksOnEach | RanksInAll | None:
    limits = f"nvidia.com/gpu: {gpus}" if gpus else ""
    text = MPI.replace("COMMAND", command).replace("SPEC", spec).replace("WORKERS", workers).replace("LIMITS", limits)
    text = text.replace("ENV", f"env: [{{name: {env}, value: '1'}}]," if env else "")
    found = [fault for workload in read(text).objects for fault in slot_counts(workload)]
    assert len(found) < 2
    return found[0] if found else None


SLOTS, PLACES = SlotProblem.MORE_THAN_SLOTS, SlotProblem.MORE_THAN_PLACES
DEVICES, IDLE = SlotProblem.MORE_THAN_ACCELERATORS, SlotProblem.IDLE_ACCELERATORS


@pytest.mark.parametrize(
    ("count", "more", "expected"),
    [
        # problem, room, workers, slots, whether they are written, accelerators
        ("-np, '16'", {}, None),
        ("-np, '17'", {}, (SLOTS, 16, 2, 8, True, 8)),
        ("-np, '15'", {}, (IDLE, 16, 2, 8, True, 8)),
        ("-np, '2'", {"spec": "", "gpus": 1}, None),  # slotsPerWorker is 1 where it is not written
        ("-np, '3'", {"spec": "", "gpus": 1}, (SLOTS, 2, 2, 1, False, 1)),
        ("-np, '16'", {"gpus": 4}, (DEVICES, 8, 2, 8, True, 4)),
        ("-np, '8'", {"gpus": 4}, None),
        ("-np, '9'", {"gpus": 4}, (DEVICES, 8, 2, 8, True, 4)),
        ("-np, '16'", {"gpus": 0}, None),
        ("-np, '15'", {"gpus": 0}, None),
        ("-np, '17', --oversubscribe", {}, (DEVICES, 16, 2, 8, True, 8)),
        ("-np, '17', --nooversubscribe", {}, (SLOTS, 16, 2, 8, True, 8)),
        ("-np, '17'", {"env": "OMPI_MCA_rmaps_base_oversubscribe"}, (DEVICES, 16, 2, 8, True, 8)),
        ("-np, '17'", {"env": "PRTE_MCA_rmaps_default_mapping_policy"}, (DEVICES, 16, 2, 8, True, 8)),
        ("-np, '17'", {"env": "OTHER"}, (SLOTS, 16, 2, 8, True, 8)),
        ("-np, '17'", {"spec": "slotsPerWorker: 8, mpiImplementation: Intel"}, (DEVICES, 16, 2, 8, True, 8)),
        ("-np, '17'", {"spec": "slotsPerWorker: 8, mpiImplementation: OpenMPI"}, (SLOTS, 16, 2, 8, True, 8)),
        ("-np, '24'", {"spec": "slotsPerWorker: 8, runLauncherAsWorker: true"}, None),
        ("-np, '25'", {"spec": "slotsPerWorker: 8, runLauncherAsWorker: true"}, (SLOTS, 24, 3, 8, True, 8)),
        ("-np, '17'", {"workers": "0"}, None),
        ("-np, '17'", {"workers": "'${N}'"}, None),
        ("-np, '17'", {"spec": "slotsPerWorker: '${N}'"}, None),
        ("-np, $N", {}, None),
    ],
)
def test_ranks_in_all(count: str, more: dict[str, Any], expected: tuple[object, ...] | None) -> None:
    if "," in (spec := more.get("spec", "")):
        more = {**more, "spec": spec.replace(", ", "\n  ")}
    found = ranks(f"mpirun, {count}, python, x.py", **more)
    if expected is None:
        assert found is None
        return
    assert isinstance(found, RanksInAll)
    number = int(count.split("'")[1])
    seen = (found.problem, found.room, found.workers, found.slots, found.written, found.accelerators)
    assert (found.job, found.ranks, *seen) == ("j", number, *expected)
    assert (found.at.path[:-1], found.slots_at.path) == (WORDS, ("spec", "slotsPerWorker"))
    assert found.certainty is Certainty.LIKELY
    assert found.severity is (Severity.WARNING if found.problem is IDLE else None)


@pytest.mark.parametrize(
    ("count", "more", "expected"),
    [
        # problem, ranks of one node, ranks in all, workers, slots, accelerators
        ("-N, '8'", {}, None),
        ("-N, '9'", {}, (SLOTS, 9, 0, 2, 8, 8)),
        ("-N, '7'", {}, (IDLE, 7, 0, 2, 8, 8)),
        ("-N, '8', -np, '16'", {}, None),
        ("-N, '8', -np, '17'", {}, (PLACES, 8, 17, 2, 8, 8)),
        ("-N, '9', -np, '8'", {"gpus": 4}, (DEVICES, 8, 8, 2, 8, 4)),
        ("-N, '8'", {"gpus": 4}, (DEVICES, 8, 0, 2, 8, 4)),
        ("-N, '8'", {"gpus": 0}, None),
        ("-N, '9', --oversubscribe", {"gpus": 9}, None),
        ("-N, '8', -np, '17', --oversubscribe", {"gpus": 9}, None),
    ],
)
def test_ranks_on_each_node(count: str, more: dict[str, Any], expected: tuple[object, ...] | None) -> None:
    found = ranks(f"mpirun, {count}, python, x.py", **more)
    if expected is None:
        assert not isinstance(found, RanksOnEach)
        return
    assert isinstance(found, RanksOnEach)
    seen = (found.problem, found.ranks, found.total, found.workers, found.slots, found.accelerators)
    assert seen == expected
    assert (found.job, found.per_socket, found.written, found.certainty) == ("j", False, True, Certainty.LIKELY)
    assert found.severity is (Severity.WARNING if found.problem is IDLE else None)


def test_without_a_number_each_slot_gets_a_rank() -> None:
    assert ranks("mpirun, python, x.py") is None
    found = ranks("mpirun, python, x.py", "slotsPerWorker: 4")
    assert isinstance(found, RanksInAll)
    assert (found.problem, found.ranks, found.room, found.at.path) == (IDLE, 8, 16, (*WORDS, 0))


TORCH = """
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  completionMode: Indexed
  completions: PODS
  parallelism: PODS
  template:
    spec:
      subdomain: j
      containers: [{name: c, ENV command: [COMMAND], resources: {limits: {nvidia.com/gpu: 8}}}]
"""


def faults(command: str, pods: str = "4", env: str = "") -> list[NodeCount | SizeCount]:
    text = TORCH.replace("COMMAND", command).replace("PODS", pods).replace("ENV", f"env: [{env}]," if env else "")
    groups = communicators(read(text).groups)
    return [each for group in groups for each in (*node_counts(group), *size_counts(group))]


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        # fewest and most nodes, effect, difference
        ("4", None),
        ("5", (5, 5, NodeEffect.WAITING, 1)),
        ("3", (3, 3, NodeEffect.LEFT_OUT, 1)),
        ("2", (2, 2, NodeEffect.LEFT_OUT, 2)),
        ("'4:8'", None),
        ("'5:8'", (5, 8, NodeEffect.WAITING, 1)),
        ("'1:4'", None),
        ("'1:3'", (1, 3, NodeEffect.LEFT_OUT, 1)),
        ("'5:3'", None),  # torchrun refuses it itself
    ],
)
def test_nodes_that_torchrun_waits_for(nodes: str, expected: tuple[object, ...] | None) -> None:
    nodes = f"'--nnodes={nodes.strip(chr(39))}'"
    found = faults(f"torchrun, {nodes}, --nproc-per-node=8, --rdzv-endpoint=j-0.j, --rdzv-backend=c10d, x.py")
    assert len(found) == (expected is not None)
    for each in found:
        assert isinstance(each, NodeCount)
        assert (each.minimum, each.maximum, each.effect, each.difference) == expected
        assert (each.pods, each.running, [at.path for at in each.places]) == ("j", 4, [()])
        assert each.certainty is Certainty.LIKELY


def test_one_node_of_several_pods_trains_alone() -> None:
    text = """
    apiVersion: kubeflow.org/v1
    kind: PyTorchJob
    metadata: {name: j}
    spec:
      pytorchReplicaSpecs:
        Worker:
          replicas: 3
          template: {spec: {containers: [{name: pytorch, command: [torchrun, --nnodes=1, x.py]}]}}
    """
    (group,) = communicators(read(text).groups)
    (found,) = node_counts(group)
    assert (found.minimum, found.maximum, found.running, found.effect, found.difference) == (
        1, 1, 3, NodeEffect.ALONE, 2,
    )  # fmt: skip


MASTER = "{name: MASTER_ADDR, value: j-0.j}"


@pytest.mark.parametrize(
    ("size", "wrong"), [("4", False), ("32", False), ("31", True), ("33", True), ("5", True), ("1", False), ("2", True)]
)
def test_a_world_has_as_many_members_as_pods_or_accelerators(size: str, wrong: bool) -> None:
    found = faults("python, x.py", env=f"{MASTER}, {{name: WORLD_SIZE, value: '{size}'}}")
    assert len(found) == wrong
    for each in found:
        assert isinstance(each, SizeCount)
        assert (each.source, each.size, each.pods, each.count, each.ranks) == (
            SizeSource.WORLD_SIZE, int(size), "j", 4, 32,
        )  # fmt: skip
        assert (each.at.path[-2:], each.count_at.path) == (("env", 1), ())


@pytest.mark.parametrize(("number", "wrong"), [("31", False), ("32", False), ("33", True), ("$N", False)])
def test_accelerate_starts_no_more_processes_than_there_are_accelerators(number: str, wrong: bool) -> None:
    found = faults(f"accelerate, launch, --num_processes={number}, --num_machines=4, x.py", env=MASTER)
    sizes = [each for each in found if isinstance(each, SizeCount)]
    assert [(each.source, each.size) for each in sizes] == [(SizeSource.ACCELERATE, 33)] * wrong


@pytest.mark.parametrize(
    ("tensor", "pipeline", "wrong"), [("8", "4", False), ("8", "5", True), ("33", "1", True), ("$N", "40", False)]
)
@pytest.mark.parametrize("program", ["vllm, serve", "python, -m, vllm.entrypoints.openai.api_server"])
def test_vllm_spreads_over_no_more_than_there_are(program: str, tensor: str, pipeline: str, wrong: bool) -> None:
    command = f"{program}, --tensor-parallel-size={tensor}, --pipeline-parallel-size={pipeline}"
    sizes = [each for each in faults(command, env=MASTER) if isinstance(each, SizeCount)]
    assert [each.source for each in sizes] == [SizeSource.VLLM] * wrong
    assert all(each.size == int(tensor) * int(pipeline) for each in sizes)
