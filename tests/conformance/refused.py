"""What the admission layer refuses of a record's objects, and of the objects that operators make of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.conformance.refusal_words import SCHEMA, entry, owner, spelled

from trainlint.admission.kinds.ray import KUEUE
from trainlint.admission.pod_templates import templates
from trainlint.admission.problem import API_SERVER, Problem
from trainlint.admission.refusals import problems
from trainlint.kube.meta import Meta, read_meta
from trainlint.model.settings import Settings
from trainlint.model.workload import Workload
from trainlint.operators.cluster import taken
from trainlint.operators.manifest import ANY, Manifest, mapping, name_of
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
_LISTLESS = {
    "kubeflow.org/v2beta1": ("controller", "spec.mpiReplicaSpecs[Launcher]"),
    "leaderworkerset.x-k8s.io/v1": (SCHEMA, "spec.leaderWorkerTemplate.workerTemplate.spec.containers"),
}
"""By API version: who refuses an object that lists no pods, and the field."""
CHECKED = ("Job", "JobSet", "Pod", "Service", "StatefulSet")


def fields(written: Sequence[Mapping[str, Any]]) -> list[Field]:
    """The objects, as if rendered: whole."""
    return [
        Document("x.yaml", index, 1, "", each, origin=lambda path: None).root  # type: ignore[arg-type, return-value]
        for index, each in enumerate(written)
    ]


def refusals(written: Sequence[Mapping[str, Any]]) -> list[tuple[Problem, Field]]:
    """Why objects are refused, with the object; not what is taken and has no pods."""
    found: list[tuple[Problem, Field]] = []
    items = fields(written)
    runtimes = {each.down("metadata", "name").value: each.value for each in items if "Runtime" in read_meta(each).kind}
    for item in items:
        name = item.down("spec", "runtimeRef", "name").value
        runtime = runtimes.get(name)
        if runtime is None and read_meta(item).kind == "TrainJob" and isinstance(name, str):
            runtime = shipped_runtime(name)
        found += ((each, item) for each in problems(item, KUBERNETES, runtime))
    return [(each, item) for each, item in found if each.by != KUEUE and not each.unmade and not _later(each, items)]


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


def roles_unknown(item: Field) -> list[str]:
    """The roles that a kind does not know, or spells otherwise; the operator of TFJobs takes both."""
    meta = read_meta(item)
    if meta.kind not in V1_KINDS or meta.kind == "TFJob" or meta.api_version != "kubeflow.org/v1":
        return []
    at = f"spec.{V1_KINDS[meta.kind].roles_at}."
    found = [each.path.removeprefix(at) for each in misplaced_fields_of(item) if each.path.startswith(at)]
    return [f"{at[:-1]}[{role}]" for role in found if "." not in role]


def other_rules(written: Sequence[Mapping[str, Any]]) -> list[Manifest]:
    """What rules with a name of their own say about objects that are refused."""
    items = fields(written)
    found: list[Manifest] = []
    for each in read_workloads(items, Settings()).objects:
        meta = read_meta(each.field)
        at = [] if _unchecked(each) else ["metadata.name" for _ in long_names(each)]
        at += [spelled(role.at.path) for fault in missing_main_containers(each) for role in fault.roles]
        at += [spelled(fault.at.path) for fault in elastic_faults(each) if fault.refused]
        found += [entry(meta, owner(meta), field) for field in at]
    for item in items:
        meta = read_meta(item)
        found += [entry(meta, *_LISTLESS.get(meta.api_version, _roleless(meta)))] if without_pods(item) else []
        found += [entry(meta, owner(meta), field) for field in roles_unknown(item)]
        lacking = [role for fault in runtimes_without_container(item) for role in fault.roles]
        found += [entry(meta, owner(meta), spelled(role.at.path)) for role in lacking]
    return found


def _roleless(meta: Meta) -> tuple[str, str]:
    kind = V1_KINDS.get(meta.kind)
    return (SCHEMA, "spec") if kind is None else (owner(meta), f"spec.{kind.roles_at}")


def _unchecked(workload: Workload) -> bool:
    """Whether no webhook looks at the names that the operator makes: then the API server refuses what it makes."""
    version = read_meta(workload.field).api_version
    return version in {"kubeflow.org/v1", "leaderworkerset.x-k8s.io/v1"}


def refused(written: Sequence[Mapping[str, Any]]) -> list[Manifest]:
    """Who refuses the objects, and the field, in the words of the recordings; empty where all of them are taken."""
    named = [_named(each) for each in written]
    found = [_entry(problem, item) for problem, item in refusals(named)]
    return found or other_rules(named)


def _named(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object with the name that the API server generates, with ``x`` for its random characters."""
    metadata = mapping(item.get("metadata"))
    if not metadata.get("generateName") or metadata.get("name"):
        return item
    return {**item, "metadata": {**metadata, "name": name_of(dict(item)).replace(ANY, "x" * 5)}}


def _entry(problem: Problem, item: Field) -> Manifest:
    """A refusal of the admission layer."""
    meta = read_meta(item)
    at = spelled((*problem.at, problem.lacks) if problem.lacks else problem.at)
    by = owner(meta)
    looks = problem.cause == "containers" or (meta.api_version == "kubeflow.org/v1" and problem.lacks == "image")
    if problem.by == API_SERVER and by != "validation" and not looks and not _names(meta, at):
        by = SCHEMA
    return entry(meta, by, at, because_text(problem.why))


def _names(meta: Meta, at: str) -> bool:
    """Whether an operator looks at the name of its object itself."""
    return meta.api_group == "kubeflow.org" and at == "metadata.name"


def takes(item: Manifest) -> bool:
    """Whether the API server takes an object that an operator makes."""
    if not taken(item):
        return False
    if item["kind"] not in CHECKED:
        return True
    plain = json.loads(json.dumps(item).replace(ANY, "x"))
    return not refusals([plain])
