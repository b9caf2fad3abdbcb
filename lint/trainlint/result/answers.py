"""The answers about a group in plain words, the same in every report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from trainlint.model.known import Answer
from trainlint.model.needs import Needs, RoleNeed
from trainlint.model.selector import Requirement
from trainlint.model.settings import ZONE
from trainlint.proof.ideal.words import domain_word, object_words
from trainlint.result import GroupVerdict
from trainlint.workload.accelerators import is_accelerator

__all__ = ["can_run", "connections", "decided", "every_placement", "short_need", "worst_first"]

SHOWN: Final = 6
"""Zones, and needs of roles, that are listed."""
_CONNECTIONS: Final = {Answer.PROVED: "ok", Answer.REFUTED: "denied"}


def can_run(group: GroupVerdict) -> str:
    """Whether there is a zone in which the group runs: ``yes (zone-a)``, ``no``, ``if`` it has what it needs."""
    match group.exists:
        case Answer.PROVED:
            return f"yes ({_listed(group.viable_zones)})" if group.viable_zones else "yes"
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
    return ", ".join(text for kind in _KINDS if (number := found[kind]) for text in (_said(kind, number),))


_KINDS: Final = ("stuck", "across", "badly", "conditional", "proved", "unknown")


def _kind(group: GroupVerdict) -> str:
    if group.exists is Answer.REFUTED:
        return "across" if group.across else "stuck"
    return "badly" if group.answer is Answer.REFUTED else str(group.answer)


def _said(kind: str, number: int) -> str:
    they = "it needs" if number == 1 else "they need"
    return {
        "stuck": f"{number} cannot run",
        "across": f"{number} can run only across zones",
        "badly": f"{number} can run and may be placed badly",
        "conditional": f"{number} can run if the cluster has what {they}",
    }.get(kind, f"{number} {kind}")


def short_need(needs: Needs) -> str:
    """The pods with what each asks for, the scarcest first: ``4 x 8 nvidia.com/gpu``."""
    counts: dict[str, int] = {}
    unsaid: set[str] = set()
    for role in sorted(needs.roles, key=lambda role: not any(map(is_accelerator, role.requests))):
        text = "".join(_of_role(role))
        counts[text] = counts.get(text, 0) + role.pods
        unsaid |= {text} if role.unsaid else set()
    parts = [f"{count}{'+' if text in unsaid else ''} x {text or 'any node'}" for text, count in counts.items()]
    if not parts:  # the nodes are known: what is missing are objects
        parts = [*map(object_words, needs.objects), *needs.others]
    return _listed(parts) + (f" in {_listed(needs.zones, ' or ')}" if needs.zones else "")


def _listed(texts: Sequence[str], by: str = ", ") -> str:
    return by.join(texts[:SHOWN]) + (f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else "")


def _of_role(role: RoleNeed) -> Iterator[str]:
    scarce = [name for name in role.requests if is_accelerator(name)]
    names = scarce or [name for name in ("cpu", "memory") if name in role.requests]
    yield " + ".join(f"{role.requests[name]} {name}" for name in names) or ", ".join(role.devices)
    labels = [_value(each) for way in role.labels[:1] for each in way if each.operator == "In" and each.key != ZONE]
    if labels:
        yield f" on {', '.join(dict.fromkeys(labels[:2]))}"


def _value(requirement: Requirement) -> str:
    return "/".join(requirement.values) if len("".join(requirement.values)) > 4 else _pair(requirement)


def _pair(requirement: Requirement) -> str:
    return f"{requirement.key.rpartition('/')[2]}={'/'.join(requirement.values)}"


def worst_first(groups: Iterable[GroupVerdict]) -> list[GroupVerdict]:
    """The groups, those with trouble first, else in their order."""
    return sorted(groups, key=_rank)
