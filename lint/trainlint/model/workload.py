"""Pod sets, groups and flows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from trainlint.finding import Location
from trainlint.model.known import Known
from trainlint.model.pod import PodSpec

__all__ = ["DNS_PEER", "EPHEMERAL", "Flow", "FlowKind", "Group", "ObjectRef", "PodSet", "PortRange"]


@dataclass(frozen=True, slots=True, order=True)
class ObjectRef:
    """An API object's identity: kind (with API group where two kinds share a name), namespace, name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class PodSet:
    """The equal pods of one role of a workload.

    ``role`` is empty where the object has only one kind of pod. ``replicas`` is the number to judge (the minimum of an
    elastic range), or why nobody knows it. ``labels`` are those the pods will carry: the template's and those that
    Kubernetes or the operator adds; a value that exists only at run time is undetermined. ``at`` is the role's place in
    the object, ``template`` that of the pod template.
    """

    owner: ObjectRef
    role: str
    replicas: Known[int]
    labels: Mapping[str, Known[str]]
    spec: PodSpec
    at: Location = field(compare=False)
    template: Location = field(compare=False)
    annotations: Mapping[str, str] = field(default_factory=dict)
    max_replicas: int | None = None

    @property
    def namespace(self) -> str:
        """The namespace of the pods."""
        return self.owner.namespace

    @property
    def name(self) -> str:
        """``object`` or ``object/role``: short and unique in a namespace and kind."""
        return f"{self.owner.name}/{self.role}" if self.role else self.owner.name


class FlowKind(StrEnum):
    """What a flow is for; collectives make a group slow across domains, calls do not."""

    RENDEZVOUS = "rendezvous"
    COLLECTIVE = "collective"
    CALL = "call"
    DNS = "dns"


@dataclass(frozen=True, slots=True, order=True)
class PortRange:
    """Ports ``first`` to ``last``, both included."""

    first: int
    last: int

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


EPHEMERAL = PortRange(32768, 60999)
"""Linux's default net.ipv4.ip_local_port_range, from which NCCL and Gloo listen (N 2.4)."""

DNS_PEER = "kube-dns"
"""The peer of DNS flows: the cluster's DNS pods, k8s-app=kube-dns in kube-system."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A connection that the pods of ``source`` must open to those of ``target`` (indices into the group's pod sets).

    ``target`` is ``None`` for DNS. All of ``ports`` must be reachable. ``why`` completes the sentence "needed
    because ..."; ``at`` is where that is written.
    """

    source: int
    target: int | None
    protocol: str
    ports: PortRange
    kind: FlowKind
    why: str
    at: Location = field(compare=False)


@dataclass(frozen=True, slots=True)
class Group:
    """Pod sets that must communicate to make progress, with the flows they need.

    ``name`` is ``namespace/name``. ``dependencies`` are indices of pod sets that several groups use: their flows must
    be permitted, but they need not share a domain.
    """

    name: str
    kind: str
    members: tuple[PodSet, ...]
    flows: tuple[Flow, ...]
    dependencies: frozenset[int] = frozenset()
    cross_zone_allowed: bool = False
    at: Location | None = field(default=None, compare=False)

    @property
    def collective(self) -> bool:
        """Whether ranks exchange data, so that a placement over several domains is slow."""
        return any(flow.kind is FlowKind.COLLECTIVE for flow in self.flows)
