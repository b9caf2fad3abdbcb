"""flow-denied, collective-ports-blocked, dns-egress-blocked: which of them speaks, and where none does (decision 1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import CILIUM, cni, cnp, knp, places, told

from trainlint.engine import check

FLOW, PORTS, DNS = "flow-denied", "collective-ports-blocked", "dns-egress-blocked"
SELECTOR = "{matchLabels: {training.kubeflow.org/job-name: train}}"
POLICY_RULES = frozenset([FLOW, PORTS, DNS])


def job(workers: int = 3, *, gpu: str = '"8"', more: str = "") -> str:
    limits = f"{{nvidia.com/gpu: {gpu}{more}}}"
    container = f'{{name: pytorch, image: "registry.example/train:1", resources: {{limits: {limits}}}}}'
    head = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: train, namespace: ml}\nspec:\n"
    roles = "".join(
        f"    {role}:\n      replicas: {replicas}\n      template: {{spec: {{containers: [{container}]}}}}\n"
        for role, replicas in (("Master", 1), ("Worker", workers))
        if replicas
    )
    return f"{head}  pytorchReplicaSpecs:\n{roles}"


def spoken(root: Path, files: dict[str, str]) -> set[str]:
    """Which of the three rules speak."""
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    result = check([root], select=POLICY_RULES)
    assert not result.failures
    return {each.finding.rule for each in result.findings}


def ingress(element: str) -> str:
    return knp(f"  podSelector: {SELECTOR}\n  policyTypes: [Ingress]\n  ingress:\n    - {{{element}}}\n")


def egress(*elements: str) -> str:
    return cnp(f"  endpointSelector: {SELECTOR}\n  egress:\n" + "".join(f"    - {{{each}}}\n" for each in elements))


RANKS = f"from: [{{podSelector: {SELECTOR}}}]"
TO_RANKS = f"toEndpoints: [{SELECTOR}]"
TO_DNS = (
    "toEndpoints: [{matchLabels: {io.kubernetes.pod.namespace: kube-system, k8s-app: kube-dns}}], "
    "toPorts: [{ports: [{port: '53', protocol: UDP}, {port: '53', protocol: TCP}]}]"
)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (ingress(RANKS), set()),
        (ingress("from: []"), set()),
        (ingress(f"{RANKS}, ports: [{{port: 1, endPort: 65535}}]"), set()),
        (ingress(f"{RANKS}, ports: [{{port: 23456}}]"), {PORTS}),
        (ingress(f"{RANKS}, ports: [{{port: 23456}}, {{port: 30000, endPort: 32767}}]"), {PORTS}),
        (ingress(f"{RANKS}, ports: [{{port: 23456}}, {{port: 32768, endPort: 60999}}]"), set()),
        (ingress("from: [{podSelector: {matchLabels: {app: scraper}}}], ports: [{port: 9400}]"), {FLOW}),
        (egress(TO_RANKS), {DNS}),
        (egress(TO_RANKS, TO_DNS), set()),
        (egress(TO_DNS), {FLOW}),
    ],
    ids=[
        "ranks",
        "all pods",
        "every port",
        "the master's port",
        "the range of NodePorts",
        "the master's and the kernel's ports",
        "another pod",
        "ranks, no DNS",
        "ranks and DNS",
        "DNS only",
    ],
)
def test_exactly_the_rule_that_names_the_fault_speaks(tmp_path: Path, policy: str, expected: set[str]) -> None:
    assert spoken(tmp_path, {"job.yaml": job(), "p.yaml": policy, "trainlint.yaml": CILIUM}) == expected


def test_a_job_of_one_pod_needs_no_connection(tmp_path: Path) -> None:
    policy = ingress(f"{RANKS}, ports: [{{port: 23456}}]")
    assert spoken(tmp_path, {"job.yaml": job(0), "p.yaml": policy}) == set()


def test_rdma_is_no_excuse_because_its_connections_are_set_up_over_tcp(tmp_path: Path) -> None:
    policy = ingress(f"{RANKS}, ports: [{{port: 23456}}]")
    assert spoken(tmp_path, {"job.yaml": job(more=', rdma/hca: "1"'), "p.yaml": policy}) == {PORTS}


@pytest.mark.parametrize("protocols", ["UDP", "TCP"])
def test_dns_needs_both_protocols(tmp_path: Path, protocols: str) -> None:
    one = TO_DNS.replace(
        "{port: '53', protocol: UDP}, {port: '53', protocol: TCP}", f"{{port: '53', protocol: {protocols}}}"
    )
    assert spoken(tmp_path, {"job.yaml": job(), "p.yaml": egress(TO_RANKS, one), "trainlint.yaml": CILIUM}) == {DNS}


def test_a_dns_peer_without_its_namespace_is_in_the_policy_s_own(tmp_path: Path) -> None:
    """P 2.3."""
    own = TO_DNS.replace("io.kubernetes.pod.namespace: kube-system, ", "")
    assert spoken(tmp_path, {"job.yaml": job(), "p.yaml": egress(TO_RANKS, own), "trainlint.yaml": CILIUM}) == {DNS}


def test_egress_that_is_not_isolated_reaches_dns(tmp_path: Path) -> None:
    policy = cnp(
        f"  endpointSelector: {SELECTOR}\n  enableDefaultDeny: {{egress: false}}\n"
        f"  egress: [{{toEndpoints: [{SELECTOR}]}}]\n"
    )
    assert spoken(tmp_path, {"job.yaml": job(), "p.yaml": policy, "trainlint.yaml": CILIUM}) == set()


def test_where_a_finding_of_each_rule_points(tmp_path: Path) -> None:
    """Decision 4: flow-denied at the workload, the others at the policy."""
    files = {"job.yaml": job(), "p.yaml": ingress("from: [{podSelector: {matchLabels: {app: other}}}]")}
    (found,) = told(tmp_path, FLOW, files)
    assert found.finding.at.file == "job.yaml"
    assert "p.yaml" in {each.file for each in found.related}
    assert places(told(tmp_path, PORTS, {"p.yaml": ingress(f"{RANKS}, ports: [{{port: 23456}}]")})) == ["p.yaml:8"]
    assert places(told(tmp_path, DNS, {"p.yaml": egress(TO_RANKS), "trainlint.yaml": CILIUM})) == ["p.yaml:6"]


def test_policies_of_other_engines_make_it_unknown_and_never_a_finding(tmp_path: Path) -> None:
    foreign = "apiVersion: projectcalico.org/v3\nkind: NetworkPolicy\nmetadata: {name: c, namespace: ml}\nspec: {}\n"
    files = {"job.yaml": job(), "calico.yaml": foreign, "trainlint.yaml": cni("vpc-cni")}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = check([tmp_path], select=POLICY_RULES)
    assert result.findings == ()
    assert any("Calico NetworkPolicy ml/c" in each.subject for each in result.unknowns)


@pytest.mark.parametrize(
    ("settings", "expected"), [(CILIUM, {FLOW}), (cni("calico"), {FLOW}), (cni("vpc-cni"), set()), ("", set())]
)
def test_a_denial_stands_beside_them_only_where_the_engine_is_known_to_deny(
    tmp_path: Path, settings: str, expected: set[str]
) -> None:
    """Calico may allow in an earlier tier what a NetworkPolicy leaves out; nothing opens what Cilium drops."""
    foreign = "apiVersion: projectcalico.org/v3\nkind: NetworkPolicy\nmetadata: {name: c, namespace: ml}\nspec: {}\n"
    policy = ingress("from: [{podSelector: {matchLabels: {app: other}}}]")
    files = {"job.yaml": job(), "p.yaml": policy, "calico.yaml": foreign, "trainlint.yaml": settings}
    assert spoken(tmp_path, {name: text for name, text in files.items() if text}) == expected


@pytest.mark.parametrize("plugin", ["calico", "antrea"])
def test_network_policies_count_under_every_plugin(tmp_path: Path, plugin: str) -> None:
    policy = ingress("from: [{podSelector: {matchLabels: {app: other}}}]")
    assert spoken(tmp_path, {"job.yaml": job(), "p.yaml": policy, "trainlint.yaml": cni(plugin)}) == {FLOW}


@pytest.mark.parametrize(
    ("mistake", "rule"),
    [
        ("fromEndpoints: []", "vacuous-peer"),
        ("fromEndpoints: [{matchLabels: {pod-template-hash: abc}}]", "identity-excluded-label"),
    ],
)
def test_a_mistake_of_the_policy_and_the_denial_that_it_causes_are_both_told(
    tmp_path: Path, mistake: str, rule: str
) -> None:
    """Decision 1: the one at the policy, the other at the job."""
    policy = cnp(f"  endpointSelector: {SELECTOR}\n  ingress:\n    - {{{mistake}}}\n")
    for name, text in {"job.yaml": job(), "p.yaml": policy, "trainlint.yaml": CILIUM}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = check([tmp_path], select=frozenset(["policy"]))
    assert {(each.finding.rule, each.finding.at.file) for each in result.findings} == {
        (rule, "p.yaml"),
        (FLOW, "job.yaml"),
    }
