"""Root causes of refutations, as data: rules tell them, and find those that are theirs by their ``root``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import ClassVar

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.policy import PolicyEntry, Verdict
from trainlint.model.pool import Pool
from trainlint.model.root import Root
from trainlint.model.workload import Flow, ObjectRef, PodSet, PortRange
from trainlint.proof.decided import deciding_places
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Refusal

__all__ = [
    "AffinityConflict",
    "Assignment",
    "CapacityCause",
    "Cause",
    "CutCause",
    "CutPair",
    "DeadlockCause",
    "DeniedFlow",
    "FlowCause",
    "HostLimit",
    "Miss",
    "NoDomain",
    "NoNode",
    "NoOrder",
    "NoRoom",
    "Obstacle",
    "PlacementCause",
    "Slip",
    "SplitCause",
    "SpreadCause",
    "StrandedCause",
    "TargetCause",
    "UndecidedFlow",
    "Where",
    "ZoneCause",
    "ZoneReason",
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
    assumes: tuple[str, ...] = ()
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
    assumes: tuple[str, ...] = ()


@fact
class NoNode:
    """No node of the zone takes a pod: why the closest refuse it. Where none refuses it, ``nodes`` are all of them."""

    refusals: tuple[Refusal, ...]
    nodes: tuple[Location, ...] = ()


@fact
class NoRoom:
    """There is room for ``room`` (0: not known how many) of ``needed`` pods, alone or ``beside`` the rest."""

    room: int
    needed: int
    beside: bool


@fact
class HostLimit:
    """Required anti-affinity, or a spread, over hosts keeps so many pods apart on fewer nodes."""

    pod_sets: tuple[str, ...]
    zone: str
    pods: int
    nodes: int
    anti_affinity: bool


@fact
class NoDomain:
    """No domains take the pods as ``by`` places them: each part alone in one if that is ``exclusive``."""

    pod_sets: tuple[str, ...]
    zone: str
    by: str
    exclusive: bool


@fact
class AffinityConflict:
    """Pod affinity and anti-affinity that do not let pod sets share the zone."""

    pod_sets: tuple[str, ...]
    zone: str


@fact
class NoOrder:
    """Spread and affinity constraints that in no order of placement let all pods into the zone."""

    pod_sets: tuple[str, ...]
    zone: str


@fact
class DeniedFlow:
    """A flow that is denied in the zone."""

    flow: Flow
    verdict: Verdict


@fact
class UndecidedFlow:
    """A flow of which it is not known whether it is permitted in the zone, and what must be known to tell."""

    flow: Flow
    unknown: tuple[str, ...]


Obstacle = NoNode | NoRoom | HostLimit | NoDomain | AffinityConflict | NoOrder | DeniedFlow | UndecidedFlow
"""What in a zone stands against a group."""


@fact
class ZoneReason:
    """Why a zone does not do: for which pod set, what stands against it, and where that is decided first."""

    pod_set: PodSet
    what: Obstacle
    at: Location

    @property
    def flow(self) -> Flow | None:
        """The connection that is denied there or unknown, if that is why."""
        return self.what.flow if isinstance(self.what, DeniedFlow | UndecidedFlow) else None

    @property
    def places(self) -> tuple[Location, ...]:
        """Every place that decides it."""
        match self.what:
            case NoNode(refusals, nodes):
                others = tuple(each.node_at for each in refusals if each.node_at is not None) if refusals else nodes
            case DeniedFlow(_, verdict):
                others = tuple(each.at for each in deciding_places(verdict))
            case _:
                others = ()
        return tuple(dict.fromkeys((self.at, *others)))


@fact
class ZoneCause:
    """No zone takes the whole group: the reasons by zone, the closest miss first.

    ``assumes`` is what has to be true beside what Git says.
    ``across`` is a placement over several zones that works; ``undecided`` is why it is not known whether one does.
    """

    root: ClassVar[Root] = Root.ZONES
    reasons: Mapping[str, tuple[ZoneReason, ...]]
    across: Where = field(default_factory=dict)
    assumes: tuple[str, ...] = ()
    undecided: str = ""


@fact
class Slip:
    """A policy that selects nothing: ``written`` stands at ``at`` where the pods of the group have ``meant``."""

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
    slip: Slip | None = None
    assumes: tuple[str, ...] = ()


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
    assumes: tuple[str, ...] = ()


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
    domains of it that hold the first pods and not the rest, ``roomy`` those in which all of them fit.
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
    max_skew: int = 1
    limits: bool = False


@fact
class CapacityCause:
    """Pods that fit one by one and never all: ``possible`` of ``needed``; ``what`` is what there is too little of.

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
    what: str
    shared: bool = False
    also: tuple[PodSet, ...] = ()
    empty: tuple[str, ...] = ()
    places: tuple[Location, ...] = ()
    tainted: bool = False
    min_domains: int | None = None
    bounds: tuple[Pool, ...] = ()
    assumes: tuple[str, ...] = ()


@fact
class TargetCause:
    """Required pod affinity whose term selects no pod that will exist; ``near`` are labels that come close.

    ``namespaces`` are those in which the term looks for pods; empty where a selector names them. ``elsewhere`` are
    namespaces in which pods do carry the labels.
    """

    root: ClassVar[Root] = Root.AFFINITY_TARGET
    pod_set: PodSet
    wanted: str
    near: tuple[str, ...]
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


def assuming(cause: Cause, assumes: tuple[str, ...]) -> Cause:
    """The cause with what has to be true beside what Git says; the same where it rests on nothing else."""
    if assumes and isinstance(cause, CapacityCause | DeadlockCause | PlacementCause | ZoneCause | FlowCause | CutCause):
        return replace(cause, assumes=tuple(dict.fromkeys((*cause.assumes, *assumes))))
    return cause
