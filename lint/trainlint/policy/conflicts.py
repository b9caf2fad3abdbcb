"""Entries that are fine one by one and cannot be merged: Cilium then computes no policy for the pod (P 1.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.policy import Action, Peer, PolicyEntry, Proxy
from trainlint.model.workload import ObjectRef
from trainlint.policy.ground import MergeGround

__all__ = ["Conflict", "merge_conflict"]

LOWEST_PRIORITY = 0xFFFF
NOTHING = Proxy("")


@fact
class Conflict:
    """Why two entries cannot be merged (or one by itself: then ``other`` is the same)."""

    why: Because
    entry: PolicyEntry
    other: PolicyEntry


def merge_conflict(entries: Sequence[PolicyEntry], *, namespaced: bool) -> Conflict | None:
    """Why the entries that select one pod in one direction cannot be merged; ``None`` where they can.

    ``namespaced``: whether the pod has a namespace, in which a listener could be looked for.
    """
    merged: dict[object, tuple[str, Proxy, PolicyEntry]] = {}
    for entry in entries:
        if entry.action is not Action.ALLOW or entry.peers is None:
            continue
        for key, proxy in _filters(entry):
            if proxy.namespaced_listener and not namespaced and not entry.namespace:
                why = Because(MergeGround.LISTENER_NAMESPACE, (entry.origin,))
                return Conflict(why, entry, entry)
            mode, before, other = merged.get(key, ("", NOTHING, entry))
            if mode and entry.authentication and mode != entry.authentication:
                values = (*_both(other, entry), mode, entry.authentication)
                return Conflict(Because(MergeGround.AUTHENTICATIONS, values), entry, other)
            joined = _merge(before, proxy)
            if isinstance(joined, Because):
                why = Because(MergeGround.PROXIES, (*_both(other, entry), joined))
                return Conflict(why, entry, other)
            merged[key] = (mode or entry.authentication, joined, entry)
    return None


def _both(one: PolicyEntry, two: PolicyEntry) -> tuple[ObjectRef, ObjectRef | None]:
    return one.origin, None if one.origin == two.origin else two.origin


def _filters(entry: PolicyEntry) -> Iterator[tuple[object, Proxy]]:
    """What is merged with what: entries of one tier and priority with the same selector and the same ports."""
    if not entry.authentication and not any(rule.proxy for rule in entry.ports or ()):
        return
    for peer in entry.peers or (Peer(),):
        if peer.undecidable:
            continue
        selector = frozenset((item.key, item.operator, item.values) for item in peer.selector.requirements)
        place = (entry.tier, entry.priority, selector, peer.prefixes, peer.excepts)
        if entry.ports is None:
            yield (*place, None), NOTHING
        for rule in entry.ports or ():
            proxy = rule.proxy or NOTHING
            if proxy.parser in ("http", "kafka", "l7") and rule.protocol != "TCP":
                proxy = NOTHING
            yield (*place, rule.protocol, rule.ports, rule.name, rule.last), proxy


def _merge(one: Proxy, two: Proxy) -> Proxy | Because:
    """C:pkg/policy/rule.go mergePortProto; a ground says what cannot be merged."""
    parser = _parser(one.parser, two.parser)
    if parser is None:
        return Because(MergeGround.PARSERS, (one.parser, two.parser))
    listener, priority = one.listener, one.priority
    if two.listener and (one.listener, one.priority) != (two.listener, two.priority):
        first, second = (each.priority or LOWEST_PRIORITY for each in (one, two))
        if one.listener and first == second:
            return Because(MergeGround.LISTENERS, (one.listener, two.listener))
        if not one.listener or second < first:
            listener, priority = two.listener, two.priority
    for name in ("terminating", "originating"):
        secrets = {getattr(one, name), getattr(two, name)} - {""}
        if len(secrets) > 1:
            return Because(MergeGround.TLS_CONTEXTS, (name,))
    joined = replace(
        two,
        parser=parser,
        listener=listener,
        priority=priority,
        server_names=one.server_names or two.server_names,
        rules=one.rules or two.rules,
        terminating=one.terminating or two.terminating,
        originating=one.originating or two.originating,
    )
    if joined.server_names and joined.rules and not joined.terminating:
        return Because(MergeGround.NO_TERMINATION)
    return joined


def _parser(one: str, two: str) -> str | None:
    """No parser gives way to any, TLS to those that can work behind it."""
    for weak, strong in ((one, two), (two, one)):
        if weak == strong or not weak or (weak == "tls" and strong not in ("", "dns", "crd")):
            return strong
    return None
