"""What kustomizations do to the files of the repository, where they were not rendered."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from trainlint.finding import Location, Unknown
from trainlint.snapshot.objects import ApiObject
from trainlint.source.kustomization import Kustomization, Resolution, passes_through
from trainlint.source.kustomization_faults import BuildFault
from trainlint.source.reading import is_kustomization
from trainlint.source.rendered_root import RenderedRoot
from trainlint.source.rendering_hint import by_hand, rendering_hint

__all__ = ["deployed_places", "moved_files", "transformed_files", "unrendered"]


def transformed_files(
    kustomizations: Mapping[str, Kustomization],
    resolution: Resolution,
    done: Collection[str],
    broken: Mapping[tuple[str, str], object],
) -> dict[str, str]:
    """The kustomization that changes the objects of a file, apart from those below roots that are ``done``. The topmost
    ones win: theirs is the directory that would be rendered. Of one that does not build nothing comes out.
    """
    found: dict[str, str] = {}
    roots = [each for each in resolution.roots if each not in done]
    below_top = sorted(frozenset[str]().union(*(resolution.uses[each] for each in roots)) - {*roots, *done})
    for directory in (*below_top, *reversed(roots)):
        reached = {directory, *resolution.uses[directory]}
        for each in reached:
            if kustomizations[each].transforms:
                found.update(dict.fromkeys(resolution.files[each], directory or "."))
        if kustomizations[directory].transforms or (directory, "") in broken:
            found.update(dict.fromkeys(resolution.files[directory], directory or "."))
    return found


def deployed_places(
    kustomizations: Mapping[str, Kustomization],
    resolution: Resolution,
    transformed: Mapping[str, str],
    replaced: frozenset[str],
) -> dict[str, tuple[str, ...]]:
    """The files as which a file is deployed, in order, where that is not its own name alone."""
    found: dict[str, set[str]] = defaultdict(set)
    for root in resolution.roots:
        each = kustomizations[root]
        if not each.component and passes_through(root, kustomizations, resolution):
            for file in resolution.files[root] - replaced:
                found[file].add(file if not root or file.startswith(f"{root}/") else each.file)
    by_name = {directory or ".": each.file for directory, each in kustomizations.items()}
    for file in found.keys() & transformed.keys():
        found[file].add(by_name[transformed[file]])
    return {file: tuple(sorted(places)) for file, places in found.items() if places != {file}}


def moved_files(kustomizations: Mapping[str, Kustomization], resolution: Resolution) -> dict[str, frozenset[str]]:
    """The namespaces into which kustomizations put the objects of each file."""
    found: dict[str, frozenset[str]] = {}
    for directory, each in kustomizations.items():
        if each.namespace:
            for file in resolution.files[directory]:
                found[file] = found.get(file, frozenset()) | {each.namespace}
    return found


def unrendered(
    kustomizations: Mapping[str, Kustomization],
    resolution: Resolution,
    transformed: Mapping[str, str],
    objects: Iterable[ApiObject],
    rendered: Sequence[RenderedRoot],
    broken: Mapping[tuple[str, str], tuple[BuildFault, ...]],
    missing: Callable[[str], bool],
) -> Iterator[Unknown]:
    """What is not known of kustomizations: what was rendered, or not for a reason, speaks for itself."""
    told = {posixpath.dirname(each.root): each for each in rendered if is_kustomization(each.root)}
    yield from (unknown for each in rendered for unknown in each.unknowns)
    files = {item.file for item in objects}
    changed = Counter(directory for file, directory in transformed.items() if file in files)
    for name, count in sorted(changed.items()):
        each = next(each for each in kustomizations.values() if (each.directory or ".") == name)
        if each.directory in told:
            continue
        if (each.directory, "") in broken:
            fault = broken[each.directory, ""][0]
            what = f"its objects: it does not build, as {fault.name} {fault.what}"
            yield Unknown(f"kustomization {name}", what, fault.remedy, Location(each.file, 0))
        else:
            yield Unknown(
                subject=f"kustomization {name}",
                missing=f"its rendered objects: it changes what {count} file{'s define' if count > 1 else ' defines'}",
                remedy=rendering_hint("kustomize", name, missing=missing("kustomize")),
                at=Location(each.file, 0),
                command=by_hand("kustomize", name),
            )
    done = {root for root, each in told.items() if not each.failed}
    within = done.union(*(resolution.uses[root] for root in done))
    for each in kustomizations.values():
        for url in each.remote if each.directory not in within else ():
            yield Unknown(
                subject=f"the objects of {url}, in kustomization {each.directory or '.'}",
                missing="it is elsewhere, and nothing is fetched",
                remedy="lint what the kustomization makes, where all of it is there",
                at=Location(each.file, 0),
            )
