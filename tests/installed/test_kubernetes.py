"""Which version of Kubernetes a repository states (S 3)."""

from __future__ import annotations

import pytest
from tests.deploy.deployers import job, snapshots

from trainlint.model.settings import NEWEST_KUBERNETES, Settings
from trainlint.wording.because import texts_of

SOURCES = {
    "kind": """kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes: [{role: control-plane, image: "kindest/node:v1.33.2@sha256:0a"}, {role: worker, image: "kindest/node:v1.33.2"}]
""",
    "kubeadm": """apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.33.2
""",
    "eksctl": """apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: c, region: us-east-1, version: "1.33"}
""",
    "Cluster API": """apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata: {name: c}
spec: {version: v1.33.2}
""",
    "Talos": """machine:
  type: worker
  kubelet: {image: "ghcr.io/siderolabs/kubelet:v1.33.2"}
  nodeLabels: {a: b}
""",
    "k3s": """apiVersion: upgrade.cattle.io/v1
kind: Plan
metadata: {name: server, namespace: system-upgrade}
spec: {version: v1.33.2+k3s1}
""",
}


@pytest.mark.parametrize("source", SOURCES)
def test_the_version_is_read(source: str) -> None:
    (made,) = snapshots({"cluster.yaml": SOURCES[source], "job.yaml": job(namespace="ml")}).values()
    assert made.settings.kubernetes == ("1.33" if source == "eksctl" else "1.33.2")
    assert not any("Kubernetes" in text for text in texts_of(made.settings.assumptions))


def test_a_version_that_says_more_agrees_with_one_that_says_less() -> None:
    files = {"a.yaml": SOURCES["eksctl"], "b.yaml": SOURCES["kubeadm"]}
    (made,) = snapshots(files).values()
    assert made.settings.kubernetes == "1.33.2"


def test_of_two_versions_neither_counts() -> None:
    files = {"a.yaml": SOURCES["kubeadm"], "b.yaml": SOURCES["k3s"].replace("1.33.2", "1.32.0")}
    (made,) = snapshots(files).values()
    assert made.settings.kubernetes == NEWEST_KUBERNETES
    (unknown,) = (each for each in made.unknowns if each.subject == "kubernetes of the cluster")
    assert "1.33.2" in unknown.missing
    assert "1.32.0" in unknown.missing


def test_what_trainlint_yaml_states_wins() -> None:
    (made,) = snapshots({"a.yaml": SOURCES["kubeadm"]}, Settings(kubernetes="1.30", kubernetes_stated=True)).values()
    assert made.settings.kubernetes == "1.30"
