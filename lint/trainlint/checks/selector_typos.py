"""Policies that select no pod because of one slip of the pen, and so do not open what a group needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from trainlint.checks.policies import PolicyMistakes
from trainlint.finding import Location
from trainlint.kube.spelling import only_meant
from trainlint.model.policy import PolicyEntry
from trainlint.model.root import Root
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.model.workload import Group, ObjectRef
from trainlint.policy import PolicySet
from trainlint.policy.selector import split_source
from trainlint.proof.cause import FlowCause, SelectorTypo
from trainlint.proof.group import GroupProof

__all__ = ["with_slips"]


Adds = Callable[[Location | None], bool]
"""Whether a label transformer of a kustomization wrote the label at a place."""


def with_slips(mistakes: PolicyMistakes, policies: PolicySet, proof: GroupProof, adds: Adds) -> GroupProof:
    """The proof with those denials at the policy's subject that go away with one corrected label, or without the labels
    that a kustomization adds to the policy and not to the pods.

    Every correction is tried: a policy that selects no pod now and, with the label that the group's pods have, admits
    all denied flows of a cause is its root.
    """
    if not any(isinstance(each, FlowCause) for each in proof.causes):
        return proof
    named = tuple(
        _named(mistakes, policies, proof, each, adds) if isinstance(each, FlowCause) else each for each in proof.causes
    )
    return replace(proof, causes=named) if named != proof.causes else proof


def _named(mistakes: PolicyMistakes, policies: PolicySet, proof: GroupProof, cause: FlowCause, adds: Adds) -> FlowCause:
    if proof.reach is None:
        return cause
    for origin in {each.origin for each in mistakes.unselected}:
        entries = [each for each in mistakes.entries if each.origin == origin]
        for slip, corrected in _corrections(proof.group, origin, entries, policies, adds):
            fixed = policies.with_entries(corrected)
            denied = {flow for flow, _ in proof.reach.under(fixed).denied}
            if denied.isdisjoint(flow for flow, _ in cause.flows):
                return replace(cause, root=Root.POLICY_SUBJECT, slip=slip)
    return cause


def _corrections(
    group: Group, origin: ObjectRef, entries: Sequence[PolicyEntry], policies: PolicySet, adds: Adds
) -> Iterator[tuple[SelectorTypo, Iterator[PolicyEntry]]]:
    """Each slip in the subject of a policy, with all entries as they are without it."""
    for slip in _slips(group, origin, entries):
        yield slip, _corrected(policies.entries, slip)
    added = next((item for each in entries for item in each.subject.requirements if adds(item.at)), None)
    if added is not None and added.at is not None:
        slip = SelectorTypo(origin, split_source(added.key)[1], ", ".join(added.values), "", added.at)
        yield slip, (_without(each, adds) if each.origin == origin else each for each in policies.entries)


def _without(entry: PolicyEntry, adds: Adds) -> PolicyEntry:
    """The entry as it was before a kustomization added labels to its selectors."""

    def kept(selector: LabelSelector) -> LabelSelector:
        return LabelSelector(tuple(each for each in selector.requirements if not adds(each.at)), selector.at)

    peers = tuple(replace(each, selector=kept(each.selector)) for each in entry.peers or ())
    return replace(entry, subject=kept(entry.subject), peers=peers if entry.peers is not None else None)


def _slips(group: Group, origin: ObjectRef, entries: Iterable[PolicyEntry]) -> Iterator[SelectorTypo]:
    """The labels of a policy's subject that are one slip off a label of the group's pods, each once."""
    found: dict[Location, SelectorTypo] = {}
    for entry in entries:
        for item in entry.subject.requirements:
            key = split_source(item.key)[1]
            if item.operator != "In" or len(item.values) != 1 or item.at is None:
                continue
            pods = [each for each in group.members if entry.namespace in ("", each.namespace)]
            names = [value for each in pods if isinstance(value := each.labels.get(key), str)]
            if meant := only_meant(item.values[0], names):
                found.setdefault(item.at, SelectorTypo(origin, key, item.values[0], meant, item.at))
    yield from found.values()


def _corrected(entries: Iterable[PolicyEntry], slip: SelectorTypo) -> Iterator[PolicyEntry]:
    for entry in entries:
        yield replace(entry, subject=_subject(entry.subject, slip)) if entry.origin == slip.origin else entry


def _subject(subject: LabelSelector, slip: SelectorTypo) -> LabelSelector:
    def right(item: Requirement) -> Requirement:
        return replace(item, values=(slip.meant,)) if item.at == slip.at else item

    return LabelSelector(tuple(map(right, subject.requirements)), subject.at, subject.expression)
