"""Containers that an operator looks for by name and that are not there (W 2, 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.finding import Fix, Location, Put, Safety
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.workload import Workload
from trainlint.source.document import Field
from trainlint.workload.checks.fault import Fault
from trainlint.workload.kinds import kind_of
from trainlint.workload.written import template_of

__all__ = ["missing_main_containers", "runtimes_without_container"]

_STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
_CONTAINERS: Final = {
    "trainer": "node",
    "dataset-initializer": "dataset-initializer",
    "model-initializer": "model-initializer",
}


def missing_main_containers(workload: Workload) -> Iterator[Fault]:
    """The roles of a v1 job without the container that its operator works on; MPIJob takes the first (W 2)."""
    kind = kind_of(workload)
    if kind is None or not kind.main_container:
        return
    found = [
        (pods.role, list(template_of(workload, pods).down("spec", "containers").elements()))
        for pods in workload.pod_sets
    ]
    yield from _fault(
        workload.owner.kind,
        kind.main_container,
        [(role, there) for role, there in found if there and _lacks(there, kind.main_container)],
    )


def runtimes_without_container(runtime: Field) -> Iterator[Fault]:
    """The jobs of a TrainingRuntime that do one of its steps without the container that the step needs (W 4)."""
    for job in runtime.down("spec", "template", "spec", "replicatedJobs").elements():
        step = read_text(job.down("template", "metadata", "labels")[_STEP])
        containers = list(job.down("template", "spec", "template", "spec", "containers").elements())
        wanted = _CONTAINERS.get(step)
        if wanted and containers and _lacks(containers, wanted):
            yield from _fault(f"the step {step} of a training runtime", wanted, [(read_text(job["name"]), containers)])


def _lacks(containers: Sequence[Field], name: str) -> bool:
    names = [read_text(each["name"]) for each in containers]
    return name not in names and not any(is_placeholder(each) for each in names)


def _fault(kind: str, name: str, roles: Sequence[tuple[str, Sequence[Field]]]) -> Iterator[Fault]:
    if not roles:
        return
    (role, containers), *others = roles
    there = ", ".join(read_text(each["name"]) or "one without a name" for each in containers)
    yield Fault(
        f"the operator of {kind} works on a container called {name}, and {role} has only {there}: the object is "
        "refused",
        _list(containers),
        f"call the container that trains {name}",
        tuple((f"has none either ({other})", _list(there)) for other, there in others),
        {"role": role, "containers": there, "needed": name},
        name,
        fixes=_renamed(name, roles),
    )


def _renamed(name: str, roles: Sequence[tuple[str, Sequence[Field]]]) -> tuple[Fix, ...]:
    """The only container of each role gets the name: as it is now, the object is refused."""
    if any(len(containers) != 1 for _, containers in roles):
        return ()
    edits = tuple(Put(containers[0]["name"].at, name) for _, containers in roles)
    return (Fix(f"call the container {name} ({', '.join(role for role, _ in roles)})", edits, Safety.SAFE),)


def _list(containers: Sequence[Field]) -> Location:
    """The list that the containers stand in."""
    first = containers[0].at
    return Location(first.file, first.document, first.path[:-1])
