"""The repository as it was read: objects with their identities, before anything is deployed together."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from trainlint.fact import fact
from trainlint.finding import Location, Path, Unknown
from trainlint.installed.kinds import CONFIG_MAPS, may_admit
from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.snapshot.build_faults import UnbuiltPath, faults_of, unbuilt
from trainlint.snapshot.duplicates import Duplicate, in_one_file, in_one_kustomization
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.snapshot.kustomization_changes import deployed_places, moved_files, transformed_files, unrendered
from trainlint.snapshot.objects import ApiObject, api_objects
from trainlint.snapshot.substituted_variables import EmptiedVariables
from trainlint.snapshot.unlisted_patches import patch_like
from trainlint.source.document import Document
from trainlint.source.kustomization import (
    Kustomization,
    read_kustomizations,
    resolve,
)
from trainlint.source.kustomization_faults import BuildFault
from trainlint.source.podtemplates import pod_templates
from trainlint.source.prefilter import DEFINITION
from trainlint.source.reading import Reading, is_kustomization
from trainlint.source.rendered_root import RenderedRoot
from trainlint.source.testdata import find_test_homes, home_of_test, is_assertion, is_assertion_file

__all__ = ["Repository", "read_repository"]


@fact(eq=False, slots=False)
class Repository:
    """``objects`` leaves out patches (which are no objects of their own) and keeps the last of two in one file.

    What was rendered stands in the file of its root.

    ``transformed`` maps a file to the kustomization that changes its objects when it deploys them and was not rendered,
    ``together`` to the topmost kustomization that deploys it, ``moved`` to the namespaces that kustomizations put its
    objects into; ``places`` to the files as which it is deployed, where that is not it alone: its own name, and those
    of kustomizations beside it that bring it in as it is, or would change it;
    ``kustomization_files`` maps the directory of a kustomization to its file, ``kustomizations`` to what it says,
    ``reached`` to the files that it brings together. ``test_homes`` are the directories that a test tool owns: what
    lies in one is deployed with nothing outside of it. ``rendered`` are the roots that were rendered, or failed.
    ``faults`` tell why a kustomization does not build, by its directory and what a deployer adds to it; ``unbuilt`` are
    those of what stands at the top, or is deployed. ``emptied`` are variables that deployers replace although the pods
    set them. ``real`` resolves links.
    """

    readings: tuple[Reading, ...]
    objects: tuple[ApiObject, ...]
    duplicates: tuple[Duplicate, ...] = ()
    transformed: Mapping[str, str] = field(default_factory=dict)
    together: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    moved: Mapping[str, frozenset[str]] = field(default_factory=dict)
    kustomization_files: Mapping[str, str] = field(default_factory=dict)
    rendered: tuple[RenderedRoot, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    kustomizations: Mapping[str, Kustomization] = field(default_factory=dict)
    reached: Mapping[str, frozenset[str]] = field(default_factory=dict)
    patch_files: frozenset[str] = frozenset()
    test_homes: frozenset[str] = frozenset()
    faults: Mapping[tuple[str, str], tuple[BuildFault, ...]] = field(default_factory=dict)
    unbuilt: tuple[UnbuiltPath, ...] = ()
    emptied: tuple[EmptiedVariables, ...] = ()
    real: Callable[[str], str] = lambda name: name
    missing: Callable[[str], bool] = lambda engine: True

    @cached_property
    def rendered_files(self) -> frozenset[str]:
        """The files for which something that was rendered stands."""
        return _files_of(self.rendered)

    @cached_property
    def has_templates(self) -> bool:
        """Whether there are templates that were not rendered."""
        return any(each.templates and each.file not in self.rendered_files for each in self.readings)

    @cached_property
    def inventory_objects(self) -> tuple[ApiObject, ...]:
        """The objects that describe nodes."""
        return tuple(each for each in self.objects if each.meta.kind in INVENTORY_KINDS)

    def as_written(self, file: str) -> tuple[ApiObject, ...]:
        """The objects of a file as they are written, also where rendered ones took their place."""
        if file in self.patch_files or is_kustomization(file):
            return ()
        reading = self._by_name.get(file)
        return tuple(_wanted(reading.documents)) if reading is not None else ()

    def document_at(self, at: Location) -> Document | None:
        """The document of a place, as it is written; ``None`` where none was read."""
        reading = self._by_name.get(at.file)
        return next((each for each in reading.documents if each.index == at.document), None) if reading else None

    @cached_property
    def _by_name(self) -> Mapping[str, Reading]:
        return {reading.file: reading for reading in self.readings}

    @cached_property
    def by_place(self) -> Mapping[tuple[str, int], tuple[ApiObject, ...]]:
        """The objects of each document, and what was rendered of them."""
        found: dict[tuple[str, int], list[ApiObject]] = defaultdict(list)
        for each in self.objects:
            for at in dict.fromkeys((each.field.at, each.written)):
                found[at.file, at.document].append(each)
        return {place: tuple(objects) for place, objects in found.items()}

    def object_at(self, at: Location) -> ApiObject | None:
        """The object that holds a place: of a rendered document, or in the file from which it was rendered; ``None``
        where none does.
        """
        candidates = self.by_place.get((at.file, at.document), ())
        paths = [(each, _root_of(each, at)) for each in candidates]
        inside = [(each, path) for each, path in paths if at.path[: len(path)] == path]
        return max(inside, key=lambda found: len(found[1]), default=(None, ()))[0]

    def written(self, at: Location, *, key: bool = False) -> Location:
        """Where a value was written that stands in a rendered document, or its key; any other place is where it is."""
        origin = self._origins.get((at.file, at.document))
        if origin is None:
            return at
        find = getattr(origin, "key", origin) if key else origin  # only a chart's values stand apart from their keys
        return replace(find(at.path), base=at.base)

    @cached_property
    def _origins(self) -> Mapping[tuple[str, int], Callable[[Path], Location]]:
        documents = (each.field.document for each in self.objects)
        return {(each.file, each.index): each.origin for each in documents if each.origin is not None}


def read_repository(
    readings: Sequence[Reading],
    files: Iterable[str] = (),
    real: Callable[[str], str] = lambda name: name,
    rendered: Sequence[RenderedRoot] = (),
    faults: Mapping[str, tuple[BuildFault, ...]] | None = None,
    missing: Callable[[str], bool] = lambda engine: True,
) -> Repository:
    """The objects of all readings, with what kustomizations do to them.

    ``files`` are the names of all files of the world, ``real`` resolves links among them. What ``rendered`` roots make
    takes the place of the objects in their files. ``faults`` are those of kustomizations themselves, by directory.
    ``missing`` tells whether no renderer was found, by its name.
    """
    replaced = _files_of(rendered)
    kustomizations = read_kustomizations(readings)
    names = list(files) or [reading.file for reading in readings]
    homes = find_test_homes(names)
    resolution = resolve(kustomizations.values(), names, real=real)
    patches = resolution.patch_files | patch_like(readings, kustomizations, resolution)
    batches = [
        tuple(_wanted(reading.documents))
        for reading in readings
        if reading.file not in patches | replaced
        and not is_kustomization(reading.file)
        and not (is_assertion_file(reading.file) and home_of_test(reading.file, homes))
    ]
    batches += [tuple(_wanted(root.documents)) for root in rendered]  # one file may say of several what they make
    found = [item for batch in batches for item in batch]
    twice = list(in_one_kustomization(found, kustomizations))
    refused = {id(each.second) for each in twice}
    duplicates = [each for batch in batches for each in in_one_file(batch) if id(each.second) not in refused]
    duplicates += [each for each in twice if each.directory is None]
    superseded = {id(duplicate.first) for duplicate in (*duplicates, *twice)}
    broken = faults_of(faults or {}, twice, resolution, rendered)
    done = {posixpath.dirname(each.root) for each in rendered if is_kustomization(each.root) and not each.failed}
    changed = transformed_files(kustomizations, resolution, done, broken)
    transformed = {file: by for file, by in changed.items() if file not in replaced}
    tops = {file: root or "." for root in reversed(resolution.roots) for file in resolution.files[root]}
    return Repository(
        readings=tuple(readings),
        objects=tuple(item for item in found if id(item) not in superseded),
        duplicates=tuple(duplicates),
        transformed=transformed,
        together=tops | {each.root: _together(each.root) for each in rendered},
        places=deployed_places(kustomizations, resolution, transformed, replaced),
        moved=moved_files(kustomizations, resolution),
        kustomization_files={each.directory or ".": each.file for each in kustomizations.values()},
        unknowns=tuple(unrendered(kustomizations, resolution, transformed, found, rendered, broken, missing)),
        rendered=tuple(rendered),
        kustomizations=kustomizations,
        reached=resolution.files,
        patch_files=patches,
        test_homes=homes,
        faults=broken,
        unbuilt=tuple(unbuilt(kustomizations, resolution, broken)),
        real=real,
        missing=missing,
    )


def _files_of(rendered: Iterable[RenderedRoot]) -> frozenset[str]:
    return frozenset().union(*(each.files for each in rendered))


def _together(root: str) -> str:
    """What is deployed as one: a kustomization by its directory, each release of a chart by itself."""
    return posixpath.dirname(root) or "." if is_kustomization(root) else root


def _root_of(each: ApiObject, at: Location) -> Path:
    """The path of an object in the document that a place is in: its own, or the one in which it was written."""
    own = each.field.at
    return own.path if (own.file, own.document) == (at.file, at.document) else each.written.path


def _wanted(documents: Iterable[Document]) -> Iterator[ApiObject]:
    """The objects of the kinds that are read."""
    for item in api_objects(each for each in documents if not is_assertion(each)):
        kind = item.meta.kind
        if (
            kind in READ_KINDS
            or may_admit(item.meta)
            or kind == DEFINITION
            or (kind == "ConfigMap" and f"{kind}/{item.meta.name}" in CONFIG_MAPS)
            or next(pod_templates(item.field), None) is not None
        ):
            yield item
