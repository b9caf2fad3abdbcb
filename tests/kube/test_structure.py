"""The fields that kinds have, from the packages that hold their models (schemas/generate.py)."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trainlint.kube.structure import structure_of
from trainlint.source.document import Document
from trainlint.workload.kinds import WORKLOADS, by_identity

KEYS = st.sampled_from(["spec", "template", "containers", "metadata", "x"])
DATA = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
JOB = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: j, labels: {any: thing}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 1
      template:
        metadata: {annotations: {any: thing}}
        spec:
          nodeSelector: {any: thing}
          containers:
            - name: pytorch
              resources: {limits: {nvidia.com/gpu: 8}}
              volumeMounts: [{name: v, mountPath: /v}]
          volumes: [{name: v, emptyDir: {medium: Memory}}]
"""


def found(version: str, kind: str, text: str) -> list[tuple[str, str, str, str]]:
    structure = structure_of(version, kind)
    assert structure is not None
    item = Document("x.yaml", 0, 1, "", yaml.safe_load(text)).root
    return [
        (".".join(map(str, each.field.path)), each.meant, each.belongs, each.version)
        for each in structure.misplaced(item)
    ]


def test_a_whole_job_has_nothing_misplaced() -> None:
    assert found("kubeflow.org/v1", "PyTorchJob", JOB) == []


@pytest.mark.parametrize(
    ("old", "new", "path", "meant", "belongs"),
    [
        (
            "spec:\n  py",
            "spec:\n  cleanPodPolicy: Running\n  py",
            "spec.cleanPodPolicy",
            "",
            "spec.runPolicy.cleanPodPolicy",
        ),
        ("nodeSelector", "nodeselector", "{T}.spec.nodeselector", "nodeSelector", ""),
        ("nodeSelector", "nodeSelectors", "{T}.spec.nodeSelectors", "nodeSelector", ""),
        ("pytorchReplicaSpecs", "pytorchReplicaSpec", "spec.pytorchReplicaSpec", "pytorchReplicaSpecs", ""),
        ("mountPath", "mountpath", "{T}.spec.containers.0.volumeMounts.0.mountpath", "mountPath", ""),
        ("replicas: 1", "tolerations: []", "spec.pytorchReplicaSpecs.Worker.tolerations", "", "{T}.spec.tolerations"),
        ("metadata: {annotations: {any: thing}}", "volumes: []", "{T}.volumes", "", "{T}.spec.volumes"),
    ],
)
def test_a_field_is_named_with_the_place_where_it_belongs(
    old: str, new: str, path: str, meant: str, belongs: str
) -> None:
    template = "spec.pytorchReplicaSpecs.Worker.template"
    (one,) = found("kubeflow.org/v1", "PyTorchJob", JOB.replace(old, new))
    assert one[:3] == (path.replace("{T}", template), meant, belongs.replace("{T}", template))


def test_what_another_version_has_is_said() -> None:  # W 2, 3
    text = "{spec: {mainContainer: x, slotsPerWorker: 1}}"
    assert found("kubeflow.org/v2beta1", "MPIJob", text) == [("spec.mainContainer", "", "", "kubeflow.org/v1")]
    assert found("kubeflow.org/v1", "MPIJob", "{spec: {mainContainer: x, cleanPodPolicy: All}}") == []


@pytest.mark.parametrize("key", ["${KEY}", "{{ .key }}", "$patch", "$setElementOrder/containers"])
def test_placeholders_and_directives_are_no_fields(key: str) -> None:
    assert found("v1", "Pod", yaml.safe_dump({"spec": {key: 1, "containers": []}})) == []


def test_older_and_free_places_are_left_alone() -> None:  # W 4: fields of Trainer 2.0 and 2.1
    text = "{spec: {podTemplateOverrides: [{a: b}], podSpecOverrides: [{a: b}], labels: {a: b}}, status: {a: b}}"
    assert found("trainer.kubeflow.org/v1alpha1", "TrainJob", text) == []


def test_every_kind_that_is_expanded_has_a_structure() -> None:
    versions = {"": "v1", "apps": "apps/v1", "batch": "batch/v1", "ray.io": "ray.io/v1"}
    versions |= {"jobset.x-k8s.io": "jobset.x-k8s.io/v1alpha2", "batch.volcano.sh": "batch.volcano.sh/v1alpha1"}
    versions |= {group: f"{group}/v1" for group in ("leaderworkerset.x-k8s.io", "disaggregatedset.x-k8s.io")}
    versions |= {
        "trainer.kubeflow.org": "trainer.kubeflow.org/v1alpha1",
        "sagemaker.amazonaws.com": "sagemaker.amazonaws.com/v1",
    }
    missing = {
        (group, kind)
        for group, kind in by_identity(WORKLOADS)
        if structure_of(versions.get(group, group), kind) is None
    }
    assert missing == set()


@given(DATA)
def test_whatever_stands_there_is_read(data: object) -> None:
    structure = structure_of("batch/v1", "Job")
    assert structure is not None
    list(structure.misplaced(Document("x.yaml", 0, 1, "", data).root))
