"""Fields that a kind does not have where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from trainlint.fact import fact
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.structure import Misplaced, Structure, structure_of
from trainlint.model.definition import Definition, has_field, says
from trainlint.model.settings import Settings
from trainlint.model.workload import Workloads
from trainlint.source.document import Field

__all__ = ["MisplacedField", "is_claim_source", "misplaced_fields", "misplaced_fields_of"]

_NEWEST: Final = Settings()
_CLAIMS_SINCE: Final = (1, 31)
"""The release of Kubernetes that has no resourceClaims[].source any more."""
_WHOLE = frozenset({"TrainingRuntime", "ClusterTrainingRuntime", "DisaggregatedSet"})
"""Kinds that are whole although their pods are those of other objects: of TrainJobs, of the set's roles."""


@fact
class MisplacedField:
    """A field that the kind of ``item`` does not have at its place; ``others`` are the same fault in other roles."""

    meta: Meta
    item: Field
    misplaced: Misplaced
    others: tuple[Misplaced, ...]

    @property
    def path(self) -> str:
        """The path of the field in its object, with dots."""
        return ".".join(str(step) for step in self.misplaced.field.path[len(self.item.path) :])


def misplaced_fields(
    workloads: Workloads, objects: Iterable[tuple[Meta, Field]], settings: Settings = _NEWEST
) -> Iterator[MisplacedField]:
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


def misplaced_fields_of(item: Field, settings: Settings = _NEWEST) -> Iterator[MisplacedField]:
    """The misplaced and misspelt fields of one whole object."""
    yield from _faults(read_meta(item), item, settings, whole=True)


def _faults(meta: Meta, item: Field, settings: Settings, *, whole: bool) -> Iterator[MisplacedField]:
    groups: dict[tuple[str, str, str], list[Misplaced]] = {}
    definition = settings.definitions.get((meta.api_group, meta.kind))
    for found in item.once(_misplaced if definition is None else _reader(definition)):
        if (whole or found.meant) and not _taken(meta, item, found, settings):
            parents = [step for step in found.field.path[len(item.path) :] if isinstance(step, str)]
            key = (parents[-1], found.meant or found.belongs.rpartition(".")[0][-40:], ".".join(parents[-3:-1]))
            groups.setdefault(key if len(parents) > 3 else (*key[:2], ".".join(parents)), []).append(found)
    for first, *others in groups.values():
        yield MisplacedField(meta, item, first, tuple(others))


def _misplaced(item: Field) -> tuple[Misplaced, ...]:
    meta = read_meta(item)
    structure = structure_of(meta.api_version, meta.kind)
    return () if structure is None else tuple(structure.misplaced(item))


@lru_cache(maxsize=256)
def _reader(definition: Definition) -> Callable[[Field], tuple[Misplaced, ...]]:
    """What finds the misplaced fields of an object whose CRD the repository holds: that counts where it says
    anything, and what is known of the kind elsewhere.
    """
    structures = {
        name: Structure(f"{definition.group}/{name}", definition.kind, version.tree)
        for name, version in definition.versions.items()
        if version.tree
    }

    def read(item: Field) -> tuple[Misplaced, ...]:
        meta, usual = read_meta(item), item.once(_misplaced)
        version = definition.version(meta.api_version)
        if version is None or version.name not in structures:
            return usual
        paths = [(each, each.field.path[len(item.path) :]) for each in usual]
        elsewhere = [each for each, path in paths if not (says(version, path) or has_field(version, path))]
        return (*structures[version.name].misplaced(item), *elsewhere)

    return read


def _taken(meta: Meta, item: Field, found: Misplaced, settings: Settings) -> bool:
    """Whether the cluster takes the field all the same: the source of a claim in an older release, and whatever role of
    a TFJob (corrections 2).
    """
    if is_claim_source(found):
        return _version(settings.kubernetes) < _CLAIMS_SINCE
    return meta.kind == "TFJob" and found.field.path[len(item.path) : -1] == ("spec", "tfReplicaSpecs")


def is_claim_source(found: Misplaced) -> bool:
    """Whether the field is ``source`` of a resource claim, which Kubernetes 1.31 dropped."""
    path = found.field.path
    return path[-1] == "source" and path[-3:-2] == ("resourceClaims",) and found.field.mapping is not None


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.lstrip("v").split(".")[:2] if each.isdecimal()) or _CLAIMS_SINCE
