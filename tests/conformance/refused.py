"""What the admission layer refuses of a record's objects, and of the objects that operators make of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from trainlint.admission.problem import Problem
from trainlint.admission.refusals import problems
from trainlint.admission.templates import templates
from trainlint.kube.meta import read_meta
from trainlint.model.settings import Settings
from trainlint.model.workload import Workload
from trainlint.operators.cluster import taken
from trainlint.operators.manifest import ANY, Manifest
from trainlint.operators.shipped_runtimes import shipped_runtime
from trainlint.source.document import Document, Field
from trainlint.wording.because import because_text
from trainlint.workload import read_workloads
from trainlint.workload.checks.containers import missing_main_containers, runtimes_without_container
from trainlint.workload.checks.elastic import elastic_faults
from trainlint.workload.checks.fields import misplaced_fields_of
from trainlint.workload.checks.names import long_names
from trainlint.workload.v1_table import V1_KINDS

KUBERNETES = "1.36"
CHECKED = ("Job", "JobSet", "Pod", "Service", "StatefulSet")


def fields(written: Sequence[Mapping[str, Any]]) -> list[Field]:
    """The objects, as if rendered: whole."""
    return [
        Document("x.yaml", index, 1, "", each, origin=lambda path: None).root  # type: ignore[arg-type, return-value]
        for index, each in enumerate(written)
    ]


def refusals(written: Sequence[Mapping[str, Any]]) -> list[Problem]:
    """Why objects are refused; not what is taken and has no pods."""
    found: list[Problem] = []
    items = fields(written)
    runtimes = {each.down("metadata", "name").value: each.value for each in items if "Runtime" in read_meta(each).kind}
    for item in items:
        name = item.down("spec", "runtimeRef", "name").value
        runtime = runtimes.get(name)
        if runtime is None and read_meta(item).kind == "TrainJob" and isinstance(name, str):
            runtime = shipped_runtime(name)
        found += problems(item, KUBERNETES, runtime)
    return [each for each in found if "Kueue" not in each.by and not each.unmade and not _later(each, items)]


def _later(problem: Problem, items: list[Field]) -> bool:
    """Whether the object is taken, and what an operator makes of it is refused."""
    groups = {read_meta(each).api_group for each in items}
    return bool(problem.what) and not groups & {"", "apps", "batch"}


def without_pods(item: Field) -> bool:
    """Whether an object lists no pods where its kind must; the layer takes it for a patch."""
    meta = read_meta(item)
    if meta.kind not in {*V1_KINDS, "LeaderWorkerSet"} and meta.api_group != "batch.volcano.sh":
        return False
    if meta.api_version == "kubeflow.org/v1" and meta.kind != "MPIJob":
        return item.down("spec", V1_KINDS[meta.kind].roles_at).mapping is None  # no roles at all are none to be made
    return not list(templates(meta, item.value))


def roles_unknown(item: Field) -> bool:
    """Whether a role has a name that its kind does not know, or spells otherwise; the operator of TFJobs takes both."""
    kind = read_meta(item).kind
    if kind not in V1_KINDS or kind == "TFJob" or read_meta(item).api_version != "kubeflow.org/v1":
        return False
    return any(
        each.path.startswith(f"spec.{V1_KINDS[kind].roles_at}.") and each.path.count(".") == 2
        for each in misplaced_fields_of(item)
    )


def other_rules(written: Sequence[Mapping[str, Any]]) -> list[Manifest]:
    """What rules with a name of their own say about objects that are refused."""
    items = fields(written)
    workloads = read_workloads(items, Settings())
    found: list[Manifest] = []
    for each in workloads.objects:
        if not _unchecked(each):
            found += [{"by": "generated-name-too-long", "field": "metadata.name"} for _ in long_names(each)]
        found += [{"by": "unexpected-container-name", "field": ""} for _ in missing_main_containers(each)]
        found += [{"by": "elastic-policy-invalid", "field": ""} for fault in elastic_faults(each) if fault.refused]
    for item in items:
        found += [{"by": "schema", "field": "spec"}] if without_pods(item) else []
        found += [{"by": "misplaced-field", "field": "spec"}] if roles_unknown(item) else []
        found += [{"by": "unexpected-container-name", "field": ""} for _ in runtimes_without_container(item)]
    return found


def _unchecked(workload: Workload) -> bool:
    """Whether no webhook looks at the names that the operator makes: then the API server refuses what it makes."""
    version = read_meta(workload.field).api_version
    return version in {"kubeflow.org/v1", "leaderworkerset.x-k8s.io/v1"}


def refused(written: Sequence[Mapping[str, Any]]) -> list[Manifest]:
    """Who refuses the objects, and the field; empty where all of them are taken."""
    found = [
        {"by": each.by, "field": ".".join(map(str, each.at)), "why": because_text(each.why)}
        for each in refusals(written)
    ]
    return found or other_rules(written)


def takes(item: Manifest) -> bool:
    """Whether the API server takes an object that an operator makes."""
    if not taken(item):
        return False
    if item["kind"] not in CHECKED:
        return True
    plain = json.loads(json.dumps(item).replace(ANY, "x"))
    return not refusals([plain])
