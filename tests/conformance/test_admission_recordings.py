"""What operators take is never called refused, and what they refuse is; see data/admission/README.md."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from trainlint.admission.ground import RefusedPart
from trainlint.admission.kinds.ray import KUEUE
from trainlint.admission.problem import Problem
from trainlint.admission.refusals import problems
from trainlint.kube.meta import read_meta
from trainlint.model.because import Because
from trainlint.model.settings import Settings
from trainlint.operators.shipped_runtimes import shipped_runtime
from trainlint.source.document import Document, Field
from trainlint.wording.because import because_text
from trainlint.workload import read_workloads
from trainlint.workload.checks.containers import missing_main_containers, runtimes_without_container
from trainlint.workload.checks.elastic import elastic_faults
from trainlint.workload.checks.fields import misplaced_fields_of
from trainlint.workload.checks.names import long_names

DATA = Path(__file__).parent / "data" / "admission"
FILES = sorted(DATA.glob("*.jsonl.gz"))

ELSEWHERE = {
    "js-0128": "a feature gate that is off by default",
    "k8s-0146": "a generated name that is too long: how it is cut is unknown",
    "kf1-0015": "an object without pods is as good as a patch",
    "kf1-0103": "an object without pods is as good as a patch",
    "lws-0180": "an object without pods is as good as a patch",
    "mpi-0012": "an object without pods is as good as a patch",
    "ray-0222": "a feature gate that is off by default",
    "tj-0320": "the rule dangling-reference: a priority class",
    "tj-0391": "the rule dangling-reference: a runtime",
    "tj-0392": "the rule dangling-reference: a runtime",
    "tj-0395": "the rule dangling-reference: a runtime",
    "tj-0397": "the rule dangling-reference: a runtime",
    "vc-0012": "an object without pods is as good as a patch",
    "vc-0165": "the rule gang-exceeds-pods",
    "vc-0173": "the rule queue-never-admits",
    "vc-0174": "the rule queue-never-admits",
    "vc-0175": "the rule queue-never-admits",
}
"""Refusals that this layer leaves to another rule, or that the manifest does not tell."""


def records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def fields(record: dict[str, Any]) -> list[Field]:
    """The objects, as if rendered: whole."""
    written = record["input"] if isinstance(record["input"], list) else [record["input"]]
    return [
        Document("x.yaml", index, 1, "", each, origin=lambda path: None).root  # type: ignore[arg-type, return-value]
        for index, each in enumerate(written)
    ]


def found(record: dict[str, Any]) -> list[Problem]:
    """What is refused, apart from what Kueue refuses, which did not run."""
    items = fields(record)
    runtimes = {each.down("metadata", "name").value: each.value for each in items if "Runtime" in read_meta(each).kind}
    every: list[Problem] = []
    for item in items:
        name = item.down("spec", "runtimeRef", "name").value
        runtime = runtimes.get(name)
        if runtime is None and read_meta(item).kind == "TrainJob" and isinstance(name, str):
            runtime = shipped_runtime(name)
        every += problems(item, "1.36", runtime)
    return [each for each in every if each.by != KUEUE]


def other_rules(record: dict[str, Any]) -> bool:
    """Whether a rule with a name of its own says it."""
    items = fields(record)
    workloads = read_workloads(items, Settings())
    return (
        any(next(long_names(each), None) is not None for each in workloads.objects)
        or any(next(missing_main_containers(each), None) is not None for each in workloads.objects)
        or any(fault.refused for each in workloads.objects for fault in elastic_faults(each))
        or any(next(misplaced_fields_of(each), None) is not None for each in items)
        or any(next(runtimes_without_container(each), None) is not None for each in items)
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(".jsonl.gz"))
def test_what_is_taken_is_never_called_refused(path: Path) -> None:
    for record in records(path):
        if "rejected" in record or record.get("child_rejected"):
            continue
        refused = [each for each in found(record) if not (_leaves_no_pods(each) and _lacks_pods(record))]
        assert not refused, (record["id"], [(each.by, because_text(each.why)) for each in refused])


def _leaves_no_pods(problem: Problem) -> bool:
    return problem.unmade or problem.what == Because(RefusedPart.EVERY_POD)


def _lacks_pods(record: dict[str, Any]) -> bool:
    """Whether fewer pods came to be than the object asks for, although it was taken."""
    if record.get("note") or record.get("errors"):
        return True
    asked = sum(
        each.replicas * each.instances
        for each in read_workloads(fields(record), Settings()).pod_sets
        if isinstance(each.replicas, int) and isinstance(each.instances, int)
    )
    return _made()[record["id"]] < asked


@cache
def _made() -> dict[str, int]:
    """How many pods came of each record, by its id: the recordings of pods are of the same objects."""
    paths = sorted((DATA.parent / "expansion").glob("*.jsonl.gz"))
    return {each["id"]: len(each["output"]["pods"]) for path in paths for each in records(path) if "output" in each}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(".jsonl.gz"))
def test_what_is_refused_is_said_by_this_layer_or_by_a_rule_with_a_name_of_its_own(path: Path) -> None:
    for record in records(path):
        if "rejected" in record:
            said = bool(found(record)) or other_rules(record)
            assert said == (record["id"] not in ELSEWHERE), (record["id"], record["rejected"])


def test_the_recordings_are_there() -> None:
    assert len(FILES) == 8
    assert sum("rejected" in record for path in FILES for record in records(path)) == 253
