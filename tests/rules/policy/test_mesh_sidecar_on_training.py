"""Which meshes reach the pods of a training group (N 6; kubeflow/trainer#1636, #1637)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

JOB = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml%s}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: %d
      template:
        metadata: {%s}
        spec: {%scontainers: [{name: pytorch, image: i}]}
"""


def speaks(
    root: Path, namespace: str, template: str = "", *, spec: str = "", owner: str = "", replicas: int = 2
) -> bool:
    files = {
        "ns.yaml": f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: ml, {namespace}}}\n",
        "job.yaml": JOB % (owner, replicas, template, spec),
    }
    return any(each.finding.rule == "mesh-sidecar-on-training" for each in lint(root, files).findings)


INJECTS = "labels: {istio-injection: enabled}"


@pytest.mark.parametrize(
    "namespace",
    [
        INJECTS,
        "labels: {istio.io/rev: stable}",
        "annotations: {linkerd.io/inject: enabled}",
        "labels: {kuma.io/sidecar-injection: enabled}",
    ],
)
def test_a_namespace_injects(tmp_path: Path, namespace: str) -> None:
    assert speaks(tmp_path, namespace)


@pytest.mark.parametrize(
    "namespace",
    [
        "labels: {}",
        "labels: {istio-injection: disabled}",
        "labels: {istio-injection: disabled, istio.io/rev: stable}",  # the first wins
        "labels: {istio.io/dataplane-mode: ambient}",
        "annotations: {linkerd.io/inject: disabled}",
    ],
)
def test_a_namespace_does_not_inject(tmp_path: Path, namespace: str) -> None:
    assert not speaks(tmp_path, namespace)


@pytest.mark.parametrize(
    "template",
    [
        "labels: {sidecar.istio.io/inject: 'false'}",
        "annotations: {sidecar.istio.io/inject: 'false'}",
        "annotations: {traffic.sidecar.istio.io/excludeInboundPorts: '29500'}",
    ],
)
def test_the_pod_template_opts_out(tmp_path: Path, template: str) -> None:
    assert not speaks(tmp_path, INJECTS, template)


def test_the_label_wins_over_the_annotation(tmp_path: Path) -> None:
    both = "labels: {sidecar.istio.io/inject: 'false'}, annotations: {sidecar.istio.io/inject: 'true'}"
    assert not speaks(tmp_path, INJECTS, both)


def test_a_pod_template_opts_in_by_itself(tmp_path: Path) -> None:
    assert speaks(tmp_path, "labels: {}", "labels: {sidecar.istio.io/inject: 'true'}")
    assert speaks(tmp_path / "l", "labels: {}", "annotations: {linkerd.io/inject: enabled}")


RAY = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: ray, namespace: ml}
spec:
  headGroupSpec: {template: &template {metadata: {labels: {%s}}, spec: {containers: [{name: a, image: i}]}}}
  workerGroupSpecs: [{groupName: w, replicas: 2, minReplicas: 2, template: *template}]
"""


def test_calls_may_be_meant_to_pass_through_a_proxy_that_the_template_asks_for(tmp_path: Path) -> None:
    for label, expected in (("sidecar.istio.io/inject: 'true'", False), ("", True)):
        namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml, labels: {istio-injection: enabled}}\n"
        result = lint(tmp_path / str(expected), {"ns.yaml": namespace, "ray.yaml": RAY % label})
        assert any(each.finding.rule == "mesh-sidecar-on-training" for each in result.findings) is expected


def test_an_opt_out_of_one_mesh_is_none_of_another(tmp_path: Path) -> None:
    both = "labels: {istio-injection: enabled}, annotations: {linkerd.io/inject: enabled}"
    assert speaks(tmp_path, both, "labels: {sidecar.istio.io/inject: 'false'}")


def test_what_stands_on_the_job_itself_does_not_reach_its_pods(tmp_path: Path) -> None:
    assert speaks(tmp_path, INJECTS, owner=", annotations: {sidecar.istio.io/inject: 'false'}")


def test_pods_on_the_host_network_are_never_injected(tmp_path: Path) -> None:
    assert not speaks(tmp_path, INJECTS, spec="hostNetwork: true, ")


def test_a_single_pod_needs_no_connection(tmp_path: Path) -> None:
    assert not speaks(tmp_path, INJECTS, replicas=1)
