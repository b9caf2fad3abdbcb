"""The findings of all rules about a state of the repository, without those that are suppressed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from trainlint.engine.finding_identity import identified, tell_apart
from trainlint.engine.progress import Progress
from trainlint.engine.repository_state import State
from trainlint.engine.selection import names_of
from trainlint.engine.setup import Setup
from trainlint.engine.suppress import Suppressed, Suppressor
from trainlint.engine.suppress import read_all as read_suppressions
from trainlint.engine.testdata import of_test_data
from trainlint.facts.facts import Facts
from trainlint.finding import Certainty, Finding, Related, Severity
from trainlint.result import Failure
from trainlint.rule import Change, Repository, Rule, all_rules
from trainlint.snapshot.build import Snapshot
from trainlint.suppression import Suppressions

__all__ = ["judge", "judge_change", "sift"]


def judge(state: State, rules: Sequence[Rule], tell: Progress) -> None:
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
    tell_apart(state)


def judge_change(base: State, head: State, rules: Iterable[Rule]) -> None:
    """Let the rules speak that compare two states; what they find belongs to the head."""
    change = Change(base.facts, head.facts)
    for rule in rules:
        if rule.sees is Change:
            _run(head, rule, change, None)
    tell_apart(head)


def sift(state: State, setup: Setup, today: dt.date) -> tuple[list[Finding], list[Suppressed]]:
    """The findings that are not suppressed (with those about the suppressions themselves), and the suppressed ones."""
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
    more, silenced = suppressor.split(late.findings)
    return [*kept, *more], [*suppressed, *silenced]


def _run(state: State, rule: Rule, seen: object, snapshot: Snapshot | None) -> None:
    """Let a rule speak. A rule that breaks is our fault: it is named, and never reads as silence."""
    try:
        found = list(rule.check(seen))
    except Exception as error:
        state.failures.append(Failure(rule.name, f"{type(error).__name__}: {error}"))
        return
    for finding in found:
        if snapshot is not None and not snapshot.is_near(finding.at.file):
            continue
        if any(given.source == finding.at.file for given in state.nodes):
            continue  # nodes that are not in Git are no manifest
        severity = state.severities.get(rule.name) or finding.severity or rule.severity
        stamped = replace(finding, rule=rule.name, category=rule.category, severity=severity)
        if rule.name not in state.severities:
            stamped = of_test_data(stamped, state)
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
        state.found[key] = stamped if before is None else _merged(before, stamped)


def _merged(before: Finding, other: Finding) -> Finding:
    """A finding of several snapshots: as severe as in the worst of them, and then named for those alone."""
    one, two = before.severity or Severity.ERROR, other.severity or Severity.ERROR
    if one is not two:
        return before if one.rank < two.rank else other
    kept = other if before.certainty is Certainty.LIKELY and other.certainty is Certainty.PROVEN else before
    return replace(kept, snapshots=tuple(dict.fromkeys((*before.snapshots, *other.snapshots))))


def _written(finding: Finding, state: State) -> Finding:
    """The finding at the places where people wrote what it is about. What has a span keeps its file: documents that
    are rendered from a file have numbers of their own.
    """
    at = finding.at if finding.span is not None else state.written(finding.at, key=finding.of_key)
    return replace(finding, at=at, related=partial(_places_written, finding, state))


def _places_written(finding: Finding, state: State) -> tuple[Related, ...]:
    """The other places of a finding where people wrote them."""
    return tuple(each if each.span is not None else replace(each, at=state.written(each.at)) for each in finding.places)


def _softened(finding: Finding, snapshot: Snapshot) -> Finding:
    """What rests on objects that a kustomization would change is a note at most: they are not what is deployed."""
    if not snapshot.unrendered:
        return finding
    files = [finding.at.file, *(related.at.file for related in finding.places)]
    changed = next((snapshot.unrendered[file] for file in files if file in snapshot.unrendered), None)
    if changed is None:
        return finding
    text = f"the kustomization {changed} changes nothing that matters here: it was not rendered"
    return replace(finding, severity=Severity.NOTE, assumes=(*finding.assumes, text))
