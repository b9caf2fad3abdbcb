"""Every recorded verdict of Cilium's policy engine is predicted; see README.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conformance.policy import Cluster, compare, main, read_cases

from trainlint.model.policy import Condition, ConditionChoice

DATA = Path(__file__).parent / "data" / "policy"
FILES = sorted(DATA.glob("*.jsonl.gz"))


def test_the_recordings_of_three_versions_are_there() -> None:
    assert {path.name[:4] for path in FILES} == {"1.18", "1.19", "1.20"}
    assert len(FILES) == 15


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(".jsonl.gz"))
def test_every_recorded_verdict_is_predicted(path: Path) -> None:
    comparison = compare([path])
    assert comparison.complete, comparison.report()


def _conditions(choice: ConditionChoice) -> set[Condition]:
    return {*choice.always, *(each for way in choice.one_of for each in way)}


@pytest.mark.parametrize(("name", "bare"), [("1.20-systematic", 8), ("1.20-random", 18), ("1.20-training", 0)])
def test_conditions_are_told_where_the_engine_has_a_proxy_or_authentication(name: str, bare: int) -> None:
    """``l7`` and ``auth`` of a query. ``bare``: queries with a proxy that lets everything through."""
    proxied = {True: 0, False: 0}
    for case in read_cases(DATA / f"{name}.jsonl.gz"):
        if "quirk-aggregate" in case["tags"] or not any({"l7", "auth"} & query.keys() for query in case["queries"]):
            continue
        cluster = Cluster(case)
        for query in case["queries"]:
            verdict = cluster.verdict(query)
            conditions = [each.only_if for each in (verdict.egress, verdict.ingress) if each.only_if]
            named = {each for found in conditions for choice in found for each in _conditions(choice)}
            authenticated = Condition.AUTHENTICATION in named
            requests = bool(named - {Condition.AUTHENTICATION})
            assert authenticated is ("auth" in query), (case["id"], query, conditions)
            assert "l7" in query or not requests, (case["id"], query, conditions)
            if "l7" in query:
                proxied[requests] += 1
    assert proxied[False] == bare
    assert proxied[True] > bare


def test_the_command_says_how_many_agree_and_fails_on_none(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(DATA / "1.20-surprise.jsonl.gz")
    assert main([path]) == 0
    assert capsys.readouterr().out.startswith("349 of 349 agree")


def test_several_files_are_counted_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(DATA / f"{version}-surprise.jsonl.gz") for version in ("1.18", "1.19")]) == 0
    assert capsys.readouterr().out.startswith("652 of 652 agree")


def test_what_is_no_recording_is_said_without_a_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text("{")
    assert main([str(path)]) == main([str(tmp_path / "missing")]) == 2
    assert "not a recording" in capsys.readouterr().err


def test_a_wrong_record_is_reported_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = (
        '{"id": "x", "tags": ["made-up"], "settings": {"cilium": "1.20"}, "namespaces": [{"name": "a"}],'
        '"pods": [{"namespace": "a", "name": "p", "labels": {}}], "policies": [], "rejected": [],'
        '"queries": [{"from": "a/p", "to": "a/p", "protocol": "TCP", "port": 1,'
        '"egress": "deny", "ingress": "allow", "verdict": "deny"}]}'
    )
    path = tmp_path / "wrong.jsonl"
    path.write_text(record + "\n")
    assert main([str(path)]) == 1
    out = capsys.readouterr().out
    assert "1 of 2 agree" in out
    assert "made-up: 1 of 2" in out
    assert '"egress": "deny"' in out


def test_predictions_are_json_lines_that_do_not_look_at_the_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bare.jsonl"
    path.write_text(
        '{"id": "x", "tags": [], "settings": {"cilium": "1.20"}, "namespaces": [{"name": "a"}], "pods": [{"namespace":'
        '"a", "name": "p", "labels": {}}], "policies": [], "queries": [{"from": "a/p", "to": {"entity": "world", "ip":'
        '"8.8.8.8"}, "protocol": "TCP", "port": 443}]}\n'
    )
    assert main(["--predict", str(path)]) == 0
    assert capsys.readouterr().out == (
        '{"id": "x", "queries": [{"verdict": "allow", "egress": "allow", "ingress": "allow"}], "rejected": []}\n'
    )
