"""host-network-escapes-policy and node-peer-is-not-pod (P 4, 1.3, 6.24 to 6.27, 6.60)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import CILIUM, JOB, cni, cnp, deployment, knp, places, told

HOST = "host-network-escapes-policy"
NODE = "node-peer-is-not-pod"
HEAD = deployment("head", "app: head", spec=", hostNetwork: true")
WORKER = deployment("worker", "app: worker")
NODES = cni("cilium", "1.20", enable_node_selector_labels="true")


def from_app(app: str) -> str:
    return cnp(
        f"  endpointSelector: {{matchLabels: {{app: worker}}}}\n  ingress:\n"
        f"    - fromEndpoints: [{{matchLabels: {{app: {app}}}}}]\n"
    )


def test_a_peer_that_names_pods_on_the_host_network_is_told(tmp_path: Path) -> None:
    (found,) = told(tmp_path, HOST, {"w.yaml": HEAD + WORKER, "p.yaml": from_app("head"), "trainlint.yaml": CILIUM})
    assert places([found]) == ["p.yaml:7"]
    assert "does not match them" in found.finding.message


@pytest.mark.parametrize(
    "text",
    [
        cnp("  endpointSelector: {matchLabels: {app: head}}\n  ingress: [{}]\n"),
        knp("  podSelector: {matchLabels: {app: head}}\n  ingress: []\n"),
    ],
)
def test_a_subject_on_the_host_network_is_told_because_nothing_is_isolated(tmp_path: Path, text: str) -> None:
    (found,) = told(tmp_path, HOST, {"w.yaml": HEAD + WORKER, "p.yaml": text})
    assert places([found]) == ["p.yaml:5"]
    assert "isolates no pod" in found.finding.message


def test_a_selector_that_also_names_pods_on_the_pod_network_is_silent(tmp_path: Path) -> None:
    text = from_app("head").replace("matchLabels: {app: head}", "matchExpressions: [{key: app, operator: Exists}]")
    assert told(tmp_path, HOST, {"w.yaml": HEAD + WORKER, "p.yaml": text}) == []


@pytest.mark.parametrize(
    "peer", ["fromEntities: [host, remote-node]", "fromEndpoints: [{}]", "fromEntities: [cluster]"]
)
def test_peers_that_do_not_name_the_pods_are_silent(tmp_path: Path, peer: str) -> None:
    text = from_app("head").replace("fromEndpoints: [{matchLabels: {app: head}}]", peer)
    assert told(tmp_path, HOST, {"w.yaml": HEAD + WORKER, "p.yaml": text}) == []


def test_pods_of_another_namespace_are_not_the_subject(tmp_path: Path) -> None:
    text = cnp("  endpointSelector: {matchLabels: {app: head}}\n  ingress: [{}]\n", namespace="web")
    assert told(tmp_path, HOST, {"w.yaml": HEAD + WORKER, "p.yaml": text}) == []


def test_policies_that_an_operator_makes_are_silent(tmp_path: Path) -> None:
    """An MPIJob or RayCluster brings its own, which Git cannot repair. Here: none is written at all."""
    assert told(tmp_path, HOST, {"w.yaml": HEAD + WORKER}) == []


RANKS = "{matchLabels: {training.kubeflow.org/job-name: train}}"


def node_policy(peers: str) -> str:
    return cnp(f"  endpointSelector: {RANKS}\n  ingress:\n{peers}")


def test_a_node_peer_that_leaves_the_ranks_out_is_told(tmp_path: Path) -> None:
    text = node_policy("    - fromNodes:\n        - matchLabels: {gpu: 'true'}\n")
    found = told(tmp_path, NODE, {"job.yaml": JOB, "p.yaml": text, "trainlint.yaml": NODES})
    assert places(found) == ["p.yaml:8"]


@pytest.mark.parametrize(
    "peers",
    [
        f"    - fromNodes: [{{matchLabels: {{gpu: 'true'}}}}]\n    - fromEndpoints: [{RANKS}]\n",
        f"    - fromEndpoints: [{RANKS}]\n",
        "    - fromEntities: [cluster]\n    - fromNodes: [{}]\n",
    ],
)
def test_where_the_ranks_are_admitted_otherwise_a_node_peer_is_silent(tmp_path: Path, peers: str) -> None:
    assert told(tmp_path, NODE, {"job.yaml": JOB, "p.yaml": node_policy(peers), "trainlint.yaml": NODES}) == []


def test_without_a_group_that_needs_the_connection_a_node_peer_is_silent(tmp_path: Path) -> None:
    text = node_policy("    - fromNodes: [{matchLabels: {gpu: 'true'}}]\n").replace(RANKS, "{}")
    assert told(tmp_path, NODE, {"w.yaml": WORKER, "p.yaml": text, "trainlint.yaml": NODES}) == []


def test_ranks_on_the_host_network_are_the_nodes_that_are_meant(tmp_path: Path) -> None:
    text = node_policy("    - fromNodes: [{matchLabels: {gpu: 'true'}}]\n")
    job = JOB.replace("spec:\n          containers", "spec:\n          hostNetwork: true\n          containers")
    assert told(tmp_path, NODE, {"job.yaml": job, "p.yaml": text, "trainlint.yaml": NODES}) == []


LAUNCHED = """---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    metadata: {labels: {part-of: train}}
    spec:
      hostNetwork: true
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          command: [torchrun, --nnodes=2, --rdzv-backend=etcd-v2, "--rdzv-endpoint=store.ml.svc:2379", x.py]
          resources: {limits: {nvidia.com/gpu: "1"}}
---
apiVersion: v1
kind: Service
metadata: {name: store, namespace: ml}
spec: {selector: {part-of: train, app: store}, ports: [{port: 2379}]}
"""


@pytest.mark.parametrize(("ranks", "count"), [(LAUNCHED, 1), (LAUNCHED.replace("hostNetwork: true", "hostname: h"), 0)])
def test_members_of_a_group_on_the_host_network_are_told_beside_others(tmp_path: Path, ranks: str, count: int) -> None:
    store = deployment("store", "part-of: train, app: store")
    peers = "{podSelector: {matchLabels: {part-of: train}}}"
    policy = knp(f"  podSelector: {{matchLabels: {{app: store}}}}\n  ingress: [{{from: [{peers}]}}]\n")
    found = told(tmp_path, HOST, {"job.yaml": ranks + store, "p.yaml": policy})
    assert len(found) == count
    assert all("does not match them" in each.finding.message for each in found)
