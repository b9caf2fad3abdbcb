"""A group that is refuted hears why: it has a finding of its own, whichever policies stop it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.proof.test_core_laws import draw_pods, draw_pool

from trainlint.cli.exit import exit_code
from trainlint.engine import check
from trainlint.finding import Severity
from trainlint.model.known import Answer
from trainlint.result import Result

PLUGINS = {
    "cilium": "clusters: [{name: x, kubernetes: '1.36', cni: {name: cilium, version: '1.18'}}]\n",
    "calico": "clusters: [{name: x, kubernetes: '1.36', cni: {name: calico, version: '3.31'}}]\n",
}
PODS = ({}, {"part": "m"}, {"part": "w"}, {"k8s-app": "kube-dns"}, {"app": "other"})
NAMESPACES = ("ml", "kube-system", "other")
Data = dict[str, Any]


def selector(labels: Data) -> Data:
    return {"matchLabels": labels} if labels else {}


def draw_peer(namespace: str, draw: st.DrawFn) -> Data:
    peer: Data = {"podSelector": selector(draw(st.sampled_from(PODS)))}
    if draw(st.booleans()):
        peer["namespaceSelector"] = selector(
            draw(st.sampled_from([{}, *({"kubernetes.io/metadata.name": each} for each in NAMESPACES)]))
        )
    return peer


def draw_policy(number: int, draw: st.DrawFn) -> Data:
    """A NetworkPolicy of one of the namespaces, kube-system among them."""
    namespace = draw(st.sampled_from(NAMESPACES))
    spec: Data = {"podSelector": selector(draw(st.sampled_from(PODS))), "policyTypes": []}
    for kind, rules, peers in (("Ingress", "ingress", "from"), ("Egress", "egress", "to")):
        if not draw(st.booleans()):
            continue
        spec["policyTypes"].append(kind)
        spec[rules] = []
        for _ in range(draw(st.integers(0, 2))):
            rule: Data = {peers: [draw_peer(namespace, draw)]}
            if draw(st.booleans()):
                rule["ports"] = [{"protocol": draw(st.sampled_from(["TCP", "UDP"])), "port": 53}]
            spec[rules].append(rule)
    meta = {"name": f"policy-{number}", "namespace": namespace}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": meta, "spec": spec}


def draw_wide(number: int, draw: st.DrawFn) -> Data:
    """A policy of Cilium for the whole cluster."""
    spec: Data = {"endpointSelector": selector(draw(st.sampled_from(PODS)))}
    side, peers = draw(st.sampled_from([("ingress", "fromEndpoints"), ("egress", "toEndpoints")]))
    deny = draw(st.sampled_from(["", "", "Deny"]))
    chosen = draw(st.sampled_from([*PODS, {"k8s:io.kubernetes.pod.namespace": "kube-system"}]))
    spec[side + deny] = [{peers: [selector(chosen)]}]
    meta = {"name": f"wide-{number}"}
    return {"apiVersion": "cilium.io/v2", "kind": "CiliumClusterwideNetworkPolicy", "metadata": meta, "spec": spec}


@st.composite
def worlds(draw: st.DrawFn) -> tuple[str, list[Data]]:
    """A network plugin; an inventory or none, a job, and policies around it."""
    plugin = draw(st.sampled_from(sorted(PLUGINS)))
    roles = {
        "Master": {"replicas": 1, "template": draw_pods("m", draw)},
        "Worker": {"replicas": draw(st.integers(1, 2)), "template": draw_pods("w", draw)},
    }
    meta = {"name": "train", "namespace": "ml"}
    documents: list[Data] = [
        {
            "apiVersion": "kubeflow.org/v1",
            "kind": "PyTorchJob",
            "metadata": meta,
            "spec": {"pytorchReplicaSpecs": roles},
        }
    ]
    if draw(st.booleans()):
        pools = [draw_pool(number, draw) for number in range(draw(st.integers(1, 3)))]
        nodes = {"apiVersion": "trainlint.io/v1alpha1", "kind": "Inventory", "metadata": {"name": "nodes"}}
        documents.append({**nodes, "pools": pools})
    documents += [draw_policy(number, draw) for number in range(draw(st.integers(0, 3)))]
    if plugin == "cilium":
        documents += [draw_wide(number, draw) for number in range(draw(st.integers(0, 2)))]
    return plugin, documents


def check_of(plugin: str, documents: list[Data]) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "world.yaml").write_text(yaml.safe_dump_all(documents, sort_keys=False), encoding="utf-8")
        Path(folder, "trainlint.yaml").write_text(PLUGINS[plugin], encoding="utf-8")
        return check([Path(folder)])


def hears_why(result: Result) -> None:
    """Each refuted group has a finding that is about it: one that runs across zones only, a warning at least."""
    for group in result.groups:
        mine = [
            each.finding
            for each in result.findings
            if "train" in each.finding.message or "train" in each.finding.cause or each.finding.at.document == 0
        ]
        if group.exists is Answer.REFUTED:
            told = [each for each in mine if each.severity in (Severity.ERROR, Severity.WARNING)]
            assert told, f"{group.name} cannot run, and nothing says why"
            across = any(each.rule == "no-viable-zone" and "across zones" in each.message for each in told)
            assert across or exit_code(result, fail_on=result.fail_on, strict=False) == 1
        elif group.for_all is Answer.REFUTED:
            assert mine or group.notes, f"{group.name} may be placed badly, and nothing says why"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(worlds())
def test_a_group_that_is_refuted_has_a_finding(drawn: tuple[str, list[Data]]) -> None:
    hears_why(check_of(*drawn))


JOB: Data = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "train", "namespace": "ml"},
    "spec": {
        "pytorchReplicaSpecs": {
            name: {"replicas": 1, "template": {"spec": {"containers": [{"name": "pytorch", "image": "x"}]}}}
            for name in ("Master", "Worker")
        }
    },
}


@pytest.mark.parametrize("plugin", PLUGINS)
@pytest.mark.parametrize("labels", [{}, {"k8s-app": "kube-dns"}])
def test_the_policy_that_closes_the_dns_is_named(plugin: str, labels: Data) -> None:
    spec = {"podSelector": selector(labels), "policyTypes": ["Ingress"], "ingress": []}
    meta = {"name": "closed", "namespace": "kube-system"}
    closed = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": meta, "spec": spec}
    result = check_of(plugin, [JOB, closed])
    (group,) = result.groups
    assert group.exists is Answer.REFUTED
    hears_why(result)
    assert "dns-egress-blocked" in {each.finding.rule for each in result.findings}
