"""Fields that a kind does not have where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from trainlint.finding import Certainty, Fix, Location, Move, Path, Put, Remove, Rename
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.structure import Misplaced, structure_of
from trainlint.model.settings import Settings
from trainlint.model.workload import Workloads
from trainlint.source.document import Field
from trainlint.workload.checks.fault import Fault

__all__ = ["misplaced_fields", "misplaced_fields_of"]

_NEWEST: Final = Settings()
_CLAIMS_SINCE: Final = (1, 31)
"""The release of Kubernetes that has no resourceClaims[].source any more."""
_TEMPLATE: Final = "resourceClaimTemplateName"

_WHOLE = frozenset({"TrainingRuntime", "ClusterTrainingRuntime", "DisaggregatedSet"})
"""Kinds that are whole although their pods are those of other objects: of TrainJobs, of the set's roles."""


def misplaced_fields(
    workloads: Workloads, objects: Iterable[tuple[Meta, Field]], settings: Settings = _NEWEST
) -> Iterator[Fault]:
    """The misplaced and misspelt fields of every object that makes pods, and of runtimes; one for the same fault in
    several roles of an object.

    An object that makes none may be a patch, so of it only what looks like a slip of the pen is reported.
    """
    made = {(each.field.document, each.field.path) for each in workloads.objects}
    for workload in workloads.objects:
        yield from misplaced_fields_of(workload.field, settings)
    for meta, item in objects:
        if (item.document, item.path) not in made:
            yield from _faults(meta, item, settings, whole=meta.kind in _WHOLE)


def misplaced_fields_of(item: Field, settings: Settings = _NEWEST) -> Iterator[Fault]:
    """The misplaced and misspelt fields of one whole object."""
    yield from _faults(read_meta(item), item, settings, whole=True)


def _faults(meta: Meta, item: Field, settings: Settings, *, whole: bool) -> Iterator[Fault]:
    groups: dict[tuple[str, str, str], list[Misplaced]] = {}
    for found in item.once(_misplaced):
        if (whole or found.meant) and not _taken(meta, item, found, settings):
            parents = [step for step in found.field.path[len(item.path) :] if isinstance(step, str)]
            key = (parents[-1], found.meant or found.belongs.rpartition(".")[0][-40:], ".".join(parents[-3:-1]))
            groups.setdefault(key if len(parents) > 3 else (*key[:2], ".".join(parents)), []).append(found)
    for first, *others in groups.values():
        fault = _fault(meta, item, first, settings)
        also = tuple(("the same fault", each.field.at) for each in others)
        edits = [_only(_fixes(item, each)) for each in (first, *others)]
        fixes = fault.fixes if not others else _together(edits)
        yield replace(fault, related=also, fixes=fixes)


def _only(fixes: Iterator[Fix]) -> Fix | None:
    return next(fixes, None)


def _together(fixes: Sequence[Fix | None]) -> tuple[Fix, ...]:
    """One fix for the same fault in several roles; none where one of them has none."""
    known = [each for each in fixes if each is not None]
    if len(known) != len(fixes):
        return ()
    edits = tuple(edit for each in known for edit in each.edits)
    return (replace(known[0], edits=edits),)


def _misplaced(item: Field) -> tuple[Misplaced, ...]:
    meta = read_meta(item)
    structure = structure_of(meta.api_version, meta.kind)
    return () if structure is None else tuple(structure.misplaced(item))


def _taken(meta: Meta, item: Field, found: Misplaced, settings: Settings) -> bool:
    """Whether the cluster takes the field all the same: the source of a claim in an older release, and whatever role of
    a TFJob (corrections 2).
    """
    if _is_claim_source(found):
        return _version(settings.kubernetes) < _CLAIMS_SINCE
    return meta.kind == "TFJob" and found.field.path[len(item.path) : -1] == ("spec", "tfReplicaSpecs")


def _is_claim_source(found: Misplaced) -> bool:
    path = found.field.path
    return path[-1] == "source" and path[-3:-2] == ("resourceClaims",) and found.field.mapping is not None


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.lstrip("v").split(".")[:2] if each.isdecimal()) or _CLAIMS_SINCE


def _fault(meta: Meta, item: Field, found: Misplaced, settings: Settings) -> Fault:
    path = ".".join(str(step) for step in found.field.path[len(item.path) :])
    key = str(found.field.path[-1])
    assumes: tuple[str, ...] = ()
    if _is_claim_source(found):
        inner = next(iter(found.field.mapping or {}), _TEMPLATE)
        hint = f"since Kubernetes 1.31 {inner} stands in the claim itself, and every pod is refused without it"
        remedy = f"move {inner} one level up, in place of source"
        if not settings.kubernetes_stated:
            assumes = (f"Kubernetes {settings.kubernetes}: nothing in Git states the cluster's version",)
    elif found.meant:
        hint, remedy = f"did you mean {found.meant}?", f"write {found.meant}"
    elif found.belongs:
        hint, remedy = f"it belongs in {found.belongs}", f"move it to {found.belongs}"
        if _grants(found):
            hint = f"containers have it ({found.belongs})"
            remedy = "remove it, or set it for the one container that needs it"
    elif found.version:
        hint, remedy = f"{meta.kind} of {found.version} has it", "remove it"
    elif found.opposite and found.field.value is False:
        hint, remedy = f"{found.opposite}: true says that", f"write {found.opposite}: true"
    elif found.opposite:
        hint, remedy = f"{found.opposite} is a field, and says the contrary", "remove it"
    else:
        hint, remedy = "no place nearby has one either", "remove it"
    return Fault(
        f"{path} is no field of {meta.kind} ({meta.api_version}), so it is refused or dropped: {hint}",
        found.field.at,
        remedy,
        evidence={"field": path, "instead": found.meant or found.belongs},
        cause=key,
        certainty=Certainty.LIKELY if assumes else Certainty.PROVEN,
        fixes=tuple(_fixes(item, found)),
        of_key=True,
        assumes=assumes,
    )


def _grants(found: Misplaced) -> bool:
    """Whether the field would give containers rights that they do not have as it is written now."""
    return found.field.path[-1] in {"privileged", "allowPrivilegeEscalation"} and found.field.value is not False


def _fixes(item: Field, found: Misplaced) -> Iterator[Fix]:
    """The right name, or the right place if its parents are not in a list of several."""
    at, key = found.field.at, str(found.field.path[-1])
    if _is_claim_source(found):
        inner = found.field.mapping or {}
        moved = tuple(Put(Location(at.file, at.document, (*at.path[:-1], name)), inner[name]) for name in inner)
        yield Fix("move what stands under source into the claim", (*moved, Remove(at)))
    elif found.meant:
        yield Fix(f"write {found.meant} for {key}", (Rename(at, found.meant),))
    elif found.belongs and not _grants(found):
        to = _within(item, tuple(found.belongs.split(".")), found.field.path[len(item.path) :])
        if to is not None:
            yield Fix(f"move {key} to {found.belongs}", (Move(at, (*at.path[: len(at.path) - len(to[1])], *to[0])),))


def _within(item: Field, belongs: Sequence[str], own: Path) -> tuple[Path, Path] | None:
    """The path of the right place in this object, and that of the wrong one; ``None`` where there are several.

    Where the way leads through a list, it is the element that holds the field, or the only one.
    """
    here, path = item, list[str | int]()
    for step in belongs:
        while isinstance(here.value, list):
            shared = tuple(path) == own[: len(path)] and len(own) > len(path)
            index = own[len(path)] if shared else 0
            if not isinstance(index, int) or (not shared and len(here.value) != 1):
                return None
            path.append(index)
            here = here[index]
        path.append(step)
        here = here[step]
    return (tuple(path), own) if not here.present else None
