"""The whole public corpus of recorded verdicts about claims of devices, file by file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.dra import compare, devices_of, disagreements, main, predict
from tests.conformance.scheduling import read_records

DATA = Path(__file__).parent / "data" / "dra"
EXPECTED = {"cel": 536, "hand": 676, "random": 1093, "training": 636, "group-hand": 24, "group-random": 566}


def records(name: str) -> list[dict[str, Any]]:
    return [dict(each) for each in read_records(DATA / f"{name}.jsonl.gz")]


def recorded_devices(record: dict[str, Any]) -> dict[str, Any]:
    """What was recorded, without the amounts that are consumed, and without empty claims."""
    plain = {
        node: {
            claim: [[part for part in each if not isinstance(part, dict)] for each in results]
            for claim, results in claims.items()
        }
        for node, claims in record.get("allocations", {}).items()
    }
    return without_empty_claims(plain)


def without_empty_claims(found: dict[str, Any]) -> dict[str, Any]:
    filled = {node: {name: each for name, each in claims.items() if each} for node, claims in found.items()}
    return {node: claims for node, claims in filled.items() if claims}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_recorded_verdict_is_reproduced(name: str) -> None:
    comparison = compare(records(name))
    assert comparison.records == EXPECTED[name]
    assert comparison.complete, comparison.report()


def test_the_devices_that_are_picked_are_those_of_the_recording() -> None:
    wrong = []
    for name in ("cel", "hand", "random", "training"):
        for record in records(name):
            picked, recorded = without_empty_claims(devices_of(record)), recorded_devices(record)
            if picked != recorded:
                wrong.append((record["id"], picked, recorded))
    assert not wrong[:3]


def test_a_changed_verdict_is_noticed() -> None:
    record = next(each for each in read_records(DATA / "hand.jsonl.gz") if each["feasible"])
    node = record["feasible"][0]
    record["verdicts"]["DynamicResources"][node] = ["Error"]
    assert "DynamicResources" in disagreements(record, predict(record))


def test_the_earlier_version_is_compared_too() -> None:
    """A prediction without what 1.34.1 answers otherwise does not agree."""
    differing = [
        record
        for name in ("hand", "random")
        for record in records(name)
        if record.get("differs") and not record["differs"]["1.34"].get("varies")
    ]
    assert len(differing) == 407
    predicted = predict(differing[0])
    assert disagreements(differing[0], predicted) == {}
    del predicted["differs"]
    assert set(disagreements(differing[0], predicted)) <= {"1.34 DynamicResources", "1.34 feasible"}
    assert disagreements(differing[0], predicted)


def test_predict_prints_one_line_of_json_for_each_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = [records("hand")[0], records("group-hand")[0]]
    recorded = {"verdicts", "results", "feasible", "allocations", "differs"}
    inputs = [{key: value for key, value in each.items() if key not in recorded} for each in some]
    (tmp_path / "some.jsonl").write_text("\n".join(map(json.dumps, inputs)), encoding="utf-8")
    assert main([str(tmp_path / "some.jsonl"), "--predict"]) == 0
    pod, group = map(json.loads, capsys.readouterr().out.splitlines())
    assert (pod["id"], pod["feasible"]) == (some[0]["id"], some[0]["feasible"])
    assert set(group["results"]) == {"in_order", "any_order"}
