"""The surprises of the specification (P 6), in the recordings or here, and what the product makes of the recorded ones.

README.md lists where each of them is tested.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.conformance.policy import Cluster, read_cases
from tests.policy.cluster import ask, cilium, cnp, knp, pod, read

from trainlint.model.policy import Decision, Permission
from trainlint.policy import address, entity
from trainlint.wording.because import because_text

ALLOW, DENY, UNKNOWN = Permission.ALLOW, Permission.DENY, Permission.UNKNOWN

RECORDINGS = sorted((Path(__file__).parents[1] / "conformance" / "data" / "policy").glob("*-surprise.jsonl.gz"))
SURPRISES = 69
NOT_RECORDED = {5, 57, 58}
"""What no policy map shows: connection tracking, interfaces that the agent does not see, a pod's traffic to itself."""


def test_every_surprise_is_recorded_or_cannot_be() -> None:
    tags = {tag for path in RECORDINGS for case in read_cases(path) for tag in case["tags"]}
    recorded = {int(tag.removeprefix("surprise-")) for tag in tags if re.fullmatch(r"surprise-\d+", tag)}
    assert recorded == set(range(1, SURPRISES + 1)) - NOT_RECORDED


def test_what_is_not_recorded_has_a_test_that_names_it() -> None:
    here = Path(__file__).parent
    text = "\n".join(path.read_text(encoding="utf-8") for path in here.glob("test_*.py"))
    named = {int(number) for number in re.findall(r"\b6\.(\d+)\b", text)}
    assert named >= NOT_RECORDED


def answer(decision: Decision) -> str:
    return "error" if decision.conflict else str(decision.answer)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name.partition("-")[0])
def test_the_product_contradicts_a_recorded_verdict_only_where_the_cluster_does_more_than_the_engine(
    path: Path,
) -> None:
    """It may know less, the API server may refuse the object, and authentication that is off blocks (P 6.67)."""
    for case in read_cases(path):
        cluster = Cluster(case, bare_engine=False)
        refused = any(not each.engine for each in cluster.policies.rejected)
        for query in case["queries"]:
            verdict = cluster.verdict(query)
            for side, decision in (("egress", verdict.egress), ("ingress", verdict.ingress)):
                blocked = any(entry.authentication for entry in decision.deciding)
                assert answer(decision) in (query[side], "unknown") or refused or blocked, (case["id"], query)


def test_a_service_that_matches_none_opens_its_ports_to_everyone_which_only_a_whole_repository_shows() -> None:
    """P 6.12: where the Service is not in Git, it is not known whether it is in the cluster."""
    rule = cnp(
        """{endpointSelector: {}, egress: [{toServices: [{k8sService: {serviceName: s, namespace: b}}],
            toPorts: [{ports: [{port: "443", protocol: TCP}]}]}]}"""
    )
    assert ask(read(rule), pod("a", "x"), address("192.0.2.1"), 443).answer is UNKNOWN
    assert ask(read(rule, bare_engine=True), pod("a", "x"), address("192.0.2.1"), 443).answer is ALLOW


@pytest.mark.parametrize(
    ("version", "expected"), [("1.18", DENY), ("1.19.0", ALLOW), ("1.19.4", ALLOW), ("1.19.5", DENY), ("1.20", DENY)]
)
def test_an_ip_block_alone_admits_the_own_namespace_in_five_releases(version: str, expected: Permission) -> None:
    """P 6.53, 3.1: from 1.19.0 to 1.19.4."""
    settings = cilium(version)
    policy = knp("{podSelector: {matchLabels: {app: x}}, ingress: [{from: [{ipBlock: {cidr: 203.0.113.0/24}}]}]}")
    assert ask(read(policy, settings), pod("a", "y", settings), pod("a", "x", settings)).answer is expected


def test_a_peer_that_only_excludes_may_match_what_it_excludes_in_1_20() -> None:
    """P 10.1 (cilium#46949): recorded for one build, fixed in none that was seen; so it is not known."""
    policy = cnp(
        """{endpointSelector: {matchLabels: {app: x}}, ingress: [{fromEndpoints: [
            {matchExpressions: [{key: io.kubernetes.pod.namespace, operator: NotIn, values: [c]}]}]}]}"""
    )
    off = {"policy_default_local_cluster": "false"}
    expected = {"1.18": DENY, "1.19": DENY, "1.20": UNKNOWN}
    for version, wanted in expected.items():
        settings = cilium(version, **off)
        verdict = ask(read(policy, settings), pod("c", "q", settings), pod("a", "x", settings))
        assert verdict.answer is wanted
        assert ask(read(policy, settings), pod("b", "z", settings), pod("a", "x", settings)).answer is ALLOW
    assert "only excludes" in because_text(verdict.ingress.uncertain[0])
    assert ask(read(policy), pod("c", "q"), pod("a", "x")).answer is DENY  # the default limits it to the cluster


def test_a_service_port_and_a_cluster_address_are_translated_before_policies_see_them() -> None:
    """P 6.44, 6.55: what is asked is the port and the address behind the Service."""
    listed = cnp("{endpointSelector: {matchLabels: {app: x}}, ingress: [{toPorts: [{ports: [{port: '80'}]}]}]}")
    assert ask(read(listed), pod("a", "y"), pod("a", "x"), 8080).answer is DENY
    by_address = cnp("{endpointSelector: {matchLabels: {app: x}}, egress: [{toCIDR: [10.96.0.1/32]}]}")
    assert ask(read(by_address), pod("a", "x"), entity("kube-apiserver", cilium()), 6443).answer is DENY
    by_entity = cnp("{endpointSelector: {matchLabels: {app: x}}, egress: [{toEntities: [kube-apiserver]}]}")
    assert ask(read(by_entity), pod("a", "x"), entity("kube-apiserver", cilium()), 6443).answer is ALLOW


def test_a_service_account_that_is_not_written_is_the_one_that_admission_fills_in() -> None:
    """P 6.65."""
    policy = cnp(
        """{endpointSelector: {}, ingress: [{fromEndpoints: [
            {matchLabels: {io.cilium.k8s.policy.serviceaccount: default}}]}]}"""
    )
    assert ask(read(policy), pod("a", "y"), pod("a", "x")).answer is ALLOW
    assert ask(read(policy), pod("a", "y", service_account="train"), pod("a", "x")).answer is DENY


@pytest.mark.parametrize(("version", "expected"), [("1.18", DENY), ("1.19", DENY), ("1.20", ALLOW)])
def test_egress_by_port_name_reads_one_table_of_all_pods_before_1_20(version: str, expected: Permission) -> None:
    """P 6.43: a name with two numbers among all pods is no name up to 1.19."""
    settings = cilium(version)
    policy = cnp("{endpointSelector: {matchLabels: {app: x}}, egress: [{toPorts: [{ports: [{port: http}]}]}]}")
    table = {("http", "TCP"): frozenset({80, 8080})}
    policies = read(policy, settings, port_names=table)
    target = pod("a", "y", settings, ports={"http": 80})
    assert ask(policies, pod("a", "x", settings), target, 80).answer is expected
    unique = read(policy, settings, port_names={("http", "TCP"): frozenset({80})})
    assert ask(unique, pod("a", "x", settings), target, 80).answer is ALLOW
