"""The smallest changes of labels or ports that open a denied connection, as the search over the policies finds them.

Loaded when it is needed: a check that finds nothing to repair does without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from trainlint.facts.facts import Facts
from trainlint.finding import Edit, Fix, Put, Remove, Safety
from trainlint.model.because import Because
from trainlint.model.workload import DNS_PEER, Flow, Group
from trainlint.policy.edits import Edit as PolicyEdit
from trainlint.policy.edits import LabelEdit, PortEdit
from trainlint.policy.ground import MissGround
from trainlint.policy.shortfall import EntryPart
from trainlint.proof.near_miss import NearEntry
from trainlint.questions.end import End
from trainlint.questions.ends import find_end
from trainlint.questions.lookalikes import offered
from trainlint.questions.why import question
from trainlint.repairs.corrected_values import port_added

__all__ = ["flow_fixes"]

FLOWS: Final = 100
"""Connections of a group whose fixes are looked for: what opens the first of many mostly opens all of them."""

_CILIUM: Final = frozenset({"CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"})


def flow_fixes(facts: Facts, group: Group, flows: Iterable[Flow]) -> Iterator[Fix]:
    """The smallest changes of labels or ports that open each flow, as the search over the policies finds them."""
    for flow in islice(flows, FLOWS):
        ends = _ends(facts, group, flow)
        if ends is None:
            continue
        for found in offered(facts, ends, question(*ends, flow.protocol, flow.ports)):
            fix = _fix(facts, ends, found.edits)
            if fix is not None:
                yield fix


def _ends(facts: Facts, group: Group, flow: Flow) -> tuple[End, End] | None:
    source = group.members[flow.source]
    if flow.target is None:
        dns = find_end(DNS_PEER, facts)
        return None if dns is None else (End(source.name, facts, pod_set=source), dns)
    target = group.members[flow.target]
    return End(source.name, facts, pod_set=source), End(target.name, facts, pod_set=target)


def _fix(facts: Facts, ends: tuple[End, End], edits: Iterable[PolicyEdit]) -> Fix | None:
    made: list[Edit] = []
    said: list[str] = []
    opened: list[str] = []
    for edit in edits:
        if isinstance(edit, PortEdit):
            one = _port(facts, edit)
            opened.append(
                f"{edit.rule.protocol} {edit.rule.ports} to the peers that {edit.entry.origin} admits"
                if edit.rule
                else ""
            )
            said.append(f"admit the port in {edit.entry.origin}")
        else:
            one = _label(facts, ends[edit.end], edit)
            if not _corrects(ends[edit.end], edit):
                opened.append(f"what policies grant or refuse by the label {edit.key}")
            pods = ends[edit.end].pod_set
            name = f"namespace {pods.namespace}" if edit.of_namespace and pods is not None else ends[edit.end].name
            what = f"set the label {edit.key}: {edit.value} on" if edit.value is not None else f"take {edit.key} off"
            said.append(f"{what} {name}")
        if one is None:
            return None
        made.append(one)
    safety = Safety.OPENING if opened else Safety.UNSAFE
    return Fix(" and ".join(said), tuple(made), safety, "; ".join(opened))


def _corrects(end: End, edit: LabelEdit) -> bool:
    """Whether another value takes the place of one that is written: a label that is new, or gone, is a permission."""
    own = {} if end.pod_set is None else end.pod_set.labels
    return edit.value is not None and not edit.of_namespace and edit.key in own


def _label(facts: Facts, end: End, edit: LabelEdit) -> Edit | None:
    holder = end.labels_at
    if edit.of_namespace and end.pod_set is not None:
        holder = next(
            (
                item.field.at.child("metadata", "labels")
                for item in facts.snapshot.objects
                if item.meta.kind == "Namespace" and item.meta.name == end.pod_set.namespace
            ),
            None,
        )
    if holder is None:
        return None
    at = holder.child(edit.key)
    return Remove(at) if edit.value is None else Put(at, edit.value)


def _port(facts: Facts, edit: PortEdit) -> Edit | None:
    rule = edit.rule
    if rule is None:
        return None
    reason = Because(MissGround.PORTS, ("", rule.ports))
    near = NearEntry(edit.entry, EntryPart.PORTS, reason, edit.entry.at, asked=(rule.protocol, rule.ports))
    return port_added(facts, near)
