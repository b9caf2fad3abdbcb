"""Files beside a kustomization that look like patches of what it brings and that no kustomization names: patches that
were taken out of the list, and no objects of their own.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from trainlint.snapshot.objects import ApiObject, api_objects
from trainlint.source.kustomization import Kustomization, Resolution
from trainlint.source.reading import Reading, is_kustomization

__all__ = ["patch_like"]

_NEEDED: Final = ("template", "containers", "image")


def patch_like(
    readings: Sequence[Reading], kustomizations: Mapping[str, Kustomization], resolution: Resolution
) -> frozenset[str]:
    """The files of which every object says less than the object of its kind and name that the kustomization in their
    directory brings.
    """
    named = resolution.patch_files.union(*resolution.files.values())
    named |= {name for each in kustomizations.values() for name in (*each.plugin_files, *each.data_files)}
    by_name = {reading.file: reading for reading in readings}
    return frozenset(
        reading.file
        for reading in readings
        if reading.documents
        and posixpath.dirname(reading.file) in kustomizations
        and reading.file not in named
        and not is_kustomization(reading.file)
        and _is_patch(reading, resolution.files[posixpath.dirname(reading.file)], by_name)
    )


def _is_patch(reading: Reading, brought: Collection[str], by_name: Mapping[str, Reading]) -> bool:
    own = list(api_objects(reading.documents))
    wholes = list(_wholes({(each.meta.kind, each.meta.name) for each in own}, brought, by_name))
    return bool(own) and all(any(_says_less(each, whole) for whole in wholes) for each in own)


def _wholes(
    wanted: Collection[tuple[str, str]], brought: Collection[str], by_name: Mapping[str, Reading]
) -> Iterator[ApiObject]:
    for file in sorted(brought):
        if file in by_name:
            for each in api_objects(by_name[file].documents):
                if (each.meta.kind, each.meta.name) in wanted:
                    yield each


def _says_less(part: ApiObject, whole: ApiObject) -> bool:
    """Whether an object lacks parts of the other's ``spec``: whole fields, or what no object of the kind can lack."""
    if (part.meta.kind, part.meta.name) != (whole.meta.kind, whole.meta.name):
        return False
    said, all_of_it = part.field["spec"].mapping, whole.field["spec"].mapping
    if said is None or all_of_it is None:
        return False
    return said.keys() < all_of_it.keys() or (said.keys() <= all_of_it.keys() and _lacks(said, all_of_it))


def _lacks(part: Any, whole: Any) -> bool:
    """Whether a pod template, its containers or an image is missing somewhere that the other has it."""
    if isinstance(part, dict) and isinstance(whole, dict):
        missing = any(key in whole and key not in part for key in _NEEDED)
        return missing or any(_lacks(inner, whole.get(key)) for key, inner in part.items())
    if isinstance(part, list) and isinstance(whole, list) and whole:
        return any(_lacks(each, whole[0]) for each in part)
    return False
