"""Pod sets, groups and flows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from functools import partial

from trainlint.fact import fact
from trainlint.finding import Location, Unknown
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import PodSpec
from trainlint.source.document import Field

__all__ = [
    "DNS_PEER",
    "EPHEMERAL",
    "FIRST_ONLY",
    "PER_POD",
    "Colocation",
    "Flow",
    "FlowKind",
    "Gang",
    "Group",
    "ObjectRef",
    "PodSet",
    "PortRange",
    "Service",
    "ServicePort",
    "Wait",
    "Workload",
    "Workloads",
]


_nothing = partial(field, default_factory=dict)
"""An empty mapping, for classes that have an entry named ``field``."""


@fact(order=True)
class ObjectRef:
    """An API object's identity: kind (with API group where two kinds share a name), namespace, name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


PER_POD = Undetermined(Because(ValueGround.EACH_POD))
"""The value of labels that number the pods of a set; some pod has every value that is asked for."""

FIRST_ONLY = Undetermined(Because(ValueGround.FIRST_POD))
"""The value of a label or variable that only the first pod of a set has."""


@fact
class Colocation:
    """What keeps pods in one domain of a node label, beside their pod spec (S 2, W 4 to 8, 11).

    Pod sets of one object with the same ``unit`` share a domain. With ``per_block`` each block of a set is a unit of
    its own: its ``blocks`` (the child Jobs of a JobSet), or ``size`` pods each (slices, subgroups, partitions), of
    which the ``first`` may hold another number; they are named ``unit 0``, ``unit 1``, and so on.
    ``exclusive`` says that no two units of one priority share a domain.
    ``key`` is the node label that names the domains. It is empty where HyperNodes do: then ``tier`` is the number or
    the name of the highest tier that a unit may span.
    ``leader_first`` says that a first pod picks the domain, whether the others fit there or not (a pod of the role
    ``leader`` where one is named); otherwise a scheduler looks for a domain that takes ``sure`` pods, or all of them.
    ``by`` is the annotation or field that asks for it, ``doubt`` what must hold for it to be in force.
    """

    key: str
    unit: str
    by: str
    at: Location = field(compare=False)
    per_block: bool = False
    exclusive: bool = False
    leader_first: bool = False
    leader: str = ""
    size: Known[int] | None = None
    first: int | None = None
    tier: Known[str] = ""
    sure: Known[int] | None = None
    doubt: Because | None = None


@fact
class PodSet:
    """The equal pods of one role of a workload.

    ``role`` is empty where the object has only one kind of pod. ``replicas`` is the number to judge (the minimum of an
    elastic range), or why it is unknown. ``labels`` are those the pods will carry: the template's and those that
    Kubernetes or the operator adds; a value that exists only at run time is undetermined. ``at`` is the role's place in
    the object, ``template`` that of the pod template. ``hostname`` is the pods' host name, which with a headless
    Service named ``spec.subdomain`` is their DNS name: ``{}`` stands for each number that tells the pods apart, empty
    means that it is unknown. ``blocks`` are the equal parts that some operators place one by one (child Jobs of a
    JobSet, hosts of a Ray replica); ``instances`` are the copies of the whole set, each in a group of its own (the
    replicas of a LeaderWorkerSet), so that ``replicas * instances`` pods exist. ``queue`` is the Kueue queue that
    admits the object; ``placed_by`` what beside the pod spec decides where the pods may go (an annotation that places
    them as one, read or not), ``together`` says what exactly that asks for, where it is known, and ``parts`` the same
    of equal parts of the set, each of which has a domain for itself (slices, subgroups, partitions).
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
    hostname: str = ""
    blocks: Known[int] = 1
    instances: Known[int] = 1
    queue: str = ""
    placed_by: str = ""
    together: Colocation | None = None
    parts: Colocation | None = None

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


@fact(order=True)
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


@fact
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


@fact
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
    instances: Known[int] = 1

    @property
    def collective(self) -> bool:
        """Whether ranks exchange data, so that a placement over several domains is slow."""
        return any(flow.kind is FlowKind.COLLECTIVE for flow in self.flows)


@fact
class ServicePort:
    """A port of a Service; ``target`` is a number, the name of a container port, or ``None`` for the same number."""

    number: int
    name: str = ""
    protocol: str = "TCP"
    target: int | str | None = None
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Service:
    """A Service that is written, or that an operator makes (``generated``).

    ``selector`` is ``None`` where none is written (the endpoints come from elsewhere).
    """

    ref: ObjectRef
    selector: Mapping[str, str] | None
    ports: tuple[ServicePort, ...] = ()
    headless: bool = False
    publish_not_ready: bool = False
    generated: bool = False
    at: Location | None = field(default=None, compare=False)


@fact
class Wait:
    """Why pods are made later than others of their object: all of ``awaited`` (indices of its pod sets; with
    ``any_of`` one of them) must be Ready or have ended first. ``why`` names the field that says so, with its value;
    ``at`` is where it stands.
    """

    awaited: tuple[int, ...]
    why: str
    at: Location = field(compare=False)
    any_of: bool = False


@fact
class Workload:
    """An object that makes pods, with its pod sets; ``field`` is the cursor at it (inside of an object that wraps it).

    ``waits`` are the pod sets (by index) that are made only when others of the object are Ready or have ended.
    """

    owner: ObjectRef
    api_version: str
    pod_sets: tuple[PodSet, ...]
    field: Field = field(compare=False)
    waits: Mapping[int, Wait] = _nothing()


@fact
class Gang:
    """Pods that start together or not at all: at least ``minimum`` of those of ``pod_sets`` (S 2).

    ``what`` says in words what demands it; ``at`` is where the number stands. ``closed`` says that no other object can
    add members. ``doubt`` is what must hold, beside what Git says, for the gang to exist.
    """

    what: str
    minimum: Known[int]
    pod_sets: tuple[PodSet, ...]
    namespace: str
    at: Location = field(compare=False)
    closed: bool = False
    doubt: Because | None = None


@fact
class Workloads:
    """Everything that makes pods in one snapshot, and the groups among it.

    ``policies`` are the NetworkPolicy objects that operators make for their workloads. ``objects`` are the objects that
    ``pod_sets`` come from, ``gangs`` what starts all or nothing among them.
    """

    pod_sets: tuple[PodSet, ...] = ()
    groups: tuple[Group, ...] = ()
    services: tuple[Service, ...] = ()
    policies: tuple[Field, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    objects: tuple[Workload, ...] = ()
    gangs: tuple[Gang, ...] = ()
