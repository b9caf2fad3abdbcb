"""What the rule says of elastic ranges that contradict themselves: places, evidence and the numbers of the remedy."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.workload.manifests import read

from trainlint.finding import Location
from trainlint.workload.checks.elastic import (
    ElasticFault,
    EmptyRange,
    EtcdWithoutHost,
    MasterBesideRange,
    MinimumAboveMaximum,
    MinimumAboveParallelism,
    NoWorkerRole,
    TooFewWorkers,
    TooManyWorkers,
    TwoProcessCounts,
    UnknownBackend,
)
from trainlint_rules.workload.elastic_policy_invalid import finding_of

AT, THERE, BESIDE = (Location("a.yaml", 0, (step,)) for step in ("at", "there", "beside"))
(PODS,) = read(
    "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {template: {spec: {containers: [{name: c}]}}}}"
).pod_sets


@pytest.mark.parametrize(
    ("fault", "evidence", "remedy", "related"),
    [
        (EmptyRange(AT, holder="j", minimum=5, maximum=4, maximum_at=THERE), {"minReplicas": 5, "maxReplicas": 4},
         ["4", "5"], [THERE]),
        (MinimumAboveParallelism(AT, minimum=5, parallelism=4, parallelism_at=THERE),
         {"minimum": 5, "parallelism": 4}, ["4"], [THERE]),
        (MinimumAboveMaximum(AT, pod_set=PODS, minimum=5, maximum=4), {"minimum": 5, "maximum": 4}, ["4", "5"], []),
        (NoWorkerRole(AT, name="j"), {}, [], []),
        (TooFewWorkers(AT, name="j", minimum=5, workers=4, workers_at=THERE), {"minReplicas": 5, "replicas": 4},
         ["5", "4"], [THERE]),
        (TooManyWorkers(AT, name="j", maximum=4, workers=6, workers_at=THERE), {"maxReplicas": 4, "replicas": 6},
         ["4", "6"], [THERE]),
        (MasterBesideRange(AT, name="j", pods=5, maximum=4, master_at=THERE, workers_at=BESIDE),
         {"maxReplicas": 4, "pods": 5}, ["0"], [THERE, BESIDE]),
        (TwoProcessCounts(AT, name="j", other_at=THERE), {}, [], [THERE]),
        (EtcdWithoutHost(AT, name="j", backend="etcd"), {}, ["10"], []),
        (UnknownBackend(AT, name="j", backend="zeus"), {}, ["10"], []),
    ],
)  # fmt: skip
def test_a_finding_holds_the_numbers_that_contradict(
    fault: ElasticFault, evidence: dict[str, Any], remedy: list[str], related: list[Location]
) -> None:
    found = finding_of(fault)
    assert (dict(found.evidence), found.at) == (evidence, AT)
    assert re.findall(r"\d+", found.remedy) == remedy
    assert [each.at for each in found.related] == related
    assert all(str(number) in found.message for number in evidence.values() if number != 5 or "pods" not in evidence)


def test_pods_that_are_left_out_are_counted() -> None:
    (one, none) = (
        finding_of(MasterBesideRange(AT, name="j", pods=pods, maximum=4, master_at=THERE, workers_at=BESIDE)).message
        for pods in (6, 4)
    )
    assert "the rest (2)" in one
    assert "the rest" not in none
    many = finding_of(TooManyWorkers(AT, name="j", maximum=4, workers=6, workers_at=THERE)).message
    assert "the rest (2)" in many
