"""Containers of a pod: names, images, ports, environment, probes, security."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.plain import elements, known, mapping, number, text, written
from trainlint.admission.problem import Problem
from trainlint.admission.syntax import env_name, meant_to_be_replaced, port_name, rfc1123_label
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder

__all__ = ["containers_of", "of_containers"]

Container = tuple[Path, Mapping[str, Any]]
_LISTS: Final = ("containers", "initContainers")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
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
            yield Problem(at, "a container has no name", "give it one", "container name", lacks="name")
        elif meant_to_be_replaced(name):
            continue
        elif wrong := rfc1123_label(name):
            why = f"{name} is no name of a container: {wrong}"
            yield Problem((*at, "name"), why, "give the container a valid name", f"container {name}")
        elif name in seen:
            related = (("the other one", seen[name]),)
            why = f"two containers of the pod are called {name}"
            yield Problem((*at, "name"), why, "rename one of the two", f"container {name}", related=related)
        seen.setdefault(name, at)
        image = text(container.get("image"))
        if image != image.strip():
            why = f"the image of container {name} begins or ends with a blank"
            yield Problem(
                (*at, "image"), why, "remove the blank", f"image of {name}", put=((*at, "image"), image.strip())
            )


def _ports(container: Mapping[str, Any], at: Path, who: str, *, on_host: bool) -> Iterator[Problem]:
    taken: dict[str, Path] = {}
    for place, port in elements(container.get("ports"), *at, "ports"):
        name, own = known(port.get("name")), number(port.get("containerPort"))
        if name:
            if wrong := port_name(name):
                why = f"{name} is no name of a port (container {who}): {wrong}"
                yield Problem((*place, "name"), why, "shorten the name of the port", f"port {name}")
            elif name in taken:
                why = f"two ports of container {who} are called {name}"
                related = (("the other one", taken[name]),)
                yield Problem((*place, "name"), why, "rename one of the two", f"port {name}", related=related)
            taken.setdefault(name, (*place, "name"))
        if not written(port.get("containerPort")):
            why = f"a port of container {who} has no containerPort"
            yield Problem(place, why, "set it", f"port of {who}", lacks="containerPort")
        for key, value in (("containerPort", own), ("hostPort", number(port.get("hostPort")))):
            if value is not None and not (1 <= value <= _LAST_PORT or (key == "hostPort" and value == 0)):
                why = f"{key} {value} of container {who} is no port: ports are 1 to {_LAST_PORT}"
                yield Problem((*place, key), why, "write a port in this range", f"{key} {value}")
        host = number(port.get("hostPort"))
        if on_host and host and own is not None and host != own:
            why = f"container {who} is on the host network, where hostPort ({host}) must equal containerPort ({own})"
            yield Problem((*place, "hostPort"), why, "remove hostPort", f"host port {host}")
        protocol = known(port.get("protocol"))
        if protocol and protocol not in _PROTOCOLS:
            why = f"protocol {protocol} of a port of container {who} is none of {', '.join(_PROTOCOLS)}"
            yield Problem((*place, "protocol"), why, "write it in capitals", f"protocol {protocol}")


def _environment(container: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    for place, variable in elements(container.get("env"), *at, "env"):
        name, source = text(variable.get("name")), variable.get("valueFrom")
        if not name:
            why = f"a variable of container {who} has no name"
            yield Problem(place, why, "set name", f"variable of {who}", lacks="name")
        elif not is_placeholder(name) and (wrong := env_name(name)):
            why = f"{name} is no name of a variable (container {who}): {wrong}"
            yield Problem((*place, "name"), why, "correct the name", f"variable {name}")
        if not isinstance(source, dict):
            continue
        given = [each for each in source if each in _SOURCES and source[each] is not None]
        if variable.get("value") not in (None, ""):
            why = f"variable {name} of container {who} has a value and a valueFrom"
            yield Problem((*place, "valueFrom"), why, "keep one of the two", f"variable {name}")
        elif len(given) > 1:
            why = f"variable {name} of container {who} has {len(given)} sources ({', '.join(given)}), one is allowed"
            yield Problem((*place, "valueFrom"), why, "keep one of them", f"variable {name}")
        elif not given:
            why = f"valueFrom of variable {name} in container {who} names no source"
            yield Problem((*place, "valueFrom"), why, f"add one of {', '.join(_SOURCES[:4])}", f"variable {name}")
        for reference in ("configMapKeyRef", "secretKeyRef"):
            if isinstance(source.get(reference), dict) and not source[reference].get("key"):
                why = f"{reference} of variable {name} in container {who} names no key"
                yield Problem((*place, "valueFrom", reference), why, "set key", f"key of {name}", lacks="key")


def _probes(container: Mapping[str, Any], at: Path, who: str, *, init: bool) -> Iterator[Problem]:
    ends = init and container.get("restartPolicy") is None
    for kind in (*_PROBES, "lifecycle"):
        if not isinstance(container.get(kind), dict):
            continue
        if ends:
            why = f"init container {who} has a {kind}, which only those with restartPolicy Always may have"
            yield Problem((*at, kind), why, f"remove {kind}", f"{kind} of {who}")
        if kind == "lifecycle":
            continue
        probe = mapping(container[kind])
        handlers = [each for each in _HANDLERS if probe.get(each) is not None]
        if len(handlers) != 1:
            found = " and ".join(handlers) or "none"
            why = f"the {kind} of container {who} must do one of {', '.join(_HANDLERS)}, and does {found}"
            yield Problem((*at, kind), why, "let it do one of them", f"{kind} of {who}")
        threshold = number(probe.get("successThreshold"))
        if kind != "readinessProbe" and threshold not in (None, 0, 1):
            why = f"successThreshold of the {kind} of container {who} is {threshold}, and must be 1"
            yield Problem((*at, kind, "successThreshold"), why, "remove it", f"threshold of {kind}")


def _security(container: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    context = mapping(container.get("securityContext"))
    if context.get("allowPrivilegeEscalation") is not False:
        return
    capabilities = mapping(context.get("capabilities")).get("add")
    admin = isinstance(capabilities, list) and not {"SYS_ADMIN", "CAP_SYS_ADMIN"}.isdisjoint(map(str, capabilities))
    if context.get("privileged") is True or admin:
        cause = "is privileged" if context.get("privileged") is True else "has the capability SYS_ADMIN"
        why = f"container {who} {cause}, and allowPrivilegeEscalation is false: the two contradict each other"
        place = (*at, "securityContext", "allowPrivilegeEscalation")
        yield Problem(place, why, "decide for one of the two", f"escalation of {who}")
