"""The repository as it was read: objects with their identities, before anything is deployed together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from trainlint.fact import fact
from trainlint.finding import Location, Unknown
from trainlint.inventory.read import INVENTORY_KINDS
from trainlint.kube.kueue import KUEUE_KINDS
from trainlint.kube.network import NETWORK_KINDS
from trainlint.snapshot.objects import ApiObject, Key, api_objects
from trainlint.snapshot.openness import OPENERS
from trainlint.snapshot.platform import ADMISSION_KINDS, REFERENCED_KINDS, STORAGE_KINDS
from trainlint.source.kustomization import Kustomization, Resolution, kustomization, resolve
from trainlint.source.podtemplates import POD_OWNERS, pod_templates
from trainlint.source.reading import Reading, is_kustomization
from trainlint.source.rendered import Rendered
from trainlint.workload.kinds import WORKLOAD_KINDS

__all__ = ["HYPERNODE_KINDS", "READ_KINDS", "Duplicate", "Repository", "read_repository"]

POLICY_KINDS = frozenset(
    {
        "AdminNetworkPolicy",
        "BaselineAdminNetworkPolicy",
        "CiliumCIDRGroup",
        "CiliumClusterwideNetworkPolicy",
        "CiliumNetworkPolicy",
        "ClusterNetworkPolicy",
        "GlobalNetworkPolicy",
        "NetworkPolicy",
    }
)

HYPERNODE_KINDS = frozenset({"HyperNode"})
"""How Volcano is told which nodes are near each other."""

CLUSTER_KINDS = HYPERNODE_KINDS | frozenset(
    {
        "ClusterConfiguration",
        "DaemonSet",
        "KubeSchedulerConfiguration",
        "Namespace",
        "PrometheusRule",
        "Service",
        "VMRule",
    }
)
"""What the cluster's own manifests say beside nodes and policies."""

READ_KINDS = (
    INVENTORY_KINDS
    | KUEUE_KINDS
    | POLICY_KINDS
    | WORKLOAD_KINDS
    | ADMISSION_KINDS
    | REFERENCED_KINDS
    | STORAGE_KINDS
    | NETWORK_KINDS
    | {kind for _, kind in OPENERS}
    | CLUSTER_KINDS
    | {POD_OWNERS}
)
"""The kinds that somebody reads; documents without any of them are passed over."""


@fact
class Duplicate:
    """One object that is defined twice where only one can be: in a file, or in what one kustomization deploys."""

    first: ApiObject
    second: ApiObject
    where: str


@fact(eq=False, slots=False)
class Repository:
    """``objects`` leaves out patches (which are no objects of their own) and keeps the last of two in one file.

    ``transformed`` maps a file to the kustomization that changes its objects when it deploys them, ``together`` to the
    topmost kustomization that deploys it, ``moved`` to the namespaces that kustomizations put its objects into;
    ``kustomization_files`` maps the directory of a kustomization to its file.
    """

    readings: tuple[Reading, ...]
    objects: tuple[ApiObject, ...]
    duplicates: tuple[Duplicate, ...] = ()
    transformed: Mapping[str, str] = field(default_factory=dict)
    together: Mapping[str, str] = field(default_factory=dict)
    moved: Mapping[str, frozenset[str]] = field(default_factory=dict)
    kustomization_files: Mapping[str, str] = field(default_factory=dict)
    unknowns: tuple[Unknown, ...] = ()

    @cached_property
    def by_place(self) -> Mapping[tuple[str, int], tuple[ApiObject, ...]]:
        """The objects of each document."""
        found: dict[tuple[str, int], list[ApiObject]] = defaultdict(list)
        for each in self.objects:
            at = each.field.at
            found[at.file, at.document].append(each)
        return {place: tuple(objects) for place, objects in found.items()}

    def object_at(self, at: Location) -> ApiObject | None:
        """The object that holds a place."""
        candidates = self.by_place.get((at.file, at.document), ())
        inside = [each for each in candidates if at.path[: len(each.field.at.path)] == each.field.at.path]
        return max(inside, key=lambda each: len(each.field.at.path), default=None)


def read_repository(
    readings: Sequence[Reading],
    files: Iterable[str] = (),
    real: Callable[[str], str] = lambda name: name,
    rendered: Sequence[Rendered] = (),
) -> Repository:
    """The objects of all readings, with what kustomizations do to them.

    ``files`` are the names of all files of the world, ``real`` resolves links among them. What ``rendered`` roots make
    takes the place of the objects in their files.
    """
    replaced = frozenset().union(*(each.files for each in rendered))
    kustomizations = {
        each.directory: each
        for reading in readings
        if is_kustomization(reading.file)
        for document in reading.documents
        if (each := kustomization(document)) is not None
    }
    resolution = resolve(kustomizations.values(), files or [reading.file for reading in readings], real=real)
    found = [
        item
        for reading in readings
        if reading.file not in resolution.patch_files | replaced and not is_kustomization(reading.file)
        for item in api_objects(reading.documents)
        if item.meta.kind in READ_KINDS or next(pod_templates(item.field), None) is not None
    ]
    found += [
        item
        for root in rendered
        for item in api_objects(root.documents)
        if item.meta.kind in READ_KINDS or next(pod_templates(item.field), None) is not None
    ]
    duplicates = [*_in_one_file(found), *_in_one_kustomization(found, kustomizations)]
    superseded = {id(duplicate.first) for duplicate in duplicates}
    transformed = _transformed(kustomizations, resolution)
    return Repository(
        readings=tuple(readings),
        objects=tuple(item for item in found if id(item) not in superseded),
        duplicates=tuple(duplicates),
        transformed=transformed,
        together={file: root or "." for root in reversed(resolution.roots) for file in resolution.files[root]},
        moved=_moved(kustomizations, resolution),
        kustomization_files={each.directory or ".": each.file for each in kustomizations.values()},
        unknowns=tuple(_unrendered(kustomizations, transformed, {item.file for item in found})),
    )


def _transformed(kustomizations: Mapping[str, Kustomization], resolution: Resolution) -> dict[str, str]:
    """The topmost kustomizations win: theirs is the directory that somebody would render."""
    found: dict[str, str] = {}
    below_top = sorted(set(kustomizations) - set(resolution.roots))
    for directory in (*below_top, *reversed(resolution.roots)):
        reached = {directory, *resolution.uses[directory]}
        for each in reached:
            if kustomizations[each].transforms:
                found.update(dict.fromkeys(resolution.files[each], directory or "."))
        if kustomizations[directory].transforms:
            found.update(dict.fromkeys(resolution.files[directory], directory or "."))
    return found


def _moved(kustomizations: Mapping[str, Kustomization], resolution: Resolution) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for directory, each in kustomizations.items():
        if each.namespace:
            for file in resolution.files[directory]:
                found[file] = found.get(file, frozenset()) | {each.namespace}
    return found


def _in_one_file(objects: Sequence[ApiObject]) -> Iterator[Duplicate]:
    last: dict[tuple[str, Key], ApiObject] = {}
    for each in objects:
        if each.key is None:
            continue
        place = (each.file, each.key)
        if place in last:
            yield Duplicate(last[place], each, f"the file {each.file}")
        last[place] = each


def _in_one_kustomization(
    objects: Sequence[ApiObject], kustomizations: Mapping[str, Kustomization]
) -> Iterator[Duplicate]:
    """Two files that one kustomization lists by name: it does not build ("an already registered id").

    What comes through another kustomization may have got another name or namespace there, so it proves nothing.
    """
    by_file: dict[str, list[ApiObject]] = defaultdict(list)
    for each in objects:
        by_file[each.file].append(each)
    for found in kustomizations.values():
        last: dict[Key, ApiObject] = {}
        for file in dict.fromkeys(found.resources):
            for each in by_file.get(file, ()):
                if each.key is None:
                    continue
                before = last.get(each.key)
                if before is not None and before.file != each.file:
                    yield Duplicate(before, each, f"the kustomization {found.directory or '.'}")
                last[each.key] = each


def _unrendered(
    kustomizations: Mapping[str, Kustomization], transformed: Mapping[str, str], files: set[str]
) -> Iterator[Unknown]:
    changed: dict[str, int] = defaultdict(int)
    for file, directory in transformed.items():
        if file in files:
            changed[directory] += 1
    by_name = {each.directory or ".": each for each in kustomizations.values()}
    for directory, count in sorted(changed.items()):
        yield Unknown(
            subject=f"kustomization {directory}",
            missing=f"its rendered objects: it changes what {count} file{'s define' if count > 1 else ' defines'}",
            remedy=f"lint what it makes: kubectl kustomize {directory} | trainlint check -",
            at=Location(by_name[directory].file, 0),
        )
    for each in kustomizations.values():
        for url in each.remote:
            yield Unknown(
                subject=f"kustomization {each.directory or '.'}",
                missing=f"the remote resource {url}",
                remedy="lint what it makes, where there is a network",
                at=Location(each.file, 0),
            )
