"""One state of the repository: what was read, what follows from it, and what the rules say about it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from trainlint.engine.identity import identified
from trainlint.engine.place import Places
from trainlint.engine.progress import Progress, silent
from trainlint.engine.rendering import rendered_repository
from trainlint.engine.selection import names_of
from trainlint.engine.setup import Setup
from trainlint.engine.suppress import Suppressed, Suppressor
from trainlint.engine.suppress import read_all as read_suppressions
from trainlint.finding import Finding, Location, Severity
from trainlint.proof.facts import Facts
from trainlint.result import Failure
from trainlint.rule import Change, Repository, Rule, all_rules
from trainlint.snapshot.build import Snapshot, build_snapshots
from trainlint.source.builds import Builds
from trainlint.source.files import World
from trainlint.source.reading import Reading
from trainlint.suppression import Suppressions

__all__ = ["State", "in_scope", "judge", "judge_change", "read_state", "sift"]


@dataclass(eq=False)
class State:
    """``found`` and ``failures`` grow while rules speak: findings by identity and file, and the rules that broke; so do
    ``roots``, in the file of which root each finding was found (its own file where nothing was rendered), and
    ``objects``, where the objects are written that it is about (a patch of them may be elsewhere).

    ``before`` is the base revision, if this is the head of a comparison. ``severities`` replace those of rules.
    ``builds`` is what was rendered so far.
    """

    world: World
    readings: tuple[Reading, ...]
    repository: Repository
    snapshots: tuple[Snapshot, ...]
    builds: Builds = field(default_factory=Builds)
    before: State | None = None
    severities: Mapping[str, Severity] = field(default_factory=dict)
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
    def places(self) -> Places:
        """Where everything stands."""
        before = self.before.places if self.before else None
        found = Places(self.world, self.readings, before, self.repository.written)
        for each in self.repository.rendered:
            found.templates.update(each.places)
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
        UsageError: an Inventory is wrong.
    """
    builds = builds or Builds()
    repository, fleet = rendered_repository(world, readings, setup, builds, tell)
    return State(world, tuple(readings), repository, build_snapshots(repository, setup.settings, fleet, known), builds)


def judge(state: State, rules: Iterable[Rule], tell: Progress) -> None:
    """Let the rules speak about the repository and about each snapshot."""
    for rule in rules:
        if rule.sees is Repository:
            _run(state, rule, state.repository, None)
    for number, facts in enumerate(state.facts):
        tell("judging", number, len(state.facts))
        for rule in rules:
            if rule.sees is Facts:
                _run(state, rule, facts, facts.snapshot)
    tell("judging", len(state.facts), len(state.facts))


def judge_change(base: State, head: State, rules: Iterable[Rule]) -> None:
    """Let the rules speak that compare two states; what they find belongs to the head."""
    change = Change(base.facts, head.facts)
    for rule in rules:
        if rule.sees is Change:
            _run(head, rule, change, None)


def sift(state: State, setup: Setup, today: dt.date) -> tuple[list[Finding], list[Suppressed]]:
    """What nobody suppresses (with what the rules say about the suppressions themselves), and what somebody does."""
    document = setup.configuration.document
    if document is not None:
        state.places.add(document)
    known = names_of(all_rules())
    entries = setup.configuration.choices.ignores
    suppressor = Suppressor(
        read_suppressions(state.places, state.repository, entries, state.findings, judged=setup.whole),
        state.places,
        known,
        today,
        state.objects,
        base=setup.base,
        require_reason=setup.require_reason,
    )
    kept, suppressed = suppressor.split(state.findings)
    active = names_of(rule for rule in setup.rules if rule.sees is not Suppressions)
    late = replace(state, found={}, roots={}, objects={}, failures=state.failures)
    for rule in (rule for rule in setup.rules if rule.sees is Suppressions):
        _run(late, rule, Suppressions(suppressor.all, known, active, today), None)
    more, hushed = suppressor.split(late.findings)
    return [*kept, *more], [*suppressed, *hushed]


def _run(state: State, rule: Rule, seen: object, snapshot: Snapshot | None) -> None:
    """Let a rule speak. A rule that breaks is our fault: it is named, and never reads as silence."""
    try:
        found = list(rule.check(seen))
    except Exception as error:
        state.failures.append(Failure(rule.name, f"{type(error).__name__}: {error}"))
        return
    for finding in found:
        severity = state.severities.get(rule.name) or finding.severity or rule.severity
        stamped = replace(finding, rule=rule.name, category=rule.category, severity=severity)
        if snapshot is not None:
            stamped = replace(_softened(stamped, snapshot), snapshots=(snapshot.name,))
        home = state.before if stamped.at.base and state.before else state
        stamped = identified(_written(stamped, state), home.repository)
        key = (stamped.id, stamped.at.file)
        state.roots.setdefault(key, set()).add(finding.at.file)
        item = home.repository.object_at(finding.at)
        if item is not None:
            state.objects.setdefault(key, set()).add(item.written)
        before = state.found.get(key)
        names = (*(before.snapshots if before else ()), *stamped.snapshots)
        state.found[key] = replace(before or stamped, snapshots=tuple(dict.fromkeys(names)))


def _written(finding: Finding, state: State) -> Finding:
    """The finding at the places where people wrote what it is about."""
    related = tuple(replace(each, at=state.written(each.at)) for each in finding.related)
    return replace(finding, at=state.written(finding.at, key=finding.of_key), related=related)


def _softened(finding: Finding, snapshot: Snapshot) -> Finding:
    """What rests on objects that a kustomization would change is a note at most: they are not what is deployed."""
    files = [finding.at.file, *(related.at.file for related in finding.related)]
    changed = next((snapshot.unrendered[file] for file in files if file in snapshot.unrendered), None)
    if changed is None:
        return finding
    text = f"the kustomization {changed} changes nothing that matters here: it was not rendered"
    return replace(finding, severity=Severity.NOTE, assumes=(*finding.assumes, text))


def in_scope(finding: Finding, scope: frozenset[str]) -> bool:
    """Whether a finding is about one of the files to which the report is narrowed."""
    return finding.at.file in scope or any(related.at.file in scope for related in finding.related)
