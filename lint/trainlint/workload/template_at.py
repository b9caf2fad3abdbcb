"""Where a kind has pod templates, and what its operator has to do with the pods (declared by each kind)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Path

__all__ = [
    "EACH_ITEM",
    "EACH_KEY",
    "ENDS",
    "MPI_VOLUMES",
    "RUNS_ON",
    "TemplateAt",
    "job_set_templates",
    "ray_templates",
    "steps",
]

EACH_KEY: Final = "{}"
"""A step of a path that stands for every key of a mapping."""
EACH_ITEM: Final = "[]"
"""A step of a path that stands for every element of a list."""
RUNS_ON: Final = ("Always",)
"""The restart policies of pods that keep running."""
ENDS: Final = ("OnFailure", "Never")
"""The restart policies of pods that end."""
MPI_VOLUMES: Final = frozenset({"ssh-auth", "mpi-job-config", "mpi-job-kubectl"})
"""What the operators of MPIJobs mount."""
_OF_KUBERAY: Final = frozenset({"gcs-storage", "log-volume", "ray-logs", "ray-tls", "ray-token", "shared-mem"})


@fact
class TemplateAt:
    """A path with ``EACH_KEY`` and ``EACH_ITEM`` in it, at which pod templates stand.

    ``role`` is their role: empty for the key, or for the field ``named_by`` of the element. ``restarts`` are the
    restart policies that the owner of the pods takes; empty where it sets one itself. ``defaults`` says that something
    sets a policy where none is written. ``maker`` is the kind of the object between. ``lent`` are the volumes that the
    operator adds (``None``: it is unknown which), and ``claims`` is the path of the names of others, which claim
    templates of the object give.
    """

    path: Path
    role: str = ""
    named_by: str = "name"
    restarts: tuple[str, ...] = ()
    defaults: bool = True
    maker: str = ""
    lent: frozenset[str] | None = frozenset()
    claims: Path = ()


def job_set_templates(at: Path, lent: frozenset[str] | None = frozenset(), claims: Path = ()) -> tuple[TemplateAt, ...]:
    """Those of the replicated jobs below a place."""
    path = (*at, "replicatedJobs", EACH_ITEM, "template", "spec", "template")
    return (TemplateAt(path, restarts=ENDS, maker="Job", lent=lent, claims=claims),)


def ray_templates(at: Path) -> tuple[TemplateAt, ...]:
    """Those of the head and the groups of workers of the Ray cluster at a place."""
    workers = (*at, "workerGroupSpecs", EACH_ITEM, "template")
    return (
        TemplateAt((*at, "headGroupSpec", "template"), "head", lent=_OF_KUBERAY),
        TemplateAt(workers, named_by="groupName", lent=_OF_KUBERAY),
    )


def steps(item: Any, pattern: Path, named_by: str = "name") -> Iterable[tuple[Path, str]]:
    """The paths in an object that a pattern stands for, each with the last key or name on its way."""
    found: list[tuple[Path, Any, str]] = [((), item, "")]
    for step in pattern:
        found = [(path, value, name) for here in found for path, value, name in _below(here, step, named_by)]
    return [(path, name) for path, _, name in found]


def _below(here: tuple[Path, Any, str], step: str | int, named_by: str) -> Iterable[tuple[Path, Any, str]]:
    path, value, name = here
    if step == EACH_KEY:
        entries: Mapping[str, Any] = value if isinstance(value, dict) else {}
        return [((*path, key), each, key) for key, each in entries.items()]
    if step == EACH_ITEM:
        items = value if isinstance(value, list) else []
        return [
            ((*path, number), each, _name(each, named_by))
            for number, each in enumerate(items)
            if isinstance(each, dict)
        ]
    return [((*path, step), value.get(step) if isinstance(value, dict) else None, name)]


def _name(element: Mapping[str, Any], named_by: str) -> str:
    found = element.get(named_by)
    return found if isinstance(found, str) else ""
