"""The policies of a snapshot: what is in force, and what people got wrong in them."""

from __future__ import annotations

from functools import cached_property

from trainlint.checks.policies import PolicyMistakes
from trainlint.checks.zone_labels import ZoneLabel, contradictions, labels_read
from trainlint.facts.cluster import ClusterFacts
from trainlint.facts.placement import PlacementFacts
from trainlint.model.workload import ServicePort
from trainlint.policy import PolicyContext, PolicyService, PolicySet, read_policies
from trainlint.policy.endpoints import port_table
from trainlint.policy.resolvers import redirected_pods
from trainlint.proof.feasibility import zone_of
from trainlint.snapshot.build import Snapshot
from trainlint.source.document import Field

__all__ = ["ConnectionFacts"]


class ConnectionFacts:
    """The policies of one snapshot, read once."""

    def __init__(self, snapshot: Snapshot, cluster: ClusterFacts, placement: PlacementFacts) -> None:
        self._snapshot = snapshot
        self._cluster = cluster
        self._placement = placement

    @cached_property
    def policies(self) -> PolicySet:
        """The policies in force."""
        workloads = self._snapshot.workloads
        services = tuple(
            PolicyService(
                each.ref.namespace, each.ref.name, selector=each.selector or {}, ports=tuple(map(_target, each.ports))
            )
            for each in workloads.services
        )
        written = [each.field for each in self._snapshot.objects]
        context = PolicyContext(
            settings=self._snapshot.settings,
            namespaces=self._snapshot.namespaces,
            services=services,
            port_names=port_table(workloads.pod_sets),
            service_accounts=_service_accounts(self._snapshot),
            dns_caches=tuple(redirected_pods(written, (*workloads.pod_sets, *self._cluster.daemons))),
        )
        return read_policies([*written, *workloads.policies], context)

    @cached_property
    def mistakes(self) -> PolicyMistakes:
        """What people got wrong in the policies, although every object may be valid."""
        return PolicyMistakes(self._snapshot, self.policies, self._cluster.daemons)

    @cached_property
    def contradicting_labels(self) -> tuple[ZoneLabel, ...]:
        """Pod labels that policies read as a zone and that name another one than the pods can land in."""
        key, verdicts = self._snapshot.settings.topology_key, self._placement.verdicts
        judged = []
        for feasible in self._placement.feasibilities:
            inventory = verdicts.inventory(feasible.pod_set)
            if inventory is not None:
                nodes = verdicts.nodes(inventory)
                judged.append((feasible, {index: zone_of(node.pool, key) for index, node in enumerate(nodes)}))
        return tuple(contradictions(judged, labels_read(self.policies.entries)))


def _target(port: ServicePort) -> tuple[str, str]:
    return port.protocol, str(port.number if port.target is None else port.target)


def _service_accounts(snapshot: Snapshot) -> tuple[Field, ...]:
    """The ServiceAccounts, which only Calico's policies select by."""
    if snapshot.settings.cni.name != "calico":
        return ()
    return tuple(each.field for each in snapshot.objects if each.meta.kind == "ServiceAccount")
