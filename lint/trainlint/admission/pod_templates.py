"""Where the pod templates of each kind stand, and what its operator adds before a pod is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.plain_values import below, mapping, text
from trainlint.fact import fact
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.workload.kinds import workload_kind
from trainlint.workload.template_at import job_set_templates, steps
from trainlint.workload.volcano import VOLCANO_TASKS

__all__ = ["PodTemplate", "templates"]

_OTHERS: Final = {
    ("batch.volcano.sh", "JobTemplate"): VOLCANO_TASKS,
    ("trainer.kubeflow.org", "ClusterTrainingRuntime"): job_set_templates(("spec", "template", "spec"), None),
    ("trainer.kubeflow.org", "TrainingRuntime"): job_set_templates(("spec", "template", "spec"), None),
}
"""Kinds with pod templates that make no pods by themselves."""


@fact
class PodTemplate:
    """A pod template: its path in the object, its role, and who else has a part in it.

    ``restarts`` are the restart policies that the owner of the pods takes; empty where it sets one itself.
    ``defaults`` says that something sets a policy where none is written. ``maker`` is the object between ("Job"), which
    is what the API server refuses. ``lent`` are the volumes that the operator adds; ``None``: it is unknown which.
    """

    path: Path
    role: str
    spec: Mapping[str, Any]
    metadata: Mapping[str, Any]
    restarts: tuple[str, ...] = ()
    defaults: bool = True
    maker: str = ""
    lent: frozenset[str] | None = frozenset()
    bare: bool = False


def templates(meta: Meta, item: Any) -> Iterator[PodTemplate]:
    """The pod templates of an object that list containers, if only none."""
    for found in _templates(meta, item):
        if isinstance(found.spec.get("containers"), list):
            yield found


def _templates(meta: Meta, item: Any) -> Iterator[PodTemplate]:
    kind = workload_kind(meta.api_version, meta.kind)
    places = _OTHERS.get((meta.api_group, meta.kind), ()) if kind is None else kind.templates
    for place in places:
        lent = place.lent
        if lent is not None and place.claims:
            lent |= {text(below(item, *path)) for path, _ in steps(item, place.claims)}
        for path, name in steps(item, place.path, place.named_by):
            found = mapping(below(item, *path))
            spec, metadata = mapping(found.get("spec")), mapping(found.get("metadata"))
            role, restarts = place.role or name, place.restarts
            yield PodTemplate(path, role, spec, metadata, restarts, place.defaults, place.maker, lent, bare=not path)
