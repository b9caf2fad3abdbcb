"""The policies of a group as constraints: what denies, and what isolates without admitting."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from trainlint.causes.constraint import Barrier, Constraint, ConstraintKind
from trainlint.finding import Location
from trainlint.model.policy import Action, Peer, PolicyEntry
from trainlint.policy import PolicySet
from trainlint.proof.deciding_places import list_of
from trainlint.proof.notation import short_policy

__all__ = ["barriers", "without_barriers"]

EVERYONE = (Peer(written="everyone"),)


def barriers(entries: Iterable[PolicyEntry]) -> tuple[Constraint, ...]:
    """Each entry that denies, and each policy's list of a direction that isolates and may not admit the group."""
    found: dict[tuple[ConstraintKind, Location], Constraint] = {}
    for entry in entries:
        about = (Barrier(entry.direction, short_policy(entry)),)
        if entry.action is Action.DENY:
            denied = Constraint(ConstraintKind.DENY, entry.at, about, list_of(entry))
            found.setdefault((denied.kind, denied.at), denied)
        if entry.isolates:
            closed = Constraint(ConstraintKind.MISSING_ALLOW, list_of(entry), about)
            found.setdefault((closed.kind, closed.at), closed)
    return tuple(found.values())


def without_barriers(policies: PolicySet, entries: Iterable[PolicyEntry], kept: Collection[Constraint]) -> PolicySet:
    """The policies in which, of what concerns a group (``entries``), only some constraints are left.

    A list that is not among them admits everyone.
    """
    return policies.with_entries(_left(entries, {(each.kind, each.at) for each in kept}))


def _left(entries: Iterable[PolicyEntry], kept: Collection[tuple[ConstraintKind, Location]]) -> Iterator[PolicyEntry]:
    for entry in entries:
        isolates = entry.isolates and (ConstraintKind.MISSING_ALLOW, list_of(entry)) in kept
        denies = entry.action is Action.DENY
        if entry.isolates and not isolates:
            yield _open(entry)
        if denies and (ConstraintKind.DENY, entry.at) in kept:
            yield replace(entry, isolates=isolates)
        elif not denies and (isolates or not entry.isolates):
            yield entry


def _open(entry: PolicyEntry) -> PolicyEntry:
    """An entry that admits everyone to the same pods, and isolates no pods."""
    return replace(
        entry, action=Action.ALLOW, peers=EVERYONE, ports=None, isolates=False, only_if=(), authentication=""
    )
