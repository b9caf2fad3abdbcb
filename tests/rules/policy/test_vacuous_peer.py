"""vacuous-peer: every list that is written and empty, and those that are not what they seem (P 1.3, 1.4, 7.2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import CILIUM, cni, cnp, knp, places, told

RULE = "vacuous-peer"
PORTS = "toPorts: [{ports: [{port: '80', protocol: TCP}]}]"


def policy(section: str, element: str, more: str = "") -> str:
    return cnp(f"  endpointSelector: {{matchLabels: {{app: train}}}}\n{more}  {section}:\n    - {{{element}}}\n")


def means(found: list[object]) -> str:
    (only,) = found
    return str(only.finding.evidence["means"])  # type: ignore[attr-defined]


@pytest.mark.parametrize("section", ["ingress", "ingressDeny", "egress", "egressDeny"])
@pytest.mark.parametrize("kind", ["Endpoints", "Entities", "CIDR", "CIDRSet"])
@pytest.mark.parametrize("ports", ["", PORTS])
def test_an_empty_list_of_peers_matches_no_peer_with_ports_and_without(
    tmp_path: Path, section: str, kind: str, ports: str
) -> None:
    way = "from" if section.startswith("ingress") else "to"
    element = ", ".join(filter(None, [f"{way}{kind}: []", ports]))
    found = told(tmp_path, RULE, {"p.yaml": policy(section, element), "trainlint.yaml": CILIUM})
    assert places(found) == ["p.yaml:7"]
    assert means(list(found)).startswith("no peer")


def test_an_empty_list_of_nodes_matches_no_peer_either(tmp_path: Path) -> None:
    settings = cni("cilium", "1.20", enable_node_selector_labels="true")
    found = told(tmp_path, RULE, {"p.yaml": policy("ingress", "fromNodes: []"), "trainlint.yaml": settings})
    assert means(list(found)).startswith("no peer")


@pytest.mark.parametrize("kind", ["toFQDNs", "toServices", "toGroups"])
def test_other_empty_lists_open_the_ports_to_every_peer(tmp_path: Path, kind: str) -> None:
    found = told(tmp_path, RULE, {"p.yaml": policy("egress", f"{kind}: [], {PORTS}"), "trainlint.yaml": CILIUM})
    assert means(list(found)) == "every peer on its ports"


@pytest.mark.parametrize("kind", ["toFQDNs", "toServices", "toGroups"])
def test_without_ports_they_match_no_peer(tmp_path: Path, kind: str) -> None:
    found = told(tmp_path, RULE, {"p.yaml": policy("egress", f"{kind}: []"), "trainlint.yaml": CILIUM})
    assert means(list(found)) == "no peer"


def test_an_empty_list_beside_peers_of_another_kind_still_matches_no_peer(tmp_path: Path) -> None:
    element = "fromEndpoints: [], fromEntities: [cluster]"
    found = told(tmp_path, RULE, {"p.yaml": policy("ingress", element), "trainlint.yaml": CILIUM})
    assert means(list(found)).startswith("no peer")


@pytest.mark.parametrize(
    ("ports", "meaning"),
    [
        ("toPorts: []", "every port"),
        ("toPorts: [{}]", "no port"),
        ("toPorts: [{ports: []}]", "no port"),
        ("icmps: [{}]", "no message type"),
        ("icmps: [{fields: []}]", "no message type"),
    ],
)
def test_lists_of_ports_that_name_none(tmp_path: Path, ports: str, meaning: str) -> None:
    element = f"fromEndpoints: [{{}}], {ports}"
    found = told(tmp_path, RULE, {"p.yaml": policy("ingress", element), "trainlint.yaml": CILIUM})
    assert means(list(found)).startswith(meaning)


@pytest.mark.parametrize(
    ("element", "meaning"),
    [("from: []", "every peer"), ("from: [{podSelector: {}}], ports: []", "every port")],
)
def test_empty_lists_of_a_network_policy_count_as_not_written(tmp_path: Path, element: str, meaning: str) -> None:
    text = knp(f"  podSelector: {{}}\n  ingress:\n    - {{{element}}}\n")
    found = told(tmp_path, RULE, {"p.yaml": text, "trainlint.yaml": CILIUM})
    assert places(found) == ["p.yaml:7"]
    assert means(list(found)).startswith(meaning)


def test_egress_lists_of_a_network_policy_are_read_alike(tmp_path: Path) -> None:
    text = knp("  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n    - {to: [], ports: []}\n")
    assert places(told(tmp_path, RULE, {"p.yaml": text})) == ["p.yaml:8", "p.yaml:8"]


@pytest.mark.parametrize(
    "text",
    [
        cnp("  endpointSelector: {}\n  ingress: [{}]\n"),
        cnp("  endpointSelector: {}\n  egress: [{}]\n"),
        cnp("  endpointSelector: {}\n  ingress: []\n  egress: [{toEntities: [all]}]\n"),
        cnp("  endpointSelector: {}\n  ingress: [{fromEndpoints: [{}]}]\n"),
        cnp("  endpointSelector: {}\n  ingress:\n    - fromEndpoints:\n      toPorts: [{ports: [{port: '80'}]}]\n"),
        knp("  podSelector: {}\n  policyTypes: [Ingress, Egress]\n"),
        knp("  podSelector: {}\n  ingress: []\n"),
        knp("  podSelector: {}\n  ingress: [{}]\n"),
    ],
)
def test_documented_ways_to_isolate_or_to_open_are_silent(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, RULE, {"p.yaml": text, "trainlint.yaml": CILIUM}) == []


def test_objects_that_are_not_in_force_are_silent(tmp_path: Path) -> None:
    assert (
        told(tmp_path, RULE, {"p.yaml": policy("ingress", "fromEndpoints: []"), "trainlint.yaml": cni("calico")}) == []
    )
    refused = policy("ingress", "fromEndpoints: []").replace("{app: train}", "{'bad key': x}")
    assert told(tmp_path, RULE, {"p.yaml": refused, "trainlint.yaml": CILIUM}) == []


def test_every_list_of_every_rule_of_specs_is_looked_at(tmp_path: Path) -> None:
    text = (
        "apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: p, namespace: ml}\nspecs:\n"
        "  - endpointSelector: {}\n    ingress:\n      - fromEndpoints: []\n"
        "  - endpointSelector: {}\n    egress:\n      - toCIDR: []\n"
    )
    assert places(told(tmp_path, RULE, {"p.yaml": text, "trainlint.yaml": CILIUM})) == ["p.yaml:10", "p.yaml:7"]
