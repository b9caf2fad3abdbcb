"""The entries and lists of policies that deny a connection, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.policy import Decision, Direction, Permission, PolicyEntry, Verdict
from trainlint.proof.ground import ProofGround
from trainlint.reachability import Crossing, unknown_of

__all__ = ["DecidingPlace", "deciding_places", "denying", "denying_verdict", "list_of", "open_questions", "shared_node"]

_MADE_OF = "networkPolicy"
"""The field of a Ray cluster of which its policies are made."""

PLACES = 50
"""Places of a denial that are shown: of more policies, the first stand for all."""


@fact
class DecidingPlace:
    """Where a denial is decided: an entry that ``denies``, else the list of a policy that does not admit it."""

    at: Location
    direction: Direction
    entry: PolicyEntry
    denies: bool


def shared_node(crossing: Crossing) -> bool | None:
    """Whether the crossing is denied on one node only (true) or on two only; ``None`` where that does not matter."""
    if crossing.same_node.answer is crossing.other_node.answer:
        return None
    return crossing.same_node.answer is Permission.DENY


def denying_verdict(crossing: Crossing) -> Verdict:
    """The verdict that denies."""
    return crossing.other_node if crossing.other_node.answer is Permission.DENY else crossing.same_node


def open_questions(crossing: Crossing, *, whole: bool = True) -> tuple[Because, ...]:
    """What must be known to tell whether a crossing is permitted; with ``whole`` on one node, too."""
    verdicts = (crossing.other_node, crossing.same_node) if whole else (crossing.other_node,)
    return tuple(Because(ProofGround.CONNECTION, (text,)) for each in verdicts for text in unknown_of(each))


def denying(verdict: Verdict) -> tuple[Decision, ...]:
    """The directions that deny."""
    return tuple(each for each in (verdict.egress, verdict.ingress) if each.answer is Permission.DENY)


def deciding_places(verdict: Verdict) -> tuple[DecidingPlace, ...]:
    """Where a denial is decided: the entries that deny, else per isolating policy the list that does not admit it. The
    first of them, where there are many.
    """
    found: dict[Location, DecidingPlace] = {}
    for each in _deciding(verdict):
        found.setdefault(each.at, each)
    return tuple(islice(found.values(), PLACES))


def _deciding(verdict: Verdict) -> Iterator[DecidingPlace]:
    for decision in denying(verdict):
        for entry in decision.deciding:
            yield DecidingPlace(entry.at, decision.direction, entry, denies=True)
        for entry in () if decision.deciding else decision.isolating:
            path = entry.at.path
            whole = path[:-1] if path and isinstance(path[-1], int) else path
            at = Location(entry.at.file, entry.at.document, whole)
            yield DecidingPlace(at, decision.direction, entry, denies=False)


def list_of(entry: PolicyEntry) -> Location:
    """The list in which an entry of its policy and direction that admits a peer stands, or would stand."""
    at, side = entry.at, entry.direction.value
    if entry.made_by:  # the rules that users write are parts of one field, and so is what the operator adds
        return Location(
            at.file, at.document, at.path[: at.path.index(_MADE_OF) + 1] if _MADE_OF in at.path else at.path
        )
    path = at.path[:-1] if at.path and isinstance(at.path[-1], int) else at.path
    if path and path[-1] in (side, f"{side}Deny"):
        path = path[:-1]
    return Location(at.file, at.document, (*path, side), at.base)
