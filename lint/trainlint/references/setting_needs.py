"""What the containers and volumes of pods name among ConfigMaps and Secrets, and must find to start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.values import is_placeholder
from trainlint.model.workload import PodSet, Workload
from trainlint.source.document import Field

__all__ = ["SettingNeed", "needs_of_pods"]

_SECRET_VOLUMES: Final = ("cephfs", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos")
"""Volumes that name a Secret as ``secretRef``."""


@fact
class SettingNeed:
    """A reference of a container or volume: the target, the place of its name, and a key with its place."""

    kind: str
    name: str
    at: Location
    key: str = ""
    key_at: Location | None = None


def needs_of_pods(workload: Workload, pods: PodSet) -> Iterator[SettingNeed]:
    """What the containers and volumes of a pod set refer to and must find; where they stand in the object itself."""
    at = pods.spec.at
    document = workload.field.document
    if at is None or (at.file, at.document) != (document.file, document.index):
        return
    spec = document.root.down(*at.path)
    for kind in ("containers", "initContainers"):
        for container in spec[kind].elements():
            for variable in container["env"].elements():
                source = variable["valueFrom"]
                yield from _need("ConfigMap", source["configMapKeyRef"])
                yield from _need("Secret", source["secretKeyRef"])
            for source in container["envFrom"].elements():
                yield from _need("ConfigMap", source["configMapRef"])
                yield from _need("Secret", source["secretRef"])
    for volume in spec["volumes"].elements():
        for kind in _SECRET_VOLUMES:
            yield from _need("Secret", volume[kind]["secretRef"])
        yield from _need("Secret", volume["csi"]["nodePublishSecretRef"])
        yield from _of_volume("Secret", volume["azureFile"], "secretName")
        yield from _of_volume("ConfigMap", volume["configMap"], "name")
        yield from _of_volume("Secret", volume["secret"], "secretName")
        for source in volume.down("projected", "sources").elements():
            yield from _of_volume("ConfigMap", source["configMap"], "name")
            yield from _of_volume("Secret", source["secret"], "name")


def _need(kind: str, reference: Field) -> Iterator[SettingNeed]:
    name, key = reference["name"].string, reference["key"].string
    if name and reference["optional"].value is not True and not is_placeholder(name):
        known = key if key and not is_placeholder(key) else ""
        yield SettingNeed(kind, name, reference["name"].at, known or "", reference["key"].at if known else None)


def _of_volume(kind: str, source: Field, name_key: str) -> Iterator[SettingNeed]:
    name = source[name_key].string
    if not name or source["optional"].value is True or is_placeholder(name):
        return
    yield SettingNeed(kind, name, source[name_key].at)
    for item in source["items"].elements():
        key = item["key"].string
        if key and not is_placeholder(key):
            yield SettingNeed(kind, name, source[name_key].at, key, item["key"].at)
