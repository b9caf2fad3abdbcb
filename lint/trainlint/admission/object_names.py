"""Names of objects: the API server's rule, and the stricter one of controllers that derive names from it.

Names that are too long are a matter of workload/checks/names.py; here is what is wrong with their form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from trainlint.admission.flaws import ObjectFlaw
from trainlint.admission.ground import AdmissionGround
from trainlint.admission.name_syntax import meant_to_be_replaced
from trainlint.admission.plain_values import below, mapping, text
from trainlint.admission.problem import API_SERVER, Problem
from trainlint.kube.meta import Meta
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.workload.kinds import workload_kind

__all__ = ["of_name"]

_LABEL_1035: Final = lazy_pattern(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_LABEL_1123: Final = lazy_pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN: Final = lazy_pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")

_NO_DOTS_SINCE: Final = (1, 36)
"""The release of Kubernetes that refuses dots in the names of StatefulSets."""
_RELAXED: Final = (Because(AdmissionGround.RELAXED_NAMES),)


def of_name(meta: Meta, item: Any, version: tuple[int, ...] = ()) -> Iterator[Problem]:
    """What is wrong with the form of the object's name; ``version`` is that of Kubernetes, empty where unknown."""
    key = "name" if text(below(item, "metadata", "name")) else "generateName"
    name = text(below(item, "metadata", key))
    if not name or meant_to_be_replaced(name):
        return
    full = name if key == "name" else f"{name}xxxxx"
    at = ("metadata", key)
    evidence, values = {"name": name}, (name, _renamed(name))
    if _SUBDOMAIN.fullmatch(full) is None:
        yield Problem(at, Because(ObjectFlaw.NAME, values), "name", evidence=evidence)
    elif meta.kind == "Namespace" and _LABEL_1123.fullmatch(full) is None:
        yield Problem(at, Because(ObjectFlaw.NAMESPACE_NAME, values), "name", evidence=evidence)
    elif (by := _by(meta)) is not None and _LABEL_1035.fullmatch(full) is None:
        why = Because(ObjectFlaw.KIND_NAME, (*values, meta.kind))
        assumes = _RELAXED if meta.kind == "Service" else ()
        yield Problem(at, why, "name", by=by, evidence=evidence, assumes=assumes)
    elif _dotless(meta, item, version) and _LABEL_1123.fullmatch(full) is None:
        assumes = () if meta.kind == "Job" else (Because(AdmissionGround.KUBERNETES, ("1.36",)),)
        yield Problem(at, Because(ObjectFlaw.DOTTED_NAME, values), "name", evidence=evidence, assumes=assumes)


def _by(meta: Meta) -> Because | None:
    """What refuses names that are no labels, because Services or hosts are named after them; ``None``: nothing does."""
    if (meta.api_group, meta.kind) == ("", "Service"):
        return API_SERVER
    kind = workload_kind(meta.api_version, meta.kind)
    return Because(kind.label_checked_by) if kind is not None and kind.label_checked_by is not None else None


def _dotless(meta: Meta, item: Any, version: tuple[int, ...]) -> bool:
    """Whether pods get host names of it: those of Indexed Jobs and StatefulSets."""
    if (meta.api_group, meta.kind) == ("batch", "Job"):
        return text(mapping(below(item, "spec")).get("completionMode")) == "Indexed"
    is_set = (meta.api_group, meta.kind) == ("apps", "StatefulSet")
    return is_set and (not version or version >= _NO_DOTS_SINCE)


def _renamed(name: str) -> str:
    """A name that would do, made of the letters and digits of this one; empty where there is none."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return plain if _LABEL_1035.fullmatch(plain) else ""
