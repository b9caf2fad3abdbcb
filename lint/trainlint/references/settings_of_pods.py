"""ConfigMaps and Secrets that pods need to start, and that are not there, or lack a key (decision 5)."""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Iterator
from dataclasses import field, replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.spelling import misspelt
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.references.secret_makers import EVERYWHERE, keys_of_made, made_names
from trainlint.references.setting_needs import SettingNeed, needs_of_pods
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Field

__all__ = ["MissingSetting", "holds_setting", "missing_settings"]

_MADE_BY_CLUSTERS: Final = frozenset({"kube-root-ca.crt", "openshift-service-ca.crt", "istio-ca-root-cert"})
_COPIED: Final = ("reflector.v1.k8s.emberstack.com/", "replicator.v1.mittwald.de/", "kubed.appscode.com/sync")
"""Annotations by which controllers copy an object into other namespaces."""
_RENAMING: Final = (("namePrefix",), ("nameSuffix",), ("configMapGenerator",), ("secretGenerator",))
"""The fields of a kustomization that make names."""
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

    @property
    def generated(self) -> bool:
        """Whether the name that kustomize gave the object ends with a hash of a generator."""
        return self.hashed.startswith(f"{self.target.name}-") and _HASHED.search(self.hashed) is not None


class _Held:
    """The ConfigMaps and Secrets of a snapshot, and what makes others."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.objects: dict[ObjectRef, ApiObject] = {}
        self.named: dict[tuple[str, str], list[ApiObject]] = {}
        self.names: dict[tuple[str, str], set[str]] = {}
        self.made: dict[tuple[str, str], list[ApiObject]] = {}
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
            elif kind in EVERYWHERE:
                self.copied = True
            else:
                for name in made_names(each):
                    self.made.setdefault((each.ref.namespace, name), []).append(each)

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
            for need in needs_of_pods(workload, pods):
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
    if there is None and missing.key:
        return any(
            missing.target.name in made_names(each) and missing.key in (keys_of_made(each, missing.target.name) or ())
            for each in snapshot.objects
            if each.ref.namespace == missing.target.namespace
        )
    if there is None or not missing.key:
        return there is not None
    return any(missing.key in (there.field[part].mapping or {}) for part in _PARTS)


def _merged(before: MissingSetting, other: MissingSetting) -> MissingSetting:
    also = before.also if other.at in (before.at, *before.also) else (*before.also, other.at)
    return replace(before, pod_sets=(*before.pod_sets, *other.pod_sets), also=also)


def _missing(need: SettingNeed, owner: ObjectRef, pods: PodSet, held: _Held) -> MissingSetting | None:
    target = ObjectRef(need.kind, pods.namespace, need.name)
    if need.kind == "ConfigMap" and need.name in _MADE_BY_CLUSTERS:
        return None
    there, makers = held.objects.get(target), held.made.get((pods.namespace, need.name), [])
    if makers and need.kind == "Secret":
        alone = len(makers) == 1 and there is None
        return _without_made_key(need, owner, pods, makers[0]) if alone else None
    if there is not None:
        return _without_key(need, owner, pods, there)
    if makers or _made_by_operator(need, owner) or _may_be_there(target, held):
        return None
    names = sorted(held.names.get((need.kind, pods.namespace), ()))
    hashed = _renamed(need, pods.namespace, names, held)
    near = hashed or next(iter(difflib.get_close_matches(need.name, names, n=1)), "")
    stated = need.kind in held.snapshot.settings.closed and need.at.file not in held.snapshot.unrendered
    elsewhere = (
        () if held.copied or _is_unstated(held.snapshot, owner) else tuple(_elsewhere(need, pods.namespace, held))
    )
    closed = held.closed(need.kind, pods.namespace, need.at)
    if need.kind == "Secret":  # many are made by hand: one in Git does not say that all are
        closed = closed and (bool(hashed) or misspelt(need.name, near))
    open_ = bool(held.snapshot.may_hold_more(pods.namespace)) or need.at.file in held.snapshot.unrendered
    if not (stated or closed or (elsewhere and not open_)) or (held.copied and not stated):
        return None
    related = []
    if near:
        field = held.objects[ObjectRef(need.kind, pods.namespace, near)].field
        named = hashed and not _HASHED.search(hashed)
        related.append(
            ("what calls it so", field.down("metadata", "name").at) if named else ("what there is", field.at)
        )
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


def _renamed(need: SettingNeed, namespace: str, names: list[str], held: _Held) -> str:
    """The name that a kustomization made of the one that is asked for: with a hash, a prefix or a suffix. Empty where
    there is none, or a choice.
    """
    found = []
    for each in names:
        plain = _HASHED.sub("", each)
        around = plain.startswith(need.name) or plain.endswith(need.name)
        made = around and _is_renamed(held.objects[ObjectRef(need.kind, namespace, each)].field)
        if each != need.name and (plain == need.name or made):
            found.append(each)
    return found[0] if len(found) == 1 else ""


def _is_renamed(field: Field) -> bool:
    """Whether a kustomization gave the object its name, or a part of it."""
    document = field.document
    return document.origin is not None and document.at((*field.path, "metadata", "name")).path[:1] in _RENAMING


def _is_unstated(snapshot: Snapshot, owner: ObjectRef) -> bool:
    """Whether the object says no namespace, so that it is in one by assumption only."""
    found = snapshot.by_ref.get(owner)
    return found is not None and not found.meta.namespace


def _may_be_there(target: ObjectRef, held: _Held) -> bool:
    """Whether an object of the kind and name is in the namespace for all that is known: a placeholder stands for it."""
    return any(
        is_placeholder(target.namespace) or is_placeholder(each.ref.namespace)
        for each in held.named.get((target.kind, target.name), ())
    )


def _elsewhere(need: SettingNeed, namespace: str, held: _Held) -> Iterator[str]:
    """The namespaces that hold an object of this name in the directory of the reference: deployed with it."""
    directory = posixpath.dirname(need.at.file)
    for each in held.named.get((need.kind, need.name), ()):
        other = each.ref.namespace != namespace and each.meta.namespace
        if other and posixpath.dirname(each.file) == directory:
            yield each.ref.namespace


def _without_key(need: SettingNeed, owner: ObjectRef, pods: PodSet, there: ApiObject) -> MissingSetting | None:
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


def _without_made_key(need: SettingNeed, owner: ObjectRef, pods: PodSet, maker: ApiObject) -> MissingSetting | None:
    """A key that the Secret which a controller makes of an object does not get."""
    keys = keys_of_made(maker, need.name) if need.key and need.key_at is not None else None
    if keys is None or need.key_at is None or need.key in keys or any(map(is_placeholder, keys)):
        return None
    return MissingSetting(
        owner,
        ObjectRef("Secret", pods.namespace, need.name),
        need.key_at,
        (pods,),
        key=need.key,
        near=next(iter(difflib.get_close_matches(need.key, sorted(keys), n=1)), ""),
        related=(("what makes its keys", maker.field["spec"].at),),
    )


def _made_by_operator(need: SettingNeed, owner: ObjectRef) -> bool:
    """Whether the operator of the object may make the target: it is named after it."""
    return need.name.startswith(f"{owner.name}-")
