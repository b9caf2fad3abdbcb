"""The whole public corpus of recorded answers of NCCL and Gloo, file by file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conformance.fabric import compare, disagreements, main, predict, read_records

DATA = Path(__file__).parent / "data" / "fabric"
EXPECTED = {"ifname": 6540, "numbers": 3479}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_recorded_answer_is_reproduced(name: str) -> None:
    comparison = compare([DATA / f"{name}.jsonl.gz"])
    assert comparison.records == EXPECTED[name]
    assert comparison.complete, comparison.report()


def test_a_prediction_never_looks_at_what_was_recorded() -> None:
    for name in EXPECTED:
        for number, record in enumerate(read_records(DATA / f"{name}.jsonl.gz")):
            if number % 50 == 0:
                inputs = {key: value for key, value in record.items() if key != "result"}
                assert predict(inputs) == predict(record)


def test_a_changed_answer_is_noticed() -> None:
    record = next(each for each in read_records(DATA / "ifname.jsonl.gz") if "selected" in each["result"])
    record["result"]["selected"] = ["changed0"]
    assert "selected" in disagreements(record, predict(record))
    number = next(iter(read_records(DATA / "numbers.jsonl.gz")))
    number["result"]["message"] = "changed"
    assert disagreements(number, predict(number)) == {"message": "recorded 'changed', predicted 'set'"}


def test_predict_prints_one_line_of_json_for_each_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [next(iter(read_records(DATA / f"{name}.jsonl.gz"))) for name in EXPECTED]
    (tmp_path / "some.jsonl").write_text("\n".join(json.dumps(each) for each in records), encoding="utf-8")
    assert main([str(tmp_path / "some.jsonl"), "--predict"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == {"id": records[0]["id"], "result": {"selected": records[0]["result"]["selected"]}}
    assert set(second) == {"id", "result"}
    assert set(second["result"]) == {"value", "message"}
