"""The manifest behind a pod set."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Location
from trainlint.model.workload import PodSet, Workload
from trainlint.source.document import Field

__all__ = ["containers_of", "field_at", "template_of"]


def field_at(workload: Workload, at: Location) -> Field:
    """The field of the object that stands at a place in it; paths inside a wrapped object continue its own."""
    return workload.field.down(*at.path[len(workload.field.path) :])


def template_of(workload: Workload, pods: PodSet) -> Field:
    """The pod template of a pod set as it is written; a TrainJob has none, its trainer section stands for it."""
    return field_at(workload, pods.template)


def containers_of(workload: Workload, pods: PodSet) -> Iterator[Field]:
    """The containers of a pod set as they are written."""
    yield from template_of(workload, pods).down("spec", "containers").elements()
