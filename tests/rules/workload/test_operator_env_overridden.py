"""Variables that manifest and operator both set (W 1.3, 2, 3, 6, 9)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint_rules.workload.operator_env_overridden import overridden_variables

PYTORCH = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: j}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, env: [ENTRY]}]}}}
"""
MPI = """
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: j}
spec:
  mpiImplementation: IMPLEMENTATION
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: l, env: [{name: OMPI_MCA_plm_rsh_args, value: -p 2222}]}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: w}]}}}
"""
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template: {spec: {containers: [{name: c, env: [ENTRY]}]}}
"""


def names(manifest: str) -> list[str]:
    return [fault.cause for workload in read(manifest).objects for fault in overridden_variables(workload)]


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ('{name: MASTER_PORT, value: "29500"}', ["MASTER_PORT"]),
        ('{name: MASTER_PORT, value: "23456"}', []),
        ("{name: MASTER_ADDR, value: elsewhere}", ["MASTER_ADDR"]),
        ('{name: RANK, value: "0"}', ["RANK"]),  # of each worker its own
        ('{name: WORLD_SIZE, value: "3"}', []),  # one master and two workers
        ('{name: WORLD_SIZE, value: "16"}', ["WORLD_SIZE"]),
        ('{name: PYTHONUNBUFFERED, value: "true"}', []),
        ("{name: MASTER_PORT, valueFrom: {secretKeyRef: {name: s, key: k}}}", []),
        ("{name: MASTER_PORT, value: $(PORT)}", []),
        ("{name: MASTER_PORT, value: '${PORT}'}", []),
        ("{name: NCCL_DEBUG, value: INFO}", []),
    ],
)
def test_the_last_entry_counts(entry: str, found: list[str]) -> None:
    assert names(PYTORCH.replace("ENTRY", entry)) == found


def test_the_launcher_is_told_the_arguments_of_ssh() -> None:  # mpi-operator appends its own for Open MPI
    assert names(MPI.replace("IMPLEMENTATION", "OpenMPI")) == ["OMPI_MCA_plm_rsh_args"]
    assert names(MPI.replace("IMPLEMENTATION", "Intel")) == []
    intel = MPI.replace("OMPI_MCA_plm_rsh_args", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS")
    assert names(intel.replace("IMPLEMENTATION", "Intel")) == ["I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS"]


def test_an_index_of_ones_own_wins_over_that_of_the_job() -> None:  # W 9: user value wins
    assert names(JOB.replace("ENTRY", '{name: JOB_COMPLETION_INDEX, value: "0"}')) == ["JOB_COMPLETION_INDEX"]
    path = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
    own = f'{{name: JOB_COMPLETION_INDEX, valueFrom: {{fieldRef: {{fieldPath: "{path}"}}}}}}'
    assert names(JOB.replace("ENTRY", own)) == []


def test_ray_leaves_its_address_to_the_user() -> None:  # W 7: only if the user did not set it
    cluster = """
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: r}
    spec:
      headGroupSpec: {template: {spec: {containers: [{name: h, env: [{name: RAY_ADDRESS, value: "x:1"}]}]}}}
    """
    assert names(cluster) == []
