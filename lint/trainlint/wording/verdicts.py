"""What policies decide about connections, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trainlint.model.policy import Action, Condition, ConditionChoice, Decision, Permission, PolicyEntry, Verdict
from trainlint.wording.because import TEXTS, because_text, texts_of

__all__ = ["decision_text", "verdict_text"]

NAMED: Final = 20
"""Policies that a sentence names at most: of more of them it says how many others there are."""


def verdict_text(verdict: Verdict) -> str:
    """The sentence of the end that decided, or both."""
    decisive = [decision_text(each) for each in (verdict.egress, verdict.ingress) if each.answer is verdict.answer]
    sentence = "; ".join(dict.fromkeys(decisive))
    ports = ", ".join(str(each) for each in verdict.allowed)
    return f"only port {ports} is open: {sentence}" if verdict.partly else sentence


def decision_text(decision: Decision) -> str:
    """What one end decides, and by which policies: a sentence without its end."""
    direction, names, isolating = decision.direction, _names(decision.deciding), _names(decision.isolating)
    if decision.bypass:
        return f"{direction} is allowed: {because_text(decision.bypass)}"
    match decision.answer:
        case Permission.UNKNOWN:
            why = "; ".join(texts_of(decision.uncertain))
            return f"whether {direction} is allowed is not known: {why}"
        case Permission.ALLOW if names:
            condition = f", if {_conditions(decision.only_if)}" if decision.only_if else ""
            return f"{direction} is allowed by {_listed(names)}{condition}"
        case Permission.ALLOW if isolating:
            return f"{direction} is allowed: a pod's own node may always reach it"
        case Permission.ALLOW:
            return f"{direction} is allowed: no policy restricts it"
        case _ if names and any(entry.action is Action.DENY for entry in decision.deciding):
            return f"{direction} is denied by {_listed(names)}"
        case _ if names:
            asks = "asks" if len(names) == 1 else "ask"
            return f"{direction} is denied: {_listed(names)} {asks} for an authentication that never happens"
        case _ if len(isolating) == 1:
            return f"{direction} is denied: {isolating[0]} admits only what it lists, and it does not list this"
        case _ if isolating:
            return f"{direction} is denied: {_listed(isolating)} admit only what they list, and none lists this"
        case _:
            return f"{direction} is denied: this cluster denies what no policy allows"


def _conditions(ways: Sequence[ConditionChoice]) -> str:
    """What else must hold, in one of some ways."""
    return " or ".join(dict.fromkeys(map(_way, ways)))


def _way(conditions: ConditionChoice) -> str:
    one_of = " or ".join(dict.fromkeys(map(_all, conditions.one_of)))
    return " and ".join(filter(None, (one_of, _all(conditions.always))))


def _all(conditions: Sequence[Condition]) -> str:
    return " and ".join(str(TEXTS[each]) for each in conditions)


def _names(entries: Sequence[PolicyEntry]) -> list[str]:
    return list(dict.fromkeys(entry.policy for entry in entries))


def _listed(names: Sequence[str]) -> str:
    if len(names) > NAMED:
        return f"{', '.join(names[: NAMED - 2])} and {len(names) - NAMED + 2} others"
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
