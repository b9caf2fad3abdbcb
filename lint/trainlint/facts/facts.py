"""What a rule sees of one snapshot: the facts of each domain, made when a rule asks, and then shared."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cached_property

from trainlint.checks.policies import PolicyMistakes
from trainlint.fabric.facts import Fabric
from trainlint.facts.cluster import ClusterFacts
from trainlint.facts.connections import ConnectionFacts
from trainlint.facts.control_plane import ControlPlaneFacts
from trainlint.facts.groups import GroupFacts
from trainlint.facts.objects import ObjectFacts
from trainlint.facts.placement import PlacementFacts
from trainlint.facts.queues import QueueFacts
from trainlint.facts.repository import RepositoryFacts
from trainlint.finding import Unknown
from trainlint.model.settings import Settings
from trainlint.policy import PolicySet
from trainlint.proof.group import GroupProof
from trainlint.proof.verdicts import Verdicts
from trainlint.snapshot.build import Snapshot

__all__ = ["Facts"]


class Facts:
    """The facts of one snapshot by domain. Each domain remembers what it worked out; nothing is worked out here.

    ``shown``: findings are for people. In trials of repairs nothing is looked for that only those need. ``others`` are
    the facts of the other snapshots of the repository.
    """

    def __init__(self, snapshot: Snapshot, *, shown: bool = True) -> None:
        self.snapshot = snapshot
        self.shown = shown
        self.others: tuple[Facts, ...] = ()
        self.cluster = ClusterFacts(snapshot)
        self.queues = QueueFacts(snapshot, self.cluster)
        self.placement = PlacementFacts(snapshot, self.cluster, self.queues)
        self.connections = ConnectionFacts(snapshot, self.cluster, self.placement)
        self.fabric = Fabric(snapshot, self.placement.open_pools)
        self.control_plane = ControlPlaneFacts(snapshot, self.cluster, self.connections)
        self.objects = ObjectFacts(snapshot, self.queues)
        self.repository = RepositoryFacts(self)
        self.groups = GroupFacts(self)

    def beside(self) -> Facts:
        """The same facts beside other snapshots: all is kept but what rests on those."""
        twin = copy(self)
        twin.others = ()
        twin.repository = RepositoryFacts(twin)
        return twin

    def prove_anew(self) -> None:
        """Forget the proofs, which rest on facts that have changed."""
        self.groups = GroupFacts(self)

    def under(self, settings: Settings) -> Facts:
        """The facts of the same snapshot under other settings."""
        return Facts(replace(self.snapshot, settings=settings))

    @property
    def policies(self) -> PolicySet:
        """The policies in force."""
        return self.connections.policies

    @property
    def mistakes(self) -> PolicyMistakes:
        """What people got wrong in the policies, although every object may be valid."""
        return self.connections.mistakes

    @property
    def verdicts(self) -> Verdicts:
        """Where the pods of each pod set can be scheduled."""
        return self.placement.verdicts

    @property
    def proofs(self) -> tuple[GroupProof, ...]:
        """The proof of every group that may be meant for what the snapshot is made of."""
        return self.groups.proofs

    @cached_property
    def unknowns(self) -> tuple[Unknown, ...]:
        """What is missing for this snapshot's questions."""
        found = (*self.snapshot.unknowns, *self.policies.unknowns, *self.groups.unknowns())
        return tuple(dict.fromkeys(found))
