"""The answers about a group in plain words, the same in every report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from trainlint.model.known import Answer
from trainlint.result import GroupVerdict
from trainlint.wording.needs import domain_word, listed, short_need

__all__ = ["can_run", "connections", "decided", "every_placement", "worst_first"]

_CONNECTIONS: Final = {Answer.PROVED: "ok", Answer.REFUTED: "denied"}


def can_run(group: GroupVerdict) -> str:
    """Whether there is a zone in which the group runs: ``yes (zone-a)``, ``no``, ``if`` it has what it needs."""
    match group.exists:
        case Answer.PROVED:
            return f"yes ({listed(group.viable_zones)})" if group.viable_zones else "yes"
        case Answer.REFUTED:
            return "only across zones" if group.across else "no"
        case Answer.CONDITIONAL:
            return f"if {short_need(group.needs)}" if group.needs is not None else "if the cluster has what it needs"
        case _:
            return "unknown"


def every_placement(group: GroupVerdict) -> str:
    """Whether every placement that the scheduler may choose is good."""
    match group.for_all:
        case Answer.PROVED:
            return "yes"
        case Answer.REFUTED:
            return "no"
        case Answer.CONDITIONAL:
            together = group.needs.together if group.needs is not None else ""
            return f"if one {domain_word(together)}" if together else "yes"
        case _:
            return "unknown"


def connections(group: GroupVerdict) -> str:
    """Whether all needed connections are permitted."""
    return _CONNECTIONS.get(group.connections, "unknown")


def _rank(group: GroupVerdict) -> int:
    """The worse the smaller: what cannot run, what may be placed badly, what is not known, conditions, proofs."""
    if group.exists is Answer.REFUTED and not group.across:
        return 0
    if group.across or group.for_all is Answer.REFUTED or group.connections is Answer.REFUTED:
        return 1
    return 2 + (Answer.UNKNOWN, Answer.CONDITIONAL, Answer.PROVED).index(group.answer)


def decided(groups: Sequence[GroupVerdict]) -> str:
    """What was decided about all groups: ``2 cannot run, 97 can run if the cluster has what they need``."""
    found = Counter(_kind(group) for group in groups)
    return ", ".join(text for kind in _KINDS if (number := found[kind]) for text in (_count_text(kind, number),))


_KINDS: Final = ("stuck", "across", "badly", "conditional", "proved", "unknown")


def _kind(group: GroupVerdict) -> str:
    if group.exists is Answer.REFUTED:
        return "across" if group.across else "stuck"
    return "badly" if group.answer is Answer.REFUTED else str(group.answer)


def _count_text(kind: str, number: int) -> str:
    they = "it needs" if number == 1 else "they need"
    return {
        "stuck": f"{number} cannot run",
        "across": f"{number} can run only across zones",
        "badly": f"{number} can run and may be placed badly",
        "conditional": f"{number} can run if the cluster has what {they}",
    }.get(kind, f"{number} {kind}")


def worst_first(groups: Iterable[GroupVerdict]) -> list[GroupVerdict]:
    """The groups, those with trouble first, else in their order."""
    return sorted(groups, key=_rank)
