"""What a projected volume and the downward API bring into files (validateProjectionSources)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import excludes, lacks, local_path, one_of, refused, within, word
from trainlint.admission.flaws import FlawRole
from trainlint.admission.plain_values import elements, known, mapping
from trainlint.admission.pods.environment import of_field_reference, of_resource_reference
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.model.because import Because

__all__ = ["MOST_MODE", "of_data_item", "of_downward_files", "of_projected"]

MOST_MODE: Final = 0o777
_FIELDS: Final = ("metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations", "metadata.uid")
_SOURCES: Final = ("secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate")
_LEAST_TOKEN: Final = 600
_MOST_TOKEN: Final = 2**32
_KEYS: Final = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_CERTIFICATES: Final = ("credentialBundlePath", "keyPath", "certificateChainPath")
_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "serviceAccountToken": (),
    "clusterTrustBundle": ("path",),
    "podCertificate": _CERTIFICATES,
}
"""The paths of sources that bring single files, of which no two may be the same; a token's may."""


def of_data_item(item: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """What is refused of a key of a ConfigMap or Secret that becomes a file."""
    yield from lacks(item, at, "key", "path")
    yield from local_path(item, at, "path", reserved=True)
    yield from within(item, at, "mode", 0, MOST_MODE)


def of_downward_files(given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """What is refused of the files of the downward API."""
    for place, file in elements(given.get("items"), *at, "items"):
        yield from lacks(file, place, "path")
        yield from local_path(file, place, "path", reserved=True)
        yield from within(file, place, "mode", 0, MOST_MODE)
        yield from one_of(file, place, ("fieldRef", "resourceFieldRef"))
        if isinstance(file.get("fieldRef"), dict):
            yield from of_field_reference(file["fieldRef"], (*place, "fieldRef"), _FIELDS)
        elif isinstance(file.get("resourceFieldRef"), dict):
            yield from of_resource_reference(file["resourceFieldRef"], (*place, "resourceFieldRef"), volume=True)


def of_projected(given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """What is refused of a projected volume: each source, and two files at one path."""
    yield from within(given, at, "defaultMode", 0, MOST_MODE)
    taken: dict[str, Path] = {}
    for place, source in elements(given.get("sources"), *at, "sources"):
        yield from one_of(source, place, _SOURCES, empty=True)
        for kind in _SOURCES:
            if isinstance(source.get(kind), dict):
                yield from _source(kind, source[kind], (*place, kind))
        for where, path in _paths(source, place):
            if path in taken:
                related = ((Because(FlawRole.OTHER_ONE), taken[path]),)
                yield refused(where, FieldFlaw.TWICE, path, where="projected.sources", related=related)
            taken.setdefault(path, where)


def _paths(source: Mapping[str, Any], at: Path) -> Iterator[tuple[Path, str]]:
    """The paths of files that one source makes, as far as they are written."""
    for kind in ("secret", "configMap", "downwardAPI"):
        for place, item in elements(mapping(source.get(kind)).get("items"), *at, kind, "items"):
            if path := known(item.get("path")):
                yield (*place, "path"), path
    for kind, keys in _FILES.items():
        for key in keys:
            if path := known(mapping(source.get(kind)).get(key)):
                yield (*at, kind, key), path


def _source(kind: str, given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    match kind:
        case "secret" | "configMap":
            yield from lacks(given, at, "name")
            for place, item in elements(given.get("items"), *at, "items"):
                yield from of_data_item(item, place)
        case "downwardAPI":
            yield from of_downward_files(given, at)
        case "serviceAccountToken":
            yield from within(given, at, "expirationSeconds", _LEAST_TOKEN, _MOST_TOKEN)
            yield from lacks(given, at, "path")
            yield from local_path(given, at, "path", reserved=True)
        case "clusterTrustBundle":
            yield from excludes(given, at, "signerName", "name")
            yield from excludes(given, at, "labelSelector", "name")
            if not given.get("signerName"):
                yield from lacks(given, at, "name")
            yield from lacks(given, at, "path")
            yield from local_path(given, at, "path", reserved=True)
        case _:
            yield from _certificate(given, at)


def _certificate(given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    yield from lacks(given, at, "signerName", "keyType")
    yield from word(given, at, "keyType", _KEYS)
    if not any(given.get(key) for key in _CERTIFICATES):
        yield refused(at, FieldFlaw.MISSING, _CERTIFICATES[0], key=_CERTIFICATES[0])
    for key in _CERTIFICATES:
        yield from local_path(given, at, key, reserved=True)
