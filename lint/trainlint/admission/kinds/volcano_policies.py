"""Policies of a Volcano Job and its tasks, and network topologies (volcano:pkg/webhooks/admission/jobs/validate)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.flaws import KindFlaw
from trainlint.admission.kinds.field_values import one_of
from trainlint.admission.plain_values import below, elements, number, text
from trainlint.admission.problem import Problem
from trainlint.admission.volcano_flaws import VolcanoFlaw
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.refuser import Refuser

__all__ = ["of_policies", "tier_twice"]

_BY: Final = Because(Refuser.VOLCANO)
_EVENTS: Final = (
    "*",
    "PodPending",
    "PodFailed",
    "PodEvicted",
    "Unknown",
    "TaskCompleted",
    "JobUpdated",
    "TaskFailed",
)
_OWN_EVENTS: Final = ("PodRunning", "OutOfSync", "CommandIssued")
"""Events that are known, and for which no user may write a policy."""
_ACTIONS: Final = (
    "AbortJob",
    "RestartJob",
    "RestartTask",
    "RestartPod",
    "RestartPartition",
    "TerminateJob",
    "CompleteJob",
    "ResumeJob",
)


def of_policies(item: Any, owner: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """What is refused of the policies of a job or a task, which stand at ``path`` of the object ``item``."""
    events: dict[str, Path] = {}
    codes: set[int] = set()
    for at, policy in elements(owner.get("policies"), *path):
        own = _events(policy)
        code = number(policy.get("exitCode"))
        if policy.get("exitCode") is not None and own:
            yield Problem(at, Because(KindFlaw.EVENT_AND_EXIT_CODE), "event and exitCode", _BY)
        elif policy.get("exitCode") is None and not own:
            yield Problem(at, Because(VolcanoFlaw.NO_EVENT), "no event", _BY)
        elif own:
            yield from _of_events(item, policy, own, at)
            yield from _again(own, events, at)
        elif code == 0:
            yield Problem((*at, "exitCode"), Because(KindFlaw.EXIT_CODE_ZERO), "exit code", _BY)
        elif code is not None and code in codes:
            yield Problem((*at, "exitCode"), Because(VolcanoFlaw.EXIT_CODE_TWICE, (code,)), f"exit code {code}", _BY)
        if code is not None:
            codes.add(code)
    if "*" in events and len(events) > 1:
        yield Problem(events["*"], Because(VolcanoFlaw.ANY_EVENT), "any event", _BY)


def _events(policy: Mapping[str, Any]) -> list[str]:
    """The events of a policy, each once: ``events`` and ``event`` count together."""
    several = policy.get("events")
    own = [*(several if isinstance(several, list) else ()), policy.get("event")]
    return list(dict.fromkeys(text(each) for each in own if each))


def _of_events(item: Any, policy: Mapping[str, Any], events: list[str], at: Path) -> Iterator[Problem]:
    yield from one_of(item, (*at, "event"), (*_EVENTS, *_OWN_EVENTS))
    for event in events:
        if event in _OWN_EVENTS:
            place = (*at, "event") if policy.get("event") == event else (*at, "events")
            yield Problem(place, Because(VolcanoFlaw.EVENT, (event, _EVENTS)), f"event {event}", _BY)
    action = text(policy.get("action"))
    if action not in _ACTIONS and not is_placeholder(action):
        place = (*at, "action") if action else at
        yield Problem(place, Because(VolcanoFlaw.ACTION, (action, _ACTIONS)), f"action {action}", _BY)


def _again(own: list[str], events: dict[str, Path], at: Path) -> Iterator[Problem]:
    for event in own:
        if event in events and not is_placeholder(event):
            yield Problem(at, Because(VolcanoFlaw.EVENT_TWICE, (event,)), f"event {event}", _BY)
        events.setdefault(event, at)


def tier_twice(owner: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """A network topology with a tier by number and one by name."""
    topology = below(owner, "networkTopology")
    if (
        isinstance(topology, dict)
        and topology.get("highestTierAllowed") is not None
        and topology.get("highestTierName")
    ):
        yield Problem((*path, "networkTopology"), Because(VolcanoFlaw.TIER_TWICE), "tier", _BY)
