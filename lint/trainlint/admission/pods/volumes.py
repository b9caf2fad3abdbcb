"""Volumes of a pod and where its containers mount them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.plain import elements, known, names, nearest, text
from trainlint.admission.problem import Problem
from trainlint.admission.syntax import meant_to_be_replaced, rfc1123_label
from trainlint.finding import Path

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
            yield Problem(at, "a volume has no name", "give it one", "volume name", lacks="name")
        elif meant_to_be_replaced(name):
            continue
        elif wrong := rfc1123_label(name):
            remedy = "give the volume a valid name, here and where it is mounted"
            yield Problem((*at, "name"), f"{name} is no name of a volume: {wrong}", remedy, f"volume {name}")
        elif name in seen:
            why = f"two volumes are called {name}"
            related = (("the other one", seen[name]),)
            yield Problem((*at, "name"), why, "remove one of the two, or rename it", f"volume {name}", related=related)
        seen.setdefault(name, at)
        yield from _sources(volume, name, at)


def _sources(volume: Mapping[str, Any], name: str, at: Path) -> Iterator[Problem]:
    sources = [key for key, value in volume.items() if key != "name" and value is not None]
    if len(sources) > 1:
        why = f"volume {name} has {len(sources)} sources ({', '.join(sources)}), and one is allowed"
        yield Problem(at, why, "keep one of them", f"sources of {name}")
    for source in sources:
        needed, given = _NEEDED.get(source), volume[source]
        if needed and isinstance(given, dict) and not given.get(needed):
            why = f"volume {name} names no {needed} in {source}"
            yield Problem((*at, source), why, f"set {needed}", f"{source} of {name}", lacks=needed)


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
            why = f"container {who} has a device and a mount at {where}"
            yield Problem(taken[where], why, "move one of the two", f"{where} in {who}")


def _volume(
    mount: Mapping[str, Any], at: Path, who: str, volumes: list[str], lent: Collection[str] | None
) -> Iterator[Problem]:
    name = text(mount.get("name"))
    if not name:
        where = text(mount.get("mountPath"))
        why = f"the mount at {where} of container {who} names no volume"
        yield Problem(at, why, "set name", f"mount {where}", lacks="name")
    elif lent is not None and name not in volumes and name not in lent and not meant_to_be_replaced(name):
        near = nearest(name, volumes)
        why = f"container {who} mounts the volume {name}, and the pod has none of this name"
        why += f": it has {near}" if near else ""
        remedy = f"mount {near}, or add a volume called {name}" if near else f"add a volume called {name}"
        put = ((*at, "name"), near) if near else None
        evidence = {"mounts": name, "volumes": ", ".join(volumes) or "none"}
        yield Problem((*at, "name"), why, remedy, f"mount {name}", evidence=evidence, put=put)


def _path(mount: Mapping[str, Any], at: Path, who: str, taken: dict[str, Path]) -> Iterator[Problem]:
    where, name = mount.get("mountPath"), text(mount.get("name"))
    if not where:
        why = f"the mount of {name} in container {who} has no mountPath"
        remedy = "set mountPath to the directory where the volume is to appear"
        yield Problem(at, why, remedy, f"path of {name}", lacks="mountPath")
        return
    if (place := known(where)) is None:
        return
    if place in taken:
        why = f"container {who} mounts two volumes at {place}"
        related = (("the other mount", taken[place]),)
        remedy = "remove one of the two mounts, or move it"
        yield Problem((*at, "mountPath"), why, remedy, f"{place} twice", related=related, evidence={"path": place})
    taken.setdefault(place, (*at, "mountPath"))
    sub = known(mount.get("subPath"))
    if sub and text(mount.get("subPathExpr")):
        yield Problem(at, f"the mount at {place} has subPath and subPathExpr", "keep one of them", f"sub {place}")
    elif sub and (sub.startswith("/") or ".." in sub.split("/")):
        why = f"subPath {sub} of the mount at {place} must be relative and without .."
        yield Problem((*at, "subPath"), why, "write a path below the volume's root", f"sub {place}")
