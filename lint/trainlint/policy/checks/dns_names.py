"""Peers by DNS name for pods whose DNS answers Cilium does not see (P 1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.policy import Direction, PolicyEntry
from trainlint.model.workload import PodSet
from trainlint.policy.checks.pods import Audience

__all__ = ["UnseenNames", "unseen_names"]

_VISIBILITY = "policy.cilium.io/proxy-visibility"


@fact
class UnseenNames:
    """An entry with names that never stand for an address, and the pods of which Cilium sees no DNS answer.

    ``dns`` is a port rule of the same policy that admits port 53 without looking at the answers.
    """

    entry: PolicyEntry
    names: tuple[str, ...]
    pods: PodSet
    at: Location
    dns: Location | None = None


def unseen_names(entries: Iterable[PolicyEntry], audience: Audience) -> Iterator[UnseenNames]:
    """One for each entry that admits names to pods of Git for which no entry has DNS rules."""
    egress = [each for each in entries if each.direction is Direction.EGRESS and not each.node]
    named = [each for each in egress if any(peer.kind == "FQDNs" for peer in each.peers or ())]
    if not named:
        return
    seeing = [each for each in egress if any(rule.proxy and rule.proxy.parser == "dns" for rule in each.ports or ())]
    seen = {id(pods) for each in seeing for pods in audience.perhaps(each)}
    for entry in named:
        blind = [
            each for each in audience.surely(entry) if id(each) not in seen and _VISIBILITY not in each.annotations
        ]
        peers = [peer for peer in entry.peers or () if peer.kind == "FQDNs" and peer.at is not None]
        if blind and peers and peers[0].at is not None:
            first = peers[0].at
            names = tuple(dict.fromkeys(peer.written for peer in peers))
            place = Location(first.file, first.document, first.path[:-1], first.base)
            yield UnseenNames(entry, names, blind[0], place, _dns(entry, egress))


def _dns(entry: PolicyEntry, egress: Iterable[PolicyEntry]) -> Location | None:
    """The rule of the same policy that admits port 53."""
    for other in egress:
        for rule in other.ports or () if other.origin == entry.origin else ():
            if rule.ports is not None and rule.ports.first <= 53 <= rule.ports.last and rule.at is not None:
                return rule.at
    return None
