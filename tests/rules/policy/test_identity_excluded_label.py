"""identity-excluded-label: per version and option of Cilium (P 2.4, 5.1, 6.37 to 6.39, 6.68)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import CILIUM, cni, cnp, knp, places, told

RULE = "identity-excluded-label"
ZONE = "topology.kubernetes.io/zone"
INDEX = "batch.kubernetes.io/job-completion-index"


def peer(label: str, operator: str = "") -> str:
    if operator:
        values = ", values: [v]" if operator.endswith("In") else ""
        expression = f"{{key: {label}, operator: {operator}{values}}}"
        selector = f"{{matchExpressions: [{expression}]}}"
    else:
        selector = f"{{matchLabels: {{{label}: v}}}}"
    return cnp(f"  endpointSelector: {{}}\n  ingress:\n    - fromEndpoints: [{selector}]\n")


@pytest.mark.parametrize(
    "label",
    [
        INDEX,
        "apps.kubernetes.io/pod-index",
        "statefulset.kubernetes.io/pod-name",
        "batch.kubernetes.io/controller-uid",
        "controller-uid",
        "pod-template-hash",
        "controller-revision-hash",
        "pod-template-generation",
        "kubernetes.io/hostname",
        "beta.kubernetes.io/arch",
        "topology.kubernetes.io/region",
        "k8s:pod-template-hash",
        "any:pod-template-hash",
    ],
)
def test_a_peer_by_a_label_that_is_dropped_is_told(tmp_path: Path, label: str) -> None:
    (found,) = told(tmp_path, RULE, {"p.yaml": peer(label), "trainlint.yaml": CILIUM})
    assert places([found]) == ["p.yaml:7"]
    assert "matches no pod" in found.finding.message


@pytest.mark.parametrize(
    "label",
    [
        "app",
        "job-name",
        "batch.kubernetes.io/job-name",
        "app.kubernetes.io/name",
        "training.kubeflow.org/job-name",
        "jobset.sigs.k8s.io/jobset-name",
        "leaderworkerset.sigs.k8s.io/name",
        "kueue.x-k8s.io/queue-name",
        "node.kubernetes.io/instance-type",
        "io.kubernetes.pod.namespace",
        f"k8s:io.cilium.k8s.namespace.labels.{ZONE}",
        "reserved:host",
    ],
)
def test_a_label_that_is_kept_is_silent(tmp_path: Path, label: str) -> None:
    assert told(tmp_path, RULE, {"p.yaml": peer(label), "trainlint.yaml": CILIUM}) == []


@pytest.mark.parametrize(
    ("version", "telling"), [("1.18.6", False), ("1.18.7", True), ("1.18", True), ("1.19.0", True), ("1.20", True)]
)
def test_zones_are_dropped_from_1_18_7_on(tmp_path: Path, version: str, telling: bool) -> None:
    found = told(tmp_path, RULE, {"p.yaml": peer(ZONE), "trainlint.yaml": cni("cilium", version)})
    assert bool(found) is telling


def test_without_a_stated_version_the_newest_counts_and_is_assumed(tmp_path: Path) -> None:
    assert places(told(tmp_path, RULE, {"p.yaml": peer(ZONE)})) == ["p.yaml:7"]


@pytest.mark.parametrize(
    ("labels", "label", "telling"),
    [
        (r"topology\.kubernetes\.io/zone", ZONE, False),
        (r"topology\.kubernetes\.io/zone", "app", True),  # One include makes it a whitelist.
        ("k8s:app", "app", False),
        ("k8s:app", "team", True),
        ("!team", "team", True),
        ("!team", "app", False),
        (r"!job-name app\.kubernetes\.io", "job-name", True),
    ],
)
def test_the_option_labels_adds_includes_and_ignores(tmp_path: Path, labels: str, label: str, telling: bool) -> None:
    escaped = labels.replace("\\", "\\\\")
    files = {"p.yaml": peer(label), "trainlint.yaml": cni("cilium", "1.20", labels=escaped)}
    assert bool(told(tmp_path, RULE, files)) is telling


@pytest.mark.parametrize("operator", ["NotIn", "DoesNotExist"])
def test_a_negative_requirement_always_holds(tmp_path: Path, operator: str) -> None:
    (found,) = told(tmp_path, RULE, {"p.yaml": peer("pod-template-hash", operator), "trainlint.yaml": CILIUM})
    assert "always holds" in found.finding.message


@pytest.mark.parametrize("operator", ["In", "Exists"])
def test_a_positive_requirement_never_holds(tmp_path: Path, operator: str) -> None:
    (found,) = told(tmp_path, RULE, {"p.yaml": peer("pod-template-hash", operator), "trainlint.yaml": CILIUM})
    assert "matches no pod" in found.finding.message


def test_a_subject_by_such_a_label_selects_nothing_and_only_this_rule_says_so(tmp_path: Path) -> None:
    policy = cnp(f"  endpointSelector:\n    matchLabels:\n      {INDEX}: '0'\n  ingress: [{{}}]\n")
    (found,) = told(tmp_path, RULE, {"p.yaml": policy, "trainlint.yaml": CILIUM})
    assert places([found]) == ["p.yaml:7"]
    assert "selects no pod" in found.finding.message
    assert told(tmp_path, "policy-selects-nothing", {}) == []


def test_network_policies_lose_the_same_labels_under_cilium(tmp_path: Path) -> None:
    policy = knp(f"  podSelector: {{matchLabels: {{{INDEX}: '0'}}}}\n  ingress: []\n")
    assert places(told(tmp_path, RULE, {"p.yaml": policy, "trainlint.yaml": CILIUM})) == ["p.yaml:5"]


@pytest.mark.parametrize("plugin", ["calico", "antrea", "ovn-kubernetes"])
def test_other_plugins_see_every_label(tmp_path: Path, plugin: str) -> None:
    policy = knp(f"  podSelector: {{matchLabels: {{{INDEX}: '0'}}}}\n  ingress: []\n")
    assert told(tmp_path, RULE, {"p.yaml": policy, "trainlint.yaml": cni(plugin)}) == []


def test_network_policies_alone_do_not_make_it_cilium(tmp_path: Path) -> None:
    assert told(tmp_path, RULE, {"p.yaml": knp(f"  podSelector: {{matchLabels: {{{INDEX}: '0'}}}}\n")}) == []


def test_policies_of_nodes_are_selected_by_other_labels(tmp_path: Path) -> None:
    policy = (
        "apiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {name: p}\n"
        "spec:\n  nodeSelector: {matchLabels: {pod-template-hash: x}}\n  ingress: [{}]\n"
    )
    settings = cni("cilium", "1.20", enable_host_firewall="true")
    assert told(tmp_path, RULE, {"p.yaml": policy, "trainlint.yaml": settings}) == []


def test_one_policy_and_label_is_one_finding(tmp_path: Path) -> None:
    element = f"    - fromEndpoints: [{{matchLabels: {{{INDEX}: '0'}}}}]\n"
    policy = cnp(f"  endpointSelector: {{}}\n  ingress:\n{element}{element}")
    assert len(told(tmp_path, RULE, {"p.yaml": policy, "trainlint.yaml": CILIUM})) == 1


def test_a_refused_object_has_no_entries_to_speak_of(tmp_path: Path) -> None:
    policy = peer(INDEX) + "    - fromEntities: [moon]\n"
    assert told(tmp_path, RULE, {"p.yaml": policy, "trainlint.yaml": CILIUM}) == []
