"""Names of objects: the API server's rule, and the stricter one of controllers that derive names from it.

Names that are too long are a matter of workload/checks/names.py; here is what is wrong with their form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from trainlint.admission.plain import below, mapping, text
from trainlint.admission.problem import API_SERVER, Problem
from trainlint.admission.syntax import meant_to_be_replaced
from trainlint.kube.meta import Meta
from trainlint.workload.kinds import workload_kind

__all__ = ["of_name"]

_LABEL_1035: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_LABEL_1123: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")

_NO_DOTS_SINCE: Final = (1, 36)
"""The release of Kubernetes that refuses dots in the names of StatefulSets."""
_RELAXED: Final = ("the feature gate RelaxedServiceNameValidation is off, as it is by default",)


def of_name(meta: Meta, item: Any, version: tuple[int, ...] = ()) -> Iterator[Problem]:
    """What is wrong with the form of the object's name; ``version`` is that of Kubernetes, empty where unknown."""
    key = "name" if text(below(item, "metadata", "name")) else "generateName"
    name = text(below(item, "metadata", key))
    if not name or meant_to_be_replaced(name):
        return
    full = name if key == "name" else f"{name}xxxxx"
    at = ("metadata", key)
    if _SUBDOMAIN.fullmatch(full) is None:
        allowed = "lower case letters, digits, dashes and dots, with a letter or digit at both ends"
        why = f"{name} is no name of an object: the API server takes {allowed}"
        yield Problem(at, why, _renamed(name), "name", evidence={"name": name})
    elif meta.kind == "Namespace" and _LABEL_1123.fullmatch(full) is None:
        why = f"{name} is no name of a namespace: it must have no dots, because hosts are named after it"
        yield Problem(at, why, _renamed(name), "name", evidence={"name": name})
    elif (by := _by(meta)) and _LABEL_1035.fullmatch(full) is None:
        why = f"{name} is no name of a {meta.kind}: it must begin with a letter and hold only lower case letters, "
        why += "digits and dashes, because hosts and Services are named after it"
        assumes = _RELAXED if meta.kind == "Service" else ()
        yield Problem(at, why, _renamed(name), "name", by=by, evidence={"name": name}, assumes=assumes)
    elif _dotless(meta, item, version) and _LABEL_1123.fullmatch(full) is None:
        why = f"{name} holds a dot, and the host names of its pods are made from it"
        assumes = () if meta.kind == "Job" else ("the cluster runs Kubernetes 1.36 or newer",)
        yield Problem(at, why, _renamed(name), "name", evidence={"name": name}, assumes=assumes)


def _by(meta: Meta) -> str:
    """What refuses names that are no labels, because Services or hosts are named after them; empty: nothing does."""
    if (meta.api_group, meta.kind) == ("", "Service"):
        return API_SERVER
    kind = workload_kind(meta.api_version, meta.kind)
    return "" if kind is None else kind.label_checked_by


def _dotless(meta: Meta, item: Any, version: tuple[int, ...]) -> bool:
    """Whether pods get host names of it: those of Indexed Jobs and StatefulSets."""
    if (meta.api_group, meta.kind) == ("batch", "Job"):
        return text(mapping(below(item, "spec")).get("completionMode")) == "Indexed"
    is_set = (meta.api_group, meta.kind) == ("apps", "StatefulSet")
    return is_set and (not version or version >= _NO_DOTS_SINCE)


def _renamed(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return f"call it {plain}" if _LABEL_1035.fullmatch(plain) else "choose a name of lower case letters and dashes"
