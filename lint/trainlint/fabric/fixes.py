"""Proposals about settings and devices of ranks, not tried yet."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.finding import Append, Edit, Fix, Location, Put, Remove, Safety
from trainlint.launch.environment import Carrier, Variable
from trainlint.model.pod import Container, Volume
from trainlint.model.workload import PodSet

__all__ = ["drop", "rename", "request", "shared_memory", "together", "write"]

SHM = "/dev/shm"  # noqa: S108 (a path in the container)


def write(variable: Variable, value: str) -> tuple[Fix, ...]:
    """Another value for a variable of an ``env``, or of a ConfigMap that holds it under its name."""
    at = _entry(variable)
    place = None if at is None else at.child("value")
    if variable.origin is not None and variable.origin.path[-1:] == (variable.name,):
        place = variable.origin
    return () if place is None else (Fix(f"set {variable.name} to {value}", (Put(place, value),)),)


def rename(variable: Variable, name: str) -> tuple[Fix, ...]:
    """Another name."""
    at = _entry(variable)
    return () if at is None else (Fix(f"write {name} for {variable.name}", (Put(at.child("name"), name),)),)


def drop(variable: Variable) -> tuple[Fix, ...]:
    """The variable goes."""
    at = _entry(variable)
    return () if at is None else (Fix(f"remove {variable.name}", (Remove(at),)),)


def _entry(variable: Variable) -> Location | None:
    """Its entry in ``env``."""
    own = variable.carrier is Carrier.MANIFEST and variable.origin is None and "env" in variable.at.path[-2:]
    return variable.at if own and isinstance(variable.value, str) else None


def request(pod_set: PodSet, container: Container, resource: str, count: int) -> tuple[Fix, ...]:
    """A device in the limits of a container, and in its requests where these list others."""
    resources = container.resources_at
    if resources is None or count < 1:
        return ()
    edits: list[Edit] = [Put(resources.child("limits", resource), str(count))]
    if container.requests:
        edits.append(Put(resources.child("requests", resource), str(count)))
    return (Fix(f"request {count} {resource} in {container.name} of {pod_set.name}", tuple(edits)),)


def shared_memory(pod_set: PodSet, container: Container, volume: Volume | None) -> tuple[Fix, ...]:
    """A memory-backed /dev/shm: the volume that is mounted there, or a new one."""
    title = f"back {SHM} of {container.name} of {pod_set.name} by memory"
    if volume is not None:
        return () if volume.at is None else (Fix(title, (Put(volume.at.child("emptyDir", "medium"), "Memory"),)),)
    if container.at is None or pod_set.spec.at is None:
        return ()
    taken = {each.name for each in pod_set.spec.volumes}
    name = next(each for each in ("dshm", "shm", *(f"shm-{number}" for number in range(99))) if each not in taken)
    return (
        Fix(
            title,
            (
                Append(container.at.child("volumeMounts"), {"name": name, "mountPath": SHM}),
                Append(pod_set.spec.at.child("volumes"), {"name": name, "emptyDir": {"medium": "Memory"}}),
            ),
        ),
    )


def together(fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """The same fix of several roles as one: equal edits once, titles in a row."""
    found = list(fixes)
    edits: list[Edit] = []
    for fix in found:
        edits += [each for each in fix.edits if each not in edits]
    titles = dict.fromkeys(fix.title for fix in found)
    worst = max((fix.safety for fix in found), key=list(Safety).index, default=Safety.UNSAFE)
    return (Fix(" and ".join(titles), tuple(edits), worst),) if edits else ()
