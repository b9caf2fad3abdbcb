"""Containers that an operator looks for by name and that are not there (W 2, 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.workload import Workload
from trainlint.source.document import Field
from trainlint.workload.kinds import kind_of
from trainlint.workload.pod_manifest import template_of

__all__ = ["MissingContainer", "RoleContainers", "missing_main_containers", "runtimes_without_container"]

_STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
_CONTAINERS: Final = {
    "trainer": "node",
    "dataset-initializer": "dataset-initializer",
    "model-initializer": "model-initializer",
}


@fact
class RoleContainers:
    """A role and the containers that it has, at least one."""

    role: str
    containers: tuple[Field, ...]

    @property
    def at(self) -> Location:
        """The list that the containers stand in."""
        first = self.containers[0].at
        return Location(first.file, first.document, first.path[:-1])


@fact
class MissingContainer:
    """Roles of one object without the container ``name``, which the operator of a kind works on.

    ``step`` is the step of a training runtime that needs it; empty for jobs.
    """

    kind: str
    step: str
    name: str
    roles: tuple[RoleContainers, ...]


def missing_main_containers(workload: Workload) -> Iterator[MissingContainer]:
    """The roles of a v1 job without the container that its operator works on, as one fault; MPIJob takes the first
    container, whatever its name is (W 2).
    """
    kind = kind_of(workload)
    if kind is None or not kind.main_container:
        return
    found = [
        RoleContainers(pods.role, tuple(template_of(workload, pods).down("spec", "containers").elements()))
        for pods in workload.pod_sets
    ]
    lacking = tuple(each for each in found if each.containers and _lacks(each.containers, kind.main_container))
    if lacking:
        yield MissingContainer(workload.owner.kind, "", kind.main_container, lacking)


def runtimes_without_container(runtime: Field) -> Iterator[MissingContainer]:
    """The jobs of a TrainingRuntime that do one of its steps without the container that the step needs (W 4)."""
    for job in runtime.down("spec", "template", "spec", "replicatedJobs").elements():
        step = read_text(job.down("template", "metadata", "labels")[_STEP])
        containers = tuple(job.down("template", "spec", "template", "spec", "containers").elements())
        wanted = _CONTAINERS.get(step)
        if wanted and containers and _lacks(containers, wanted):
            yield MissingContainer("", step, wanted, (RoleContainers(read_text(job["name"]), containers),))


def _lacks(containers: Sequence[Field], name: str) -> bool:
    names = [read_text(each["name"]) for each in containers]
    return name not in names and not any(is_placeholder(each) for each in names)
