"""What eight operators make of a manifest, object by object: how many records agree in full, and which cannot."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conformance.expansion import compare, disagreements, main, predict, read_records

DATA = Path(__file__).parent / "data" / "expansion"
RECORDS = {
    "job-statefulset": 159,
    "jobset": 156,
    "kuberay": 287,
    "leaderworkerset": 171,
    "mpijob-v2beta1": 148,
    "trainer-v2": 284,
    "training-operator-v1": 495,
    "volcano-job": 198,
}
_HASHED = "a hash of a generated name, which the recording shows and no reader of the manifest knows"
_NAMED = "the name of the object is refused by a real API server, and was not by the recording's"
APART = {
    "js-0160": _HASHED,
    "lws-0169": _HASHED,
    "tj-0266": _HASHED,
    "kf1-0246": "the operator goes through its roles in an order that is random: the other role came first",
    "kf1-0502": _NAMED,
    "vc-0200": _NAMED,
    "vc-0201": _NAMED,
}
"""The records that differ, and why."""
REJECTED = {
    "job-statefulset": 30,
    "jobset": 24,
    "kuberay": 28,
    "leaderworkerset": 25,
    "mpijob-v2beta1": 16,
    "trainer-v2": 41,
    "training-operator-v1": 60,
    "volcano-job": 29,
}
OTHER_WORDS = {
    "vc-0012": "without a spec the patch of the webhook that sets defaults fails, before the schema is asked",
}
"""The records that are refused by another, or at another field, than predicted."""


@pytest.mark.parametrize("name", RECORDS)
def test_every_record_agrees_in_full(name: str) -> None:
    comparison = compare([DATA / f"{name}.jsonl.gz"])
    assert comparison.records == RECORDS[name]
    assert set(comparison.wrong) == set(APART) & {each["id"] for each in read_records(DATA / f"{name}.jsonl.gz")}, (
        comparison.report()
    )


@pytest.mark.parametrize(("name", "rejected"), REJECTED.items())
def test_who_refuses_and_the_field_agree(name: str, rejected: int) -> None:
    records = [each for each in read_records(DATA / f"{name}.jsonl.gz") if "rejected" in each]
    assert len(records) == rejected
    for record in records:
        named = [{(each["by"], each["field"]) for each in kind["rejected"]} for kind in (record, predict(record))]
        assert bool(named[0] & named[1]) != (record["id"] in OTHER_WORDS), (record["id"], *named)


def test_a_prediction_never_looks_at_what_was_recorded() -> None:
    for name in RECORDS:
        for number, record in enumerate(read_records(DATA / f"{name}.jsonl.gz")):
            if number % 50 == 0:
                inputs = {key: record[key] for key in ("id", "input", "config") if key in record}
                assert predict(inputs) == predict(record)


def test_a_changed_label_value_and_service_are_noticed() -> None:
    record = next(read_records(DATA / "mpijob-v2beta1.jsonl.gz"))
    predicted = predict(record)
    assert disagreements(record, predicted) == []
    pods, services = record["output"]["pods"], record["output"]["services"]
    pods[0]["labels"]["new"] = "label"
    pods[1]["containers"][0]["env"][0]["value"] = "other"
    services[0]["selector"]["new"] = "label"
    assert len(disagreements(record, predicted)) == 3
    pods.append(pods[-1])
    assert len(disagreements(record, predicted)) == 4


def test_the_command_line_says_how_many_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(DATA / "job-statefulset.jsonl.gz")]) == 0
    assert "159 of 159 records agree" in capsys.readouterr().out
