"""The whole public corpus of what Kueue answered, file by file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conformance.kueue import compare, disagreements, main, predict, read_records
from tests.conformance.kueue_details import details

RECORDINGS = sorted((Path(__file__).parent / "data" / "kueue").glob("*.jsonl.gz"))
EXPECTED = {
    "admission-cycles": 101,
    "admission-hand": 797,
    "admission-random": 738,
    "admission-training": 459,
    "podsets": 192,
    "tas-hand": 734,
    "tas-random": 607,
}
RECORDED = ("verdict", "result", "possible", "podSets", "requests", "capacity", "flavorChecks", "tas", "domains")


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_every_recorded_answer_is_reproduced(path: Path) -> None:
    comparison = compare([path])
    assert comparison.records == EXPECTED[path.name.removesuffix(".jsonl.gz")]
    assert comparison.complete, comparison.report()


@pytest.mark.parametrize("path", [each for each in RECORDINGS if each != RECORDINGS[4]], ids=lambda path: path.name)
def test_every_recorded_detail_is_reproduced(path: Path) -> None:
    wrong = [
        (record["id"], kind, recorded, predicted)
        for record in read_records(path)
        for kind, recorded, predicted in details(record)
        if recorded != predicted
    ]
    assert not wrong, wrong[:5]


def test_no_recording_is_missing() -> None:
    assert {path.name.removesuffix(".jsonl.gz") for path in RECORDINGS} == set(EXPECTED)


def test_a_changed_answer_is_noticed() -> None:
    record = next(each for each in read_records(RECORDINGS[1]) if each["verdict"] == "never")
    changed = {**record, "verdict": "admitted", "possible": [{"main": {"cpu": "none"}}]}
    assert set(disagreements(changed, predict(record))) == {"verdict", "possible"}


def test_predict_prints_one_line_of_json_for_each_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = [path for path in RECORDINGS if path.name.startswith(("admission-hand", "podsets"))]
    records = [next(iter(read_records(path))) for path in chosen]
    inputs = [{key: value for key, value in each.items() if key not in RECORDED} for each in records]
    (tmp_path / "some.jsonl").write_text("\n".join(json.dumps(each) for each in inputs), encoding="utf-8")
    assert main([str(tmp_path / "some.jsonl"), "--predict"]) == 0
    admission, pod_sets = map(json.loads, capsys.readouterr().out.splitlines())
    assert admission["id"] == records[0]["id"]
    assert admission["verdict"] == records[0]["verdict"]
    assert pod_sets["podSets"] == records[1]["podSets"]
