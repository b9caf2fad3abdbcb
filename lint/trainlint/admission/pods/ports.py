"""Ports of the containers of a pod, and those of the host that they take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import refused
from trainlint.admission.flaws import FlawRole, PodFlaw
from trainlint.admission.name_syntax import port_name
from trainlint.admission.plain_values import elements, known, number, text, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because

__all__ = ["of_ports"]

_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_LAST_PORT: Final = 65535
Taken = dict[tuple[str, str, int], Path]


def of_ports(spec: Mapping[str, Any], containers: Iterable[tuple[Path, Mapping[str, Any]]]) -> Iterator[Problem]:
    """What is refused of ports: names, numbers, protocols, and one port of the host that is taken twice.

    Init containers run one by one, so that each may take what another one takes.
    """
    on_host = spec.get("hostNetwork") is True
    taken: Taken = {}
    for at, container in containers:
        if "ports" not in container:
            continue
        who, init = text(container.get("name")) or "without a name", at[-2] == "initContainers"
        names: dict[str, Path] = {}
        own: Taken = {} if init else taken
        for place, port in elements(container.get("ports"), *at, "ports"):
            yield from _name(port, place, who, names)
            yield from _numbers(port, place, who, equal=on_host and not init)
            yield from _on_the_host(port, place, own, on_host=on_host)


def _name(port: Mapping[str, Any], place: Path, who: str, taken: dict[str, Path]) -> Iterator[Problem]:
    name = known(port.get("name"))
    if not name:
        return
    if wrong := port_name(name):
        yield Problem((*place, "name"), Because(PodFlaw.PORT_NAME, (name, who, wrong)), f"port {name}")
    elif name in taken:
        related = ((Because(FlawRole.OTHER_ONE), taken[name]),)
        yield Problem((*place, "name"), Because(PodFlaw.PORT_TWICE, (who, name)), f"port {name}", related=related)
    taken.setdefault(name, (*place, "name"))


def _numbers(port: Mapping[str, Any], place: Path, who: str, *, equal: bool) -> Iterator[Problem]:
    own, host = number(port.get("containerPort")), number(port.get("hostPort"))
    if not written(port.get("containerPort")):
        yield Problem(place, Because(PodFlaw.NO_CONTAINER_PORT, (who,)), f"port of {who}", lacks="containerPort")
    for key, value in (("containerPort", own), ("hostPort", host)):
        if value is not None and not (1 <= value <= _LAST_PORT or (key == "hostPort" and value == 0)):
            why = Because(PodFlaw.PORT_NUMBER, (key, value, who, _LAST_PORT))
            yield Problem((*place, key), why, f"{key} {value}")
    if equal and host and own is not None and host != own:
        yield Problem((*place, "hostPort"), Because(PodFlaw.HOST_PORT, (who, host, own)), f"host port {host}")
    protocol = known(port.get("protocol"))
    if protocol and protocol not in _PROTOCOLS:
        why = Because(PodFlaw.PROTOCOL, (protocol, who, tuple(_PROTOCOLS)))
        yield Problem((*place, "protocol"), why, f"protocol {protocol}")


def _on_the_host(port: Mapping[str, Any], place: Path, taken: Taken, *, on_host: bool) -> Iterator[Problem]:
    key = "hostPort" if number(port.get("hostPort")) else "containerPort" if on_host else ""
    value, protocol, address = number(port.get(key)), text(port.get("protocol")) or "TCP", text(port.get("hostIP"))
    if not value or is_placeholder(protocol) or is_placeholder(address):
        return
    other = taken.setdefault((protocol, address, value), (*place, key))
    if other != (*place, key):
        related = ((Because(FlawRole.OTHER_ONE), other),)
        values = (protocol, key == "containerPort")
        yield refused((*place, key), FieldFlaw.HOST_PORT_TWICE, *values, where=str(value), related=related)
