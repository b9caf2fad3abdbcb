"""Connections that policies deny, in words."""

from __future__ import annotations

from trainlint.finding import Location
from trainlint.model.policy import Verdict
from trainlint.proof.cause import CutPair
from trainlint.proof.deciding_places import DecidingPlace, deciding_places, denying
from trainlint.proof.notation import short_policy
from trainlint.wording.verdicts import decision_text

__all__ = ["denied_sentence", "directions", "nodes_of_pair", "places_of"]


def denied_sentence(verdict: Verdict) -> str:
    """Which directions are denied, and by which policies."""
    return "; ".join(decision_text(each) for each in denying(verdict))


def directions(verdict: Verdict) -> tuple[str, ...]:
    """The names of the directions that deny."""
    return tuple(each.direction.value for each in denying(verdict))


def places_of(verdict: Verdict) -> tuple[tuple[str, Location], ...]:
    """Where a denial is decided, each with its part in it."""
    return tuple((_part(each), each.at) for each in deciding_places(verdict))


def _part(place: DecidingPlace) -> str:
    what = "denies it" if place.denies else "does not admit it"
    return f"{what} ({place.direction.value}, {short_policy(place.entry)})"


def nodes_of_pair(pair: CutPair) -> str:
    """The choice of nodes for which a flow is denied; empty where it does not matter."""
    return "" if pair.shared_node is None else "on one node" if pair.shared_node else "on two nodes"
