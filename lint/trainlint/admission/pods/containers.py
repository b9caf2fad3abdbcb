"""Containers of a pod: names, images, resizing, and what their parts are refused for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw, FieldPlace
from trainlint.admission.fields import lacks, refused, since, word
from trainlint.admission.flaws import FlawRole, PodFlaw
from trainlint.admission.name_syntax import meant_to_be_replaced, rfc1123_label
from trainlint.admission.plain_values import elements, known, text
from trainlint.admission.pods.environment import of_environment
from trainlint.admission.pods.handlers import of_handlers
from trainlint.admission.pods.restarts import of_restarts
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.model.because import Because

__all__ = ["containers_of", "of_containers"]

Container = tuple[Path, Mapping[str, Any]]
_LISTS: Final = ("containers", "initContainers")
_PULL: Final = ("Always", "IfNotPresent", "Never")
_MESSAGES: Final = ("File", "FallbackToLogsOnError")
_RESIZED: Final = ("cpu", "memory")
_RESIZE: Final = ("NotRequired", "RestartContainer")
_RESIZED_SINCE: Final = (1, 33)


def containers_of(spec: Mapping[str, Any], path: Path) -> list[Container]:
    """Every container and init container of a pod spec."""
    return [each for kind in _LISTS for each in elements(spec.get(kind), *path, kind)]


def of_containers(spec: Mapping[str, Any], path: Path, version: tuple[int, ...]) -> Iterator[Problem]:
    """What is refused of the containers themselves; ``version`` is that of Kubernetes, empty where unknown."""
    found = containers_of(spec, path)
    yield from _names(found)
    for at, container in found:
        who = text(container.get("name")) or "without a name"
        yield from of_environment(spec, container, at, who)
        yield from of_handlers(spec, container, at, who, init=at[-2] == "initContainers")
        yield from of_restarts(container, at, version, init=at[-2] == "initContainers")
        yield from word(container, at, "imagePullPolicy", _PULL)
        yield from word(container, at, "terminationMessagePolicy", _MESSAGES)
        if "resizePolicy" in container:
            yield from _resizing(spec, container, at)


def _names(containers: list[Container]) -> Iterator[Problem]:
    seen: dict[str, Path] = {}
    for at, container in containers:
        name = text(container.get("name"))
        if not name:
            yield Problem(at, Because(PodFlaw.NO_CONTAINER_NAME), "container name", lacks="name")
        elif meant_to_be_replaced(name):
            continue
        elif wrong := rfc1123_label(name):
            yield Problem((*at, "name"), Because(PodFlaw.CONTAINER_NAME, (name, wrong)), f"container {name}")
        elif name in seen:
            related = ((Because(FlawRole.OTHER_ONE), seen[name]),)
            why = Because(PodFlaw.CONTAINER_TWICE, (name,))
            yield Problem((*at, "name"), why, f"container {name}", related=related)
        seen.setdefault(name, at)
        image, place = text(container.get("image")), (*at, "image")
        if image != image.strip():
            why = Because(PodFlaw.IMAGE_BLANK, (name,))
            yield Problem(place, why, f"image of {name}", put=(place, image.strip()))


def _resizing(spec: Mapping[str, Any], container: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """Policies of resizing (validateResizePolicy): in a pod that never restarts, resizing restarts no container."""
    seen: set[str] = set()
    once = at[-2] == "initContainers" and container.get("restartPolicy") != "Always"
    for place, policy in elements(container.get("resizePolicy"), *at, "resizePolicy"):
        yield from lacks(policy, place, "resourceName", "restartPolicy")
        yield from word(policy, place, "resourceName", _RESIZED)
        yield from word(policy, place, "restartPolicy", _RESIZE)
        resource = known(policy.get("resourceName"))
        if resource and resource in seen:
            yield refused((*place, "resourceName"), FieldFlaw.TWICE, resource, since=since(_RESIZED_SINCE))
        seen.add(resource or "")
        if policy.get("restartPolicy") == "RestartContainer" and (once or spec.get("restartPolicy") == "Never"):
            values = (FieldPlace.RESTARTING,)
            yield refused((*place, "restartPolicy"), FieldFlaw.BELONGS, *values, since=since(_RESIZED_SINCE))
