"""Environment of containers: names of variables, and where their values come from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import lacks, name, no_steps_up, one_of, refused, word
from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import (
    data_key,
    env_name,
    label_key,
    meant_to_be_replaced,
    rfc1123_label,
    rfc1123_subdomain,
)
from trainlint.admission.plain_values import elements, known, mapping, names, text
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.quantity import QuantityError, parse_quantity

__all__ = ["of_environment", "of_field_reference", "of_resource_reference"]

_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_POD_FIELDS: Final = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"),
    *("status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)
_SUBSCRIPTS: Final = ("metadata.annotations", "metadata.labels")
_RESOURCES: Final = tuple(
    f"{kind}.{resource}" for kind in ("limits", "requests") for resource in ("cpu", "memory", "ephemeral-storage")
)
_HUGE: Final = ("limits.hugepages-", "requests.hugepages-")
_DECIMAL: Final = frozenset(1000**power for power in range(7))
_BINARY: Final = frozenset(1024**power for power in range(7))


def of_environment(spec: Mapping[str, Any], container: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    """What is refused of the variables of a container."""
    for place, variable in elements(container.get("env"), *at, "env"):
        given = text(variable.get("name"))
        if not given:
            yield Problem(place, Because(PodFlaw.NO_VARIABLE_NAME, (who,)), f"variable of {who}", lacks="name")
        elif not is_placeholder(given) and (wrong := env_name(given)):
            yield Problem((*place, "name"), Because(PodFlaw.VARIABLE_NAME, (given, who, wrong)), f"variable {given}")
        if isinstance(variable.get("valueFrom"), dict):
            yield from _source(variable, given, (*place, "valueFrom"), who)
            yield from _file(spec, mapping(variable["valueFrom"].get("fileKeyRef")), (*place, "valueFrom"))
    for place, source in elements(container.get("envFrom"), *at, "envFrom"):
        yield from name(source, place, "prefix", env_name)
        yield from one_of(source, place, ("configMapRef", "secretRef"))
        for key in ("configMapRef", "secretRef"):
            if isinstance(source.get(key), dict):
                yield from lacks(source[key], (*place, key), "name")
                yield from name(source[key], (*place, key), "name", _prefix)


def _prefix(given: str) -> Because | None:
    """What is wrong with a name, of which the API server takes one that ends in dashes here."""
    return rfc1123_subdomain(f"{given}0" if given.endswith("-") else given)


def _source(variable: Mapping[str, Any], named: str, at: Path, who: str) -> Iterator[Problem]:
    source, cause = mapping(variable["valueFrom"]), f"variable {named}"
    given = [each for each in source if each in _SOURCES and source[each] is not None]
    if variable.get("value") not in (None, ""):
        yield Problem(at, Because(PodFlaw.VALUE_AND_SOURCE, (named, who)), cause)
    elif len(given) > 1:
        yield Problem(at, Because(PodFlaw.SEVERAL_SOURCES, (named, who, len(given), tuple(given))), cause)
    elif not given:
        yield Problem(at, Because(PodFlaw.NO_SOURCE, (named, who, tuple(_SOURCES[:4]))), cause)
    if len(given) != 1:
        return
    if given[0] in ("configMapKeyRef", "secretKeyRef"):
        reference, place = mapping(source[given[0]]), (*at, given[0])
        if not reference.get("key"):
            why = Because(PodFlaw.NO_SOURCE_KEY, (given[0], named, who))
            yield Problem(place, why, f"key of {named}", lacks="key")
        yield from lacks(reference, place, "name")
        yield from name(reference, place, "name")
        yield from name(reference, place, "key", data_key)
    elif given[0] == "fieldRef":
        yield from of_field_reference(mapping(source["fieldRef"]), (*at, "fieldRef"), _POD_FIELDS)
    elif given[0] == "resourceFieldRef":
        yield from of_resource_reference(mapping(source["resourceFieldRef"]), (*at, "resourceFieldRef"))


def of_field_reference(reference: Mapping[str, Any], at: Path, fields: Collection[str]) -> Iterator[Problem]:
    """A field of the pod that is none of those that may be named there, or a label without a proper key."""
    yield from lacks(reference, at, "fieldPath")
    yield from word(reference, at, "apiVersion", ("v1",))
    given = known(reference.get("fieldPath"))
    if not given:
        return
    stem, bracket, key = given.removesuffix("']").partition("['")
    if not (given.endswith("']") and bracket and stem):
        yield from word({"fieldPath": "spec.nodeName" if given == "spec.host" else given}, at, "fieldPath", fields)
    elif stem not in _SUBSCRIPTS:
        yield from word({"fieldPath": stem}, at, "fieldPath", _SUBSCRIPTS)
    elif not is_placeholder(key) and (wrong := label_key(key.lower() if stem.endswith("annotations") else key)):
        yield refused((*at, "fieldPath"), FieldFlaw.NAME, key, wrong)


def of_resource_reference(reference: Mapping[str, Any], at: Path, *, volume: bool = False) -> Iterator[Problem]:
    """A resource that may not be named there, or a divisor that is no unit of it; a ``volume`` names a container."""
    yield from lacks(reference, at, *(("containerName",) if volume else ()), "resource")
    given = known(reference.get("resource"))
    if not given:
        return
    if not given.startswith(_HUGE):
        yield from word(reference, at, "resource", _RESOURCES)
    divisor = str(reference.get("divisor", ""))
    if divisor and not is_placeholder(divisor) and not _divides(divisor, given):
        yield refused((*at, "divisor"), FieldFlaw.RESOURCE, divisor)


def _divides(divisor: str, resource: str) -> bool:
    """Whether a divisor is one of the units that the resource may be counted in; what is no quantity is not told."""
    try:
        value = parse_quantity(divisor)
    except QuantityError:
        return True
    if resource.endswith(".cpu"):
        return value in {0, 1} or value * 1000 == 1
    return value == 0 or value in (_BINARY if divisor.endswith("i") else _DECIMAL) or "e" in divisor.lower()


def _file(spec: Mapping[str, Any], reference: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """A key of a file, which lies in an emptyDir of the pod."""
    if not reference:
        return
    place = (*at, "fileKeyRef")
    yield from lacks(reference, place, "key", "volumeName", "path")
    yield from name(reference, place, "key", env_name)
    yield from name(reference, place, "volumeName", rfc1123_label)
    yield from no_steps_up(reference, place, "path")
    wanted, volumes = known(reference.get("volumeName")), names(spec.get("volumes"))
    if not wanted or any(map(meant_to_be_replaced, volumes)):
        return
    if wanted not in volumes:
        yield refused((*place, "volumeName"), FieldFlaw.UNKNOWN, wanted, "volume", ", ".join(volumes))
        return
    volume = next(each for _, each in elements(spec.get("volumes")) if each.get("name") == wanted)
    if any(value is not None for key, value in volume.items() if key not in ("name", "emptyDir")):
        yield refused((*place, "volumeName"), FieldFlaw.EMPTY_DIR, where=wanted)
