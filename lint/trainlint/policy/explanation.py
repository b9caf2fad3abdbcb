"""Why a connection is allowed or denied: what decided each direction, and what nearly did."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.fact import fact
from trainlint.model.policy import Action, Decision, Direction, Permission, PolicyEntry
from trainlint.model.workload import PortRange
from trainlint.policy.identity import Endpoint
from trainlint.policy.matching import ready
from trainlint.policy.policyset import PolicySet
from trainlint.policy.shortfall import EntryPart, Shortfall, shortfalls

__all__ = ["NearMiss", "Side", "entries_about", "explain"]

SHOWN = 5
"""Near misses that are told; the others are counted."""


@fact
class NearMiss:
    """An entry that would have allowed the connection, and what is missing for that."""

    entry: PolicyEntry
    shortfalls: tuple[Shortfall, ...]

    @property
    def distance(self) -> tuple[int, int, bool]:
        """How far away it is: what may match comes first, what selects the pods before what does not."""
        certain = sum(each.certain for each in self.shortfalls)
        return (certain, len(self.shortfalls), any(each.part is EntryPart.SUBJECT for each in self.shortfalls))


@fact
class Side:
    """One end's part in a verdict.

    ``policed`` is false where no policy of this cluster can be about the end. ``overruled`` are entries that allow the
    connection and lose against a deny. ``near`` are the closest entries that would have allowed it, ``more`` counts
    the others that select the pods too.
    """

    decision: Decision
    subject: str
    policed: bool
    overruled: tuple[PolicyEntry, ...] = ()
    near: tuple[NearMiss, ...] = ()
    more: int = 0


def explain(
    policies: PolicySet,
    direction: Direction,
    subject: Endpoint,
    peer: Endpoint,
    protocol: str,
    ports: PortRange | None,
) -> Side:
    """What the policies of one end say about a connection; the decision is that of ``policies.decision``."""
    protocol = protocol.upper()
    decision = policies.decision(direction, subject, peer, protocol, ports)
    if subject.subject is None:
        return Side(decision, subject.name, policed=False)
    if decision.answer is Permission.ALLOW:
        return Side(decision, subject.name, policed=True)
    matching: list[PolicyEntry] = []
    misses: list[NearMiss] = []
    for entry in entries_about(policies, subject, direction):
        if entry.action is Action.ALLOW:
            found = tuple(shortfalls(ready(entry, 0), subject, peer, protocol, ports, policies))
            if found:
                misses.append(NearMiss(entry, found))
            else:
                matching.append(entry)
    denied = any(entry.action is Action.DENY for entry in decision.deciding)
    misses.sort(key=lambda miss: miss.distance)
    near = _telling(misses)
    selecting = [miss for miss in misses if all(each.part is not EntryPart.SUBJECT for each in miss.shortfalls)]
    return Side(
        decision,
        subject.name,
        policed=True,
        overruled=tuple(matching) if denied else (),
        near=() if denied else tuple(near),
        more=0 if denied else sum(miss not in near for miss in selecting),
    )


def entries_about(policies: PolicySet, subject: Endpoint, direction: Direction) -> Iterator[PolicyEntry]:
    """The entries of a direction that could be about an end if its labels were right."""
    node = subject.has("host")
    for entry in policies.entries:
        if entry.direction is direction and entry.node == node and entry.namespace in ("", subject.namespace):
            yield entry


def _telling(misses: list[NearMiss]) -> list[NearMiss]:
    """The closest of them; one that fits in nothing is no near miss, unless it is all there is of its policy."""
    near = [miss for miss in misses if len({each.part for each in miss.shortfalls}) == 1 or len(miss.shortfalls) <= 2]
    return (near or misses)[:SHOWN]
