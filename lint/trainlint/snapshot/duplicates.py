"""Objects that are defined twice where only one can be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from trainlint.fact import fact
from trainlint.finding import Location, Path
from trainlint.snapshot.objects import ApiObject, Key
from trainlint.source.kustomization import Kustomization

__all__ = ["Duplicate", "in_one_file", "in_one_kustomization"]


@fact
class Duplicate:
    """One object that is defined twice where only one can be: in a file, or in what one kustomization deploys.

    ``deployers`` are the two that bring it to one cluster (``where``) and each apply it in their own way, with their
    places; ``path`` is then one at which the two differ. ``applied``: both are applied, one after the other.
    ``directory`` is that of the kustomization, where it is one.
    """

    first: ApiObject
    second: ApiObject
    where: str
    deployers: tuple[tuple[str, Location | None], ...] = ()
    path: Path = ()
    applied: bool = False
    directory: str | None = None


def in_one_file(objects: Iterable[ApiObject]) -> Iterator[Duplicate]:
    """What one file, or one rendering, defines again."""
    last: dict[Key, ApiObject] = {}
    for each in objects:
        if each.key is None:
            continue
        if each.key in last:
            where = f"the file {each.file}" if each.field.document.origin is None else f"what {each.file} makes"
            yield Duplicate(last[each.key], each, where, applied=True)
        last[each.key] = each


def in_one_kustomization(
    objects: Sequence[ApiObject], kustomizations: Mapping[str, Kustomization]
) -> Iterator[Duplicate]:
    """What the files that one kustomization lists by name define twice: in one version of its API, it does not build
    ("an already registered id").

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
                if before is not None and (before.file != each.file or _is_refused(before, each)):
                    where = f"the kustomization {found.directory or '.'}"
                    yield Duplicate(
                        before, each, where, directory=found.directory if _is_refused(before, each) else None
                    )
                last[each.key] = each


def _is_refused(one: ApiObject, other: ApiObject) -> bool:
    """Whether kustomize takes both for one object: it tells the versions of an API apart."""
    return bool(one.field["apiVersion"].value == other.field["apiVersion"].value)
