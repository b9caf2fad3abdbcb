"""Root causes of refutations, as data: rules tell them, and find those that are theirs by their ``root``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import ClassVar

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.policy import PolicyEntry, Verdict
from trainlint.model.pool import Pool
from trainlint.model.root import Root
from trainlint.model.selector import Requirement
from trainlint.model.workload import Flow, ObjectRef, PodSet, PortRange
from trainlint.proof.zone_reason import ZoneReason
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Refusal

__all__ = [
    "Assignment",
    "CapacityCause",
    "Cause",
    "CutCause",
    "CutPair",
    "DeadlockCause",
    "FlowCause",
    "Miss",
    "NodePort",
    "PlacementCause",
    "ResourceAmount",
    "SelectorTypo",
    "SplitCause",
    "SpreadCause",
    "StrandedCause",
    "TargetCause",
    "Where",
    "ZoneCause",
    "assuming",
]

Where = Mapping[str, Mapping[str, int]]
"""A placement for people: pod set name to zone (or ``(no zone)``) to number of pods."""


@fact
class Assignment:
    """Pods of one set on nodes of one pool; ``pool`` is empty and ``nodes`` 0 where only the zone is known."""

    pod_set: str
    pool: str
    zone: str
    pods: int
    nodes: int


@fact
class Miss:
    """A pool that one pod cannot use, and every filter that refuses it there."""

    pool: Pool
    refusals: tuple[Refusal, ...]


@fact
class PlacementCause:
    """No pod of the set can ever be scheduled: ``root`` is the filter to blame, ``misses`` the pools, closest first.

    ``also`` are the other pod sets of the same object with the same fault; ``pod`` is a pod of the set as admitted.
    ``assumes`` is what has to be true beside what Git says.
    ``anywhere``: no node of any cluster could take one; then the pools are those that come closest.
    """

    root: Root
    pod_set: PodSet
    misses: tuple[Miss, ...]
    also: tuple[PodSet, ...] = ()
    assumes: tuple[Because, ...] = ()
    anywhere: bool = False
    pod: Pod = field(kw_only=True)


@fact
class DeadlockCause:
    """Required pod affinity that can never hold: to which pods, and where each of both can be."""

    root: ClassVar[Root] = Root.AFFINITY_CYCLE
    pod_set: PodSet
    target: PodSet
    mutual: bool
    own_zones: tuple[str, ...]
    target_zones: tuple[str, ...]
    at: Location
    assumes: tuple[Because, ...] = ()


@fact
class ZoneCause:
    """No zone takes the whole group: the reasons by zone, the closest miss first.

    ``assumes`` is what has to be true beside what Git says.
    ``across`` is a placement over several zones that works; ``undecided`` is why it is not known whether one does.
    """

    root: ClassVar[Root] = Root.ZONES
    reasons: Mapping[str, tuple[ZoneReason, ...]]
    across: Where = field(default_factory=dict)
    assumes: tuple[Because, ...] = ()
    undecided: Because | None = None


@fact
class SelectorTypo:
    """A policy that selects nothing: ``written`` stands at ``at`` where the pods of the group have ``meant``.

    An empty ``meant``: they have no such label, and a kustomization added it to the selector.
    """

    origin: ObjectRef
    key: str
    written: str
    meant: str
    at: Location


@fact
class FlowCause:
    """Needed flows that are denied wherever the pods land, with the verdicts.

    ``admitting`` are the entries that do admit some of the ports, each with a flow and the ports that are open to it.
    ``slip`` is the one wrong label for which a policy that would admit them selects no pod.
    ``assumes`` is what has to be true beside what Git says.
    """

    root: Root
    flows: tuple[tuple[Flow, Verdict], ...]
    admitting: Mapping[PolicyEntry, tuple[Flow, tuple[PortRange, ...]]] = field(default_factory=dict)
    slip: SelectorTypo | None = None
    assumes: tuple[Because, ...] = ()


@fact
class CutPair:
    """A flow and a pair of zones between which it is denied.

    ``shared_node`` says that it is denied on one node only, or on two only; ``None``: wherever the pods land there.
    """

    flow: Flow
    source_zone: str
    target_zone: str
    shared_node: bool | None
    verdict: Verdict


@fact
class CutCause:
    """A placement that the scheduler may choose, in which needed flows are denied."""

    root: ClassVar[Root] = Root.CUT
    pairs: tuple[CutPair, ...]
    where: Where
    assignments: tuple[Assignment, ...] = ()
    assumes: tuple[Because, ...] = ()


@fact
class SplitCause:
    """A permitted placement over several zones, for a group whose ranks exchange data all the time."""

    root: ClassVar[Root] = Root.SPLIT
    where: Where
    zones: tuple[str, ...]
    assignments: tuple[Assignment, ...] = ()


@fact
class StrandedCause:
    """An order of placement after which some pods stay Pending, although a complete placement exists.

    Where pods are placed as one over a key of their own (racks, blocks), ``key`` is that label, ``stranding`` are the
    domains of it that hold the first pods and not the rest, ``roomy`` those in which all of them fit. ``crowded``: all
    pods fit beside ``placed``, but an unlucky order fills the nodes there so that the last find no room.
    """

    root: ClassVar[Root] = Root.DEAD_END
    placed: Where
    waiting: tuple[PodSet, ...]
    at: Location
    good: tuple[str, ...]
    assignments: tuple[Assignment, ...] = ()
    key: str = ""
    stranding: tuple[str, ...] = ()
    roomy: tuple[str, ...] = ()
    crowded: bool = False


@fact
class SpreadCause:
    """A hard spread constraint over the topology key on a group's pods, and what it does there.

    ``limits``: it may keep a pod out of the domain of the others; ``forces_split``: it does so in every order.
    """

    root: ClassVar[Root] = Root.SPREAD_OF_GROUP
    pod_set: PodSet
    forces_split: bool
    eligible: tuple[str, ...]
    at: Location
    max_skew: int
    limits: bool


@fact
class ResourceAmount:
    """What each pod asks for of a resource, in the resource's own unit; RuntimeClass ``added_by`` adds ``overhead``."""

    resource: str
    amount: int
    overhead: int
    added_by: str


@fact
class NodePort:
    """A port of the node, which only one pod can have there."""

    port: int
    protocol: str


@fact
class CapacityCause:
    """Pods that fit one by one and never all: ``possible`` of ``needed``; ``what`` is what there is too little of: an
    amount, a port of the node, or domains of a topology key.

    ``shared`` says that the set would fit alone but not beside the rest of its group; ``also`` are other sets with the
    same need; ``empty`` are the domains that count and never hold a pod, ``places`` where their nodes stand.
    ``tainted``: only taints keep the pods out of them. ``min_domains`` is set where there are fewer domains than that.
    ``bounds`` are the pools whose size is the reason; ``assumes`` is what has to be true beside what Git says.
    """

    root: Root
    pod_set: PodSet
    needed: int
    possible: int
    at: Location
    what: ResourceAmount | NodePort | str
    shared: bool = False
    also: tuple[PodSet, ...] = ()
    empty: tuple[str, ...] = ()
    places: tuple[Location, ...] = ()
    tainted: bool = False
    min_domains: int | None = None
    bounds: tuple[Pool, ...] = ()
    assumes: tuple[Because, ...] = ()


@fact
class TargetCause:
    """Required pod affinity whose term selects no pod that will exist; ``near`` are labels that come close.

    A term without ``requirements`` selects nothing.

    ``namespaces`` are those in which the term looks for pods; empty where a selector names them. ``elsewhere`` are
    namespaces in which pods do carry the labels.
    """

    root: ClassVar[Root] = Root.AFFINITY_TARGET
    pod_set: PodSet
    requirements: tuple[Requirement, ...]
    near: tuple[tuple[str, str], ...]
    at: Location
    namespaces: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


Cause = (
    CapacityCause
    | TargetCause
    | PlacementCause
    | DeadlockCause
    | ZoneCause
    | FlowCause
    | CutCause
    | SplitCause
    | StrandedCause
    | SpreadCause
)


def assuming(cause: Cause, assumes: tuple[Because, ...]) -> Cause:
    """The cause with what has to be true beside what Git says; the same where it rests on nothing else."""
    if assumes and isinstance(cause, CapacityCause | DeadlockCause | PlacementCause | ZoneCause | FlowCause | CutCause):
        return replace(cause, assumes=tuple(dict.fromkeys((*cause.assumes, *assumes))))
    return cause
