"""The container that operators look for by name (W 2, 4)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import objects, read

from trainlint.workload.checks.containers import missing_main_containers, runtimes_without_container
from trainlint_rules.workload.unexpected_container_name import finding_of

KINDS = {
    "PyTorchJob": ("pytorchReplicaSpecs", "pytorch"),
    "TFJob": ("tfReplicaSpecs", "tensorflow"),
    "XGBoostJob": ("xgbReplicaSpecs", "xgboost"),
    "PaddleJob": ("paddleReplicaSpecs", "paddle"),
    "JAXJob": ("jaxReplicaSpecs", "jax"),
}
RUNTIME = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: r, namespace: ml}
spec:
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {containers: [{name: NAME}]}}}
"""


def job(kind: str, container: str) -> str:
    spec = f"{KINDS[kind][0]}: {{Worker: {{template: {{spec: {{containers: [{{name: {container}}}]}}}}}}}}"
    return f"{{apiVersion: kubeflow.org/v1, kind: {kind}, metadata: {{name: j}}, spec: {{{spec}}}}}"


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_its_name(kind: str) -> None:
    assert list(missing_main_containers(read(job(kind, KINDS[kind][1])).objects[0])) == []
    (fault,) = missing_main_containers(read(job(kind, "trainer")).objects[0])
    assert KINDS[kind][1] in finding_of(fault).message
    assert fault.roles[0].at.path == ("spec", KINDS[kind][0], "Worker", "template", "spec", "containers")


def test_a_name_that_is_filled_in_later_may_be_right() -> None:
    assert list(missing_main_containers(read(job("PyTorchJob", "'${NAME}'")).objects[0])) == []


@pytest.mark.parametrize("version", ["v1", "v2beta1"])
def test_mpi_takes_the_first_container(version: str) -> None:
    text = """
    apiVersion: kubeflow.org/VERSION
    kind: MPIJob
    metadata: {name: j}
    spec: {mpiReplicaSpecs: {Worker: {replicas: 1, template: {spec: {containers: [{name: x}]}}}}}
    """
    assert list(missing_main_containers(read(text.replace("VERSION", version)).objects[0])) == []


def test_a_runtime_trains_in_the_container_node() -> None:
    assert list(runtimes_without_container(objects(RUNTIME.replace("NAME", "node"))[0])) == []
    (fault,) = runtimes_without_container(objects(RUNTIME.replace("NAME", "trainer"))[0])
    assert "node" in finding_of(fault).message
