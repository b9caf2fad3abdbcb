"""The entry that comes closest to a denied connection: what it asks for, what the pods have, and where that stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from trainlint.finding import Related
from trainlint.model.policy import Verdict
from trainlint.model.workload import Flow
from trainlint.policy import Endpoint
from trainlint.proof.group import GroupProof
from trainlint.proof.near_miss import NearEntry, near_misses
from trainlint.proof.notation import short_policy
from trainlint.wording.misses import miss_text

if TYPE_CHECKING:
    from trainlint.facts.facts import Facts

__all__ = ["UNADDED", "near_text", "nearest_places"]

_MOST = 100_000
"""Entries of policies, times the groups for which the nearest is looked for among them."""


def near_text(near: NearEntry) -> str:
    """What an entry asks for, and what the end that it misses has; a sentence without its end."""
    text = miss_text(near.reason)
    return f"{text}: a kustomization adds the label to selectors and not to these pods" if near.added else text


UNADDED: Final = (
    "add the label without selectors (labels: with includeSelectors: false), or write it into the pod templates too"
)
"""The remedy where a kustomization adds a label to selectors, and not to the pods of custom kinds."""


def nearest_places(
    facts: Facts, proof: GroupProof, flow: Flow, verdict: Verdict, between: tuple[str, str] = ("", "")
) -> Callable[[], tuple[Related, ...]]:
    """What makes the places of the entries that nearly admit a denied flow between two zones, one entry for each
    direction, each place with what does not match there. Nothing where no finding is shown.
    """

    def places() -> tuple[Related, ...]:
        policies = facts.policies
        if not facts.shown or proof.reach is None or len(policies.entries) * len(facts.proofs) > _MOST:
            return ()
        ends = proof.reach.ends(flow, *between)
        return tuple(dict.fromkeys(_places(facts, ends, flow, verdict)))

    return places


def _places(facts: Facts, ends: tuple[Endpoint, Endpoint], flow: Flow, verdict: Verdict) -> Iterator[Related]:
    for miss in near_misses(facts.policies, *ends, verdict, flow.protocol, flow.ports):
        for each in [each for each in miss.shortfalls if each.certain] or miss.shortfalls:
            role = f"the nearest entry, of {short_policy(miss.entry)}, {miss_text(each.reason)}"
            yield Related(role, each.at or miss.entry.at)
