"""Why a zone does not take a group, as data: what stands against it there, and where that is decided."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.policy import Verdict
from trainlint.model.workload import Flow, PodSet
from trainlint.proof.deciding_places import deciding_places
from trainlint.scheduling.refusal import Refusal

__all__ = [
    "AffinityConflict",
    "DeniedFlow",
    "HostLimit",
    "NoDomain",
    "NoNode",
    "NoOrder",
    "NoRoom",
    "Obstacle",
    "UndecidedFlow",
    "ZoneReason",
]


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
    unknown: tuple[Because, ...]


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
        """The connection that is denied there or unknown; ``None`` where something else is the reason."""
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
