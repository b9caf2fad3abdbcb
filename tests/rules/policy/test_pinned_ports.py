"""Ports that pods pin, peers over nodes, and pods whose node decides: what is known then (N 2.4, P 1.3, P 4)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import CILIUM, JOB, cni, cnp, knp, told
from tests.rules.policy.test_mesh_denies_flow import STORE

from trainlint.engine import check

PORTS, FLOW, CIDR, NODE = "collective-ports-blocked", "flow-denied", "cidr-never-matches-pods", "node-peer-is-not-pod"
SYSCTL = "          securityContext: {sysctls: [{name: net.ipv4.ip_local_port_range, value: 20000 20100}]}\n"
PINNED = JOB.replace("          containers:", f"{SYSCTL}          containers:")


def ranks(ports: str) -> str:
    own = "{podSelector: {matchLabels: {app: train}}}"
    return knp(f"  podSelector: {{matchLabels: {{app: train}}}}\n  ingress: [{{from: [{own}], ports: [{ports}]}}]\n")


@pytest.mark.parametrize(
    ("job", "ports", "count"),
    [
        (PINNED, "{port: 23456}, {port: 20000, endPort: 20100}", 0),
        (PINNED, "{port: 23456}, {port: 20000, endPort: 20099}", 1),
        (PINNED, "{port: 23456}, {port: 32768, endPort: 60999}", 1),
        (JOB, "{port: 23456}, {port: 20000, endPort: 20100}", 1),
    ],
)
def test_a_range_that_the_pods_pin_is_what_must_be_admitted(tmp_path: Path, job: str, ports: str, count: int) -> None:
    assert len(told(tmp_path, PORTS, {"job.yaml": job, "p.yaml": ranks(ports)})) == count


FIXED = "{node-manager-port: '6380', object-manager-port: '6381', min-worker-port: '10002', max-worker-port: '10100'}"


def ray(parameters: str) -> str:
    container = '{name: c, image: "rayproject/ray:2.49.0", resources: {limits: {nvidia.com/gpu: "1"}}}'
    pods = f"template: {{metadata: {{labels: {{app: train}}}}, spec: {{containers: [{container}]}}}}"
    return (
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: r, namespace: ml}\nspec:\n"
        f"  headGroupSpec: {{rayStartParams: {parameters}, {pods}}}\n"
        f"  workerGroupSpecs: [{{groupName: g, replicas: 2, minReplicas: 2, maxReplicas: 2, "
        f"rayStartParams: {parameters}, {pods}}}]\n"
    )


@pytest.mark.parametrize(
    ("parameters", "ports", "count"),
    [
        (FIXED, "{port: 6379, endPort: 6381}, {port: 10002, endPort: 10100}", 0),
        (FIXED, "{port: 6379}, {port: 10002, endPort: 10100}", 1),
        ("{}", "{port: 6379, endPort: 6381}, {port: 10002, endPort: 10100}", 1),
    ],
)
def test_ports_of_ray_may_all_be_fixed(tmp_path: Path, parameters: str, ports: str, count: int) -> None:
    files = {"ray.yaml": ray(parameters), "p.yaml": ranks(ports)}
    assert len(told(tmp_path, FLOW, files) + told(tmp_path, PORTS, files)) == count


def node(name: str, pods: str) -> str:
    return f"---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\nspec: {{podCIDR: {pods}}}\n"


NODES = node("a", "10.244.0.0/24") + node("b", "10.244.1.0/24")


@pytest.mark.parametrize(
    ("block", "count"),
    [
        ("{cidr: 10.244.0.0/16}", 1),
        ("{cidr: 10.244.1.0/24}", 1),
        ("{cidr: 10.244.0.0/16, except: [10.244.0.0/20]}", 0),
        ("{cidr: 10.0.0.0/8}", 0),
        ("{cidr: 0.0.0.0/0}", 0),
        ("{cidr: 192.168.0.0/16}", 0),
    ],
)
def test_an_ip_block_over_the_pods_of_all_nodes_matches_no_pod(tmp_path: Path, block: str, count: int) -> None:
    policy = knp(f"  podSelector: {{}}\n  ingress: [{{from: [{{ipBlock: {block}}}]}}]\n")
    assert len(told(tmp_path, CIDR, {"p.yaml": policy, "nodes.yaml": NODES, "trainlint.yaml": CILIUM})) == count


def test_a_cluster_network_policy_that_admits_nodes_and_denies_the_rest(tmp_path: Path) -> None:
    policy = """apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: nodes-only}
spec:
  tier: Admin
  priority: 10
  subject: {namespaces: {}}
  egress:
    - {action: Accept, to: [{nodes: {matchLabels: {gpu: "true"}}}]}
    - {action: Deny, to: [{namespaces: {}}]}
"""
    on = cni("cilium", "1.20", enable_node_selector_labels="true", enable_k8s_cluster_network_policy="true")
    found = told(tmp_path, NODE, {"p.yaml": policy, "job.yaml": JOB, "trainlint.yaml": on})
    assert [each.finding.at.path for each in found] == [("spec", "egress", 0, "to", 0)]


def test_an_unknown_group_names_what_is_unknown_where_the_node_decides(tmp_path: Path) -> None:
    network = "      hostNetwork: true\n      dnsPolicy: ClusterFirstWithHostNet\n"
    on_host = STORE.replace("restartPolicy: Never\n", f"restartPolicy: Never\n{network}")
    own_node = "  endpointSelector: {matchLabels: {app: store}}\n  ingress: [{fromEntities: [host]}]\n"
    (tmp_path / "job.yaml").write_text(on_host)
    (tmp_path / "p.yaml").write_text(cnp(own_node))
    (group,) = check([tmp_path]).groups
    assert any("-> store, TCP port 2379" in text and "node" in text for text in group.missing)
