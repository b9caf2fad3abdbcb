"""The pod sets that are read of a manifest, against the pods that eight operators make, file by file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conformance.pod_sets import compare, disagreements, predict, read_records

DATA = Path(__file__).parent / "data" / "expansion"
AGREE = {
    "job-statefulset": (124, 124),
    "jobset": (112, 108),
    "kuberay": (200, 200),
    "leaderworkerset": (116, 116),
    "mpijob-v2beta1": (107, 107),
    "trainer-v2": (237, 237),
    "training-operator-v1": (356, 356),
    "volcano-job": (159, 159),
}
"""The number of records that are compared, and of those that agree.

Four of JobSet go to nodes that were labelled for each of their Jobs beforehand (annotation node-selector: js-0070,
js-0073, js-0090, js-0093). Each Job has a selector of its own there, which a set of equal pods cannot say.
"""


@pytest.mark.parametrize("name", AGREE)
def test_no_agreement_is_lost(name: str) -> None:
    comparison = compare([DATA / f"{name}.jsonl.gz"])
    assert (comparison.records, comparison.agreed) == AGREE[name], comparison.report()


def test_a_prediction_never_looks_at_what_was_recorded() -> None:
    for name in AGREE:
        for number, record in enumerate(read_records(DATA / f"{name}.jsonl.gz")):
            if number % 50 == 0:
                inputs = {key: value for key, value in record.items() if key != "output"}
                assert predict(inputs) == predict(record)


def test_a_changed_label_count_and_service_are_noticed() -> None:
    record = next(read_records(DATA / "mpijob-v2beta1.jsonl.gz"))
    predicted = predict(record)
    assert disagreements(record, predicted) == {}
    record["output"]["pods"][0]["labels"]["new"] = "label"
    record["output"]["services"][0]["selector"]["new"] = "label"
    record["output"]["pods"].append(record["output"]["pods"][-1])
    assert len(disagreements(record, predicted)) == 3
