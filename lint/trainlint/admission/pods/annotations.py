"""Labels and annotations of objects and pods; some annotations say what security contexts say today."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import refused
from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import annotation_key, label_key, label_value, meant_to_be_replaced
from trainlint.admission.plain_values import known, mapping, names
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because

__all__ = ["of_metadata", "of_pod_annotations"]

_MOST_BYTES: Final = 256 * 1024
_LARGE_TEXT: Final = 16 * 1024
_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_COST: Final = r"0|-?[1-9][0-9]*"
_MOST_COST: Final = 2**31 - 1
_APP_ARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP: Final = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER: Final = "container.seccomp.security.alpha.kubernetes.io/"
_PROFILES: Final = ("runtime/default", "docker/default", "unconfined", "localhost/...")


def of_metadata(metadata: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """Labels and annotations that are refused; values that only lack quotes are another rule's."""
    for key, value in mapping(metadata.get("labels")).items():
        at = (*path, "labels", key)
        if is_placeholder(key):
            continue
        if wrong := label_key(key):
            yield Problem(at, Because(PodFlaw.LABEL_KEY, (key, wrong)), f"label {key}")
        elif (given := known(value)) and (wrong := label_value(given)):
            yield Problem(at, Because(PodFlaw.LABEL_VALUE, (given, key, wrong)), f"label {key}")
    annotations = mapping(metadata.get("annotations"))
    for key in annotations:
        if not is_placeholder(key) and (wrong := annotation_key(key)):
            at = (*path, "annotations", key)
            yield Problem(at, Because(PodFlaw.ANNOTATION_KEY, (key, wrong)), f"annotation {key}")
    if any(isinstance(value, str) and len(value) > _LARGE_TEXT for value in annotations.values()):
        size = sum(len(key) + len(str(value).encode()) for key, value in annotations.items())
        if size > _MOST_BYTES:
            yield refused((*path, "annotations"), FieldFlaw.TOTAL_SIZE, size, _MOST_BYTES, where="annotations")


def of_pod_annotations(metadata: Mapping[str, Any], spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """What is refused of annotations that mean something for a pod (ValidatePodSpecificAnnotations)."""
    for key, value in mapping(metadata.get("annotations")).items():
        given, at = known(value), (*path, "annotations", key)
        if given is None:
            continue
        if key == _DELETION_COST and not (re.fullmatch(_COST, given) and -_MOST_COST - 1 <= int(given) <= _MOST_COST):
            yield refused(at, FieldFlaw.WHOLE, given, where=key)
        elif key == _SECCOMP or key.startswith(_SECCOMP_CONTAINER):
            if given not in _PROFILES[:3] and not given.startswith("localhost/"):
                yield Problem(at, Because(PodFlaw.WORD, (key, given, _PROFILES, "")), f"{key} {given}")
        elif key.startswith(_APP_ARMOR):
            yield from _app_armor(key.removeprefix(_APP_ARMOR), given, spec, at)


def _app_armor(container: str, profile: str, spec: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    if profile not in ("runtime/default", "unconfined") and not profile.startswith("localhost/"):
        values = (at[-1], profile, ("runtime/default", "unconfined", "localhost/..."), "")
        yield Problem(at, Because(PodFlaw.WORD, values), f"{at[-1]} {profile}")
    found = [*names(spec.get("containers")), *names(spec.get("initContainers"))]
    if container not in found and not any(map(meant_to_be_replaced, [container, *found])):
        yield refused(at, FieldFlaw.UNKNOWN, container, "container", ", ".join(found), where="an annotation")
