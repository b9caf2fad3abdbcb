"""service-port-in-policy: by number and by name, ingress and egress (P 1.4, 6.44)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import cnp, knp, places, told

RULE = "service-port-in-policy"


def store(target: str = "2379", container: str = "containerPort: 2379", number: int = 80) -> str:
    """A Service of port 80 with this target, and its pods."""
    port = f"port: {number}, targetPort: {target}" if target else f"port: {number}"
    service = (
        "apiVersion: v1\nkind: Service\nmetadata: {name: store, namespace: ml}\n"
        f"spec: {{selector: {{app: store}}, ports: [{{{port}}}]}}\n"
    )
    pods = (
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: store, namespace: ml}\nspec:\n"
        "  selector: {matchLabels: {app: store}}\n  template:\n    metadata: {labels: {app: store}}\n"
        f'    spec: {{containers: [{{name: store, image: "registry.example/s:1", ports: [{{{container}}}]}}]}}\n'
    )
    return service + pods


def ingress(port: str, more: str = "") -> str:
    return knp(
        f"  podSelector: {{matchLabels: {{app: store}}}}\n  ingress:\n    - from: [{{podSelector: {{}}}}]\n"
        f"      ports: [{{port: {port}}}{more}]\n"
    )


def test_the_service_s_port_is_told_with_the_pods_own(tmp_path: Path) -> None:
    (found,) = told(tmp_path, RULE, {"store.yaml": store(), "p.yaml": ingress("80")})
    assert places([found]) == ["p.yaml:8"]
    assert found.finding.remedy == "list 2379"
    assert [each.file for each in found.related] == ["store.yaml"]


def test_a_target_by_name_is_looked_up_in_the_pods(tmp_path: Path) -> None:
    files = {"store.yaml": store("client", "name: client, containerPort: 2379"), "p.yaml": ingress("80")}
    (found,) = told(tmp_path, RULE, files)
    assert found.finding.evidence["pods listen on"] == 2379


@pytest.mark.parametrize(
    ("service", "policy"),
    [
        (store(), ingress("2379")),
        (store(), ingress("client")),
        (store(), ingress("80", ", {port: 2379}")),
        (store(""), ingress("80")),
        (store("80", "containerPort: 80"), ingress("80")),
        (store("2379", "containerPort: 80"), ingress("80")),
        (store("client", "containerPort: 2379"), ingress("80")),
        (store("client", "name: other, containerPort: 2379"), ingress("80")),
        (store(number=8080), ingress("80")),
    ],
    ids=[
        "own port",
        "own port by name",
        "both",
        "no target",
        "same",
        "listens there too",
        "no name",
        "other name",
        "-",
    ],
)
def test_where_the_listed_port_may_be_meant_it_is_silent(tmp_path: Path, service: str, policy: str) -> None:
    assert told(tmp_path, RULE, {"store.yaml": service, "p.yaml": policy}) == []


def test_pods_that_differ_in_what_a_name_means_are_silent(tmp_path: Path) -> None:
    other = (
        store("client", "name: client, containerPort: 4001")
        .partition("---\n")[2]
        .replace("name: store,", "name: s2,", 1)
    )
    files = {
        "store.yaml": store("client", "name: client, containerPort: 2379") + "---\n" + other,
        "p.yaml": ingress("80"),
    }
    assert told(tmp_path, RULE, files) == []


def test_egress_to_the_pods_is_told_and_egress_to_the_world_is_not(tmp_path: Path) -> None:
    to_pods = cnp(
        "  endpointSelector: {}\n  egress:\n    - toEndpoints: [{matchLabels: {app: store}}]\n"
        "      toPorts: [{ports: [{port: '80'}]}]\n"
    )
    to_world = to_pods.replace("toEndpoints: [{matchLabels: {app: store}}]", "toEntities: [world]")
    assert places(told(tmp_path, RULE, {"store.yaml": store(), "p.yaml": to_pods})) == ["p.yaml:8"]
    assert told(tmp_path, RULE, {"p.yaml": to_world}) == []


def test_a_range_that_holds_the_port_is_silent(tmp_path: Path) -> None:
    policy = ingress("80, endPort: 90")
    assert told(tmp_path, RULE, {"store.yaml": store(), "p.yaml": policy}) == []


def test_a_service_without_pods_in_git_or_of_another_namespace_is_silent(tmp_path: Path) -> None:
    service = store().partition("---")[0]
    assert told(tmp_path, RULE, {"store.yaml": service, "p.yaml": ingress("80")}) == []
    elsewhere = store().replace(
        "name: store, namespace: ml}\nspec: {selector", "name: store, namespace: web}\nspec: {selector"
    )
    assert told(tmp_path, RULE, {"store.yaml": elsewhere}) == []


def test_of_two_services_of_the_same_pods_one_may_lead_to_the_listed_port(tmp_path: Path) -> None:
    unnamed = store("8080", "name: metrics, containerPort: 9400")
    beside = (
        "---\napiVersion: v1\nkind: Service\nmetadata: {name: plain, namespace: ml}\n"
        "spec: {selector: {app: store}, ports: [{port: 80, targetPort: 80}]}\n"
    )
    assert len(told(tmp_path, RULE, {"store.yaml": unnamed, "p.yaml": ingress("80")})) == 1
    assert told(tmp_path, RULE, {"store.yaml": unnamed + beside, "p.yaml": ingress("80")}) == []


def test_a_port_of_another_protocol_is_not_that_of_the_service(tmp_path: Path) -> None:
    assert told(tmp_path, RULE, {"store.yaml": store(), "p.yaml": ingress("80, protocol: UDP")}) == []
