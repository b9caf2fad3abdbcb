"""The NetworkPolicies of a RayCluster, made since KubeRay 1.7 behind a feature gate (W 7)."""

from __future__ import annotations

from trainlint.operators.manifest import (
    Manifest,
    below,
    copied,
    drop_empty,
    items,
    labels_of,
    mapping,
    name_of,
    namespace_of,
    object_of,
    text,
)
from trainlint.operators.ray_names import (
    CLUSTER,
    CREATED_BY,
    GROUP,
    NODE_TYPE,
    OPERATOR,
    ORIGIN,
    ORIGIN_KIND,
    RAY,
    params_of,
)

__all__ = ["network_policies"]


def network_policies(cluster: Manifest) -> list[Manifest]:
    """The policy of the head, and one of each worker group."""
    config = below(cluster, "spec", "networkPolicy")
    if not isinstance(config, dict):
        return []
    name = name_of(cluster)
    own = [{"podSelector": {"matchLabels": {CLUSTER: name}}}]
    entries = [{"from": own}, *_submitter(cluster)]
    head = {CLUSTER: name, NODE_TYPE: "head"}
    found = [_policy(cluster, f"{name}-head", "headgroup", head, entries, mapping(config.get("head")))]
    by_name = {text(each.get("groupName")): each for each in reversed(items(config.get("workerGroups")))}
    for group in items(below(cluster, "spec", "workerGroupSpecs")):
        label = text(group.get("groupName"))
        rules = by_name.get(label, mapping(config.get("worker")))
        labels = {CLUSTER: name, NODE_TYPE: "worker", GROUP: label}
        found.append(_policy(cluster, f"{name}-workers-{label}", label, labels, [{"from": own}], rules))
    return found


def _submitter(cluster: Manifest) -> list[Manifest]:
    """The pod that submits a RayJob may reach the dashboard."""
    labels = labels_of(cluster)
    if labels.get(f"{RAY}job-submission-mode") != "K8sJobMode" or labels.get(ORIGIN_KIND) != "RayJob":
        return []
    given = params_of(mapping(below(cluster, "spec", "headGroupSpec"))).get("dashboard-port", "8265")
    port = int(given) if given.isdecimal() else 8265
    peer = {"podSelector": {"matchLabels": {ORIGIN: labels[ORIGIN], ORIGIN_KIND: "RayJob"}}}
    return [{"from": [peer], "ports": [{"protocol": "TCP", "port": port}]}]


def _policy(
    cluster: Manifest, name: str, group: str, selected: Manifest, entries: list[Manifest], rules: Manifest
) -> Manifest:
    mode = text(below(cluster, "spec", "networkPolicy", "mode")) or "DenyAll"
    own = [{"podSelector": {"matchLabels": {CLUSTER: name_of(cluster)}}}]
    ingress = mode in {"DenyAll", "DenyAllIngress"}
    egress = mode in {"DenyAll", "DenyAllEgress"}
    spec = {
        "podSelector": {"matchLabels": selected},
        "policyTypes": ["Ingress"] * ingress + ["Egress"] * egress,
        "ingress": [*entries, *_written(rules, "ingressRules")] if ingress else [],
        "egress": [{"to": own}, *_written(rules, "egressRules")] if egress else [],
    }
    labels = {CLUSTER: name_of(cluster), GROUP: group, "app.kubernetes.io/name": "kuberay", CREATED_BY: OPERATOR}
    return object_of(
        "networking.k8s.io/v1", "NetworkPolicy", name, namespace_of(cluster), labels=labels, spec=drop_empty(spec)
    )


def _written(rules: Manifest, key: str) -> list[Manifest]:
    """The user's rules, with the protocol that the API server adds."""
    found: list[Manifest] = copied(items(rules.get(key)))
    for rule in found:
        for port in items(rule.get("ports")):
            port.setdefault("protocol", "TCP")
    return found
