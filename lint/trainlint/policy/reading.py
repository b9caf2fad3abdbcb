"""From objects in Git to the policies in force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from trainlint.fact import remembered, together
from trainlint.kube.meta import read_labels
from trainlint.kube.policies import CALICO_GROUPS, POLICY_KINDS, POLICY_READ_KINDS
from trainlint.kube.values import read_strings
from trainlint.model.because import Because
from trainlint.model.policy import PolicyEntry, Rejection, Unenforced
from trainlint.model.workload import ObjectRef
from trainlint.policy.calico_cluster import CalicoCluster
from trainlint.policy.cilium import cilium_entries
from trainlint.policy.cilium import rules as cilium_rules
from trainlint.policy.clusternetworkpolicy import cluster_entries
from trainlint.policy.context import CidrGroup, PolicyContext, PolicyService
from trainlint.policy.foreign_policies import ForeignPolicy, never_enforced, read_foreign
from trainlint.policy.kubernetes import kubernetes_entries, plain_entries
from trainlint.policy.matching import Rules
from trainlint.policy.operator_policies import attributed
from trainlint.policy.policyset import PolicySet
from trainlint.policy.rejection_ground import UnenforcedGround
from trainlint.policy.resolvers import cluster_dns
from trainlint.policy.schema import group_problems
from trainlint.policy.services import read_services
from trainlint.policy.validation import rejections
from trainlint.source.document import Field

__all__ = ["read_policies"]

CILIUM_KINDS = ("CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy")


def _group(root: Field) -> str:
    return (root["apiVersion"].scalar or "").rpartition("/")[0]


def _origin(root: Field) -> ObjectRef:
    metadata, kind = root["metadata"], root["kind"].scalar or ""
    namespaced = POLICY_KINDS[_group(root), kind]
    namespace = (metadata["namespace"].scalar or "default") if namespaced else ""
    return ObjectRef(kind, namespace, metadata["name"].scalar or "")


def read_policies(objects: Iterable[Field], context: PolicyContext) -> PolicySet:
    """The policies among the objects (cursors at their roots), as the cluster's network plugin enforces them.

    Services and CiliumCIDRGroups among the objects count beside those of the context.
    """
    roots = together(*(root for root in objects if root["kind"].scalar in POLICY_READ_KINDS))
    known = _readings(roots)
    found = next((policies for before, policies in known if before == context), None)
    if found is None:
        found = _read(roots, context)
        known.append((context, found))
    return found


def _unread(_roots: tuple[Field, ...]) -> list[tuple[PolicyContext, PolicySet]]:
    return []


_readings = remembered(_unread, most=256)
"""What these very objects were read as so far, in each context: few, as a set of policies remembers its verdicts."""


def _read(roots: tuple[Field, ...], context: PolicyContext) -> PolicySet:
    rejected: list[Rejection] = []
    groups = (*context.cidr_groups, *_cidr_groups(roots, rejected, bare=context.bare_engine))
    context = replace(context, cidr_groups=groups, services=_services(roots, context))
    rules = Rules(context, context.options, cilium=context.settings.cni.name == "cilium")
    if context.settings.cni.name == "calico":
        rules = replace(rules, calico=CalicoCluster())
    entries: list[PolicyEntry] = []
    unenforced: list[Unenforced] = []
    foreign: list[ForeignPolicy] = []
    for root in roots:
        group, kind = _group(root), root["kind"].scalar or ""
        if rules.calico is not None and group in CALICO_GROUPS:
            continue
        if (other := read_foreign(root, group)) is not None:
            if why := never_enforced(other, group, context.settings.cni):
                unenforced.append(Unenforced(other.origin, root.at, why))
            else:
                foreign.append(other)
        if (group, kind) not in POLICY_KINDS:
            continue
        origin = _origin(root)
        if why := _not_enforced(origin.kind, rules):
            unenforced.append(Unenforced(origin, root.at, why))
        elif _only_others_enforce(origin.kind, rules):
            foreign.append(ForeignPolicy(origin, origin.namespace, root.at))
        elif problems := list(rejections(root, origin, rules)):
            rejected += problems
        else:
            entries += (attributed(entry, root) for entry in _entries(root, origin, rules))
            unenforced += _host_policies(root, origin, rules)
    if rules.calico is not None and any(_group(root) in CALICO_GROUPS for root in roots):
        from trainlint.policy.calico import read_calico  # noqa: PLC0415 (only where Calico's objects are in use)

        found = read_calico(roots, entries, context)
        rules, entries = replace(rules, calico=found.cluster), list(found.entries)
        rejected += found.rejected
        foreign += found.foreign
    dns = cluster_dns(roots, context.dns_caches, context.settings, context.namespaces)
    return PolicySet(entries, rules, rejected=rejected, unenforced=unenforced, foreign=foreign, dns=dns)


def _services(roots: Sequence[Field], context: PolicyContext) -> tuple[PolicyService, ...]:
    """Each Service once; what is written knows more than what others derived from it."""
    known = {(service.namespace, service.name): service for service in context.services}
    return tuple({**known, **{(each.namespace, each.name): each for each in read_services(roots)}}.values())


def _not_enforced(kind: str, rules: Rules) -> Because | None:
    """Why nothing enforces a kind here; ``None`` where something does, or where that is not known."""
    plugin = rules.context.settings.cni.name
    if rules.cilium:
        return None if kind in rules.options.enforced_kinds else Because(UnenforcedGround.NOT_READ, (kind,))
    if kind in CILIUM_KINDS and plugin:
        return Because(UnenforcedGround.ONLY_CILIUM, (kind, plugin))
    return None


def _only_others_enforce(kind: str, rules: Rules) -> bool:
    return not rules.cilium and kind != "NetworkPolicy"


def _host_policies(root: Field, origin: ObjectRef, rules: Rules) -> Iterator[Unenforced]:
    """Rules that select nodes count under the host firewall only (P 4)."""
    if rules.options.host_firewall or origin.kind not in CILIUM_KINDS:
        return
    for rule in cilium_rules(root):
        if rule["nodeSelector"].present:
            yield Unenforced(origin, rule["nodeSelector"].at, Because(UnenforcedGround.HOST_FIREWALL))


def _entries(root: Field, origin: ObjectRef, rules: Rules) -> Iterator[PolicyEntry]:
    if origin.kind == "NetworkPolicy":
        return kubernetes_entries(root, origin, rules.options) if rules.cilium else plain_entries(root, origin)
    if origin.kind == "ClusterNetworkPolicy":
        return cluster_entries(root, origin, rules.options)
    return cilium_entries(root, origin, rules.context, rules.options)


def _cidr_groups(roots: Iterable[Field], rejected: list[Rejection], *, bare: bool) -> Iterator[CidrGroup]:
    for root in roots:
        if root["kind"].scalar != "CiliumCIDRGroup" or _group(root) != "cilium.io":
            continue
        metadata = root["metadata"]
        origin = ObjectRef("CiliumCIDRGroup", "", metadata["name"].scalar or "")
        problems = [] if bare else list(group_problems(root))
        rejected += [Rejection(origin, field.at, why, engine=False) for field, why in problems]
        if not problems:
            prefixes = read_strings(root["spec"]["externalCIDRs"])
            yield CidrGroup(origin.name, read_labels(metadata["labels"]), prefixes)
