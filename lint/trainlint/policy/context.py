"""What policies are read with: settings of the cluster and the objects that they refer to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from trainlint.fact import fact
from trainlint.model.namespace import Namespaces
from trainlint.model.settings import Settings
from trainlint.model.workload import PodSet
from trainlint.policy.options import CiliumOptions, cilium_options
from trainlint.source.document import Field

__all__ = ["CidrGroup", "PolicyContext", "PolicyService"]


@fact
class PolicyService:
    """A Service, for ``toServices``; ``endpoints`` are the addresses behind one without a selector.

    ``ports`` are the protocol and the port of its pods, by number or name, for each of its ports.
    """

    namespace: str
    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    selector: Mapping[str, str] = field(default_factory=dict)
    endpoints: tuple[str, ...] = ()
    ports: tuple[tuple[str, str], ...] = ()


@fact
class CidrGroup:
    """A CiliumCIDRGroup: prefixes under a name and labels."""

    name: str
    labels: Mapping[str, str]
    prefixes: tuple[str, ...]


@fact
class PolicyContext:
    """``namespaces`` maps each known Namespace to its labels; the labels of others are not known.

    ``port_names`` are the named ports of all pods, which Cilium up to 1.19 resolves egress rules with; ``None`` where
    only the two ends of a connection are known. ``bare_engine`` reads and judges as Cilium's policy engine does by
    itself: without the API server's validation, without DNS answers and cloud groups. ``dns_caches`` are pods that may
    answer instead of the cluster's DNS. ``service_accounts`` are the ServiceAccounts, by whose labels Calico's
    policies select.
    """

    settings: Settings = field(default_factory=Settings)
    namespaces: Namespaces = field(default_factory=dict)
    services: tuple[PolicyService, ...] = ()
    cidr_groups: tuple[CidrGroup, ...] = ()
    port_names: Mapping[tuple[str, str], frozenset[int]] | None = None
    bare_engine: bool = False
    dns_caches: tuple[PodSet, ...] = ()
    service_accounts: tuple[Field, ...] = ()

    @property
    def options(self) -> CiliumOptions:
        """The options of Cilium. The bare engine has the default name of a cluster where no other is stated."""
        options = cilium_options(self.settings.cni)
        return replace(options, cluster_named=True) if self.bare_engine else options
