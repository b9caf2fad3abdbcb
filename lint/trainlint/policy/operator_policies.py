"""Policies that operators make of a field of their own: who makes them, and where their rules are written."""

from __future__ import annotations

from dataclasses import replace

from trainlint.finding import Location
from trainlint.model.policy import MADE_BY, MADE_RULES, Peer, PolicyEntry, PortRule
from trainlint.model.selector import LabelSelector
from trainlint.source.document import Field

__all__ = ["attributed"]


def attributed(entry: PolicyEntry, root: Field) -> PolicyEntry:
    """The entry of a policy with who makes it, at the places that the author of the manifest knows."""
    annotations = root.down("metadata", "annotations")
    made_by = annotations[MADE_BY].scalar
    if made_by is None:
        return entry
    text = annotations[f"{MADE_RULES}{entry.direction.value}"].scalar or ""
    part, _, base = text.rpartition(":")
    places = _Places(root.at, tuple(part.split("/")), int(base or 0))
    return replace(
        entry,
        made_by=made_by,
        at=places.of(entry.at),
        subject=replace(entry.subject, at=root.at),
        peers=None if entry.peers is None else tuple(map(places.peer, entry.peers)),
        ports=None if entry.ports is None else tuple(map(places.port, entry.ports)),
    )


class _Places:
    """Where the parts of a made policy are written: rules of users in their own list, all else at the field."""

    def __init__(self, root: Location, part: tuple[str, ...], base: int) -> None:
        self._root = root
        self._part = tuple(int(step) if step.isdecimal() else step for step in part)
        self._base = base

    def of(self, at: Location) -> Location:
        """The place in the manifest."""
        below = at.path[len(self._root.path) :]
        if len(below) < 3 or not isinstance(below[2], int) or below[2] < self._base:
            return self._root
        return self._root.child(*self._part, below[2] - self._base, *below[3:])

    def peer(self, peer: Peer) -> Peer:
        """A peer at its place."""
        at = None if peer.at is None else self.of(peer.at)
        return replace(peer, at=at, selector=self._selector(peer.selector))

    def port(self, rule: PortRule) -> PortRule:
        """A port rule at its place."""
        return rule if rule.at is None else replace(rule, at=self.of(rule.at))

    def _selector(self, selector: LabelSelector) -> LabelSelector:
        requirements = tuple(
            item if item.at is None else replace(item, at=self.of(item.at)) for item in selector.requirements
        )
        return LabelSelector(requirements, None if selector.at is None else self.of(selector.at))
