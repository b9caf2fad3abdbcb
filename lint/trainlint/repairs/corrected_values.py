"""The nearest entry written right: the label that the pods have, their namespace, or the port that is asked for.

A label that others are admitted by stays; then one more peer is written beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.facts.facts import Facts
from trainlint.finding import Append, Edit, Fix, Location, Put, Rename, Safety
from trainlint.model.policy import Peer
from trainlint.model.selector import Requirement
from trainlint.policy.identity import METADATA_NAME, NAMESPACE_KEY, NAMESPACE_LABELS
from trainlint.policy.matching import ready
from trainlint.policy.selector import Matcher, split_source
from trainlint.policy.shortfall import EntryPart
from trainlint.proof.near_miss import NearEntry
from trainlint.questions.probes import end_of
from trainlint.questions.written_policies import CILIUM, is_default_deny, list_above, written

__all__ = ["corrected", "port_added"]

_KEYS: Final = ("matchLabels", "matchExpressions")


def corrected(facts: Facts, near: NearEntry) -> Iterator[Fix]:
    """The entry with the one thing in it right; nothing for a policy that an operator makes."""
    if written(facts, near.entry.origin) is None:
        return
    if near.part is EntryPart.PORTS:
        edit = port_added(facts, near)
        if edit is not None:
            yield _fix(f"list {_asked(near)} in {near.entry.origin}", edit)
        return
    if near.wanted is None or near.end is None:
        return
    place, meant = _namespace(near.wanted), near.meant
    if place is not None:
        title = f"ask for namespace {near.end.namespace} in {near.entry.origin}"
        edit = _in_namespace(facts, near, near.wanted, place, near.end.namespace)
    else:
        title = "" if meant is None else f"ask for {meant[0]}: {meant[1]} in {near.entry.origin}"
        edit = None if meant is None else _labelled(facts, near, near.wanted, meant)
    if edit is not None:
        yield _fix(title, edit)


def _fix(title: str, edit: Edit) -> Fix:
    return Fix(title, (edit,), Safety.OPENING)


def _asked(near: NearEntry) -> str:
    protocol, ports = near.asked
    return f"{protocol} port {ports}"


def port_added(facts: Facts, near: NearEntry) -> Edit | None:
    """The port at the end of the entry's list; ``None`` where every port is asked for, none is written, or the policy
    isolates a whole namespace, all of which it would open.
    """
    if is_default_deny(facts, near.entry):
        return None
    protocol, ports = near.asked
    place = next((_element(each.at) for each in (near.entry.ports or ())[::-1] if each.at is not None), None)
    if ports is None or place is None:
        return None
    first: Any = str(ports.first) if near.entry.origin.kind in CILIUM else ports.first
    end = {"endPort": ports.last} if ports.last != ports.first else {}
    return Append(list_above(place), {"port": first, **end, "protocol": protocol})


def _element(at: Location) -> Location | None:
    """The element of a list of ports that a port stands in."""
    for length in (len(at.path), len(at.path) - 1):
        if length > 0 and isinstance(at.path[length - 1], int):
            return Location(at.file, at.document, at.path[:length])
    return None


def _namespace(wanted: Requirement) -> str | None:
    """How the namespace of a peer is asked for: by the pod's label or its Namespace's; ``None`` for other labels."""
    key = split_source(wanted.key)[1]
    if key == NAMESPACE_KEY:
        return NAMESPACE_KEY
    return METADATA_NAME if key == f"{NAMESPACE_LABELS}{METADATA_NAME}" else None


def _in_namespace(facts: Facts, near: NearEntry, wanted: Requirement, place: str, namespace: str) -> Edit | None:
    """The namespace of the pods, in place of the one that is written or meant by default."""
    peer = near.peer
    if peer is None or peer.at is None:
        return None
    if wanted.at is not None and wanted.at.path[-2:-1] == ("matchLabels",):
        steps: tuple[str | int, ...] = wanted.at.path[len(peer.at.path) :]
        return _set(facts, near, peer, steps, namespace, ())
    if near.entry.origin.kind in CILIUM:
        before = tuple(_value(facts, near, peer).get("matchLabels") or ())
        return _set(facts, near, peer, ("matchLabels", f"k8s:{NAMESPACE_KEY}"), namespace, before)
    if place != NAMESPACE_KEY:
        return None
    value = {"matchLabels": {METADATA_NAME: namespace}}
    return _set(facts, near, peer, ("namespaceSelector",), value, ("podSelector",))


def _labelled(facts: Facts, near: NearEntry, wanted: Requirement, meant: tuple[str, str]) -> Edit | None:
    """The label that the pods have; in a list of values one more of them."""
    at = wanted.at
    source, key = split_source(str(at.path[-1])) if at is not None else ("", "")
    if at is None:
        return None
    if near.part is EntryPart.SUBJECT and _selects_some(facts, near):
        return None
    if at.path[-2:-1] == ("matchLabels",):
        prefix = f"{source}:" if source else ""
        if near.peer is not None and _is_used(facts, near, near.peer):
            return _beside(facts, near, near.peer, at, (prefix + meant[0], meant[1]))
        return Put(at, meant[1]) if meant[0] == key else Rename(at, prefix + meant[0])
    if at.path[-2:-1] == ("matchExpressions",) and split_source(wanted.key)[1] == meant[0]:
        if near.peer is not None and not _is_used(facts, near, near.peer) and len(wanted.values) == 1:
            return Put(at.child("values", 0), meant[1])
        return Append(at.child("values"), meant[1])
    return None


def _set(
    facts: Facts, near: NearEntry, peer: Peer, steps: tuple[str | int, ...], value: Any, before: tuple[str, ...]
) -> Edit | None:
    """One value of a peer, or of a copy of it where the peer admits others."""
    if peer.at is None:
        return None
    if not _is_used(facts, near, peer):
        at = Location(peer.at.file, peer.at.document, (*peer.at.path, *steps))
        return Put(at, value, before)
    copy = _copied(_value(facts, near, peer))
    here = copy
    for step in steps[:-1]:
        here = here.setdefault(step, {})
    here[steps[-1]] = value
    return Append(list_above(peer.at), copy)


def _beside(facts: Facts, near: NearEntry, peer: Peer, at: Location, label: tuple[str, str]) -> Edit | None:
    """A copy of a peer with another label, beside it."""
    if peer.at is None:
        return None
    copy = _copied(_value(facts, near, peer))
    here: Any = copy
    for step in at.path[len(peer.at.path) : -1]:
        here = here.get(step) if isinstance(here, dict) else None
    if not isinstance(here, dict) or here.pop(at.path[-1], None) is None:
        return None
    here[label[0]] = label[1]
    return Append(list_above(peer.at), copy)


def _value(facts: Facts, near: NearEntry, peer: Peer) -> dict[str, Any]:
    item = written(facts, near.entry.origin)
    if item is None or peer.at is None:
        return {}
    return dict(item.field.down(*peer.at.path[len(item.field.at.path) :]).mapping or {})


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value


def _is_used(facts: Facts, near: NearEntry, peer: Peer) -> bool:
    """Whether the peer may be pods of the repository as it is."""
    (one,) = [each for each in ready(near.entry, 0).peers or () if each.peer is peer][:1] or (None,)
    return one is not None and any(
        one.matches(end_of(each, facts), facts.policies.rules) is not False
        for each in facts.snapshot.workloads.pod_sets
        if each.replicas != 0
    )


def _selects_some(facts: Facts, near: NearEntry) -> bool:
    matcher = Matcher.of(near.entry.subject)
    ends = (end_of(each, facts) for each in facts.snapshot.workloads.pod_sets)
    return any(matcher.matches(end.subject or {}, end.unknown_subject) is not False for end in ends)
