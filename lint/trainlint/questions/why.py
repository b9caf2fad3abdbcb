"""Why a connection is allowed, denied or not known: one answer for every snapshot and placement that differ."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from trainlint.facts.facts import Facts
from trainlint.finding import Location, UsageError
from trainlint.model.policy import Direction
from trainlint.model.workload import PortRange
from trainlint.policy import Endpoint
from trainlint.policy.edits import Edit, LabelEdit, PortEdit, Question
from trainlint.policy.explanation import explain
from trainlint.questions.answer import Asked, ConnectionAnswer, OpeningRepair, RepairEdit
from trainlint.questions.end import End, Node
from trainlint.questions.ends import find_end, unknown_end
from trainlint.questions.lookalikes import offered
from trainlint.wording.because import because_text, texts_of

__all__ = ["answer_between", "question", "why"]

ONE_NODE = "both pods on one node"
TWO_NODES = "the pods on two nodes"


def why(snapshots: Sequence[Facts], asked: Asked) -> tuple[ConnectionAnswer, ...]:
    """The answers, those that are equal in several snapshots once.

    Raises:
        UsageError: an end that no snapshot knows, that may be several, or a zone that there is not.
    """
    found: dict[Hashable, ConnectionAnswer] = {}
    for facts, source, target in _ends(snapshots, asked):
        for answer in _answers(facts, source, target, asked):
            key = (answer.where, answer.key)
            before = found.get(key)
            found[key] = replace(before, snapshots=(*before.snapshots, *answer.snapshots)) if before else answer
    return tuple(found.values())


def _ends(snapshots: Sequence[Facts], asked: Asked) -> list[tuple[Facts, End, End]]:
    found, missing = [], {asked.source: True, asked.target: True}
    for facts in snapshots:
        source = find_end(asked.source, facts, asked.source_zone)
        target = find_end(asked.target, facts, asked.target_zone)
        missing[asked.source] &= source is None
        missing[asked.target] &= target is None
        if source is not None and target is not None:
            found.append((facts, source, target))
    for text, nowhere in missing.items():
        if nowhere:
            raise unknown_end(text, snapshots)
    if not found:
        raise UsageError(f"no snapshot holds both {asked.source!r} and {asked.target!r}")
    return found


def _answers(facts: Facts, source: End, target: End, asked: Asked) -> Iterator[ConnectionAnswer]:
    """One answer, or two where pods on the host network make it matter whether both run on one node."""
    other = answer_between(facts, source, target, asked, "other")
    two_pods = source.pod_set is not None and target.pod_set is not None
    if two_pods and (source.on_host or target.on_host):
        same = answer_between(facts, source, target, asked, "same")
        if same.key != other.key:
            yield replace(other, where=TWO_NODES)
            yield replace(same, where=ONE_NODE)
            return
    yield other


def answer_between(facts: Facts, source: End, target: End, asked: Asked, node: Node) -> ConnectionAnswer:
    """The answer for two ends of one snapshot whose pods share a node (``same``) or not (``other``)."""
    asks = question(source, target, asked.protocol, asked.ports, node)
    one, two = asks.placed(frozenset())
    policies, protocol, ports = facts.policies, asked.protocol, asked.ports
    verdict = policies.verdict(one, two, protocol, ports)
    egress = explain(policies, Direction.EGRESS, one, two, protocol, ports)
    ingress = explain(policies, Direction.INGRESS, two, one, protocol, ports)
    answer = ConnectionAnswer(
        snapshots=(facts.snapshot.name,),
        where="",
        source=source.name,
        target=target.name,
        verdict=verdict,
        egress=egress,
        ingress=ingress,
        repairs=tuple(
            OpeningRepair(tuple(_change(edit, (source, target)) for edit in each.edits), each.verdict.answer)
            for each in offered(facts, (source, target), asks)
        ),
        inert=tuple(_inert(facts, {"", one.namespace, two.namespace})),
    )
    return replace(answer, assumptions=tuple(_assumptions(facts, answer, source, target)))


def question(source: End, target: End, protocol: str, ports: PortRange | None, node: Node = "other") -> Question:
    """The connection as what can be changed about its ends."""

    def ends(edits: frozenset[LabelEdit]) -> tuple[Endpoint, Endpoint]:
        return _edited(source, target, edits, node)

    free = tuple(end.free if end.pod_set is not None and not end.on_host else None for end in (source, target))
    return Question(protocol, ports, ends, (free[0], free[1]), same=_same(source, target))


def _same(source: End, target: End) -> bool:
    return source.pod_set is not None and source.pod_set is target.pod_set


def _edited(source: End, target: End, edits: frozenset[LabelEdit], node: Node) -> tuple[Endpoint, Endpoint]:
    """Both ends after edits of labels; those of a namespace reach every pod in it."""
    labels: tuple[dict[str, str | None], dict[str, str | None]] = ({}, {})
    namespaces: dict[str, dict[str, str | None]] = {}
    for edit in edits:
        end = (source, target)[edit.end]
        if edit.of_namespace and end.pod_set is not None:
            namespaces.setdefault(end.pod_set.namespace, {})[edit.key] = edit.value
        else:
            labels[edit.end][edit.key] = edit.value
    if _same(source, target):
        labels = (labels[0] | labels[1],) * 2
    one, two = (
        end.endpoint(labels[index], namespaces.get(end.pod_set.namespace, {}) if end.pod_set else {}, node)
        for index, end in enumerate((source, target))
    )
    return one, two


def _change(edit: Edit, ends: tuple[End, End]) -> RepairEdit:
    if isinstance(edit, PortEdit):
        return _port_change(edit)
    end = ends[edit.end]
    if edit.of_namespace and end.pod_set is not None:
        namespace = end.pod_set.namespace
        at = _namespace_at(end.facts, namespace)
        return RepairEdit(f"{_set(edit)} namespace {namespace}", at)
    return RepairEdit(f"{_set(edit)} the pods of {end.name}", end.labels_at)


def _set(edit: LabelEdit) -> str:
    return f"take the label {edit.key} off" if edit.value is None else f"set the label {edit.key}: {edit.value} on"


def _port_change(edit: PortEdit) -> RepairEdit:
    written = [rule.at for rule in edit.entry.ports or () if rule.at is not None]
    at = written[-1] if written else edit.entry.at
    if edit.rule is None:
        return RepairEdit(f"take the port list out of this element of {edit.entry.origin}", at)
    return RepairEdit(f"add the port {edit.rule.protocol} {edit.rule.ports} to this element of {edit.entry.origin}", at)


def _namespace_at(facts: Facts, name: str) -> Location | None:
    for item in facts.snapshot.objects:
        if item.meta.kind == "Namespace" and item.meta.name == name:
            return item.field.at.child("metadata", "labels")
    return None


def _inert(facts: Facts, namespaces: set[str]) -> Iterator[RepairEdit]:
    """Policies that could be about the ends and are not in force."""
    for refused in facts.policies.rejected:
        if refused.origin.namespace in namespaces:
            reason = because_text(refused.reason)
            yield RepairEdit(f"{refused.origin} is refused and protects nothing: {reason}", refused.at)
    for unenforced in facts.policies.unenforced:
        if unenforced.origin.namespace in namespaces:
            yield RepairEdit(f"{unenforced.origin} is not in force: {because_text(unenforced.why)}", unenforced.at)


def _assumptions(facts: Facts, answer: ConnectionAnswer, *ends: End) -> Iterator[str]:
    snapshot = facts.snapshot
    yield from texts_of(snapshot.settings.assumptions)
    files = [at.file for at in answer.locations()]
    files += [end.pod_set.at.file for end in ends if end.pod_set is not None]
    changed = sorted({snapshot.unrendered[file] for file in files if file in snapshot.unrendered})
    for kustomization in changed:
        yield f"the kustomization {kustomization} changes nothing that matters here: it was not rendered"
