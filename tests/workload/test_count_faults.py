"""Numbers that contradict each other (W 17.9, 17.17; N 6.47, 6.48)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.finding import Finding, Severity
from trainlint.wording.process_counts import count_text
from trainlint.workload.checks.counts import node_counts, process_counts, size_counts
from trainlint.workload.checks.slots import slot_counts
from trainlint.workload.communicators import communicators
from trainlint_rules.workload.process_count_mismatch import finding_of

JOB = """
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
      containers:
        - {name: c, ENV command: [COMMAND], resources: {limits: {nvidia.com/gpu: GPUS}}}
"""
MPI = """
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: j}
spec:
  SLOTS
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: l, command: [COMMAND]}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: w, resources: {limits: GPUS}}]}}}
"""


def job(command: str, pods: str = "4", gpus: str = "8", env: str = "") -> str:
    env = f"env: [{env}]," if env else ""
    return JOB.replace("COMMAND", command).replace("PODS", pods).replace("GPUS", gpus).replace("ENV", env)


def in_pods(text: str) -> list[Finding]:
    return [finding_of(fault) for pods in read(text).pod_sets for fault in process_counts(pods)]


def in_groups(text: str) -> list[str]:
    found = communicators(read(text).groups)
    return [count_text(fault) for ranks in found for fault in (*node_counts(ranks), *size_counts(ranks))]


def in_slots(command: str, slots: str, gpus: str = "{nvidia.com/gpu: 8}") -> list[Finding]:
    text = MPI.replace("COMMAND", command).replace("SLOTS", slots).replace("GPUS", gpus)
    return [finding_of(fault) for workload in read(text).objects for fault in slot_counts(workload)]


@pytest.mark.parametrize(
    ("command", "gpus", "severity"),
    [
        ("torchrun, --nproc-per-node=8, x.py", "4", "error"),
        ("torchrun, --nproc_per_node=4, x.py", "8", "warning"),
        ("torchrun, --nproc-per-node, '8', x.py", "8", ""),
        ("torchrun, --nproc-per-node=gpu, x.py", "8", ""),
        ("torchrun, --nproc-per-node=$GPUS, x.py", "8", ""),
        ("torchrun, x.py", "8", "warning"),  # one process is the default
        ("torchrun, x.py", "1", ""),
        ("torchrun, --nproc-per-node=8, x.py", "'${N}'", ""),
        ("deepspeed, --num_gpus=8, x.py", "4", "error"),
        ("python, -m, torch.distributed.run, --nproc-per-node=8, x.py", "4", "error"),
    ],
)
def test_one_process_for_each_accelerator(command: str, gpus: str, severity: str) -> None:
    found = in_pods(job(command, gpus=gpus))
    assert [(fault.severity or Severity.ERROR).value for fault in found] == ([severity] if severity else [])


def test_pet_variables_are_the_defaults() -> None:  # N 6.47
    assert in_pods(job("torchrun, x.py", env='{name: PET_NPROC_PER_NODE, value: "8"}')) == []
    assert in_pods(job("torchrun, x.py", env='{name: CUDA_VISIBLE_DEVICES, value: "0"}')) == []


@pytest.mark.parametrize(
    ("nodes", "pods", "words"),
    [
        ("--nnodes=4", "4", ()),
        ("--nnodes=8", "4", ("8 nodes", "4 pods", "never come")),
        ("--nnodes=2", "4", ("2 nodes", "4 pods", "never let in")),
        ("'--nnodes=2:4'", "4", ()),
        ("'--nnodes=6:8'", "4", ("6 to 8", "never come")),
        ("--nnodes=$NODES", "4", ()),
    ],
)
def test_as_many_nodes_as_pods(nodes: str, pods: str, words: tuple[str, ...]) -> None:
    found = in_groups(job(f"torchrun, {nodes}, --nproc-per-node=8, --master-addr=j-0.j, x.py", pods))
    assert [all(word in text for word in words) for text in found] == ([True] if words else [])


def test_blocks_of_a_job_set_may_be_jobs_of_their_own() -> None:
    text = """
    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata: {name: j}
    spec:
      replicatedJobs:
        - name: r
          replicas: 2
          template:
            spec:
              parallelism: 4
              completions: 4
              template:
                spec:
                  containers:
                    - {name: c, command: [torchrun, --nnodes=NODES, --master-addr=j-r-0-0.j, x.py]}
    """
    assert in_groups(text.replace("NODES", "4")) == []
    assert in_groups(text.replace("NODES", "8")) == []
    assert len(in_groups(text.replace("NODES", "6"))) == 1


@pytest.mark.parametrize(("size", "wrong"), [("4", False), ("32", False), ("8", True), ("'${N}'", False)])
def test_world_size_counts_pods_or_accelerators(size: str, wrong: bool) -> None:
    env = f"{{name: WORLD_SIZE, value: {size if '$' in size else repr(size)}}}, {{name: MASTER_ADDR, value: j-0.j}}"
    assert (len(in_groups(job("python, x.py", env=env))) == 1) is wrong


def test_vllm_cannot_spread_over_more_than_there_are() -> None:
    text = """
    apiVersion: leaderworkerset.x-k8s.io/v1
    kind: LeaderWorkerSet
    metadata: {name: j}
    spec:
      leaderWorkerTemplate:
        size: 2
        workerTemplate:
          spec:
            containers:
              - name: c
                command: [vllm, serve, m, --tensor-parallel-size, "8", --pipeline-parallel-size, "STAGES"]
                resources: {limits: {nvidia.com/gpu: 8}}
    """
    assert in_groups(text.replace("STAGES", "2")) == []
    assert "32" in in_groups(text.replace("STAGES", "4"))[0]


@pytest.mark.parametrize(
    ("command", "slots", "severity"),
    [
        ("mpirun, -np, '16', x", "slotsPerWorker: 8", ""),
        ("mpirun, -np, '32', x", "slotsPerWorker: 8", "error"),
        ("mpirun, -np, '8', python3, x.py", "slotsPerWorker: 8", "warning"),
        ("mpirun, -np, '8', x", "slotsPerWorker: 8", ""),  # a program that may use several devices
        ("mpirun, -np, '2', /train.sh", "slotsPerWorker: 1", ""),  # one on each node, which may start torchrun there
        ("mpirun, -np, '2', torchrun, x.py", "slotsPerWorker: 1", ""),
        ("mpirun, -np, '2', python, -m, torch.distributed.launch, x.py", "slotsPerWorker: 1", ""),
        ("mpirun, -np, '2', -x, A=b, python, -m, train", "slotsPerWorker: 1", "warning"),
        ("mpirun, x", "slotsPerWorker: 8", ""),
        ("mpirun, -np, '16', x", "", "error"),  # one slot by default (W 3)
        ("mpirun, --oversubscribe, -np, '16', x", "", ""),
        ("mpirun, -np, '32', --hostfile, /mine, x", "slotsPerWorker: 8", ""),
        ("mpirun, -np, '32', x", "{slotsPerWorker: 8, mpiImplementation: Intel}", "error"),
        ("mpirun, -np, $RANKS, x", "slotsPerWorker: 8", ""),
        ("mpirun, -np, '16', x", "slotsPerWorker: '${SLOTS}'", ""),
    ],
)
def test_as_many_ranks_as_slots(command: str, slots: str, severity: str) -> None:
    found = in_slots(command, slots.strip("{}").replace(", ", "\n  ") if slots.startswith("{") else slots)
    assert [(fault.severity or Severity.ERROR).value for fault in found] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("resource", "speaks"),
    [
        ("nvidia.com/gpu", True),
        ("aws.amazon.com/neuroncore", True),
        ("aws.amazon.com/neuron", False),
        ("aws.amazon.com/neurondevice", False),
        ("gpu.intel.com/i915", False),
        ("google.com/tpu", False),
    ],
)
def test_devices_with_several_cores_take_an_unknown_number_of_ranks(resource: str, *, speaks: bool) -> None:
    found = in_slots("mpirun, -np, '64', x", "slotsPerWorker: 32", f"{{{resource}: 16}}")
    assert bool(found) is speaks


def test_slots_are_no_accelerators() -> None:  # N 6.48: slots 8 with 4 GPUs
    (fault,) = in_slots("mpirun, -np, '16', x", "slotsPerWorker: 8", "{nvidia.com/gpu: 4}")
    assert fault.severity is None
    assert in_slots("mpirun, -np, '4', x", "slotsPerWorker: 8", "{cpu: 4}") == []


@pytest.mark.parametrize(
    ("options", "slots", "words"),
    [
        ("-N, '8'", 8, ()),
        ("-N, '8'", 4, ("8 ranks on each node", "4 slots", "refuses")),
        ("--npernode, '4'", 8, ("4 of them stay idle",)),
        ("-npernode, '8'", 8, ()),
        ("--map-by, 'ppr:8:node'", 8, ()),
        ("--map-by, 'ppr:8:node:PE=4'", 4, ("8 ranks on each node", "refuses")),
        ("--map-by, 'ppr:4:socket'", 8, ()),  # how many sockets a node has is unknown: at least one
        ("--map-by, 'ppr:16:socket'", 16, ("16 ranks on each socket", "8 accelerators")),
        ("--map-by, slot", 8, ()),
        ("--pernode", 8, ("7 of them stay idle",)),
        ("-np, '32', -N, '8'", 16, ("makes 16 on 2 workers", "32 in all", "refuses")),
        ("-np, '16', -N, '8'", 8, ()),
        ("-np, '4', -N, '8'", 8, ("12 of them stay idle",)),  # all on the first node
        ("-N, $EACH", 8, ()),
        ("--oversubscribe, -N, '8'", 4, ()),
        ("--allow-run-as-root, --mca, btl, ^openib, -N, '8'", 4, ("refuses",)),
    ],
)
def test_as_many_ranks_on_each_node_as_it_has_slots(options: str, slots: int, words: tuple[str, ...]) -> None:  # W 3
    found = [fault.message for fault in in_slots(f"mpirun, {options}, python, x.py", f"slotsPerWorker: {slots}")]
    assert [all(word in text for word in words) for text in found] == ([True] if words else [])


def test_options_of_the_program_are_none_of_mpirun() -> None:
    assert in_slots("mpirun, -N, '8', ./all_reduce_perf, -n, '100'", "slotsPerWorker: 8") == []
    assert in_slots("mpirun, -np, '16', python, x.py, -N, '64'", "slotsPerWorker: 8") == []


@pytest.mark.parametrize(
    ("ranks", "as_worker", "refused"),
    [(16, False, False), (17, False, True), (24, True, False), (25, True, True), (17, True, False)],
)
def test_a_launcher_that_works_too_has_slots_of_its_own(ranks: int, as_worker: bool, refused: bool) -> None:
    slots = f"slotsPerWorker: 8, runLauncherAsWorker: {str(as_worker).lower()}".replace(", ", "\n  ")
    found = in_slots(f"mpirun, -np, '{ranks}', python, x.py", slots, "{}")
    assert [("it refuses" in each.message, each.evidence["ranks"]) for each in found] == (
        [(True, ranks)] if refused else []
    )


SLICES = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: multi, namespace: ml}
spec:
  replicatedJobs:
    - name: slice
      replicas: 2
      template:
        spec:
          parallelism: 4
          completions: 4
          template:
            spec:
              containers:
                - name: jax
                  env: [{name: MEGASCALE_NUM_SLICES, value: "TOLD"}]
                  resources: {limits: {google.com/tpu: "4"}}
"""


@pytest.mark.parametrize(
    ("told", "resource", "speaks"),
    [
        ("2", "google.com/tpu", False),
        ("3", "google.com/tpu", True),
        ("4", "google.com/tpu", False),  # a Job may hold two slices of two hosts
        ("16", "google.com/tpu", True),
        ("${SLICES}", "google.com/tpu", False),
        ("3", "nvidia.com/gpu", False),
    ],
)
def test_as_many_slices_as_child_jobs(told: str, resource: str, speaks: bool) -> None:
    text = SLICES.replace("TOLD", told).replace("google.com/tpu", resource)
    found = [fault for ranks in communicators(read(text).groups) for fault in size_counts(ranks)]
    assert [(each.size, each.count) for each in found] == ([(int(told), 2)] if speaks else [])
