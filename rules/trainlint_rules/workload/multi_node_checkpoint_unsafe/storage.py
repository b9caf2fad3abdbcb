"""Checkpoints of several nodes on volumes that hold only a part of them, or not for long (W 17)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Location
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder, read_strings, read_text
from trainlint.launch.command import commands
from trainlint.launch.environment import environment, expand
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Undetermined
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet, Workload
from trainlint.source.document import Field
from trainlint.workload.checks.fault import Fault
from trainlint.workload.pod_manifest import containers_of, template_of

__all__ = ["ClaimStorage", "storage_of", "unsafe_checkpoints"]

_WRITTEN: Final = lazy_pattern(
    r"""(?:^|-)(?:checkpoints?|ckpts?|snapshot)(?:-(?:dir|path|folder|root|location|directory|uri))?$
      | ^(?:save|output|out)-?(?:dir|path|directory|folder)$ | ^save$ | ^save-(?:model-)?(?:to|dir|path)$""",
    re.VERBOSE,
)
_READ: Final = lazy_pattern(
    r"(?:^|-)(?:load|resume|from|init|initial|pretrained|base|tokenizer|restore|input|model-name)(?:-|$)"
)
_MOUNT: Final = lazy_pattern(r"(?:^|[-_/])(?:checkpoints?|ckpts?)(?:$|[-_/])", re.IGNORECASE)
_SHARED: Final = lazy_pattern(
    r"(?:^|[/_-])(?:fsx|lustre|nfs|efs|gpfs|weka|beegfs|ceph|cephfs|gcs|gcsfuse|filestore|shared|share|sfs|cfs|vast|pfs)",
    re.IGNORECASE,
)
_NFS_3: Final = lazy_pattern(r"(?:^|,)(?:nfs)?vers=3(?:\.0)?(?:,|$)")


@fact
class ClaimStorage:
    """The claims, by namespace and name, and the volumes and classes, by name, that the snapshot holds."""

    claims: dict[tuple[str, str], Field]
    volumes: dict[str, Field]
    classes: dict[str, Field]


def storage_of(objects: Iterable[tuple[Meta, Field]]) -> ClaimStorage:
    """The storage among a snapshot's objects."""
    found = ClaimStorage({}, {}, {})
    for meta, item in objects:
        match meta.kind:
            case "PersistentVolumeClaim":
                found.claims[meta.namespace or "default", meta.name] = item
            case "PersistentVolume":
                found.volumes[meta.name] = item
            case "StorageClass":
                found.classes[meta.name] = item
            case _:
                pass
    return found


@fact
class _Target:
    """A directory that checkpoints are written to, what says so, and where."""

    path: str
    said: str
    at: Location


def unsafe_checkpoints(workload: Workload, pods: PodSet, storage: ClaimStorage) -> Iterator[Fault]:
    """The volumes of one role of a multi-pod job that its checkpoints are not safe on; one fault for each volume."""
    template = template_of(workload, pods)
    volumes = {read_text(volume["name"]): volume for volume in template.down("spec", "volumes").elements()}
    own_disks = {read_text(each.down("metadata", "name")) for each in _claim_templates(workload).elements()}
    said = set()
    for container, written in zip(pods.spec.containers, containers_of(workload, pods), strict=False):
        mounts = [mount for mount in written["volumeMounts"].elements() if mount["mountPath"].present]
        for target in (*_targets(container), *_mounted(mounts)):
            mount = _holder(target.path, mounts)
            name = read_text(mount["name"]) if mount is not None else ""
            volume = volumes.get(name)
            if mount is None or name in said:
                continue
            if volume is None:
                why, at = ("a claim of its own for each pod", mount.at) if name in own_disks else ("", mount.at)
            else:
                why, at = _unsafe(volume, pods.namespace, storage), volume.at
            if why:
                said.add(name)
                yield Fault(
                    f"{pods.name} writes its checkpoints to {target.path} ({target.said}), which is {why}",
                    at,
                    "write them to a volume that all nodes share: a ReadWriteMany claim, or object storage",
                    (("what says so", target.at), ("where it is mounted", mount.at)),
                    {"path": target.path, "volume": name},
                    name,
                    Certainty.LIKELY,
                )


def _targets(container: Container) -> Iterator[_Target]:
    """What options and variables say about the place of checkpoints."""
    variables = environment(container)
    for name, variable in variables.items():
        if isinstance(variable.value, Undetermined):
            continue
        key = name.lower().replace("_", "-")
        if _is_written(key) and variable.value.startswith("/"):
            yield _Target(variable.value, name, variable.at)
    for command in commands(container):
        for option in command.options():
            text = expand(option.value or "", variables)
            key = option.name.rpartition(".")[2]
            if _is_written(key) and text.startswith("/") and "$" not in text:
                yield _Target(text, f"--{option.name}", option.at)


def _is_written(name: str) -> bool:
    return _WRITTEN.search(name) is not None and _READ.search(name) is None


def _mounted(mounts: list[Field]) -> Iterator[_Target]:
    """Directories that are called after their use."""
    for mount in mounts:
        path = read_text(mount["mountPath"])
        if _MOUNT.search(path) and mount["readOnly"].value is not True:
            yield _Target(path, "by its name", mount["mountPath"].at)


def _holder(path: str, mounts: list[Field]) -> Field | None:
    """The mount that a path is below: the one with the longest path."""
    where = posixpath.normpath(path)
    found = [
        (len(root), mount)
        for mount in mounts
        if (root := posixpath.normpath(read_text(mount["mountPath"]))) == where or where.startswith(f"{root}/")
    ]
    return max(found, key=lambda each: each[0])[1] if found else None


def _claim_templates(workload: Workload) -> Field:
    return workload.field.down("spec", "volumeClaimTemplates")


def _unsafe(volume: Field, namespace: str, storage: ClaimStorage) -> str:
    """Why checkpoints of several nodes are not safe there; empty where they are, or that is unknown.

    A claim that only one node may write to is a matter of checks/shared_claims.py.
    """
    if volume["emptyDir"].value is not None and "emptyDir" in (volume.mapping or {}):
        return "an emptyDir: each pod has its own, and it is gone with the pod"
    path = read_text(volume.down("hostPath", "path"))
    if path and not is_placeholder(path) and not _SHARED.search(path):
        return f"a hostPath ({path}): each node has its own, and a pod that moves loses it"
    if volume["ephemeral"].mapping is not None:
        return "an ephemeral volume: each pod has its own, and it is gone with the pod"
    claim = storage.claims.get((namespace, read_text(volume.down("persistentVolumeClaim", "claimName"))))
    if claim is None:
        return ""
    bound = storage.volumes.get(read_text(claim.down("spec", "volumeName")))
    class_ = storage.classes.get(read_text(claim.down("spec", "storageClassName")))
    options = [
        *(read_strings(bound.down("spec", "mountOptions")) if bound is not None else ()),
        *(read_strings(class_["mountOptions"]) if class_ is not None else ()),
    ]
    if any(_NFS_3.search(option) for option in options):
        return "mounted by NFS version 3, whose locks do not outlive a client that dies: shards of several writers tear"
    return ""
