"""One state of the repository: what was read, what follows from it, and what the rules found in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from trainlint.engine.progress import Progress, silent
from trainlint.engine.rendering import rendered_repository
from trainlint.engine.setup import Setup
from trainlint.engine.source_places import Places
from trainlint.facts.facts import Facts
from trainlint.finding import Finding, Location, Severity
from trainlint.result import Failure
from trainlint.rule import Repository
from trainlint.snapshot.build import Snapshot, build_snapshots
from trainlint.source.build_cache import Builds
from trainlint.source.reading import Reading
from trainlint.source.world import World

if TYPE_CHECKING:
    from trainlint.inventory.external_inventory import GivenNodes

__all__ = ["State", "in_scope", "read_state"]


@dataclass(eq=False)
class State:
    """``found`` and ``failures`` grow while rules speak: findings by identity and file, and the rules that broke; so do
    ``roots``, in the file of which root each finding was found (its own file where nothing was rendered), and
    ``objects``, where the objects are written that it is about (a patch of them may be elsewhere).

    ``before`` is the base revision, if this is the head of a comparison. ``severities`` replace those of rules.
    ``builds`` is what was rendered so far, ``nodes`` what was said of nodes that are not in Git.
    """

    world: World
    readings: tuple[Reading, ...]
    repository: Repository
    snapshots: tuple[Snapshot, ...]
    builds: Builds = field(default_factory=Builds)
    before: State | None = None
    severities: Mapping[str, Severity] = field(default_factory=dict)
    nodes: tuple[GivenNodes, ...] = ()
    found: dict[tuple[str, str], Finding] = field(default_factory=dict)
    roots: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    objects: dict[tuple[str, str], set[Location]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    @cached_property
    def facts(self) -> tuple[Facts, ...]:
        """The facts of every snapshot."""
        facts = tuple(Facts(snapshot) for snapshot in self.snapshots)
        for each in facts:
            each.others = tuple(other for other in facts if other is not each)
        return facts

    @cached_property
    def grouped(self) -> frozenset[tuple[str, int]]:
        """The documents (file and index) in which the pods of groups are written."""
        members = (pods for each in self.snapshots for group in each.workloads.groups for pods in group.members)
        return frozenset((pods.at.file, pods.at.document) for pods in members)

    @cached_property
    def places(self) -> Places:
        """Where everything stands."""
        before = self.before.places if self.before else None
        found = Places(self.world, self.readings, before, self.repository.written)
        for each in self.repository.rendered:
            found.templates.update(each.places)
        for given in self.nodes:
            found.know(given.source, given.text, given.documents)
        return found

    @property
    def findings(self) -> list[Finding]:
        """What was found in the files that the report is about."""
        scope = self.world.scope
        if scope is None:
            return list(self.found.values())
        return [
            each for key, each in self.found.items() if in_scope(each, scope) or not scope.isdisjoint(self.roots[key])
        ]

    def written(self, at: Location, *, key: bool = False) -> Location:
        """Where a place is for people (or the key there); one of the base revision is asked there."""
        home = self.before if at.base and self.before is not None else self
        return home.repository.written(at, key=key)


def read_state(
    world: World,
    readings: Sequence[Reading],
    setup: Setup,
    builds: Builds | None = None,
    tell: Progress = silent,
    known: Sequence[Snapshot] = (),
) -> State:
    """The repository, rendered where it can be, and its snapshots. ``builds`` is what was rendered before; snapshots
    that are ``known`` and the same are taken as they are.

    Raises:
        UsageError: an Inventory is wrong, or nodes were given of a cluster that is not there.
    """
    builds = builds or Builds()
    repository, fleet = rendered_repository(world, readings, setup, builds, tell)
    snapshots = build_snapshots(repository, setup.settings, fleet, known, setup.nodes)
    return State(world, tuple(readings), repository, snapshots, builds, nodes=setup.nodes)


def in_scope(finding: Finding, scope: frozenset[str]) -> bool:
    """Whether a finding is about one of the files to which the report is narrowed."""
    return finding.at.file in scope or any(related.at.file in scope for related in finding.places)
