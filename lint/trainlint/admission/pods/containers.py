"""Containers of a pod: names, images, ports, environment, probes, security."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.flaws import FlawRole, PodFlaw
from trainlint.admission.name_syntax import env_name, meant_to_be_replaced, port_name, rfc1123_label
from trainlint.admission.plain_values import elements, known, mapping, number, text, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because

__all__ = ["containers_of", "of_containers"]

Container = tuple[Path, Mapping[str, Any]]
_LISTS: Final = ("containers", "initContainers")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_PROBE_NUMBERS: Final = (
    *("failureThreshold", "initialDelaySeconds", "periodSeconds", "successThreshold"),
    *("terminationGracePeriodSeconds", "timeoutSeconds"),
)
_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_LAST_PORT: Final = 65535


def containers_of(spec: Mapping[str, Any], path: Path) -> list[Container]:
    """Every container and init container of a pod spec."""
    return [each for kind in _LISTS for each in elements(spec.get(kind), *path, kind)]


def of_containers(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """What is refused of the containers themselves."""
    yield from _names(spec, path)
    for at, container in containers_of(spec, path):
        who = text(container.get("name")) or "without a name"
        yield from _ports(container, at, who, on_host=spec.get("hostNetwork") is True)
        yield from _environment(container, at, who)
        yield from _probes(container, at, who, init=at[-2] == "initContainers")
        yield from _security(container, at, who)


def _names(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    seen: dict[str, Path] = {}
    for at, container in containers_of(spec, path):
        name = text(container.get("name"))
        if not name:
            yield Problem(at, Because(PodFlaw.NO_CONTAINER_NAME), "container name", lacks="name")
        elif meant_to_be_replaced(name):
            continue
        elif wrong := rfc1123_label(name):
            yield Problem((*at, "name"), Because(PodFlaw.CONTAINER_NAME, (name, wrong)), f"container {name}")
        elif name in seen:
            related = ((Because(FlawRole.OTHER_ONE), seen[name]),)
            yield Problem(
                (*at, "name"), Because(PodFlaw.CONTAINER_TWICE, (name,)), f"container {name}", related=related
            )
        seen.setdefault(name, at)
        image = text(container.get("image"))
        if image != image.strip():
            yield Problem(
                (*at, "image"),
                Because(PodFlaw.IMAGE_BLANK, (name,)),
                f"image of {name}",
                put=((*at, "image"), image.strip()),
            )


def _ports(container: Mapping[str, Any], at: Path, who: str, *, on_host: bool) -> Iterator[Problem]:
    taken: dict[str, Path] = {}
    for place, port in elements(container.get("ports"), *at, "ports"):
        name, own = known(port.get("name")), number(port.get("containerPort"))
        if name:
            if wrong := port_name(name):
                yield Problem((*place, "name"), Because(PodFlaw.PORT_NAME, (name, who, wrong)), f"port {name}")
            elif name in taken:
                related = ((Because(FlawRole.OTHER_ONE), taken[name]),)
                yield Problem(
                    (*place, "name"), Because(PodFlaw.PORT_TWICE, (who, name)), f"port {name}", related=related
                )
            taken.setdefault(name, (*place, "name"))
        if not written(port.get("containerPort")):
            yield Problem(place, Because(PodFlaw.NO_CONTAINER_PORT, (who,)), f"port of {who}", lacks="containerPort")
        for key, value in (("containerPort", own), ("hostPort", number(port.get("hostPort")))):
            if value is not None and not (1 <= value <= _LAST_PORT or (key == "hostPort" and value == 0)):
                yield Problem(
                    (*place, key), Because(PodFlaw.PORT_NUMBER, (key, value, who, _LAST_PORT)), f"{key} {value}"
                )
        host = number(port.get("hostPort"))
        if on_host and host and own is not None and host != own:
            yield Problem((*place, "hostPort"), Because(PodFlaw.HOST_PORT, (who, host, own)), f"host port {host}")
        protocol = known(port.get("protocol"))
        if protocol and protocol not in _PROTOCOLS:
            yield Problem(
                (*place, "protocol"),
                Because(PodFlaw.PROTOCOL, (protocol, who, tuple(_PROTOCOLS))),
                f"protocol {protocol}",
            )


def _environment(container: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    for place, variable in elements(container.get("env"), *at, "env"):
        name, source = text(variable.get("name")), variable.get("valueFrom")
        if not name:
            yield Problem(place, Because(PodFlaw.NO_VARIABLE_NAME, (who,)), f"variable of {who}", lacks="name")
        elif not is_placeholder(name) and (wrong := env_name(name)):
            yield Problem((*place, "name"), Because(PodFlaw.VARIABLE_NAME, (name, who, wrong)), f"variable {name}")
        if not isinstance(source, dict):
            continue
        given = [each for each in source if each in _SOURCES and source[each] is not None]
        if variable.get("value") not in (None, ""):
            yield Problem((*place, "valueFrom"), Because(PodFlaw.VALUE_AND_SOURCE, (name, who)), f"variable {name}")
        elif len(given) > 1:
            yield Problem(
                (*place, "valueFrom"),
                Because(PodFlaw.SEVERAL_SOURCES, (name, who, len(given), tuple(given))),
                f"variable {name}",
            )
        elif not given:
            yield Problem(
                (*place, "valueFrom"), Because(PodFlaw.NO_SOURCE, (name, who, tuple(_SOURCES[:4]))), f"variable {name}"
            )
        for reference in ("configMapKeyRef", "secretKeyRef"):
            if isinstance(source.get(reference), dict) and not source[reference].get("key"):
                yield Problem(
                    (*place, "valueFrom", reference),
                    Because(PodFlaw.NO_SOURCE_KEY, (reference, name, who)),
                    f"key of {name}",
                    lacks="key",
                )


def _probes(container: Mapping[str, Any], at: Path, who: str, *, init: bool) -> Iterator[Problem]:
    ends = init and container.get("restartPolicy") is None
    for kind in (*_PROBES, "lifecycle"):
        if not isinstance(container.get(kind), dict):
            continue
        if ends:
            yield Problem((*at, kind), Because(PodFlaw.INIT_PROBE, (who, kind)), f"{kind} of {who}")
        if kind == "lifecycle":
            continue
        probe = mapping(container[kind])
        handlers = [each for each in _HANDLERS if probe.get(each) is not None]
        if len(handlers) != 1:
            found = " and ".join(handlers) or "none"
            yield Problem(
                (*at, kind), Because(PodFlaw.HANDLERS, (kind, who, tuple(_HANDLERS), found)), f"{kind} of {who}"
            )
        yield from _probe_numbers(probe, (*at, kind), who)
        threshold = number(probe.get("successThreshold"))
        if kind != "readinessProbe" and threshold not in (None, 0, 1):
            yield Problem(
                (*at, kind, "successThreshold"),
                Because(PodFlaw.SUCCESS_THRESHOLD, (kind, who, threshold)),
                f"threshold of {kind}",
            )


def _probe_numbers(probe: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    for key in _PROBE_NUMBERS:
        given, least = number(probe.get(key)), 1 if key == "terminationGracePeriodSeconds" else 0
        if given is not None and given < least:
            why = Because(PodFlaw.PROBE_NUMBER, (key, at[-1], who, given, least))
            yield Problem((*at, key), why, f"{key} of {at[-1]}")
    if at[-1] == "readinessProbe" and written(probe.get("terminationGracePeriodSeconds")):
        place = (*at, "terminationGracePeriodSeconds")
        yield Problem(place, Because(PodFlaw.PROBE_GRACE, (who,)), "grace of readinessProbe")


def _security(container: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    context = mapping(container.get("securityContext"))
    if context.get("allowPrivilegeEscalation") is not False:
        return
    capabilities = mapping(context.get("capabilities")).get("add")
    admin = isinstance(capabilities, list) and not {"SYS_ADMIN", "CAP_SYS_ADMIN"}.isdisjoint(map(str, capabilities))
    if context.get("privileged") is True or admin:
        place = (*at, "securityContext", "allowPrivilegeEscalation")
        yield Problem(
            place, Because(PodFlaw.ESCALATION, (who, context.get("privileged") is True)), f"escalation of {who}"
        )
