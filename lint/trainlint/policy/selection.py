"""Which entries select an end of a connection, and what that makes of it: isolated or not, computable or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trainlint.fact import fact
from trainlint.model.policy import Action, Direction, PolicyEntry
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.policy.calico_cluster import CalicoCluster
from trainlint.policy.conflicts import Conflict, merge_conflict
from trainlint.policy.identity import Endpoint
from trainlint.policy.matching import ReadyEntry, Rules
from trainlint.policy.selector import Matcher

__all__ = ["SelectedEntries", "TierEnd", "conflict_of", "select"]


@fact
class SelectedEntries:
    """The entries of one direction that select an endpoint, each with whether that is certain."""

    entries: tuple[tuple[ReadyEntry, bool], ...]
    isolating: tuple[PolicyEntry, ...]
    isolated: bool | None
    conflict: Conflict | None
    required: Mapping[Action, Matcher]
    ends: tuple[TierEnd, ...] = ()


@fact
class TierEnd:
    """The end of a tier of Calico's, where connections are denied that no rule of its policies matches.

    ``first`` is one of its entries, ``isolating`` are those that isolate; ``certain``: one of these surely does.
    """

    first: ReadyEntry
    isolating: tuple[PolicyEntry, ...]
    certain: bool


def select(subject: Endpoint, candidates: Iterable[ReadyEntry], rules: Rules) -> Mapping[Direction, SelectedEntries]:
    """The entries of each direction that select an endpoint, out of those that may."""
    selected: dict[Direction, list[tuple[ReadyEntry, bool]]] = {each: [] for each in Direction}
    if subject.subject is not None and rules.options.enforcement != "never":
        for entry in candidates:
            match = entry.subject.matches(subject.subject, subject.unknown_subject)
            if match is not False:
                selected[entry.entry.direction].append((entry, match is True))
    return {direction: _selection(subject, entries, rules) for direction, entries in selected.items()}


def _selection(subject: Endpoint, entries: list[tuple[ReadyEntry, bool]], rules: Rules) -> SelectedEntries:
    enforced = subject.subject is not None and rules.options.enforcement != "never"
    forced = enforced and (rules.options.enforcement == "always" or subject.has("init"))
    isolating = [(each.entry, certain) for each, certain in entries if each.entry.isolates]
    isolated: bool | None = forced or any(certain for _, certain in isolating)
    if not isolated and isolating:
        isolated = None
    entries.sort(key=lambda each: each[0].level)
    return SelectedEntries(
        entries=tuple(entries),
        isolating=tuple(entry for entry, _ in isolating),
        isolated=isolated,
        conflict=conflict_of(subject, [each.entry for each, _ in entries], rules),
        required=_required([each.entry for each, _ in entries]),
        ends=_ends(entries, rules.calico) if rules.calico is not None else (),
    )


def _ends(entries: Sequence[tuple[ReadyEntry, bool]], cluster: CalicoCluster) -> tuple[TierEnd, ...]:
    """The ends of the tiers that have a policy about an endpoint, apart from those at which connections go on."""
    tiers: dict[int, list[tuple[ReadyEntry, bool]]] = {}
    for each in entries:
        if each[0].entry.isolates and each[0].entry.tier not in cluster.passing:
            tiers.setdefault(each[0].entry.tier, []).append(each)
    return tuple(
        TierEnd(own[0][0], tuple(each.entry for each, _ in own), any(certain for _, certain in own))
        for own in tiers.values()
    )


def conflict_of(subject: Endpoint, entries: Sequence[PolicyEntry], rules: Rules) -> Conflict | None:
    """Why entries cannot be merged for an endpoint; ``None`` where they can."""
    return merge_conflict(entries, namespaced=bool(subject.namespace)) if rules.cilium else None


def _required(entries: Iterable[PolicyEntry]) -> Mapping[Action, Matcher]:
    """Cilium 1.18 asks what one entry requires of the endpoint peers of all entries of its kind."""
    found: dict[Action, tuple[Requirement, ...]] = {}
    for entry in entries:
        if entry.requires is not None:
            found[entry.action] = (*found.get(entry.action, ()), *entry.requires.requirements)
    return {action: Matcher.of(LabelSelector(requirements)) for action, requirements in found.items()}
