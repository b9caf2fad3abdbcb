"""What does not build: kustomizations and paths of deployers of which, for that reason, nothing is applied."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.lazy_pattern import lazy_pattern
from trainlint.snapshot.duplicates import Duplicate
from trainlint.source.kustomization import Kustomization, Resolution
from trainlint.source.kustomization_faults import BuildFault
from trainlint.source.reading import is_kustomization
from trainlint.source.rendered_root import RenderedRoot

__all__ = ["UnbuiltPath", "faults_of", "unbuilt"]

Faults = Mapping[tuple[str, str], tuple[BuildFault, ...]]
"""Why a kustomization does not build: by its directory, and the key of what a deployer adds (empty: nothing)."""

_TWICE: Final = lazy_pattern(
    r"may not add resource with an already registered id: (?P<kind>[^.]+)\..*/(?P<name>[^/]+)$"
)


@fact
class UnbuiltPath:
    """A fault, and those who deploy a path that does not build because of it, each with its place.

    ``unused``: the repository says what is deployed, and that is not among it.
    """

    fault: BuildFault
    deployers: tuple[tuple[str, Location | None], ...] = ()
    unused: bool = False


def faults_of(
    own: Mapping[str, tuple[BuildFault, ...]],
    twice: Iterable[Duplicate],
    resolution: Resolution,
    rendered: Iterable[RenderedRoot],
) -> Faults:
    """Why kustomizations do not build: of ``own`` faults, of objects that one brings in ``twice``, and of what
    kustomize refused. What kustomize built has no faults.
    """
    faults: dict[str, tuple[BuildFault, ...]] = dict(own)
    for each in twice:
        if each.directory is not None:
            faults[each.directory] = (*faults.get(each.directory, ()), _twice(each.directory, each))
    found: dict[tuple[str, str], tuple[BuildFault, ...]] = {}
    for directory, uses in resolution.uses.items():
        reached = tuple(fault for each in (directory, *sorted(uses)) for fault in faults.get(each, ()))
        if reached:
            found[directory, ""] = reached
    for root in rendered:
        if not is_kustomization(root.root):
            continue
        directory = posixpath.dirname(root.root)
        if not root.failed:
            found.pop((directory, root.overlay), None)
        elif root.refused and (directory, "") not in found:
            found[directory, root.overlay] = (_refused(root),)
    return found


def unbuilt(
    kustomizations: Mapping[str, Kustomization], resolution: Resolution, found: Faults
) -> Iterator[UnbuiltPath]:
    """The faults of what stands at the top, each once; a component is built only by those who use it."""
    tops = (each for each in resolution.roots if not kustomizations[each].component)
    faults = dict.fromkeys(fault for top in tops for fault in found.get((top, ""), ()))
    yield from map(UnbuiltPath, faults)


def _twice(directory: str, each: Duplicate) -> BuildFault:
    first, second = each.first.field.at, each.second.field.at
    what = f"brings in {each.second.ref} twice, from {first.file} and from {second.file}"
    if first.file == second.file:
        what = f"brings in {each.second.ref} twice, from {first.file}"
    remedy = "remove one of the two, or make a patch of it"
    return BuildFault(directory, second, what, remedy, (("the other definition", first),))


def _refused(root: RenderedRoot) -> BuildFault:
    at = root.unknowns[0].at or Location(root.root, 0)
    directory = posixpath.dirname(at.file) if is_kustomization(at.file) else posixpath.dirname(root.root)
    again = _TWICE.search(root.refused)
    if again is not None:
        name = again["name"].removesuffix(".[noNs]")
        what = f"brings in {again['kind']} {'/'.join(reversed(name.split('.', 1)))} twice"
        return BuildFault(directory, at, what, "remove one of the two, or make a patch of it")
    command = f"kubectl kustomize {posixpath.dirname(root.root) or '.'}"
    return BuildFault(directory, at, f"is refused by kustomize: {root.refused}", f"try it by hand: {command}")
