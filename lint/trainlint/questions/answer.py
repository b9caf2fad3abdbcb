"""What is asked about a connection, and what is answered."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.policy import Permission, Verdict
from trainlint.model.workload import PortRange
from trainlint.policy.explanation import Side
from trainlint.policy.shortfall import Shortfall
from trainlint.wording.misses import miss_text
from trainlint.wording.verdicts import decision_text

__all__ = ["Asked", "ConnectionAnswer", "OpeningRepair", "RepairEdit"]


@fact
class Asked:
    """A question as people ask it; ``ports`` is ``None`` for every port of the protocol."""

    source: str
    target: str
    protocol: str = "TCP"
    ports: PortRange | None = None
    source_zone: str | None = None
    target_zone: str | None = None


@fact
class RepairEdit:
    """One edit of a repair in words, and the place to edit (``None``: it is in no file)."""

    text: str
    at: Location | None


@fact
class OpeningRepair:
    """Changes that together open a denied connection: tried, with the answer after them."""

    changes: tuple[RepairEdit, ...]
    answer: Permission


@fact
class ConnectionAnswer:
    """The verdict with everything that led to it.

    ``snapshots`` are those in which it holds, ``where`` says for which placement if that matters. ``source`` and
    ``target`` are the full names of the ends. ``inert`` are policies of the ends' namespaces that are not in force,
    each with the reason.
    """

    snapshots: tuple[str, ...]
    where: str
    source: str
    target: str
    verdict: Verdict
    egress: Side
    ingress: Side
    repairs: tuple[OpeningRepair, ...] = ()
    inert: tuple[RepairEdit, ...] = ()
    assumptions: tuple[str, ...] = ()

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both directions, in the order of the connection."""
        return (self.egress, self.ingress)

    @property
    def denied(self) -> bool:
        """Whether a direction denies it."""
        return self.verdict.answer is Permission.DENY

    @property
    def key(self) -> Hashable:
        """Equal for answers that say the same about the same places."""
        return (
            self.source,
            self.target,
            self.verdict.answer,
            self.verdict.allowed,
            tuple(_side_key(side) for side in self.sides),
            self.repairs,
            self.inert,
            self.assumptions,
        )

    def locations(self) -> Iterator[Location]:
        """Every place that the answer names."""
        for side in self.sides:
            for entry in (*side.decision.deciding, *side.decision.isolating, *side.overruled):
                yield entry.at
            for miss in side.near:
                yield miss.entry.at
                yield from (each.at for each in miss.shortfalls if each.at is not None)
        for repair in self.repairs:
            yield from (change.at for change in repair.changes if change.at is not None)
        yield from (each.at for each in self.inert if each.at is not None)


def _side_key(side: Side) -> Hashable:
    decision = side.decision
    entries = (decision.deciding, decision.isolating, side.overruled)
    return (
        decision_text(decision),
        side.policed,
        tuple(tuple(entry.at for entry in each) for each in entries),
        tuple((miss.entry.at, tuple(map(_miss_key, miss.shortfalls))) for miss in side.near),
        side.more,
    )


def _miss_key(miss: Shortfall) -> Hashable:
    return miss.part, miss_text(miss.reason), miss.at, miss.certain
