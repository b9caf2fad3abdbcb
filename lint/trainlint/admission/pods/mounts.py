"""Where the containers of a pod mount its volumes, and which of them they use as block devices."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import lacks, local_path, no_steps_up, refused, word
from trainlint.admission.flaws import FlawRole, PodFlaw
from trainlint.admission.name_syntax import meant_to_be_replaced
from trainlint.admission.plain_values import elements, known, mapping, names, nearest, text
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.model.because import Because

__all__ = ["of_mounts"]

_PROPAGATION: Final = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE: Final = ("Disabled", "Enabled", "IfPossible")


def of_mounts(
    spec: Mapping[str, Any], containers: Collection[tuple[Path, Mapping[str, Any]]], lent: Collection[str] | None
) -> Iterator[Problem]:
    """Mounts without a volume or a path, and two at one path. ``lent`` are volumes that the operator adds; ``None``:
    it is unknown which.
    """
    volumes = names(spec.get("volumes"))
    known_ones = None if lent is None or any(map(meant_to_be_replaced, volumes)) else lent
    for at, container in containers:
        who = text(container.get("name")) or "without a name"
        taken: dict[str, Path] = {}
        for place, mount in elements(container.get("volumeMounts"), *at, "volumeMounts"):
            yield from _volume(mount, place, who, volumes, known_ones)
            yield from _path(mount, place, who, taken)
            yield from _way(container, mount, place, who)
        if "volumeDevices" in container:
            yield from _devices(spec, container, at, taken, known_ones)


def _volume(
    mount: Mapping[str, Any], at: Path, who: str, volumes: list[str], lent: Collection[str] | None
) -> Iterator[Problem]:
    name = text(mount.get("name"))
    if not name:
        where = text(mount.get("mountPath")) or text(mount.get("devicePath"))
        yield Problem(at, Because(PodFlaw.NO_MOUNTED_VOLUME, (where, who)), f"mount {where}", lacks="name")
    elif lent is not None and name not in volumes and name not in lent and not meant_to_be_replaced(name):
        near = nearest(name, volumes)
        put = ((*at, "name"), near) if near else None
        evidence = {"mounts": name, "volumes": ", ".join(volumes) or "none"}
        why = Because(PodFlaw.UNKNOWN_VOLUME, (who, name, near))
        yield Problem((*at, "name"), why, f"mount {name}", evidence=evidence, put=put)


def _path(mount: Mapping[str, Any], at: Path, who: str, taken: dict[str, Path]) -> Iterator[Problem]:
    where, name = mount.get("mountPath"), text(mount.get("name"))
    if not where:
        yield Problem(at, Because(PodFlaw.NO_MOUNT_PATH, (name, who)), f"path of {name}", lacks="mountPath")
        return
    if (place := known(where)) is None:
        return
    if place in taken:
        related = ((Because(FlawRole.OTHER_MOUNT), taken[place]),)
        why, evidence = Because(PodFlaw.MOUNTED_TWICE, (who, place)), {"path": place}
        yield Problem((*at, "mountPath"), why, f"{place} twice", related=related, evidence=evidence)
    taken.setdefault(place, (*at, "mountPath"))
    sub = known(mount.get("subPath"))
    if sub and text(mount.get("subPathExpr")):
        yield Problem(at, Because(PodFlaw.SUB_PATHS, (place,)), f"sub {place}")
    elif sub and (sub.startswith("/") or ".." in sub.split("/")):
        yield Problem((*at, "subPath"), Because(PodFlaw.SUB_PATH, (sub, place)), f"sub {place}")


def _way(container: Mapping[str, Any], mount: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    """How a volume is mounted (validateMountPropagation, validateMountRecursiveReadOnly)."""
    yield from local_path(mount, at, "subPathExpr")
    yield from word(mount, at, "mountPropagation", _PROPAGATION)
    propagation = mount.get("mountPropagation")
    privileged = mapping(container.get("securityContext")).get("privileged")
    if propagation == "Bidirectional" and privileged in (None, False):
        yield refused((*at, "mountPropagation"), FieldFlaw.PRIVILEGED, where=who)
    yield from word(mount, at, "recursiveReadOnly", _RECURSIVE)
    if mount.get("recursiveReadOnly") in ("Enabled", "IfPossible"):
        if mount.get("readOnly") in (None, False):
            yield refused((*at, "recursiveReadOnly"), FieldFlaw.NEEDS, "readOnly: true", where="recursiveReadOnly")
        if propagation in ("Bidirectional", "HostToContainer"):
            values = (f"mountPropagation: {propagation}",)
            yield refused((*at, "recursiveReadOnly"), FieldFlaw.EXCLUDES, *values, where="recursiveReadOnly")


def _devices(
    spec: Mapping[str, Any],
    container: Mapping[str, Any],
    at: Path,
    mounted: dict[str, Path],
    lent: Collection[str] | None,
) -> Iterator[Problem]:
    """Volumes as block devices (ValidateVolumeDevices)."""
    who, volumes = text(container.get("name")) or "without a name", names(spec.get("volumes"))
    mounts, seen = set(names(container.get("volumeMounts"))), {"name": set[str](), "devicePath": set[str]()}
    for place, device in elements(container.get("volumeDevices"), *at, "volumeDevices"):
        yield from lacks(device, place, "devicePath")
        yield from _volume(device, place, who, volumes, lent)
        yield from no_steps_up(device, place, "devicePath")
        for key, taken in seen.items():
            given = known(device.get(key))
            if given and given in taken:
                yield refused((*place, key), FieldFlaw.TWICE, given, where=f"volumeDevices of {who}")
            taken.add(given or "")
        where, name = text(device.get("devicePath")), text(device.get("name"))
        if where in mounted:
            yield Problem(mounted[where], Because(PodFlaw.DEVICE_AND_MOUNT, (who, where)), f"{where} in {who}")
        elif name and name in mounts:
            yield refused(
                (*place, "name"), FieldFlaw.EXCLUDES, f"volumeMounts of {name}", where=f"volumeDevices of {name}"
            )
        if name in volumes and not _is_claim(spec, name):
            yield refused((*place, "name"), FieldFlaw.BLOCK, name, where=who)


def _is_claim(spec: Mapping[str, Any], name: str) -> bool:
    """Whether the first volume of a name is a claim, which alone may be a device."""
    for _, volume in elements(spec.get("volumes")):
        if volume.get("name") == name:
            return volume.get("persistentVolumeClaim") is not None or volume.get("ephemeral") is not None
    return True
