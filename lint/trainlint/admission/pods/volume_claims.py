"""Claims of volumes (kubernetes:pkg/apis/core/validation, ValidatePersistentVolumeClaimSpec)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import is_no_quantity, lacks, milli_of, name, one_word, refused, word
from trainlint.admission.name_syntax import rfc1123_label
from trainlint.admission.plain_values import below, mapping
from trainlint.admission.problem import Problem
from trainlint.admission.selectors import of_selector
from trainlint.finding import Path

__all__ = ["of_claim"]

_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_SINGLE: Final = "ReadWriteOncePod"
_CLAIM: Final = "PersistentVolumeClaim"


def of_claim(spec: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """What is refused of the spec of a claim, also of one that a pod makes for itself."""
    yield from lacks(spec, at, "accessModes")
    modes = spec.get("accessModes")
    for index, mode in enumerate(modes if isinstance(modes, list) else ()):
        yield from one_word(mode, (*at, "accessModes", index), "an accessMode", _MODES)
    if isinstance(modes, list) and _SINGLE in modes and any(each in _MODES and each != _SINGLE for each in modes):
        where = f"accessModes: {_SINGLE}"
        yield refused((*at, "accessModes"), FieldFlaw.EXCLUDES, "other modes", where=where)
    yield from of_selector(spec.get("selector"), (*at, "selector"))
    yield from _storage(spec, at)
    yield from name(spec, at, "storageClassName")
    yield from name(spec, at, "volumeAttributesClassName")
    yield from word(spec, at, "volumeMode", ("Block", "Filesystem"))
    for key in ("dataSource", "dataSourceRef"):
        if isinstance(spec.get(key), dict):
            yield from _reference(spec[key], (*at, key))
    yield from _sources(spec, at)


def _storage(spec: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    requests = mapping(below(spec, "resources", "requests"))
    amount = milli_of(requests.get("storage"))
    if requests.get("storage") is None:
        place = (*at, "resources", "requests") if requests else at
        key = "storage" if requests else "resources"
        yield refused(place, FieldFlaw.MISSING, "resources.requests.storage", key=key, where="the claim")
    elif amount is None and is_no_quantity(requests["storage"]):
        yield refused((*at, "resources", "requests", "storage"), FieldFlaw.QUANTITY, requests["storage"])
    elif amount is not None and amount <= 0:
        yield refused((*at, "resources", "requests", "storage"), FieldFlaw.POSITIVE, requests["storage"])


def _reference(reference: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    yield from lacks(reference, at, "kind", "name")
    yield from name(reference, at, "apiGroup")
    yield from name(reference, at, "namespace", rfc1123_label)
    if not reference.get("apiGroup"):
        yield from word(reference, at, "kind", (_CLAIM,))


def _sources(spec: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """A source that is named in both ways must be the same, and one of another namespace stands alone."""
    older, newer = spec.get("dataSource"), spec.get("dataSourceRef")
    if not isinstance(older, dict) or not isinstance(newer, dict):
        return
    differs = any(older.get(key) != newer.get(key) for key in ("apiGroup", "kind", "name"))
    if newer.get("namespace") or differs:
        yield refused((*at, "dataSource"), FieldFlaw.EXCLUDES, "dataSourceRef", where="dataSource")
