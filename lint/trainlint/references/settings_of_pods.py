"""ConfigMaps and Secrets that pods need to start, and that are not there, or lack a key (decision 5)."""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.spelling import misspelt
from trainlint.kube.values import is_placeholder, read_text
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.workload import ObjectRef, PodSet, Workload
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Field

__all__ = ["MissingSetting", "holds_setting", "missing_settings"]

_MADE_BY_CLUSTERS: Final = frozenset({"kube-root-ca.crt", "openshift-service-ca.crt", "istio-ca-root-cert"})
_COPIED: Final = ("reflector.v1.k8s.emberstack.com/", "replicator.v1.mittwald.de/", "kubed.appscode.com/sync")
"""Annotations by which controllers copy an object into other namespaces."""
_SECRET_MAKERS: Final[Mapping[str, tuple[str, ...]]] = {
    "SealedSecret": ("spec", "template", "metadata", "name"),
    "ExternalSecret": ("spec", "target", "name"),
    "OnePasswordItem": (),
    "VaultStaticSecret": ("spec", "destination", "name"),
    "VaultDynamicSecret": ("spec", "destination", "name"),
    "InfisicalSecret": ("spec", "managedSecretReference", "secretName"),
    "Certificate": ("spec", "secretName"),
}
"""Kinds that make a Secret in their namespace, and where they name it; else it has their own name."""
_EVERYWHERE: Final = frozenset({"ClusterExternalSecret", "Bundle"})
"""Kinds that make Secrets or ConfigMaps in several namespaces."""
_HASHED: Final = lazy_pattern(r"-[0-9a-z]{10}$")


_PARTS: Final = ("data", "stringData", "binaryData")


@fact
class MissingSetting:
    """A ConfigMap or Secret that pods need and that is not there; with a ``key``, only that is not in it.

    ``near`` is a similar name or key, ``elsewhere`` are namespaces that hold an object of the name, ``hashed`` the name
    that kustomize gave it. ``related`` are other places, each with its part.
    """

    owner: ObjectRef
    target: ObjectRef
    at: Location
    pod_sets: tuple[PodSet, ...]
    key: str = ""
    near: str = ""
    elsewhere: tuple[str, ...] = ()
    hashed: str = ""
    related: tuple[tuple[str, Location], ...] = field(default=(), compare=False)
    also: tuple[Location, ...] = field(default=(), compare=False)
    certain: bool = False


@fact
class _Need:
    """A reference of a container or volume: the target, the place of its name, and a key with its place."""

    kind: str
    name: str
    at: Location
    key: str = ""
    key_at: Location | None = None


class _Held:
    """The ConfigMaps and Secrets of a snapshot, and what makes others."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.objects: dict[ObjectRef, ApiObject] = {}
        self.named: dict[tuple[str, str], list[ApiObject]] = {}
        self.names: dict[tuple[str, str], set[str]] = {}
        self.made: set[tuple[str, str]] = set()
        self.directories: set[tuple[str, str, str]] = set()
        self.copied = False
        for each in snapshot.objects:
            kind = each.meta.kind
            if kind in {"ConfigMap", "Secret"}:
                self.objects[each.ref] = each
                self.named.setdefault((kind, each.ref.name), []).append(each)
                self.names.setdefault((kind, each.ref.namespace), set()).add(each.meta.name)
                self.directories.add((kind, each.ref.namespace, posixpath.dirname(each.file)))
                self.copied |= any(key.startswith(_COPIED) for key in each.meta.annotations)
            elif kind in _SECRET_MAKERS:
                named = read_text(each.field.down(*_SECRET_MAKERS[kind])) if _SECRET_MAKERS[kind] else ""
                self.made.add((each.ref.namespace, named or each.meta.name))
            elif kind in _EVERYWHERE:
                self.copied = True

    def closed(self, kind: str, namespace: str, at: Location) -> bool:
        """Whether the namespace holds objects of the kind beside the place, and nothing is known to add others."""
        beside = (kind, namespace, posixpath.dirname(at.file)) in self.directories
        return beside and not self.snapshot.may_hold_more(namespace) and at.file not in self.snapshot.unrendered


def missing_settings(snapshot: Snapshot) -> Iterator[MissingSetting]:
    """One for each object and target, and one for each key."""
    found: dict[tuple[ObjectRef, ObjectRef, str], MissingSetting] = {}
    held: _Held | None = None
    for workload in snapshot.workloads.objects:
        for pods in workload.pod_sets:
            if pods.replicas == 0:
                continue
            for need in _needs(workload, pods):
                held = held or _Held(snapshot)
                missing = _missing(need, workload.owner, pods, held)
                if missing is None:
                    continue
                key = (missing.owner, missing.target, missing.key)
                before = found.get(key)
                found[key] = missing if before is None else _merged(before, missing)
    yield from found.values()


def holds_setting(snapshot: Snapshot, missing: MissingSetting) -> bool:
    """Whether a snapshot holds the object, or the key of it, that another one lacks: then it is unknown which
    definition is meant for these pods.
    """
    there = snapshot.by_ref.get(missing.target)
    if there is None or not missing.key:
        return there is not None
    return any(missing.key in (there.field[part].mapping or {}) for part in _PARTS)


def _merged(before: MissingSetting, other: MissingSetting) -> MissingSetting:
    also = before.also if other.at in (before.at, *before.also) else (*before.also, other.at)
    return replace(before, pod_sets=(*before.pod_sets, *other.pod_sets), also=also)


def _missing(need: _Need, owner: ObjectRef, pods: PodSet, held: _Held) -> MissingSetting | None:
    target = ObjectRef(need.kind, pods.namespace, need.name)
    if need.kind == "ConfigMap" and need.name in _MADE_BY_CLUSTERS:
        return None
    there = held.objects.get(target)
    if there is not None:
        return _without_key(need, owner, pods, there)
    if (pods.namespace, need.name) in held.made or _made_by_operator(need, owner) or _may_be_there(target, held):
        return None
    names = sorted(held.names.get((need.kind, pods.namespace), ()))
    hashed = next((each for each in names if _HASHED.sub("", each) == need.name != each), "")
    near = hashed or next(iter(difflib.get_close_matches(need.name, names, n=1)), "")
    stated = need.kind in held.snapshot.settings.closed and need.at.file not in held.snapshot.unrendered
    elsewhere = () if held.copied else tuple(_elsewhere(need, pods.namespace, held))
    closed = held.closed(need.kind, pods.namespace, need.at)
    if need.kind == "Secret":  # many are made by hand: one in Git does not say that all are
        closed = closed and misspelt(need.name, near)
    open_ = bool(held.snapshot.may_hold_more(pods.namespace)) or need.at.file in held.snapshot.unrendered
    if not (stated or closed or (elsewhere and not open_)) or (held.copied and not stated):
        return None
    related = []
    if near:
        near_at = held.objects[ObjectRef(need.kind, pods.namespace, near)].field.at
        related.append(("what there is", near_at))
    related += [
        (f"the one in {each}", held.objects[ObjectRef(need.kind, each, need.name)].field.at) for each in elsewhere
    ]
    return MissingSetting(
        owner,
        target,
        need.at,
        (pods,),
        near=near,
        elsewhere=elsewhere,
        hashed=hashed,
        related=tuple(related),
        certain=stated,
    )


def _may_be_there(target: ObjectRef, held: _Held) -> bool:
    """Whether an object of the kind and name is in the namespace for all that is known: a placeholder stands for it."""
    return any(
        is_placeholder(target.namespace) or is_placeholder(each.ref.namespace)
        for each in held.named.get((target.kind, target.name), ())
    )


def _elsewhere(need: _Need, namespace: str, held: _Held) -> Iterator[str]:
    """The namespaces that hold an object of this name in the directory of the reference: deployed with it."""
    directory = posixpath.dirname(need.at.file)
    for each in held.named.get((need.kind, need.name), ()):
        other = each.ref.namespace != namespace and each.meta.namespace
        if other and posixpath.dirname(each.file) == directory:
            yield each.ref.namespace


def _without_key(need: _Need, owner: ObjectRef, pods: PodSet, there: ApiObject) -> MissingSetting | None:
    """A key that the object does not have; one without any keys is filled in the cluster."""
    if not need.key or need.key_at is None:
        return None
    keys = [key for part in _PARTS for key, _ in there.field[part].items()]
    if not keys or need.key in keys or any(is_placeholder(each) for each in keys):
        return None
    near = next(iter(difflib.get_close_matches(need.key, keys, n=1)), "")
    part = next((each for each in _PARTS if there.field[each].present), "data")
    return MissingSetting(
        owner,
        there.ref,
        need.key_at,
        (pods,),
        key=need.key,
        near=near,
        related=(("the keys that it has", there.field[part].at),),
        certain=need.kind == "ConfigMap",
    )


def _made_by_operator(need: _Need, owner: ObjectRef) -> bool:
    """Whether the operator of the object may make the target: it is named after it."""
    return need.name.startswith(f"{owner.name}-")


def _needs(workload: Workload, pods: PodSet) -> Iterator[_Need]:
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
        yield from _of_volume("ConfigMap", volume["configMap"], "name")
        yield from _of_volume("Secret", volume["secret"], "secretName")
        for source in volume.down("projected", "sources").elements():
            yield from _of_volume("ConfigMap", source["configMap"], "name")
            yield from _of_volume("Secret", source["secret"], "name")


def _need(kind: str, reference: Field) -> Iterator[_Need]:
    name, key = reference["name"].string, reference["key"].string
    if name and reference["optional"].value is not True and not is_placeholder(name):
        known = key if key and not is_placeholder(key) else ""
        yield _Need(kind, name, reference["name"].at, known or "", reference["key"].at if known else None)


def _of_volume(kind: str, source: Field, name_key: str) -> Iterator[_Need]:
    name = source[name_key].string
    if not name or source["optional"].value is True or is_placeholder(name):
        return
    yield _Need(kind, name, source[name_key].at)
    for item in source["items"].elements():
        key = item["key"].string
        if key and not is_placeholder(key):
            yield _Need(kind, name, source[name_key].at, key, item["key"].at)
