"""A refusal in the words of the recordings: who refuses, and the field as upstream spells it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from trainlint.kube.meta import Meta

SCHEMA: Final = "schema"
_SPELLED: Final[Mapping[str, Mapping[str, str]]] = {
    "apps": {r"spec\.selector\.matchLabels\..*": "spec.template.metadata.labels"},
    "leaderworkerset.x-k8s.io": {
        r"spec\.leaderWorkerTemplate\.subGroupPolicy\.subGroupSize": (
            "spec.leaderWorkerTemplate.SubGroupPolicy.subGroupSize"
        ),
    },
    "jobset.x-k8s.io": {
        r"metadata\.name": "spec.replicatedJobs[0].name",
        r"spec\.(coordinator|failurePolicy|replicatedJobs\[\d+\]\.dependsOn)\b.*": "",
    },
    "trainer.kubeflow.org": {
        r"spec\.runtimeRef": "spec.RuntimeRef",
        r"spec\.trainer\.env\[.*": "spec.trainer.env",
        r"spec\.runtimePatches\[.*": "spec.runtimePatches",
        r"spec\.initializer\.(dataset|model)": "spec.runtimeRef",
    },
}
"""By API group: where upstream names another field than where the fault is, or none."""
_NAMES: Final = {"jobset.x-k8s.io": ("webhook", "metadata.name"), "trainer.kubeflow.org": (SCHEMA, "")}
"""By API group: who refuses a name, and the field."""
_WORDLESS: Final = {("ray.io", "controller"), ("kubeflow.org/v1", "controller"), ("batch.volcano.sh", "webhook")}
"""Who names no field at all."""


def owner(meta: Meta) -> str:
    """Who looks at objects of a kind: its webhook, its controller, or the API server."""
    if meta.api_group in {"", "apps", "batch"}:
        return "validation"
    mpi = meta.api_group == "kubeflow.org" and meta.kind == "MPIJob"
    return "controller" if mpi or meta.api_group == "ray.io" else "webhook"


def entry(meta: Meta, by: str, field: str, why: str = "") -> dict[str, Any]:
    """A refusal of an object of a kind."""
    if field == "metadata.name":
        by, field = _NAMES.get(meta.api_group, (by, field))
    for written, upstream in _SPELLED.get(meta.api_group, {}).items() if by != SCHEMA else ():
        field = re.sub(rf"^{written}$", upstream, field)
    silent = {(meta.api_group, by), (meta.api_version, by)} & _WORDLESS
    kind = f" {meta.kind}" if meta.api_group == "trainer.kubeflow.org" else ""
    return {"by": f"{by}{kind}", "field": "" if silent else field, **({"why": why} if why else {})}


def spelled(at: Sequence[str | int]) -> str:
    """A path as operators write it: indices, labels and the names of roles in brackets."""
    found = ""
    before: str | int = ""
    for step in at:
        bracketed = isinstance(step, int) or before == "labels" or str(before).endswith("ReplicaSpecs")
        found += f"[{step}]" if bracketed else f".{step}"
        before = step
    return found.removeprefix(".")
