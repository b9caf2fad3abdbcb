"""cidr-never-matches-pods: ranges of the cluster, exceptions, options (P 1.3, 5.5)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import CILIUM, cni, cnp, knp, places, told

RULE = "cidr-never-matches-pods"
KUBEADM = (
    "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
    "networking: {podSubnet: '10.244.0.0/16,fd00:10::/56'}\n"
)
KIND = "apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\nnetworking: {podSubnet: 10.244.0.0/16}\n"
CONFIG = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cilium-config, namespace: kube-system}\n"
    "data: {cluster-pool-ipv4-cidr: 10.244.0.0/16}\n"
)
NODE = (
    "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {podCIDR: 10.244.1.0/24}\n"
    "status: {addresses: [{type: InternalIP, address: 192.168.7.1}, {type: ExternalIP, address: 203.0.113.9}]}\n"
)


def policy(prefix: str, way: str = "from") -> str:
    section = "ingress" if way == "from" else "egress"
    return cnp(f"  endpointSelector: {{}}\n  {section}:\n    - {way}CIDR:\n        - {prefix}\n")


@pytest.mark.parametrize("source", [KUBEADM, KIND])
@pytest.mark.parametrize("way", ["from", "to"])
@pytest.mark.parametrize("prefix", ["10.244.0.0/16", "10.244.3.0/24", "10.244.3.7/32"])
def test_a_peer_inside_the_pod_subnet_is_told_in_both_directions(
    tmp_path: Path, source: str, way: str, prefix: str
) -> None:
    files = {"cluster.yaml": source, "p.yaml": policy(prefix, way), "trainlint.yaml": CILIUM}
    (found,) = told(tmp_path, RULE, files)
    assert places([found]) == ["p.yaml:8"]
    assert [each.file for each in found.related] == ["cluster.yaml"]


def test_the_configuration_of_cilium_names_the_subnet_too(tmp_path: Path) -> None:
    files = {"cilium.yaml": CONFIG, "p.yaml": policy("10.244.3.0/24"), "trainlint.yaml": CILIUM}
    assert places(told(tmp_path, RULE, files)) == ["p.yaml:8"]


@pytest.mark.parametrize(
    ("prefix", "telling"),
    [
        ("10.244.1.0/24", True),
        ("192.168.7.1/32", True),
        ("203.0.113.9/32", False),
        ("192.168.7.0/24", False),
        ("10.244.2.0/24", False),
    ],
)
def test_addresses_of_nodes_and_their_pod_ranges_count(tmp_path: Path, prefix: str, telling: bool) -> None:
    files = {"node.yaml": NODE, "p.yaml": policy(prefix), "trainlint.yaml": CILIUM}
    assert bool(told(tmp_path, RULE, files)) is telling


def test_a_second_family_of_the_subnet_counts(tmp_path: Path) -> None:
    files = {"cluster.yaml": KUBEADM, "p.yaml": policy("'fd00:10:0:1::/64'"), "trainlint.yaml": CILIUM}
    assert places(told(tmp_path, RULE, files)) == ["p.yaml:8"]


@pytest.mark.parametrize("prefix", ["10.0.0.0/8", "0.0.0.0/0", "10.245.0.0/16", "203.0.113.0/24"])
def test_a_range_that_holds_more_than_the_cluster_is_silent(tmp_path: Path, prefix: str) -> None:
    files = {"cluster.yaml": KUBEADM, "p.yaml": policy(prefix), "trainlint.yaml": CILIUM}
    assert told(tmp_path, RULE, files) == []


def test_an_exception_inside_the_subnet_is_silent(tmp_path: Path) -> None:
    """`except` carves the cluster out of the world, which is what it is for."""
    text = cnp("  endpointSelector: {}\n  egress:\n    - toCIDRSet: [{cidr: 10.0.0.0/8, except: [10.244.0.0/16]}]\n")
    assert told(tmp_path, RULE, {"cluster.yaml": KUBEADM, "p.yaml": text, "trainlint.yaml": CILIUM}) == []


def test_a_set_inside_the_subnet_is_told_with_its_exceptions(tmp_path: Path) -> None:
    text = cnp("  endpointSelector: {}\n  egress:\n    - toCIDRSet: [{cidr: 10.244.0.0/20, except: [10.244.1.0/24]}]\n")
    files = {"cluster.yaml": KUBEADM, "p.yaml": text, "trainlint.yaml": CILIUM}
    assert places(told(tmp_path, RULE, files)) == ["p.yaml:7"]


def test_ip_blocks_of_network_policies_count_under_cilium(tmp_path: Path) -> None:
    text = knp("  podSelector: {}\n  ingress:\n    - from: [{ipBlock: {cidr: 10.244.0.0/16}}]\n")
    assert places(told(tmp_path, RULE, {"cluster.yaml": KUBEADM, "p.yaml": text, "trainlint.yaml": CILIUM})) == [
        "p.yaml:7"
    ]


@pytest.mark.parametrize("plugin", ["calico", "antrea"])
def test_other_plugins_are_silent(tmp_path: Path, plugin: str) -> None:
    text = knp("  podSelector: {}\n  ingress:\n    - from: [{ipBlock: {cidr: 10.244.0.0/16}}]\n")
    assert told(tmp_path, RULE, {"cluster.yaml": KUBEADM, "p.yaml": text, "trainlint.yaml": cni(plugin)}) == []


@pytest.mark.parametrize("mode", ["nodes", "pods", "nodes pods"])
def test_the_match_mode_makes_it_silent(tmp_path: Path, mode: str) -> None:
    settings = cni("cilium", "1.20", policy_cidr_match_mode=mode)
    files = {"cluster.yaml": KUBEADM, "p.yaml": policy("10.244.0.0/16"), "trainlint.yaml": settings}
    assert told(tmp_path, RULE, files) == []


def test_without_a_manifest_that_names_the_ranges_it_is_silent(tmp_path: Path) -> None:
    assert told(tmp_path, RULE, {"p.yaml": policy("10.244.0.0/16"), "trainlint.yaml": CILIUM}) == []


def test_placeholders_are_silent(tmp_path: Path) -> None:
    files = {"cluster.yaml": KUBEADM, "p.yaml": policy("'${POD_CIDR}'"), "trainlint.yaml": CILIUM}
    assert told(tmp_path, RULE, files) == []
