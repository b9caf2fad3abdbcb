"""rejected-policy and policy-not-enforced: who refuses or ignores an object, and who stays silent (P 7.1, 3.2, 0.1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import CILIUM, JOB, cni, cnp, deployment, knp, places, told

from trainlint.engine import check

REJECTED = "rejected-policy"
UNENFORCED = "policy-not-enforced"
UNQUOTED = "unquoted-string"

CCNP = (
    "apiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {name: p}\n"
    "spec:\n  nodeSelector: {}\n  ingress: [{fromEntities: [cluster]}]\n"
)
ADMIN = (
    "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: %s\nmetadata: {name: default}\n"
    "spec: {priority: 1, subject: {namespaces: {}}}\n"
)
CLUSTER = (
    "apiVersion: policy.networking.k8s.io/v1alpha2\nkind: ClusterNetworkPolicy\nmetadata: {name: k}\n"
    "spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}\n"
)
OPEN = "  endpointSelector: {}\n  ingress: [{fromEndpoints: [{}]}]\n"


@pytest.mark.parametrize(
    ("text", "who", "line"),
    [
        (cnp("  endpointSelector: {}\n  ingress: [{fromEndpoints: [{}], fromEntities: [host]}]\n"), "Cilium", 6),
        (cnp("  endpointSelector: {}\n  ingress: [{toPorts: [{ports: [{port: 80}]}]}]\n"), "the API server", 6),
        (cnp("  endpointSelector: {}\n  ingress: {}\n"), "the API server", 6),
        (cnp("  endpointSelector: {}\n  ingress: [{fromEntities: [world-ipv4]}]\n"), "the API server", 6),
        (knp("  podSelector: {}\n  ingress: [{ports: [{port: http, endPort: 90}]}]\n"), "the API server", 6),
        (knp("  podSelector: {}\n  ingress: [{ports: 80}]\n"), "the API server", 6),
    ],
)
def test_who_refuses_is_named(tmp_path: Path, text: str, who: str, line: int) -> None:
    (found,) = told(tmp_path, REJECTED, {"p.yaml": text, "trainlint.yaml": CILIUM})
    assert found.finding.message.startswith(f"{who} refuses")
    assert places([found]) == [f"p.yaml:{line}"]


def test_a_wrong_type_says_what_the_field_is_and_must_be(tmp_path: Path) -> None:
    text = cnp("  endpointSelector: {}\n  ingress: [{toPorts: [{ports: [{port: 80}]}]}]\n")
    (found,) = told(tmp_path, REJECTED, {"p.yaml": text, "trainlint.yaml": CILIUM})
    assert found.finding.message.endswith("port must be a string, and this is a number")
    listed = cnp("  endpointSelector: {}\n  egress: [{toCIDR: [8]}]\n")
    (found,) = told(tmp_path, REJECTED, {"p.yaml": listed})
    assert found.finding.message.endswith("an element of toCIDR must be a string, and this is a number")


@pytest.mark.parametrize("value", ["y", "on", "no", "8"])
def test_a_label_that_only_lacks_quotes_has_one_root(tmp_path: Path, value: str) -> None:
    """Decision 1: unquoted-string names it, rejected-policy is silent for that field."""
    text = cnp(f"  endpointSelector: {{matchLabels: {{app: {value}}}}}\n  ingress: [{{}}]\n")
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    result = check([tmp_path])
    assert [(each.finding.rule, each.span.line) for each in result.findings] == [(UNQUOTED, 5)]


def test_another_field_of_the_same_object_is_still_refused(tmp_path: Path) -> None:
    text = cnp("  endpointSelector: {matchLabels: {app: y}}\n  ingress: {}\n")
    assert places(told(tmp_path, REJECTED, {"p.yaml": text})) == ["p.yaml:6"]


def test_every_field_that_is_refused_is_one_finding(tmp_path: Path) -> None:
    text = cnp("  endpointSelector: {}\n  ingress:\n    - fromEntities: [moon]\n    - fromCIDR: [10.0.0.0]\n")
    assert places(told(tmp_path, REJECTED, {"p.yaml": text, "trainlint.yaml": CILIUM})) == ["p.yaml:7", "p.yaml:8"]


@pytest.mark.parametrize("text", [cnp(OPEN), knp("  podSelector: {}\n"), CLUSTER.replace("Admin", "Baseline")])
def test_what_is_legal_is_silent(tmp_path: Path, text: str) -> None:
    settings = cni("cilium", "1.20", enable_k8s_cluster_network_policy="true")
    files = {"p.yaml": text, "trainlint.yaml": settings}
    assert told(tmp_path, REJECTED, files) == []
    assert told(tmp_path, UNENFORCED, {}) == []


def test_an_object_that_is_not_enforced_is_not_refused_as_well(tmp_path: Path) -> None:
    text = cnp("  endpointSelector: {}\n  ingress: {}\n")
    files = {"p.yaml": text, "trainlint.yaml": cni("calico")}
    assert told(tmp_path, REJECTED, files) == []
    assert places(told(tmp_path, UNENFORCED, {})) == ["p.yaml:1"]


@pytest.mark.parametrize(
    ("text", "settings", "line"),
    [
        (cnp(OPEN), cni("calico"), 1),
        (CCNP.replace("nodeSelector", "endpointSelector"), cni("antrea"), 1),
        (ADMIN % "AdminNetworkPolicy", CILIUM, 1),
        (ADMIN % "BaselineAdminNetworkPolicy", CILIUM, 1),
        (CLUSTER, CILIUM, 1),
        (CLUSTER, cni("cilium", "1.19", enable_k8s_cluster_network_policy="true"), 1),
        (CCNP, CILIUM, 5),
        (knp("  podSelector: {}\n"), cni("cilium", "1.20", enable_k8s_networkpolicy="false"), 1),
        (cnp(OPEN), cni("cilium", "1.20", enable_cilium_network_policy="false"), 1),
    ],
)
def test_what_nothing_enforces_here(tmp_path: Path, text: str, settings: str, line: int) -> None:
    found = told(tmp_path, UNENFORCED, {"p.yaml": text, "trainlint.yaml": settings})
    assert places(found) == [f"p.yaml:{line}"]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        (cnp(OPEN), CILIUM),
        (knp("  podSelector: {}\n"), cni("calico")),
        (CCNP, cni("cilium", "1.20", enable_host_firewall="true")),
        (CLUSTER, cni("cilium", "1.20", enable_k8s_cluster_network_policy="true")),
        (ADMIN % "AdminNetworkPolicy", cni("antrea")),
    ],
)
def test_what_something_enforces_is_silent(tmp_path: Path, text: str, settings: str) -> None:
    assert told(tmp_path, UNENFORCED, {"p.yaml": text, "trainlint.yaml": settings}) == []


@pytest.mark.parametrize("text", [cnp(OPEN), ADMIN % "AdminNetworkPolicy", CLUSTER, CCNP])
def test_where_no_plugin_is_stated_it_is_silent(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, UNENFORCED, {"p.yaml": text}) == []


def test_entries_that_cannot_be_merged_are_told_where_a_pod_has_both(tmp_path: Path) -> None:
    """P 1.4, 7.1: accepted, and then the endpoint's policy cannot be computed."""
    rule = "  endpointSelector: {}\n  ingress: [{fromEndpoints: [{}], authentication: {mode: %s}}]\n"
    files = {
        "p.yaml": cnp(rule % "required", name="p"),
        "q.yaml": cnp(rule % "disabled", name="q"),
        "web.yaml": deployment("web", "app: web"),
        "trainlint.yaml": CILIUM,
    }
    (found,) = told(tmp_path, REJECTED, files)
    assert places([found]) == ["q.yaml:6"]
    assert {each.file for each in found.related} == {"p.yaml", "web.yaml"}
    assert "ask for authentication required and disabled of the same peers" in found.finding.message
    (tmp_path / "web.yaml").unlink()
    assert told(tmp_path, REJECTED, {}) == []


def test_what_cannot_be_computed_leaves_the_group_unknown_with_the_reason(tmp_path: Path) -> None:
    rule = "  endpointSelector: {}\n  ingress: [{fromEndpoints: [{}], authentication: {mode: %s}}]\n"
    files = {"p.yaml": cnp(rule % "required", name="p"), "q.yaml": cnp(rule % "disabled", name="q"), "job.yaml": JOB}
    assert len(told(tmp_path, REJECTED, files)) == 1
    result = check([tmp_path])
    assert any("Cilium cannot compute a policy" in each.missing for each in result.unknowns)
