"""What decided, what nearly did, and why it did not (P 0.3, 2.2, 2.4)."""

from __future__ import annotations

import pytest
from tests.policy.cluster import ccnp, cilium, cnp, knp, pod, read
from tests.unknown_values import unknown

from trainlint.model.policy import Direction, Permission
from trainlint.model.workload import PortRange
from trainlint.policy import Endpoint, address, entity
from trainlint.policy.explanation import Side, explain
from trainlint.policy.policyset import PolicySet
from trainlint.wording.misses import miss_text

RENDEZVOUS = cnp(
    """{endpointSelector: {matchLabels: {app: x}}, ingress: [
      {fromEndpoints: [{matchLabels: {app: y}}], toPorts: [{ports: [{port: "23456", protocol: TCP}]}]}]}"""
)


def ingress(
    policies: PolicySet, source: Endpoint, target: Endpoint, port: PortRange | int | None = 23456, protocol: str = "TCP"
) -> Side:
    ports = PortRange(port, port) if isinstance(port, int) else port
    return explain(policies, Direction.INGRESS, target, source, protocol, ports)


def egress(policies: PolicySet, source: Endpoint, target: Endpoint, port: int = 23456, protocol: str = "TCP") -> Side:
    return explain(policies, Direction.EGRESS, source, target, protocol, PortRange(port, port))


def texts(side: Side) -> list[list[str]]:
    return [[miss_text(each.reason) for each in miss.shortfalls] for miss in side.near]


def test_an_entry_that_misses_a_label_of_the_peer_is_near_and_says_which_label_there_is() -> None:
    side = ingress(read(RENDEZVOUS), pod("a", "w"), pod("a", "x"))
    assert texts(side) == [["asks for app=y; a/w has app=w"]]
    (miss,) = side.near
    assert miss.entry.at.path == ("spec", "ingress", 0)
    assert miss.shortfalls[0].at is not None
    assert miss.shortfalls[0].at.path == ("spec", "ingress", 0, "fromEndpoints", 0, "matchLabels", "app")


def test_an_entry_that_misses_the_port_says_what_it_lists() -> None:
    side = ingress(read(RENDEZVOUS), pod("a", "y"), pod("a", "x"), 8080)
    assert texts(side) == [["lists TCP 23456 and not TCP 8080"]]
    assert texts(ingress(read(RENDEZVOUS), pod("a", "y"), pod("a", "x"), None)) == [
        ["lists TCP 23456 and not every TCP port"]
    ]
    assert texts(ingress(read(RENDEZVOUS), pod("a", "y"), pod("a", "x"), 23456, "UDP")) == [
        ["lists TCP 23456 and not UDP 23456"]
    ]


def test_an_allowed_connection_has_no_near_misses_and_names_what_allows_it() -> None:
    side = ingress(read(RENDEZVOUS), pod("a", "y"), pod("a", "x"))
    assert side.decision.answer is Permission.ALLOW
    assert [entry.at.path for entry in side.decision.deciding] == [("spec", "ingress", 0)]
    assert side.near == ()


def test_an_entry_that_selects_other_pods_says_what_the_subject_lacks() -> None:
    closed = cnp("{endpointSelector: {}, ingress: [{}]}", name="closed")
    side = ingress(read(RENDEZVOUS + closed), pod("a", "y"), pod("a", "w"))
    assert ["asks for app=x; a/w has app=w"] in texts(side)
    missing = pod("a", labels={"role": "r"})
    assert ["asks for app=x; a/r has no app"] in texts(ingress(read(RENDEZVOUS + closed), pod("a", "y"), missing))


def test_an_entry_of_another_namespace_is_never_near() -> None:
    closed = cnp("{endpointSelector: {}, ingress: [{}]}", "b", "closed")
    side = ingress(read(RENDEZVOUS + closed), pod("a", "y"), pod("b", "x"))
    assert {miss.entry.namespace for miss in side.near} == {"b"}


def test_a_deny_that_wins_names_the_allow_that_it_overrules() -> None:
    guard = ccnp("{endpointSelector: {}, ingressDeny: [{fromEndpoints: [{matchLabels: {app: y}}]}]}", name="guard")
    side = ingress(read(RENDEZVOUS + guard), pod("a", "y"), pod("a", "x"))
    assert [str(entry.origin) for entry in side.decision.deciding] == ["CiliumClusterwideNetworkPolicy guard"]
    assert [str(entry.origin) for entry in side.overruled] == ["CiliumNetworkPolicy a/p"]
    assert side.near == ()


@pytest.mark.parametrize(
    ("peer", "source", "expected"),
    [
        ("fromEndpoints: [{}]", pod("b", "y"), "asks for the namespace a; b/y is in namespace b"),
        (
            "fromEndpoints: [{matchExpressions: [{key: app, operator: NotIn, values: [y, z]}]}]",
            pod("a", "y"),
            "asks for app not in (y, z); a/y has app=y",
        ),
        (
            "fromEndpoints: [{matchExpressions: [{key: app, operator: In, values: [v, w]}]}]",
            pod("a", "y"),
            "asks for app in (v, w); a/y has app=y",
        ),
        (
            "fromEndpoints: [{matchExpressions: [{key: role, operator: Exists}]}]",
            pod("a", "y"),
            "asks for any role; a/y has no role",
        ),
        (
            "fromEndpoints: [{matchExpressions: [{key: app, operator: DoesNotExist}]}]",
            pod("a", "y"),
            "asks for no app; a/y has app=y",
        ),
        (
            "fromEndpoints: [{matchLabels: {k8s:io.cilium.k8s.namespace.labels.team: infra}}]",
            pod("a", "y"),
            "asks for the namespace label team infra; a/y has the namespace label team=ml",
        ),
        (
            "fromEndpoints: [{matchLabels: {pod-template-hash: abc}}]",
            pod("a", "y", labels={"pod-template-hash": "abc"}),
            "asks for pod-template-hash=abc; Cilium leaves this label out of identities, so no endpoint has it",
        ),
        ("fromEntities: [world]", pod("a", "y"), "a/y is not in world"),
        ("fromEntities: [host]", address("192.0.2.1"), "192.0.2.1 is not in host"),
        ("fromCIDR: [10.0.0.0/8]", pod("a", "y"), "10.0.0.0/8 is about addresses outside the cluster, a/y is inside"),
        ("fromCIDR: [10.0.0.0/8]", address("192.0.2.1"), "192.0.2.1 is not in 10.0.0.0/8"),
        (
            "fromCIDRSet: [{cidr: 192.0.2.0/24, except: [192.0.2.0/28]}]",
            address("192.0.2.1"),
            "192.0.2.1 is not in 192.0.2.0/24 except 192.0.2.0/28",
        ),
        ("fromEndpoints: []", pod("a", "y"), "an empty list of peers matches no peer"),
        (
            "fromEndpoints: [{matchLabels: {app: w}}]",
            pod("a", "w", host_network=True),
            "names pods by their labels; policies see a/w as a node, whose identity has no labels of pods",
        ),
        (
            "fromEndpoints: [{matchLabels: {app: w}}]",
            address("192.0.2.1"),
            "names pods by their labels; 192.0.2.1 is no pod",
        ),
    ],
)
def test_why_a_peer_is_not_the_one_that_is_meant(peer: str, source: Endpoint, expected: str) -> None:
    side = ingress(read(cnp(f"{{endpointSelector: {{}}, ingress: [{{{peer}}}]}}")), source, pod("a", "x"))
    assert side.decision.answer is Permission.DENY
    assert any(expected in text for text in texts(side)[0])


def test_an_element_without_peer_and_port_matches_no_peer() -> None:
    side = ingress(read(cnp("{endpointSelector: {}, ingress: [{}]}")), pod("a", "y"), pod("a", "x"))
    assert texts(side) == [["neither a peer nor a port is written, which matches no peer"]]


def test_ports_that_name_nothing_and_names_that_are_not_declared() -> None:
    empty = cnp("{endpointSelector: {}, ingress: [{fromEndpoints: [{}], toPorts: [{ports: []}]}]}")
    assert texts(ingress(read(empty), pod("a", "y"), pod("a", "x"))) == [
        ["its port list names no port, which means none"]
    ]
    named = cnp("{endpointSelector: {}, ingress: [{fromEndpoints: [{}], toPorts: [{ports: [{port: nccl}]}]}]}")
    assert texts(ingress(read(named), pod("a", "y"), pod("a", "x"))) == [
        ["names the port nccl, which a/x does not declare"]
    ]
    declared = pod("a", "x", ports={"nccl": 5000})
    assert texts(ingress(read(named), pod("a", "y"), declared)) == [["lists TCP 5000 and not TCP 23456"]]


def test_the_closest_peer_of_an_element_speaks_for_it() -> None:
    near = "{matchLabels: {app: y, role: r}}, {matchLabels: {app: w, role: s, tier: t}}"
    side = ingress(
        read(cnp(f"{{endpointSelector: {{}}, ingress: [{{fromEndpoints: [{near}]}}]}}")),
        pod("a", "y"),
        pod("a", "x"),
    )
    assert texts(side) == [["asks for role=r; a/y has no role"]]


def test_what_is_not_known_may_match_and_comes_first() -> None:
    policies = read(
        cnp("{endpointSelector: {}, ingress: [{fromEndpoints: [{matchLabels: {app: w}}]}]}")
        + cnp("{endpointSelector: {}, ingress: [{fromEndpoints: [{matchLabels: {job: j}}]}]}", name="q")
    )
    source = pod("a", "y", labels={"job": unknown("the controller makes it up")})
    side = ingress(policies, source, pod("a", "x"))
    assert side.decision.answer is Permission.UNKNOWN
    first = side.near[0]
    assert str(first.entry.origin) == "CiliumNetworkPolicy a/q"
    assert [(each.certain, miss_text(each.reason)) for each in first.shortfalls] == [
        (False, "asks for job=j; whether a/y has it is not known: the controller makes it up")
    ]


def test_names_of_services_and_dns_names_are_near_with_their_reason() -> None:
    side = egress(
        read(cnp("{endpointSelector: {}, egress: [{toFQDNs: [{matchName: example.com}]}]}")),
        pod("a", "y"),
        address("192.0.2.1"),
    )
    assert side.decision.answer is Permission.UNKNOWN
    assert "only known in the cluster" in texts(side)[0][0]
    assert not side.near[0].shortfalls[0].certain


def test_what_another_entry_requires_of_all_peers_is_a_reason_of_its_own() -> None:
    """P 1.3: in Cilium 1.18 fromRequires is asked of the endpoint peers of every entry."""
    old = cilium("1.18")
    policies = read(
        cnp(
            """{endpointSelector: {}, ingress: [{fromEndpoints: [{matchLabels: {app: y}}]},
                {fromRequires: [{matchLabels: {team: ml}}]}]}"""
        ),
        old,
    )
    side = ingress(policies, pod("a", "y", old), pod("a", "x", old))
    assert side.decision.answer is Permission.DENY
    assert ["a/y does not meet what another entry requires of all peers"] in texts(side)


def test_no_policy_covers_what_lies_outside_or_a_node_without_the_host_firewall() -> None:
    policies = read(RENDEZVOUS)
    for end in (address("192.0.2.1"), entity("world", cilium()), pod("a", "w", host_network=True)):
        side = egress(policies, end, pod("a", "x"))
        assert not side.policed
        assert side.decision.answer is Permission.ALLOW


def test_a_network_policy_of_another_plugin_is_explained_alike() -> None:
    closed = knp(
        "{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {team: ml}}}], ports: [{port: 80}]}]}"
    )
    side = ingress(read(closed), pod("c", "y"), pod("a", "x"), 80)
    assert texts(side) == [["asks for the namespace label team ml; c/y has no namespace label team"]]


def test_entries_far_away_are_counted_and_not_told() -> None:
    elements = ", ".join(f"{{fromEndpoints: [{{matchLabels: {{app: peer-{number}}}}}]}}" for number in range(9))
    side = ingress(read(cnp(f"{{endpointSelector: {{}}, ingress: [{elements}]}}")), pod("a", "y"), pod("a", "x"))
    assert len(side.near) == 5
    assert side.more == 4
