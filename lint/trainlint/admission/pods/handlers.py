"""Probes and hooks of containers: what they do, and how often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import lacks, name, refused, word
from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import header_name, port_name
from trainlint.admission.plain_values import elements, known, mapping, number, text, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because

__all__ = ["of_handlers", "port_value"]

_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_PROBE_NUMBERS: Final = (
    *("failureThreshold", "initialDelaySeconds", "periodSeconds", "successThreshold"),
    *("terminationGracePeriodSeconds", "timeoutSeconds"),
)
_ACTIONS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOK_ACTIONS: Final = ("exec", "httpGet", "tcpSocket", "sleep")
_HOOKS: Final = ("postStart", "preStop")
_SCHEMES: Final = ("HTTP", "HTTPS")
_LAST_PORT: Final = 65535
_DEFAULT_GRACE: Final = 30


def of_handlers(
    spec: Mapping[str, Any], container: Mapping[str, Any], at: Path, who: str, *, init: bool
) -> Iterator[Problem]:
    """What is refused of a container's probes and hooks; init containers have some if they restart always."""
    policy = text(container.get("restartPolicy"))
    ends = init and policy != "Always" and not is_placeholder(policy)
    for kind in (*_PROBES, "lifecycle"):
        if not isinstance(container.get(kind), dict):
            continue
        if ends:
            yield Problem((*at, kind), Because(PodFlaw.INIT_PROBE, (who, kind)), f"{kind} of {who}")
        elif kind == "lifecycle":
            yield from _hooks(spec, mapping(container[kind]), (*at, kind), who)
        else:
            yield from _probe(mapping(container[kind]), (*at, kind), who)


def _hooks(spec: Mapping[str, Any], hooks: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    grace = number(spec.get("terminationGracePeriodSeconds", _DEFAULT_GRACE))
    for kind in _HOOKS:
        if isinstance(hooks.get(kind), dict):
            hook, place = mapping(hooks[kind]), (*at, kind)
            yield from _action(hook, place, who, _HOOK_ACTIONS)
            seconds = number(mapping(hook.get("sleep")).get("seconds"))
            if seconds is not None and grace is not None and not 0 <= seconds <= grace:
                where = (*place, "sleep", "seconds")
                yield refused(where, FieldFlaw.SLEEP, grace, where=str(seconds))


def _probe(probe: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    yield from _action(probe, at, who, _ACTIONS)
    for key in _PROBE_NUMBERS:
        given, least = number(probe.get(key)), 1 if key == "terminationGracePeriodSeconds" else 0
        if given is not None and given < least:
            why = Because(PodFlaw.PROBE_NUMBER, (key, at[-1], who, given, least))
            yield Problem((*at, key), why, f"{key} of {at[-1]}")
    if at[-1] == "readinessProbe" and written(probe.get("terminationGracePeriodSeconds")):
        place = (*at, "terminationGracePeriodSeconds")
        yield Problem(place, Because(PodFlaw.PROBE_GRACE, (who,)), "grace of readinessProbe")
    threshold = number(probe.get("successThreshold"))
    if at[-1] != "readinessProbe" and threshold not in (None, 0, 1) and (threshold or 0) > 0:
        why = Because(PodFlaw.SUCCESS_THRESHOLD, (at[-1], who, threshold))
        yield Problem((*at, "successThreshold"), why, f"threshold of {at[-1]}")


def _action(holder: Mapping[str, Any], at: Path, who: str, actions: tuple[str, ...]) -> Iterator[Problem]:
    given = [each for each in actions if holder.get(each) is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        yield Problem(at, Because(PodFlaw.HANDLERS, (at[-1], who, actions, found)), f"{at[-1]} of {who}")
        return
    kind, action, place = given[0], mapping(holder[given[0]]), (*at, given[0])
    if kind == "exec":
        yield from lacks(action, place, "command")
    elif kind != "sleep":
        yield from port_value(action, place, "port", named=kind != "grpc")
    if kind == "httpGet":
        yield from word(action, place, "scheme", _SCHEMES)
        for where, header in elements(action.get("httpHeaders"), *place, "httpHeaders"):
            yield from lacks(header, where, "name")
            yield from name(header, where, "name", header_name)


def port_value(
    holder: Mapping[str, Any], at: Path, key: str, *, named: bool = True, needed: bool = True
) -> Iterator[Problem]:
    """A port that is missing, out of range, or no name of one; ``named`` says that a name may stand there."""
    given = holder.get(key)
    if given is None or given == "":
        if needed:
            yield refused(at, FieldFlaw.MISSING, key, key=key)
    elif (value := number(given)) is not None:
        if not 1 <= value <= _LAST_PORT:
            yield refused((*at, key), FieldFlaw.RANGE, value, 1, _LAST_PORT)
    elif named and known(given):
        yield from name(holder, at, key, port_name)
