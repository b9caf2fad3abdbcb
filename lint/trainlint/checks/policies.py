"""What people got wrong in the policies of a snapshot: the facts of the rules in ``policy/``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property

from trainlint.fact import fact
from trainlint.finding import Location, Path
from trainlint.kube.policies import FOREIGN_KINDS
from trainlint.kube.strings import unquoted
from trainlint.model.policy import Action, Permission, PolicyEntry, Rejection
from trainlint.model.workload import Flow, Group, ObjectRef, PodSet
from trainlint.policy import PolicySet
from trainlint.policy.checks.dns_names import UnseenNames, unseen_names
from trainlint.policy.checks.dropped_labels import DroppedLabel, dropped_labels
from trainlint.policy.checks.pods import Audience, HostNetworkSelector, ServicePortMiss, Unselected
from trainlint.policy.checks.subnets import UselessCidr, read_subnets, useless_cidrs
from trainlint.policy.conflicts import Conflict
from trainlint.policy.labels import pod_label_filter
from trainlint.policy.options import cilium_options
from trainlint.proof.cause import FlowCause
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.objects import ApiObject

__all__ = ["NodePeer", "PolicyMistakes", "node_peers"]


@fact
class NodePeer:
    """A peer that matches nodes, in a policy that denies a needed flow between pods; ``source`` opens it."""

    entry: PolicyEntry
    source: str
    flow: Flow
    at: Location


class PolicyMistakes:
    """Computed when asked. Policies that an operator makes are left out: they cannot be repaired in Git."""

    def __init__(self, snapshot: Snapshot, policies: PolicySet, daemons: Sequence[PodSet] = ()) -> None:
        self._snapshot = snapshot
        self._daemons = daemons
        self._policies = policies

    @cached_property
    def entries(self) -> tuple[PolicyEntry, ...]:
        """The policy entries that people wrote."""
        made = self._made
        if not made:
            return self._policies.entries
        return tuple(entry for entry in self._policies.entries if not _inside(entry.at, made))

    @cached_property
    def _made(self) -> frozenset[tuple[str, int, Path]]:
        """Where the policies stand that operators make."""
        made = self._snapshot.workloads.policies
        return frozenset((field.document.file, field.document.index, field.path) for field in made)

    @cached_property
    def enforced(self) -> tuple[ApiObject, ...]:
        """The policy objects that were neither refused nor are without effect."""
        out = {each.origin for each in self._policies.rejected} | {each.origin for each in self._policies.unenforced}
        origins = {entry.origin for entry in self.entries} - out
        return tuple(each for each in self._snapshot.objects if _origin(each) in origins)

    @cached_property
    def rejected(self) -> tuple[Rejection, ...]:
        """The fields for which objects are refused, apart from values that only lack quotes (kube/strings.py)."""
        bare = {
            value.at
            for origin in dict.fromkeys(each.origin for each in self._policies.rejected)
            for item in self._snapshot.objects
            if item.ref == origin
            for _, value in unquoted(item.field)
        }
        return tuple(
            each for each in self._policies.rejected if each.at not in bare and not _inside(each.at, self._made)
        )

    @cached_property
    def _audience(self) -> Audience:
        pod_sets = (*self._snapshot.workloads.pod_sets, *self._daemons)
        return Audience(pod_sets, self._snapshot.settings, self._snapshot.namespaces)

    @cached_property
    def conflicts(self) -> tuple[tuple[PodSet, Conflict], ...]:
        """Entries that are fine one by one and cannot be merged for some pods."""
        return tuple(self._audience.unmergeable(self._policies))

    @cached_property
    def dropped_labels(self) -> tuple[DroppedLabel, ...]:
        """Selectors on labels that are in no identity; only Cilium drops labels."""
        cni = self._snapshot.settings.cni
        if cni.name != "cilium":
            return ()
        return tuple(dropped_labels(self.entries, pod_label_filter(cilium_options(cni))))

    @cached_property
    def useless_cidrs(self) -> tuple[UselessCidr, ...]:
        """Peers by address over the cluster's own ranges, where addresses of pods and nodes never count."""
        cni = self._snapshot.settings.cni
        if cni.name != "cilium" or cni.options.get("policy-cidr-match-mode"):
            return ()
        return tuple(useless_cidrs(self.entries, read_subnets(each.field for each in self._snapshot.objects)))

    @cached_property
    def unseen_names(self) -> tuple[UnseenNames, ...]:
        """Peers by DNS name whose answers Cilium does not see, in namespaces to which nothing else adds policies."""
        if self._snapshot.settings.cni.name != "cilium":
            return ()
        found = unseen_names(self.entries, self._audience)
        return tuple(each for each in found if not self._snapshot.may_hold_more(each.pods.namespace))

    @cached_property
    def aimed_at_hosts(self) -> tuple[HostNetworkSelector, ...]:
        """Selectors by pod labels that pods on the host network would satisfy: only they, or members of groups too."""
        grouped = {id(each) for group in self._snapshot.workloads.groups for each in group.members}
        return tuple(self._audience.aimed_at_hosts(self.entries, grouped))

    @cached_property
    def service_ports(self) -> tuple[ServicePortMiss, ...]:
        """Port rules that list a Service's port where its pods listen on another one."""
        return tuple(self._audience.service_ports(self.entries, self._snapshot.workloads.services))

    @cached_property
    def unselected(self) -> tuple[Unselected, ...]:
        """Policies that select no pod here, in namespaces to which nothing else adds pods."""
        told = {each.entry.origin for each in self.dropped_labels}
        told |= {each.entry.origin for each in self.aimed_at_hosts if each.subject and each.only}
        found = []
        for origin, entries in _by_origin(self.entries).items():
            if origin not in told and not self._may_hold_more(origin):
                misses = [self._audience.selects_no_pod(entry) for entry in entries]
                if all(miss is not None for miss in misses):
                    found.append(misses[0])
        return tuple(each for each in found if each is not None)

    def _may_hold_more(self, origin: ObjectRef) -> bool:
        namespaces = [origin.namespace] if origin.namespace else ["", *self._snapshot.namespaces]
        return any(self._snapshot.may_hold_more(each) for each in namespaces)

    @cached_property
    def selecting(self) -> frozenset[ObjectRef]:
        """The policies that select some pod of this snapshot, or may."""
        return frozenset(entry.origin for entry in self.entries if self._audience.selects_no_pod(entry) is None)


def _origin(item: ApiObject) -> ObjectRef:
    """The object as its entries name it: Calico's kinds with their maker."""
    name = FOREIGN_KINDS.get((item.meta.api_group, item.meta.kind))
    return item.ref if name is None else ObjectRef(name, item.ref.namespace, item.ref.name)


def _by_origin(entries: Iterable[PolicyEntry]) -> dict[ObjectRef, list[PolicyEntry]]:
    found: dict[ObjectRef, list[PolicyEntry]] = {}
    for entry in entries:
        found.setdefault(entry.origin, []).append(entry)
    return found


def _inside(at: Location, places: Collection[tuple[str, int, Path]]) -> bool:
    here = (at.file, at.document)
    return any(here == (file, index) and at.path[: len(path)] == path for file, index, path in places)


def node_peers(group: Group, cause: FlowCause, entries: Iterable[PolicyEntry]) -> Iterator[NodePeer]:
    """The node peers of policies that deny flows of a group whose ends are on the pod network.

    A ClusterNetworkPolicy isolates no pods: it admits the nodes in one entry and denies the rest in another.
    """
    of_nodes = [each for each in entries if any(peer.kind in {"Nodes", "nodes"} for peer in each.peers or ())]
    for flow, verdict in cause.flows:
        ends = [flow.source] if flow.target is None else [flow.source, flow.target]
        if any(group.members[end].spec.host_network for end in ends):
            continue
        for decision in (verdict.egress, verdict.ingress):
            denied = (*decision.isolating, *decision.deciding) if decision.answer is Permission.DENY else ()
            origins = {each.origin for each in denied}
            for entry in of_nodes:
                if entry.origin not in origins or entry.direction is not decision.direction:
                    continue
                if entry.action is Action.DENY:
                    continue
                for peer in entry.peers or ():
                    if peer.kind in {"Nodes", "nodes"} and peer.at is not None:
                        yield NodePeer(entry, group.members[flow.source].name, flow, peer.at)
