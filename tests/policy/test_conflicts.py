"""Entries that cannot be merged (P 1.4, C:pkg/policy/rule.go mergePortProto)."""

from __future__ import annotations

import pytest
from tests.policy.cluster import ask, ccnp, cnp, pod, read

from trainlint.model.policy import Permission
from trainlint.policy import address
from trainlint.wording.because import because_text

HTTP = "{ports: [{port: '8080', protocol: TCP}], rules: {http: [{method: GET}]}}"
DNS = "{ports: [{port: '8080', protocol: TCP}], rules: {dns: [{matchPattern: '*'}]}}"
TLS = "{ports: [{port: '8080', protocol: TCP}], serverNames: [a.example]}"
PLAIN = "{ports: [{port: '8080', protocol: TCP}]}"
RANGE = "{ports: [{port: '8080', endPort: 8090, protocol: TCP}], rules: {http: [{method: GET}]}}"


def listener(name: str, priority: int = 0, kind: str = "CiliumClusterwideEnvoyConfig") -> str:
    envoy = f"{{envoyConfig: {{kind: {kind}, name: e}}, name: {name}, priority: {priority}}}"
    return f"{{ports: [{{port: '8080', protocol: TCP}}], listener: {envoy}}}"


@pytest.mark.parametrize(
    ("one", "two", "problem"),
    [
        (HTTP, PLAIN, ""),
        (HTTP, HTTP, ""),
        (HTTP, DNS, "the parsers http and dns"),
        (DNS, TLS, "the parsers dns and tls"),
        (HTTP, TLS, "server names and layer-7 rules without TLS termination"),
        (TLS, PLAIN, ""),
        (RANGE, DNS, ""),
        (listener("l"), HTTP, "the parsers crd and http"),
        (listener("l"), listener("l"), ""),
        (listener("l", 1), listener("m", 2), ""),
        (listener("l", 1), listener("m", 1), "the listeners"),
    ],
)
def test_what_merges_and_what_does_not(one: str, two: str, problem: str) -> None:
    policies = read(cnp(f"{{endpointSelector: {{}}, egress: [{{toEndpoints: [{{}}], toPorts: [{one}, {two}]}}]}}"))
    assert policies.rejected == ()
    verdict = ask(policies, pod("a", "x"), pod("a", "y"))
    assert bool(verdict.egress.conflict) is bool(problem)
    assert problem in (because_text(verdict.egress.conflict) if verdict.egress.conflict else "")
    assert verdict.answer is (Permission.UNKNOWN if problem else Permission.ALLOW)


def test_rules_for_different_peers_do_not_meet() -> None:
    elements = ", ".join(
        f"{{toEndpoints: [{{matchLabels: {{app: {app}}}}}], toPorts: [{rule}]}}"
        for app, rule in zip("yz", (HTTP, DNS), strict=True)
    )
    policies = read(cnp(f"{{endpointSelector: {{}}, egress: [{elements}]}}"))
    assert ask(policies, pod("a", "x"), pod("a", "y")).answer is Permission.ALLOW


def test_a_conflict_spoils_the_whole_direction_and_not_the_other_one() -> None:
    policies = read(cnp(f"{{endpointSelector: {{}}, egress: [{{toEndpoints: [{{}}], toPorts: [{HTTP}, {DNS}]}}]}}"))
    assert ask(policies, pod("a", "x"), address("192.0.2.1"), 443).answer is Permission.UNKNOWN
    assert ask(policies, address("192.0.2.1"), pod("a", "x"), 443).answer is Permission.ALLOW


def test_a_namespaced_listener_of_a_clusterwide_policy_needs_a_pod_with_a_namespace() -> None:
    """P 10.8."""
    policies = read(
        ccnp(f"{{endpointSelector: {{}}, egress: [{{toPorts: [{listener('l', kind='CiliumEnvoyConfig')}]}}]}}")
    )
    assert ask(policies, pod("a", "x"), pod("a", "y")).answer is Permission.ALLOW
