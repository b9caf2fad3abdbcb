"""Policies that KubeRay makes of networkPolicy (networkpolicy_controller.go of ray-project/kuberay, 1.7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import knp, places, told

FLOW, DNS = "flow-denied", "dns-egress-blocked"
TO_DNS = (
    "[{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}, "
    "podSelector: {matchLabels: {k8s-app: %s}}}], ports: [{port: 53, protocol: UDP}, {port: 53}]}]"
)
OPERATOR = """---
apiVersion: apps/v1
kind: Deployment
metadata: {name: kuberay-operator, namespace: ray-system}
spec: {template: {spec: {containers: [{name: op, image: "quay.io/kuberay/operator:v%s"}]}}}
"""


def cluster(policy: str, kind: str = "RayCluster") -> str:
    """A Ray cluster of two groups; ``networkPolicy`` is line 7 in each kind."""
    field = {"RayJob": "rayClusterSpec", "RayService": "rayClusterConfig"}.get(kind, "")
    group = (
        "{groupName: %s, replicas: 2, minReplicas: 2, maxReplicas: 2, rayStartParams: {}, "
        'template: {spec: {containers: [{name: w, image: "rayproject/ray:2.49.0"}]}}}'
    )
    head = 'template: {spec: {containers: [{name: head, image: "rayproject/ray:2.49.0"}]}}'
    return (
        (
            f"apiVersion: ray.io/v1\nkind: {kind}\nmetadata: {{name: r, namespace: ml}}\nspec:\n"
            f"  {f'{field}:' if field else 'suspend: false'}\n"
            f'{"    " if field else "  "}rayVersion: "2.49.0"\n'
            + f"networkPolicy: {policy}\n".rjust(0)
            + f"headGroupSpec: {{rayStartParams: {{}}, {head}}}\n"
            + f"workerGroupSpecs: [{group % 'a'}, {group % 'b'}]\n"
        )
        .replace("\nnetworkPolicy", f"\n{'    ' if field else '  '}networkPolicy")
        .replace("\nheadGroupSpec", f"\n{'    ' if field else '  '}headGroupSpec")
        .replace("\nworkerGroupSpecs", f"\n{'    ' if field else '  '}workerGroupSpecs")
    )


def with_dns(label: str = "kube-dns") -> str:
    return f"{{mode: DenyAll, head: {{egressRules: {TO_DNS % label}}}, worker: {{egressRules: {TO_DNS % label}}}}}"


@pytest.mark.parametrize("kind", ["RayCluster", "RayJob", "RayService"])
@pytest.mark.parametrize(("policy", "count"), [("{}", 1), ("{mode: DenyAllIngress}", 0), (with_dns(), 0)])
def test_dns_is_not_among_what_the_operator_admits(tmp_path: Path, kind: str, policy: str, count: int) -> None:
    found = told(tmp_path, DNS, {"ray.yaml": cluster(policy, kind)})
    assert places(found) == ["ray.yaml:7"] * count
    assert all("mode DenyAll" in each.finding.message for each in found)


@pytest.mark.parametrize("kind", ["RayCluster", "RayJob", "RayService"])
@pytest.mark.parametrize("mode", ["DenyAll", "DenyAllIngress", "DenyAllEgress"])
def test_the_pods_of_one_cluster_and_the_submitter_reach_each_other(tmp_path: Path, kind: str, mode: str) -> None:
    text = with_dns().replace("DenyAll", mode)
    assert told(tmp_path, FLOW, {"ray.yaml": cluster(text, kind)}) == []


def test_an_entry_of_a_group_replaces_that_of_all_workers(tmp_path: Path) -> None:
    own = with_dns()[:-1] + ", workerGroups: [{groupName: b}]}"
    (found,) = told(tmp_path, DNS, {"ray.yaml": cluster(own)})
    assert "r/b" in "".join(each.role for each in found.finding.places)


def test_the_rule_that_the_user_wrote_is_named_where_it_stands(tmp_path: Path) -> None:
    (found,) = told(tmp_path, DNS, {"ray.yaml": cluster(with_dns("coredns"))})
    assert "asks for k8s-app=coredns" in found.finding.message
    assert found.finding.at.path[:4] == ("spec", "networkPolicy", "worker", "egressRules")


@pytest.mark.parametrize(("version", "count"), [("1.6.2", 0), ("1.7.0", 1)])
def test_older_operators_do_not_know_the_field(tmp_path: Path, version: str, count: int) -> None:
    assert len(told(tmp_path, DNS, {"ray.yaml": cluster("{}"), "op.yaml": OPERATOR % version})) == count


def test_clusters_whose_names_are_made_do_not_meet_each_others_policies(tmp_path: Path) -> None:
    other = cluster("{mode: DenyAll}", "RayService").replace("name: r,", "name: s,")
    files = {"one.yaml": cluster(with_dns(), "RayJob"), "two.yaml": other}
    assert places(told(tmp_path, DNS, files)) == ["two.yaml:7"]


def test_policies_of_people_beside_them_are_added(tmp_path: Path) -> None:
    dns = knp("  podSelector: {}\n  policyTypes: [Egress]\n  egress: " + TO_DNS % "kube-dns" + "\n")
    assert told(tmp_path, DNS, {"ray.yaml": cluster("{mode: DenyAll}"), "p.yaml": dns}) == []
