"""From objects in Git to the policies in force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from trainlint.finding import Unknown
from trainlint.kube.meta import read_labels
from trainlint.model.policy import PolicyEntry, Rejection, Unenforced
from trainlint.model.workload import ObjectRef
from trainlint.policy.cilium import cilium_entries
from trainlint.policy.clusternetworkpolicy import cluster_entries
from trainlint.policy.context import CidrGroup, PolicyContext
from trainlint.policy.kubernetes import kubernetes_entries, plain_entries
from trainlint.policy.matching import Rules
from trainlint.policy.options import CiliumOptions
from trainlint.policy.policyset import PolicySet
from trainlint.policy.validation import rejections
from trainlint.source.document import Field

__all__ = ["POLICY_KINDS", "read_policies"]

POLICY_KINDS = {
    ("cilium.io", "CiliumNetworkPolicy"): True,
    ("cilium.io", "CiliumClusterwideNetworkPolicy"): False,
    ("networking.k8s.io", "NetworkPolicy"): True,
    ("policy.networking.k8s.io", "ClusterNetworkPolicy"): False,
}
"""Kinds that are read, and whether they live in a namespace."""


def _group(root: Field) -> str:
    return (root["apiVersion"].scalar or "").rpartition("/")[0]


def _origin(root: Field) -> ObjectRef:
    metadata, kind = root["metadata"], root["kind"].scalar or ""
    namespaced = POLICY_KINDS[_group(root), kind]
    namespace = (metadata["namespace"].scalar or "default") if namespaced else ""
    return ObjectRef(kind, namespace, metadata["name"].scalar or "")


def read_policies(objects: Iterable[Field], context: PolicyContext) -> PolicySet:
    """The policies among the objects (cursors at their roots), as the cluster's network plugin enforces them."""
    roots = list(objects)
    context = replace(context, cidr_groups=(*context.cidr_groups, *_cidr_groups(roots)))
    rules = Rules(context, context.options, cilium=context.settings.cni.name == "cilium")
    entries: list[PolicyEntry] = []
    rejected: list[Rejection] = []
    unenforced: list[Unenforced] = []
    unknowns: list[Unknown] = []
    for root in roots:
        if (_group(root), root["kind"].scalar or "") not in POLICY_KINDS:
            continue
        origin = _origin(root)
        if why := _not_enforced(origin.kind, rules):
            unenforced.append(Unenforced(origin, root.at, why))
        elif problems := list(rejections(root, origin, rules)):
            rejected += problems
        else:
            entries += _entries(root, origin, rules)
    return PolicySet(entries, rules, rejected=rejected, unenforced=unenforced, unknowns=unknowns)


def _not_enforced(kind: str, rules: Rules) -> str:
    if rules.cilium:
        return "" if kind in rules.options.enforced_kinds else f"Cilium does not read {kind} with these options"
    if kind == "NetworkPolicy":
        return ""
    return f"{kind} is enforced by Cilium only, and the network plugin here is {rules.context.settings.cni.name}"


def _entries(root: Field, origin: ObjectRef, rules: Rules) -> Iterator[PolicyEntry]:
    if origin.kind == "NetworkPolicy":
        return kubernetes_entries(root, origin, rules.options) if rules.cilium else plain_entries(root, origin)
    if origin.kind == "ClusterNetworkPolicy":
        return cluster_entries(root, origin, rules.options)
    return cilium_entries(root, origin, rules.context, rules.options)


def _cidr_groups(roots: Iterable[Field]) -> Iterator[CidrGroup]:
    for root in roots:
        if root["kind"].scalar == "CiliumCIDRGroup" and _group(root) == "cilium.io":
            metadata = root["metadata"]
            prefixes = tuple(each.scalar or "" for each in root["spec"]["externalCIDRs"].elements())
            yield CidrGroup(metadata["name"].scalar or "", read_labels(metadata["labels"]), prefixes)
