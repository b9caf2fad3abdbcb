"""Entries that are fine one by one and cannot be merged: Cilium then computes no policy for the pod (P 1.4)."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.model.policy import Action, PolicyEntry

__all__ = ["merge_conflict"]


def merge_conflict(entries: Sequence[PolicyEntry]) -> str:
    """Why the entries that select one pod in one direction cannot be merged; empty where they can."""
    modes: dict[object, tuple[str, PolicyEntry]] = {}
    for entry in entries:
        if entry.action is not Action.ALLOW or not entry.authentication or entry.peers is None:
            continue
        ports = tuple((rule.protocol, rule.ports, rule.name, rule.last) for rule in entry.ports or ())
        for peer in entry.peers:
            selector = tuple(sorted((item.key, item.operator, item.values) for item in peer.selector.requirements))
            for port in ports or (None,):
                key = (entry.tier, entry.priority, selector, peer.prefixes, peer.excepts, port)
                mode, other = modes.setdefault(key, (entry.authentication, entry))
                if mode != entry.authentication:
                    return (
                        f"{other.origin} and {entry.origin} ask for authentication {mode} and {entry.authentication} "
                        "of the same peers: Cilium refuses to merge them and computes no policy"
                    )
    return ""
