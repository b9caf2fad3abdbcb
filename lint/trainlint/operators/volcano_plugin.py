"""What every plugin of Volcano has, and tasks with the names of their pods (W 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from trainlint.operators.go_flags import parsed
from trainlint.operators.manifest import (
    Manifest,
    below,
    drop_empty,
    items,
    name_of,
    text,
)

__all__ = [
    "JOB",
    "NAMESPACE",
    "TASK",
    "VolcanoPlugin",
    "VolcanoTask",
    "domain_of",
    "domains_of",
    "env_entry",
    "open_port",
    "task_called",
]

JOB: Final = "volcano.sh/job-name"
NAMESPACE: Final = "volcano.sh/job-namespace"
TASK: Final = "volcano.sh/task-spec"


@dataclass(frozen=True)
class VolcanoTask:
    """A task of a Job: its name, how many pods it has, and the whole of it."""

    name: str
    replicas: int
    spec: Manifest


def domain_of(item: Manifest, task: VolcanoTask, number: int) -> str:
    """The name of a pod in DNS; a host name of the template is that of all pods."""
    pod = below(task.spec, "template", "spec")
    host = text(below(pod, "hostname")) or f"{name_of(item)}-{task.name}-{number}"
    return f"{host}.{text(below(pod, 'subdomain')) or name_of(item)}"


def domains_of(item: Manifest, task: VolcanoTask) -> list[str]:
    """The names of a task's pods in DNS, one where the template names a host."""
    named = text(below(task.spec, "template", "spec", "hostname")) != ""
    return [domain_of(item, task, number) for number in range(min(task.replicas, 1) if named else task.replicas)]


def task_called(tasks: Sequence[VolcanoTask], name: str) -> VolcanoTask | None:
    """The task of a name; ``None`` where there is none."""
    return next((each for each in tasks if each.name == name), None)


def open_port(container: Manifest, name: str, port: int) -> None:
    """Open a port, unless the number is open."""
    ports = items(container.get("ports"))
    if all(each.get("containerPort") != port for each in ports):
        container["ports"] = [*ports, {"name": name, "containerPort": port}]


def env_entry(name: str, value: Any) -> Manifest:
    """A variable with its value."""
    return drop_empty({"name": name, "value": str(value)})


@dataclass(frozen=True)
class TaskPod:
    """A pod of a task that is made: the Job and its tasks, the task, the pod's number in it, and its spec."""

    item: Manifest
    tasks: Sequence[VolcanoTask]
    task: VolcanoTask
    number: int
    pod: Manifest


class VolcanoPlugin:
    """A plugin that does nothing, with the flags that it knows and their defaults."""

    flags: ClassVar[Mapping[str, Any]] = {}

    def options(self, arguments: Any) -> dict[str, Any]:
        """The flags as the arguments set them."""
        return parsed(arguments if isinstance(arguments, list) else [], self.flags)

    def made(self, item: Manifest, tasks: Sequence[VolcanoTask], arguments: Any) -> Iterator[Manifest]:
        """The objects that it makes for a Job."""
        return iter(())

    def change(self, here: TaskPod, arguments: Any) -> None:
        """Change the spec of a pod of a task."""

    def head(self, arguments: Any, tasks: Sequence[VolcanoTask]) -> bool:
        """Whether the task that it cannot do without is there."""
        return True
