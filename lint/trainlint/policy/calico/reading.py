"""From Calico's objects to entries in the order in which Calico asks them: tier, order, name, place (P 11.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Final

from trainlint.fact import fact
from trainlint.kube.meta import read_labels, read_meta
from trainlint.kube.policies import CALICO_GROUPS
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.policy import PolicyEntry, Rejection
from trainlint.model.workload import ObjectRef
from trainlint.policy.calico.entities import RuleContext
from trainlint.policy.calico.labels import ServiceAccounts
from trainlint.policy.calico.rules import policy_entries
from trainlint.policy.calico.sets import Tier, host_endpoints, network_sets, tiers
from trainlint.policy.calico.validation import problems
from trainlint.policy.calico_cluster import CalicoCluster, HostEndpoint
from trainlint.policy.context import PolicyContext
from trainlint.policy.foreign_policies import ForeignPolicy, read_foreign
from trainlint.policy.selector import Matcher
from trainlint.source.document import Field

__all__ = ["CalicoReading", "read_calico"]

POLICIES: Final = frozenset({"NetworkPolicy", "GlobalNetworkPolicy"})
KUBERNETES_ORDER: Final = 1000.0
"""The order of every NetworkPolicy of Kubernetes, in the default tier (conversion.go K8sNetworkPolicyToCalico)."""
DEFAULT_TIER: Final = "default"
SERVER_GROUP: Final = "projectcalico.org"
"""The API group behind Calico's own API server, which validates and fills in; objects of the other one bypass it."""

Entries = list[tuple[PolicyEntry, int]]


@fact
class CalicoReading:
    """The entries of all policies in their order, what is refused, and what of Calico is not known."""

    entries: tuple[PolicyEntry, ...]
    rejected: tuple[Rejection, ...]
    foreign: tuple[ForeignPolicy, ...]
    cluster: CalicoCluster


@fact
class _Policy:
    tier: Tier
    order: float
    key: str
    entries: Entries


def read_calico(roots: Sequence[Field], kubernetes: Iterable[PolicyEntry], context: PolicyContext) -> CalicoReading:
    """Calico's policies among the objects, with the entries of Kubernetes' own put where Calico puts them."""
    own = [root for root in roots if (root["apiVersion"].scalar or "").rpartition("/")[0] in CALICO_GROUPS]
    around = RuleContext(context, _accounts(context), network_sets(own, context.namespaces))
    known, hosts = tiers(own), tuple(host_endpoints(own))
    rejected: list[Rejection] = []
    foreign: list[ForeignPolicy] = []
    policies: list[_Policy] = []
    forwarding: list[ObjectRef] = []
    for root in own:
        if root["kind"].scalar not in POLICIES:
            continue
        group = (root["apiVersion"].scalar or "").rpartition("/")[0]
        policy = read_foreign(root, group)
        if policy is None:
            continue
        server = group == SERVER_GROUP
        found = list(problems(root))
        tier = known.get(read_text(root["spec"]["tier"]) or DEFAULT_TIER)
        if found and server:
            rejected += (Rejection(policy.origin, each.at, why, engine=False) for each, why in found)
        elif found or tier is None or _is_open(root):
            # Of what is stored with faults Felix ignores some, and for others the policy.
            foreign.append(policy)
        elif not _of_hosts_only(root):
            entries = list(policy_entries(root, policy.origin, around, defaulted=server))
            policies.append(_Policy(tier, _order(root), _key(root), entries))
            if root["spec"]["applyOnForward"].value is True and _selects_host(entries, hosts):
                forwarding.append(policy.origin)
    policies += _of_kubernetes(kubernetes, known[DEFAULT_TIER])
    entries_in_order, passing = _arranged(policies)
    cluster = CalicoCluster(passing, hosts, tuple(forwarding))
    return CalicoReading(entries_in_order, tuple(rejected), tuple(foreign), cluster)


def _accounts(context: PolicyContext) -> ServiceAccounts:
    found = {}
    for root in context.service_accounts:
        meta = read_meta(root)
        found[meta.namespace or "default", meta.name] = read_labels(root["metadata"]["labels"])
    return ServiceAccounts(found)


def _is_open(root: Field) -> bool:
    """Whether a value on which the place or the meaning of a policy depends is filled in later."""
    spec = root["spec"]
    fields = [spec["order"], spec["tier"], *spec["types"].elements(), spec["preDNAT"], spec["doNotTrack"]]
    fields += [rule["action"] for way in ("ingress", "egress") for rule in spec[way].elements()]
    unread = spec["order"].present and not isinstance(spec["order"].value, int | float | None)
    return unread or any(is_placeholder(each.scalar or "") for each in fields)


def _of_hosts_only(root: Field) -> bool:
    """Whether a policy is about the traffic of nodes only, before it is tracked or its destination is translated."""
    return root["spec"]["doNotTrack"].value is True or root["spec"]["preDNAT"].value is True


def _order(root: Field) -> float:
    order = root["spec"]["order"].value
    return float(order) if isinstance(order, int | float) else inf


def _key(root: Field) -> str:
    """What decides between policies of one order (felix/calc/policy_sorter.go PolKVLess)."""
    meta = read_meta(root)
    namespace = (meta.namespace or "default") if meta.kind == "NetworkPolicy" else ""
    return f"{meta.name}/{namespace}/{meta.kind}"


def _selects_host(entries: Entries, hosts: Sequence[HostEndpoint]) -> bool:
    matchers = [Matcher.of(entry.subject) for entry, _ in entries]
    return any(
        matcher.matches(each.end.labels, each.end.unknown) is not False for each in hosts for matcher in matchers
    )


def _of_kubernetes(entries: Iterable[PolicyEntry], tier: Tier) -> Iterable[_Policy]:
    found: dict[ObjectRef, Entries] = defaultdict(list)
    for entry in entries:
        found[entry.origin].append((entry, 0))
    for origin, own in found.items():
        key = f"{origin.name}/{origin.namespace}/KubernetesNetworkPolicy"
        yield _Policy(tier, KUBERNETES_ORDER, key, own)


def _arranged(policies: Iterable[_Policy]) -> tuple[tuple[PolicyEntry, ...], frozenset[int]]:
    """Every entry with the number of its tier and its place in it; and the tiers at whose end connections go on."""
    by_tier: Mapping[Tier, list[_Policy]] = _grouped(policies)
    ordered = sorted(by_tier, key=lambda each: (each.order, each.name))
    arranged: list[PolicyEntry] = []
    for number, tier in enumerate(ordered):
        for place, policy in enumerate(sorted(by_tier[tier], key=lambda each: (each.order, each.key))):
            most = 1 + max((index for _, index in policy.entries), default=0)
            for entry, index in policy.entries:
                arranged.append(replace(entry, tier=number, priority=place + index / most))
    return tuple(arranged), frozenset(number for number, tier in enumerate(ordered) if tier.passes)


def _grouped(policies: Iterable[_Policy]) -> dict[Tier, list[_Policy]]:
    found: dict[Tier, list[_Policy]] = defaultdict(list)
    for each in policies:
        found[each.tier].append(each)
    return found
