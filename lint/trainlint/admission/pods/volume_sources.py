"""What a volume is made of (validateVolumeSource), apart from what is projected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import (
    absolute_path,
    excludes,
    lacks,
    local_path,
    milli_of,
    name,
    no_steps_up,
    refused,
    within,
    word,
)
from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import csi_driver, rfc1123_label
from trainlint.admission.plain_values import elements, mapping
from trainlint.admission.pods.projections import MOST_MODE, of_data_item, of_downward_files, of_projected
from trainlint.admission.pods.volume_claims import of_claim
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.model.because import Because

__all__ = ["of_source"]

_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "awsElasticBlockStore": ("volumeID",),
    "azureDisk": ("diskName", "diskURI"),
    "azureFile": ("secretName", "shareName"),
    "cephfs": ("monitors",),
    "cinder": ("volumeID",),
    "configMap": ("name",),
    "csi": ("driver",),
    "ephemeral": ("volumeClaimTemplate",),
    "flexVolume": ("driver",),
    "gcePersistentDisk": ("pdName",),
    "gitRepo": ("repository",),
    "glusterfs": ("endpoints", "path"),
    "hostPath": ("path",),
    "image": ("reference",),
    "iscsi": ("targetPortal", "iqn"),
    "nfs": ("server", "path"),
    "persistentVolumeClaim": ("claimName",),
    "photonPersistentDisk": ("pdID",),
    "portworxVolume": ("volumeID",),
    "quobyte": ("registry", "volume"),
    "rbd": ("monitors", "image"),
    "scaleIO": ("gateway", "system", "volumeName"),
    "secret": ("secretName",),
    "storageos": ("volumeName",),
    "vsphereVolume": ("volumePath",),
}
"""The fields without which the source of a volume is refused."""
_HOST_PATHS: Final = (
    *("DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"),
)
_PULL: Final = ("Always", "IfNotPresent", "Never")
_CACHING: Final = ("None", "ReadOnly", "ReadWrite")
_DISKS: Final = ("Dedicated", "Managed", "Shared")
_MOST_UNIT: Final = 255


def of_source(source: str, given: Mapping[str, Any], at: Path, volume: str) -> Iterator[Problem]:
    """What is refused of the source of a volume."""
    for needed in _NEEDED.get(source, ()):
        if not given.get(needed):
            why = Because(PodFlaw.VOLUME_SOURCE, (volume, needed, source))
            yield Problem(at, why, f"{needed} of {source} of {volume}", lacks=needed)
    check = _CHECKS.get(source)
    yield from check(given, at) if check is not None else _older(source, given, at)


def _data(given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    yield from within(given, at, "defaultMode", 0, MOST_MODE)
    for place, item in elements(given.get("items"), *at, "items"):
        yield from of_data_item(item, place)


def _downward(given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    yield from within(given, at, "defaultMode", 0, MOST_MODE)
    yield from of_downward_files(given, at)


def _empty_dir(given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    limit = milli_of(given.get("sizeLimit"))
    if limit is not None and limit < 0:
        yield refused((*at, "sizeLimit"), FieldFlaw.NEGATIVE, given["sizeLimit"])


def _host_path(given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    yield from no_steps_up(given, at, "path")
    yield from word(given, at, "type", _HOST_PATHS)


def _nfs(given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    yield from absolute_path(given, at, "path")


def _csi(given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    yield from name(given, at, "driver", csi_driver)
    secret = given.get("nodePublishSecretRef")
    if isinstance(secret, dict):
        yield from lacks(secret, (*at, "nodePublishSecretRef"), "name")
        yield from name(secret, (*at, "nodePublishSecretRef"), "name")


def _ephemeral(given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    if isinstance(given.get("volumeClaimTemplate"), dict):
        claim, place = given["volumeClaimTemplate"], (*at, "volumeClaimTemplate")
        yield from of_claim(mapping(claim.get("spec")), (*place, "spec") if claim.get("spec") else place)


def _image(given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    yield from word(given, at, "pullPolicy", _PULL)


_CHECKS: Final[Mapping[str, Callable[[Mapping[str, Any], Path], Iterator[Problem]]]] = {
    "configMap": _data,
    "csi": _csi,
    "downwardAPI": _downward,
    "emptyDir": _empty_dir,
    "ephemeral": _ephemeral,
    "hostPath": _host_path,
    "image": _image,
    "nfs": _nfs,
    "projected": of_projected,
    "secret": _data,
}


def _older(source: str, given: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """Sources of disks and file systems that are built in."""
    match source:
        case "gitRepo":
            yield from local_path(given, at, "directory")
        case "iscsi":
            yield from within(given, at, "lun", 0, _MOST_UNIT)
            if given.get("chapAuthDiscovery") is True or given.get("chapAuthSession") is True:
                yield from lacks(given, at, "secretRef")
        case "fc":
            yield from excludes(given, at, "wwids", "targetWWNs")
            if not given.get("wwids"):
                yield from lacks(given, at, "targetWWNs")
            if given.get("targetWWNs"):
                yield from lacks(given, at, "lun")
                yield from within(given, at, "lun", 0, _MOST_UNIT)
        case "gcePersistentDisk" | "awsElasticBlockStore":
            yield from within(given, at, "partition", 0, _MOST_UNIT)
        case "flocker":
            yield from excludes(given, at, "datasetUUID", "datasetName")
            if not given.get("datasetUUID"):
                yield from lacks(given, at, "datasetName")
        case "azureDisk":
            yield from word(given, at, "cachingMode", _CACHING)
            yield from word(given, at, "kind", _DISKS)
        case "storageos":
            yield from name(given, at, "volumeName", rfc1123_label)
            yield from name(given, at, "volumeNamespace", rfc1123_label)
