"""Volumes of a pod and where its containers mount them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.flaws import FlawRole, PodFlaw
from trainlint.admission.name_syntax import meant_to_be_replaced, rfc1123_label
from trainlint.admission.plain_values import elements, known, names, nearest, text
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.model.because import Because

__all__ = ["of_mounts", "of_volumes"]

_NEEDED: Final = {
    "configMap": "name",
    "hostPath": "path",
    "persistentVolumeClaim": "claimName",
    "secret": "secretName",
    "csi": "driver",
    "nfs": "server",
    "ephemeral": "volumeClaimTemplate",
    "image": "reference",
}
"""The field without which the source of a volume is refused."""


def of_volumes(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """Volumes without a name, with the name of another one, of several sources, or of one that names nothing."""
    seen: dict[str, Path] = {}
    for at, volume in elements(spec.get("volumes"), *path, "volumes"):
        name = text(volume.get("name"))
        if not name:
            yield Problem(at, Because(PodFlaw.NO_VOLUME_NAME), "volume name", lacks="name")
        elif meant_to_be_replaced(name):
            continue
        elif wrong := rfc1123_label(name):
            yield Problem((*at, "name"), Because(PodFlaw.VOLUME_NAME, (name, wrong)), f"volume {name}")
        elif name in seen:
            related = ((Because(FlawRole.OTHER_ONE), seen[name]),)
            yield Problem((*at, "name"), Because(PodFlaw.VOLUME_TWICE, (name,)), f"volume {name}", related=related)
        seen.setdefault(name, at)
        yield from _sources(volume, name, at)


def _sources(volume: Mapping[str, Any], name: str, at: Path) -> Iterator[Problem]:
    sources = [key for key, value in volume.items() if key != "name" and value is not None]
    if len(sources) > 1:
        yield Problem(at, Because(PodFlaw.VOLUME_SOURCES, (name, len(sources), tuple(sources))), f"sources of {name}")
    for source in sources:
        needed, given = _NEEDED.get(source), volume[source]
        if needed and isinstance(given, dict) and not given.get(needed):
            yield Problem(
                (*at, source),
                Because(PodFlaw.VOLUME_SOURCE, (name, needed, source)),
                f"{source} of {name}",
                lacks=needed,
            )


def of_mounts(
    spec: Mapping[str, Any], containers: Collection[tuple[Path, Mapping[str, Any]]], lent: Collection[str] | None
) -> Iterator[Problem]:
    """Mounts without a volume or a path, and two at one path. ``lent`` are volumes that the operator adds; ``None``:
    it is unknown which.
    """
    volumes = names(spec.get("volumes"))
    doubtful = lent is None or any(meant_to_be_replaced(each) for each in volumes)
    for at, container in containers:
        who = text(container.get("name")) or "without a name"
        taken: dict[str, Path] = {}
        for place, mount in elements(container.get("volumeMounts"), *at, "volumeMounts"):
            yield from _volume(mount, place, who, volumes, None if doubtful else lent)
            yield from _path(mount, place, who, taken)
        devices = {text(each.get("devicePath")) for _, each in elements(container.get("volumeDevices"))}
        for where in devices.intersection(taken) - {""}:
            yield Problem(taken[where], Because(PodFlaw.DEVICE_AND_MOUNT, (who, where)), f"{where} in {who}")


def _volume(
    mount: Mapping[str, Any], at: Path, who: str, volumes: list[str], lent: Collection[str] | None
) -> Iterator[Problem]:
    name = text(mount.get("name"))
    if not name:
        where = text(mount.get("mountPath"))
        yield Problem(at, Because(PodFlaw.NO_MOUNTED_VOLUME, (where, who)), f"mount {where}", lacks="name")
    elif lent is not None and name not in volumes and name not in lent and not meant_to_be_replaced(name):
        near = nearest(name, volumes)
        put = ((*at, "name"), near) if near else None
        evidence = {"mounts": name, "volumes": ", ".join(volumes) or "none"}
        yield Problem(
            (*at, "name"),
            Because(PodFlaw.UNKNOWN_VOLUME, (who, name, near)),
            f"mount {name}",
            evidence=evidence,
            put=put,
        )


def _path(mount: Mapping[str, Any], at: Path, who: str, taken: dict[str, Path]) -> Iterator[Problem]:
    where, name = mount.get("mountPath"), text(mount.get("name"))
    if not where:
        yield Problem(at, Because(PodFlaw.NO_MOUNT_PATH, (name, who)), f"path of {name}", lacks="mountPath")
        return
    if (place := known(where)) is None:
        return
    if place in taken:
        related = ((Because(FlawRole.OTHER_MOUNT), taken[place]),)
        yield Problem(
            (*at, "mountPath"),
            Because(PodFlaw.MOUNTED_TWICE, (who, place)),
            f"{place} twice",
            related=related,
            evidence={"path": place},
        )
    taken.setdefault(place, (*at, "mountPath"))
    sub = known(mount.get("subPath"))
    if sub and text(mount.get("subPathExpr")):
        yield Problem(at, Because(PodFlaw.SUB_PATHS, (place,)), f"sub {place}")
    elif sub and (sub.startswith("/") or ".." in sub.split("/")):
        yield Problem((*at, "subPath"), Because(PodFlaw.SUB_PATH, (sub, place)), f"sub {place}")
