"""Kustomizations: what they bring together, what they change, and which of them stand at the top."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import Document, Field
from trainlint.source.reading import Reading, is_kustomization

__all__ = [
    "FILE_NAMES",
    "Kustomization",
    "Resolution",
    "is_remote",
    "kustomization",
    "passes_through",
    "read_kustomizations",
    "resolve",
]

FILE_NAMES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""The names by which kustomize finds a kustomization; a directory with two of them is an error there."""

_TRANSFORMS: Final = (
    "namespace",
    "namePrefix",
    "nameSuffix",
    "labels",
    "commonLabels",
    "commonAnnotations",
    "images",
    "imageTags",
    "replicas",
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "replacements",
    "vars",
    "transformers",
    "configurations",
    "components",
    "helmCharts",
    "helmChartInflationGenerator",
    "generators",
)
_REMOTE: Final = lazy_pattern(
    r"[a-z][a-z0-9+.\-]*://|git::|[\w.\-]+@[\w.\-]+:|(?:www\.)?git(?:hub|lab)\.com[:/]|.*\?(?:ref|version)=",
    re.IGNORECASE,
)


@fact
class Kustomization:
    """What one kustomization file says; all paths are relative to the world's root and normalised.

    ``resources`` are files and directories (of ``resources``, ``bases``, ``components``), ``patch_files`` hold partial
    objects, operations or settings of the kustomization itself, ``plugin_files`` configure generators, transformers and
    validators, ``data_files`` feed generated ConfigMaps and Secrets. ``changes`` names the fields by which objects come
    out other than they went in. ``remote`` are resources that are fetched from elsewhere, ``charts`` Helm charts that
    it inflates. ``component`` marks a ``kind: Component``, ``generates`` one that makes ConfigMaps or Secrets.
    """

    directory: str
    file: str
    resources: tuple[str, ...] = ()
    patch_files: tuple[str, ...] = ()
    plugin_files: tuple[str, ...] = ()
    data_files: tuple[str, ...] = ()
    remote: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    namespace: str = ""
    component: bool = False
    generates: bool = False

    @property
    def transforms(self) -> bool:
        """Whether objects come out other than their files say."""
        return bool(self.changes)


@fact
class Resolution:
    """How the kustomizations of a world hang together.

    ``files`` gives, per directory of a kustomization, the files of objects that it reaches, itself or through others;
    ``uses`` the directories of the kustomizations that it reaches. ``roots`` are those that no other one uses (of those
    that only use each other, the first). ``patch_files`` hold no objects of their own. ``missing`` are local resources
    that lead nowhere, by directory.
    """

    files: Mapping[str, frozenset[str]]
    uses: Mapping[str, frozenset[str]]
    roots: tuple[str, ...]
    patch_files: frozenset[str]
    missing: Mapping[str, tuple[str, ...]]


def is_remote(entry: str) -> bool:
    """Whether kustomize would fetch a resource, from a server or a repository elsewhere."""
    return _REMOTE.match(entry) is not None


def kustomization(document: Document) -> Kustomization | None:
    """Read the document of a kustomization file, or ``None`` if it is none, going by the kind that it may give."""
    root = document.root
    kind, api = root["kind"], root["apiVersion"]
    if root.mapping is None or (kind.present and kind.value not in ("Kustomization", "Component")):
        return None
    if api.present and not (api.string or "").startswith("kustomize.config.k8s.io/"):  # Flux has the kind, too
        return None
    directory = posixpath.dirname(document.file)
    entries = [*_texts(root, "resources"), *_texts(root, "bases"), *_texts(root, "components")]
    remote = tuple(entry for entry in entries if is_remote(entry))
    plugins = [*_texts(root, "generators"), *_texts(root, "transformers"), *_texts(root, "validators")]

    def local(names: Iterable[str]) -> tuple[str, ...]:
        paths = (_normal(directory, name) for name in names if name and "\n" not in name and not is_remote(name))
        return tuple(dict.fromkeys(paths))

    return Kustomization(
        directory,
        document.file,
        resources=local(entries),
        patch_files=local(_patches(root)),
        plugin_files=local(plugins),
        data_files=local([*_sources(root, "configMapGenerator"), *_sources(root, "secretGenerator")]),
        remote=remote,
        charts=tuple(_charts(root)),
        changes=tuple(name for name in _TRANSFORMS if root[name].value),
        namespace=root["namespace"].string or "",
        component=kind.value == "Component",
        generates=bool(root["configMapGenerator"].value or root["secretGenerator"].value),
    )


def read_kustomizations(readings: Iterable[Reading]) -> dict[str, Kustomization]:
    """The kustomizations of a world by their directories."""
    return {
        each.directory: each
        for reading in readings
        if is_kustomization(reading.file)
        for document in reading.documents
        if (each := kustomization(document)) is not None
    }


def passes_through(directory: str, found: Mapping[str, Kustomization], resolution: Resolution) -> bool:
    """Whether a kustomization brings its objects in as they are written, itself and through all that it uses."""
    reached = (found[each] for each in (directory, *resolution.uses[directory]))
    return not any(each.transforms or each.generates for each in reached)


def resolve(
    found: Iterable[Kustomization], files: Iterable[str], *, real: Callable[[str], str] = lambda name: name
) -> Resolution:
    """Follow the resources of all kustomizations.

    ``files`` are the names of the world's files; ``real`` resolves symbolic links (World.real).
    """
    known = frozenset(files)
    by_directory = {each.directory: each for each in found}
    direct: dict[str, set[str]] = {}
    used: dict[str, set[str]] = {}
    missing: dict[str, tuple[str, ...]] = {}
    for directory, each in by_directory.items():
        own, below, lost = set(), set(), []
        for name in (*each.resources, *each.plugin_files):
            target = name if name in known or name in by_directory else real(name)
            if target in by_directory:
                below.add(target)
            elif target in known:
                own.add(target)
            else:
                lost.append(name)
        direct[directory], used[directory] = own, below
        if lost:
            missing[directory] = tuple(lost)
    uses = {directory: frozenset(_reached(directory, used)) for directory in by_directory}
    reached = {
        directory: frozenset(direct[directory].union(*(direct[other] for other in uses[directory])))
        for directory in by_directory
    }
    patches = {real(name) if name not in known else name for each in by_directory.values() for name in each.patch_files}
    patches -= set().union(*direct.values())  # a file may be a patch here and a resource there
    return Resolution(reached, uses, tuple(_roots(by_directory, used, uses)), frozenset(patches), missing)


def _roots(
    by_directory: Mapping[str, Kustomization], used: Mapping[str, set[str]], uses: Mapping[str, frozenset[str]]
) -> Iterator[str]:
    """Directories that no kustomization uses; of a circle that no other one uses, the first in order."""
    targets = set().union(*used.values()) if used else set()
    covered: set[str] = set()
    for directory in sorted(by_directory):
        if directory not in targets:
            covered |= {directory, *uses[directory]}
            yield directory
    for directory in sorted(by_directory):
        if directory not in covered:
            covered |= {directory, *uses[directory]}
            yield directory


def _reached(directory: str, used: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    pending = list(used[directory])
    while pending:
        here = pending.pop()
        if here not in seen and here != directory:
            seen.add(here)
            pending.extend(used[here])
    return seen


def _texts(root: Field, name: str) -> list[str]:
    return [entry.value for entry in root[name].elements() if isinstance(entry.value, str)]


def _patches(root: Field) -> Iterator[str]:
    """Paths of patches; those written in place are no paths."""
    for name in _texts(root, "patchesStrategicMerge"):
        if ":" not in name:  # an object in place, on one line
            yield name
    for field in ("patches", "patchesJson6902"):
        for entry in root[field].elements():
            yield entry["path"].string or entry.string or ""
    for entry in root["replacements"].elements():
        yield entry["path"].string or ""
    yield from _texts(root, "configurations")


def _sources(root: Field, field: str) -> Iterator[str]:
    """Files that feed generated ConfigMaps and Secrets (``key=path`` or ``path``)."""
    for entry in root[field].elements():
        for part in (*entry["files"].elements(), *entry["envs"].elements(), entry["env"]):
            name = part.string or ""
            yield name.partition("=")[2] or name


def _charts(root: Field) -> Iterator[str]:
    for field, name in (("helmCharts", "name"), ("helmChartInflationGenerator", "chartName")):
        for entry in root[field].elements():
            yield entry[name].string or "?"


def _normal(directory: str, name: str) -> str:
    path = posixpath.normpath(posixpath.join(directory, name))
    return "" if path == "." else path
