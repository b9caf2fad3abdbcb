"""The proof of a group against what kube-scheduler did with it (recordings of whole groups, see conformance/data).

Exists is proved if some complete placement uses one zone only; for all if every complete one does and no order leads
into a dead end. An unknown is never wrong, but there may be few of them.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.proof.records import proved

from trainlint.proof import judge, prove
from trainlint.proof.group import GroupProof
from trainlint.reachability import NO_DOMAIN

DATA = Path(__file__).parents[1] / "conformance" / "data" / "scheduling"


def recorded(name: str, step: int) -> Iterator[dict[str, Any]]:
    """Records without pods of others, volumes and pods that the API server refuses."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % step == 0:
                record = json.loads(line)
                if not (record.get("pods") or record.get("volumes") or record.get("invalid")):
                    yield record


def wrong(record: dict[str, Any], proof: GroupProof) -> list[str]:
    seen = record["results"]["any_order"]
    alone = {zones[0] for zones in seen["zones"] if len(zones) == 1}
    exists = "proved" if alone else "refuted"
    together = all(len(zones) == 1 for zones in seen["zones"])
    for_all = "proved" if alone and together and not seen["dead_end"] else "refuted"
    found = []
    if proof.exists.value not in {exists, "unknown"}:
        found.append(f"{record['id']}: exists is {proof.exists.value}, recorded {exists}")
    if proof.for_all.value not in {for_all, "unknown"}:
        found.append(f"{record['id']}: for all is {proof.for_all.value}, recorded {for_all}")
    viable = {None if zone == NO_DOMAIN else zone for zone in proof.viable_zones}
    if proof.exists.value == "proved" and viable != alone:
        found.append(f"{record['id']}: viable zones are {viable}, recorded {alone}")
    return found


@pytest.mark.parametrize(
    ("name", "step", "unknown"), [("group-hand.jsonl.gz", 1, 0.0), ("group-random.jsonl.gz", 3, 0.02)]
)
def test_answers_agree_with_the_scheduler(name: str, step: int, unknown: float) -> None:
    answers: Counter[str] = Counter()
    problems: list[str] = []
    for record in recorded(name, step):
        proof = proved(record)
        problems += wrong(record, proof)
        answers[proof.for_all.value] += 1
    assert problems == []
    assert answers["unknown"] <= unknown * answers.total()


def test_answers_by_classes_alone_agree_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large groups are never explored placement by placement; what is said of them must hold all the same."""
    for module in (judge, prove):
        monkeypatch.setattr(module, "enumerate_placements", lambda *_: None)
    answers: Counter[str] = Counter()
    problems: list[str] = []
    for record in recorded("group-random.jsonl.gz", 2):
        proof = proved(record)
        problems += wrong(record, proof)
        answers[proof.for_all.value] += 1
    assert problems == []
    assert answers["unknown"] <= 0.15 * answers.total()
