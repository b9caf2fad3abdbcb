"""The whole public corpus of recorded scheduling verdicts, file by file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conformance.scheduling import compare, disagreements, main, predict, read_records

RECORDINGS = sorted((Path(__file__).parent / "data" / "scheduling").glob("*.jsonl.gz"))
EXPECTED = {
    "filter-fit": 2600,
    "filter-hand": 2737,
    "filter-random": 8500,
    "filter-training": 4145,
    "filter-volume": 1054,
    "group-hand": 55,
    "group-random": 4200,
}


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_every_recorded_verdict_is_reproduced(path: Path) -> None:
    comparison = compare([path])
    assert comparison.records == EXPECTED[path.name.removesuffix(".jsonl.gz")]
    assert comparison.complete, comparison.report()


def test_no_recording_is_missing() -> None:
    assert {path.name.removesuffix(".jsonl.gz") for path in RECORDINGS} == set(EXPECTED)


def test_a_changed_verdict_is_noticed() -> None:
    record = next(each for each in read_records(RECORDINGS[1]) if each["feasible"])
    node = record["feasible"][0]
    record["verdicts"]["TaintToleration"][node] = ["UnschedulableAndUnresolvable", "changed"]
    assert "TaintToleration" in disagreements(record, predict(record))


def test_predict_prints_one_line_of_json_for_each_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [next(iter(read_records(path))) for path in (RECORDINGS[0], RECORDINGS[-1])]
    inputs = [{key: value for key, value in each.items() if key not in ("verdicts", "results")} for each in records]
    (tmp_path / "some.jsonl").write_text("\n".join(json.dumps(each) for each in inputs), encoding="utf-8")
    assert main([str(tmp_path / "some.jsonl"), "--predict"]) == 0
    filters, group = map(json.loads, capsys.readouterr().out.splitlines())
    assert filters["id"] == records[0]["id"]
    assert filters["feasible"] == records[0]["feasible"]
    assert group["results"]["any_order"]["zones"] == records[1]["results"]["any_order"]["zones"]
