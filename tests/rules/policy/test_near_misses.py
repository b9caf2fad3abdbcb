"""One label, namespace or port that keeps an entry from admitting what a group needs (decision 13)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import JOB, cnp, deployment, knp, places, told

from trainlint.finding import Severity

FLOW, DNS, NOTHING = "flow-denied", "dns-egress-blocked", "policy-selects-nothing"
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n"
MASTER = JOB.replace("    Worker:\n      replicas: 2", "    Master:\n      replicas: 1").partition("    Master:")[2]
NAMED = JOB.replace("    Worker:", f"    Master:{MASTER}    Worker:")
TO_RANKS = "    - to: [{podSelector: {matchLabels: {app: train}}}]\n"


def dns(labels: str, namespace: str = "kube-system", port: int = 53) -> str:
    """The ranks may reach each other, and DNS by these labels (from line 10 on)."""
    return knp(
        "  podSelector: {matchLabels: {app: train}}\n  policyTypes: [Egress]\n  egress:\n"
        f"{TO_RANKS}    - to:\n"
        f"        - namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {namespace}}}}}\n"
        f"          podSelector: {{matchLabels: {{{labels}}}}}\n"
        f"      ports: [{{port: {port}, protocol: UDP}}, {{port: {port}, protocol: TCP}}]\n"
    )


@pytest.mark.parametrize(
    ("policy", "place", "words"),
    [
        (dns("k8s-app: coredns"), "p.yaml:11", "asks for k8s-app=coredns; the cluster's DNS has k8s-app=kube-dns"),
        (dns("k8s-app: kube-dns", "default"), "p.yaml:10", "the cluster's DNS is in namespace kube-system"),
        (dns("k8s-app: kube-dns", port=5353), "p.yaml:12", "lists UDP 5353, TCP 5353 and not UDP 53"),
    ],
)
def test_the_entry_that_misses_the_dns_is_named_first(tmp_path: Path, policy: str, place: str, words: str) -> None:
    (found,) = told(tmp_path, DNS, {"job.yaml": NAMED, "p.yaml": policy, "ns.yaml": NAMESPACE})
    assert places([found]) == [place]
    assert words in found.finding.message
    assert found.finding.message.startswith("NetworkPolicy ml/k ")


def test_a_policy_over_the_dns_pods_is_told_where_it_isolates_them(tmp_path: Path) -> None:
    shut = knp("  podSelector: {}\n  policyTypes: [Ingress]\n", name="shut", namespace="kube-system")
    (found,) = told(tmp_path, DNS, {"job.yaml": NAMED, "p.yaml": shut})
    assert found.finding.at.file == "p.yaml"
    assert "does not admit its pods to the cluster's DNS" in found.finding.message


def shut_and_open(selected: str, peer: str = "train") -> str:
    shut = knp("  podSelector: {}\n  policyTypes: [Ingress]\n", name="shut")
    opening = f"  podSelector: {{matchLabels: {{app: {selected}}}}}\n  policyTypes: [Ingress]\n"
    return f"{shut}---\n{opening_policy(opening, peer)}"


def opening_policy(head: str, peer: str) -> str:
    return knp(f"{head}  ingress: [{{from: [{{podSelector: {{matchLabels: {{app: {peer}}}}}}}]}}]\n", name="open")


def test_a_selector_one_letter_off_is_one_error_at_the_letter(tmp_path: Path) -> None:
    files = {"job.yaml": JOB, "p.yaml": shut_and_open("trian")}
    (found,) = told(tmp_path, NOTHING, files)
    assert places([found]) == ["p.yaml:12"]
    assert found.finding.severity is Severity.ERROR
    assert "ml/train" in found.finding.message
    assert told(tmp_path, FLOW, files) == []


@pytest.mark.parametrize(("selected", "peer"), [("trian", "other"), ("web", "train")])
def test_a_selector_whose_correction_would_not_help_is_not_the_cause(tmp_path: Path, selected: str, peer: str) -> None:
    files = {"job.yaml": JOB, "p.yaml": shut_and_open(selected, peer)}
    assert [each.finding.severity for each in told(tmp_path, NOTHING, files)] == [Severity.WARNING]
    assert len(told(tmp_path, FLOW, files)) == 1


@pytest.mark.parametrize(
    ("namespace", "selector"),
    [("kube-system", "{matchLabels: {k8s-app: kube-dns}}"), ("kube-system", "{matchLabels: {component: etcd}}")],
)
def test_pods_that_come_with_the_cluster_are_selected_though_git_does_not_hold_them(
    tmp_path: Path, namespace: str, selector: str
) -> None:
    policy = cnp(f"  endpointSelector: {selector}\n  ingress: [{{}}]\n", namespace=namespace)
    wide = policy.replace("CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy").replace(", namespace: ml", "")
    pods = deployment("agent", "app: agent", namespace)
    for text in (policy, wide.replace(f", namespace: {namespace}", "").replace("component: etcd", "k8s-app: x")):
        assert told(tmp_path, NOTHING, {"p.yaml": text, "pods.yaml": pods, "job.yaml": JOB}) == []
