"""What deployers apply after something that waits for it: circles of dependsOn, sync waves in the wrong order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.workload import ObjectRef, PodSet, Workload
from trainlint.references.references import BUILT_IN, referred_by
from trainlint.references.setting_needs import needs_of_pods
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.snapshot import Snapshot

__all__ = ["DependencyCircle", "LateObject", "dependency_circles", "late_objects"]

_FLUX: Final = frozenset({("kustomize.toolkit.fluxcd.io", "Kustomization"), ("helm.toolkit.fluxcd.io", "HelmRelease")})
_WAVE: Final = "argocd.argoproj.io/sync-wave"
_HOOK: Final = "argocd.argoproj.io/hook"
_PHASES: Final[Mapping[str, int]] = {"PreSync": 0, "Sync": 1, "": 1, "PostSync": 2}
"""The phases of a sync in their order; an object that is no hook belongs to the second."""
_AWAITED: Final = frozenset(
    {("batch", "Job"), ("", "Pod"), ("apps", "Deployment"), ("apps", "StatefulSet"), ("apps", "DaemonSet")}
)
"""Kinds whose pods must be ready, or have ended, before Argo CD goes on to the next wave."""

Order = tuple[int, int]
"""The phase and the wave in which Argo CD applies an object."""


@fact
class DependencyCircle:
    """Deployers of Flux each of which waits until the next is ready, and the last for the first.

    ``at`` are the places where they say so, in the same order.
    """

    members: tuple[ObjectRef, ...]
    at: tuple[Location, ...]


@fact
class LateObject:
    """An object that Argo CD applies only after a workload of an earlier wave or phase is healthy, and without which
    the pods of that workload do not start. ``at`` is where the workload names it, ``order_at`` what puts the workload
    into its wave, ``late_at`` what puts the object into its own.
    """

    owner: ObjectRef
    target: ObjectRef
    at: Location
    order_at: Location
    late_at: Location


def dependency_circles(snapshot: Snapshot) -> Iterator[DependencyCircle]:
    """Each circle of ``dependsOn`` once, from the deployer that the repository has first."""
    edges: dict[ObjectRef, dict[ObjectRef, Location]] = {}
    for each in snapshot.objects:
        if (each.meta.api_group, each.meta.kind) in _FLUX and not is_placeholder(each.meta.name):
            own = edges.setdefault(each.ref, {})
            for entry in each.field.down("spec", "dependsOn").elements():
                name, namespace = read_text(entry["name"]), read_text(entry["namespace"]) or each.ref.namespace
                own.setdefault(ObjectRef(each.meta.kind, namespace, name), entry["name"].at)
    done: set[ObjectRef] = set()
    for start in edges:
        path = _circle(edges, start, done)
        if path:
            following = (*path[1:], path[0])
            yield DependencyCircle(
                tuple(path), tuple(edges[one][other] for one, other in zip(path, following, strict=True))
            )


def _circle(
    edges: Mapping[ObjectRef, Mapping[ObjectRef, Location]], start: ObjectRef, done: set[ObjectRef]
) -> list[ObjectRef]:
    """A circle that can be reached from a deployer and that was not found before; empty where there is none."""
    path: list[ObjectRef] = []
    waiting = [(start, False)]
    while waiting:
        node, left = waiting.pop()
        if left:
            done.add(path.pop())
        elif node in path:
            done.update(path)
            return path[path.index(node) :]
        elif node not in done and node in edges:
            path.append(node)
            waiting.append((node, True))
            waiting += [(each, False) for each in reversed(list(edges[node]))]
    return []


def late_objects(snapshot: Snapshot) -> Iterator[LateObject]:
    """One for each workload and object that Argo CD brings in the wrong order, where both lie in one directory or are
    deployed together.
    """
    orders = {each.ref: (each, order) for each in snapshot.objects if (order := _order(each)) is not None}
    if not orders:
        return
    found: set[tuple[ObjectRef, ObjectRef]] = set()
    for workload in snapshot.workloads.objects:
        owner = snapshot.by_ref.get(workload.owner)
        if owner is None or (owner.meta.api_group, owner.meta.kind) not in _AWAITED or _skipped(owner):
            continue
        order = orders.get(workload.owner, (owner, (1, 0)))[1]
        for target, at in _named(workload):
            there = snapshot.by_ref.get(target)
            if there is None or (owner.ref, target) in found or not _together(snapshot, owner, there):
                continue
            later = orders.get(target, (there, (1, 0)))[1]
            if later > order and not _skipped(there):
                found.add((owner.ref, target))
                yield LateObject(owner.ref, target, at, _place(owner), _place(there))


def _order(each: ApiObject) -> Order | None:
    """The phase and wave of an object; ``None`` where it says neither, or what cannot be read."""
    hook, wave = each.meta.annotations.get(_HOOK, ""), each.meta.annotations.get(_WAVE, "0")
    if _HOOK not in each.meta.annotations and _WAVE not in each.meta.annotations:
        return None
    phases = [_PHASES.get(part.strip()) for part in hook.split(",")] if isinstance(hook, str) else [None]
    if not isinstance(wave, str) or not wave.lstrip("-").isdigit() or len(phases) != 1 or phases[0] is None:
        return None
    return phases[0], int(wave)


def _skipped(each: ApiObject) -> bool:
    """Whether Argo CD applies the object in no phase that is known here, so that its order is not known."""
    stated = _HOOK in each.meta.annotations or _WAVE in each.meta.annotations
    return stated and _order(each) is None


def _together(snapshot: Snapshot, one: ApiObject, other: ApiObject) -> bool:
    return one.file.rpartition("/")[0] == other.file.rpartition("/")[0] or snapshot.brings_both(one.file, other.file)


def _place(each: ApiObject) -> Location:
    """What puts an object into its wave or phase: the annotation, or its metadata where it has none."""
    annotations = each.field.down("metadata", "annotations")
    named = (annotations[key] for key in (_WAVE, _HOOK) if annotations[key].present)
    return next(named, each.field["metadata"]).at


def _named(workload: Workload) -> Iterator[tuple[ObjectRef, Location]]:
    for pods in workload.pod_sets:
        if pods.replicas == 0:
            continue
        yield from _of_pods(workload, pods)


def _of_pods(workload: Workload, pods: PodSet) -> Iterator[tuple[ObjectRef, Location]]:
    for need in needs_of_pods(workload, pods):
        yield ObjectRef(need.kind, pods.namespace, need.name), need.at
    if pods.spec.at is not None:
        for target, at in referred_by(pods, pods.spec.at):
            if target.name and (target.kind, target.name) not in BUILT_IN:
                yield target, at
