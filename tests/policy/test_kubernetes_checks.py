"""What the API server refuses of a NetworkPolicy (kubernetes:pkg/apis/networking/validation), check by check."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.policy.cluster import cilium, knp, read
from tests.policy.test_rejections import dotted

RULE = "{podSelector: {}, ingress: [{%s}]}"
PORT = RULE % "ports: [{%s}]"
BLOCK = RULE % "from: [{ipBlock: {%s}}]"
AT = "spec.ingress.0"
# the function of upstream, the spec, and the place that is refused; empty where it is taken
CHECKS = [
    ("ValidateNetworkPolicySpec", "{podSelector: {matchLabels: {a b: c}}}", "spec.podSelector.matchLabels.a b"),
    ("ValidateNetworkPolicySpec", "{podSelector: {}, policyTypes: [ingress]}", "spec.policyTypes.0"),
    ("ValidateNetworkPolicySpec", "{podSelector: {}, policyTypes: [Egress, Ingress]}", ""),
    ("ValidateNetworkPolicySpec", "{podSelector: {}, policyTypes: [Egress, Ingress, Egress]}", "spec.policyTypes"),
    ("ValidateNetworkPolicyPort", PORT % "protocol: tcp", f"{AT}.ports.0.protocol"),
    ("ValidateNetworkPolicyPort", PORT % "protocol: SCTP, port: 1", ""),
    ("ValidateNetworkPolicyPort", PORT % "port: 0", f"{AT}.ports.0.port"),
    ("ValidateNetworkPolicyPort", PORT % "port: 65536", f"{AT}.ports.0.port"),
    ("ValidateNetworkPolicyPort", PORT % "port: '80'", f"{AT}.ports.0.port"),
    ("ValidateNetworkPolicyPort", PORT % "port: a-name-of-16-chr", f"{AT}.ports.0.port"),
    ("ValidateNetworkPolicyPort", PORT % "port: a-port", ""),
    ("ValidateNetworkPolicyPort", PORT % "port: 80, endPort: 79", f"{AT}.ports.0.endPort"),
    ("ValidateNetworkPolicyPort", PORT % "port: 80, endPort: 65536", f"{AT}.ports.0.endPort"),
    ("ValidateNetworkPolicyPort", PORT % "port: 80, endPort: 80", ""),
    ("ValidateNetworkPolicyPort", PORT % "port: http, endPort: 90", f"{AT}.ports.0.endPort"),
    ("ValidateNetworkPolicyPort", PORT % "endPort: 90", f"{AT}.ports.0.endPort"),
    ("ValidateNetworkPolicyPort", PORT % "port: '${PORT}', endPort: 90", ""),
    ("ValidateNetworkPolicyPeer", RULE % "from: [{}]", f"{AT}.from.0"),
    ("ValidateNetworkPolicyPeer", RULE % "from: [{podSelector: {}, namespaceSelector: {}}]", ""),
    (
        "ValidateNetworkPolicyPeer",
        RULE % "from: [{podSelector: {}, ipBlock: {cidr: 10.0.0.0/8}}]",
        f"{AT}.from.0.ipBlock",
    ),
    (
        "ValidateNetworkPolicyPeer",
        RULE % "from: [{namespaceSelector: {matchExpressions: [{key: a, operator: In}]}}]",
        f"{AT}.from.0.namespaceSelector.matchExpressions.0.values",
    ),
    ("ValidateIPBlock", BLOCK % "", f"{AT}.from.0.ipBlock.cidr"),
    ("ValidateIPBlock", BLOCK % "cidr: 10.0.0.1", f"{AT}.from.0.ipBlock.cidr"),
    ("ValidateIPBlock", BLOCK % "cidr: 10.0.0.0/8, except: [11.0.0.0/16]", f"{AT}.from.0.ipBlock.except.0"),
    ("ValidateIPBlock", BLOCK % "cidr: 10.0.0.0/8, except: [10.0.0.0/8]", f"{AT}.from.0.ipBlock.except.0"),
    ("ValidateIPBlock", BLOCK % "cidr: 10.0.0.0/8, except: [10.0.0.0/9]", ""),
    ("ValidateIPBlock", BLOCK % "cidr: 10.0.0.1/8", ""),
]


@pytest.mark.parametrize(("function", "spec", "place"), CHECKS)
def test_each_check_of_upstream(function: str, spec: str, place: str) -> None:
    assert function.startswith("Validate")
    found = [dotted(each.at.path) for each in read(knp(spec)).rejected if each.server]
    assert found == ([place] if place else [])


@pytest.mark.parametrize(
    ("metadata", "place"),
    [
        ("{name: p, namespace: a, labels: {a: b c}}", "metadata.labels.a"),
        ("{name: p, namespace: a, labels: {a b: c}}", "metadata.labels.a b"),
        ("{name: p, namespace: a, annotations: {a b: c}}", "metadata.annotations.a b"),
        ("{name: p, namespace: a, annotations: {Example.com/A: b c}, labels: {'${A}': b}}", ""),
        ("{name: P, namespace: a}", "metadata.name"),
    ],
)
def test_metadata(metadata: str, place: str) -> None:
    text = (
        f"{{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {metadata}, spec: {{podSelector: {{}}}}}}"
    )
    found = [dotted(each.at.path) for each in read(text).rejected]
    assert found == ([place] if place else [])


@pytest.mark.parametrize(
    ("kubernetes", "stated", "count"), [("1.36", True, 2), ("1.37.1", True, 2), ("1.35", True, 0), ("1.36", False, 0)]
)
def test_from_1_36_no_bits_may_stand_beyond_a_prefix(kubernetes: str, stated: bool, count: int) -> None:
    settings = replace(cilium(kubernetes=kubernetes), kubernetes_stated=stated)
    policy = knp(BLOCK % "cidr: 10.0.0.1/8, except: [10.1.0.1/16, 10.2.0.0/16]")
    assert len(read(policy, settings).rejected) == count
