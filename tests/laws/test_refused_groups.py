"""No group is proved or conditional while one of its objects is refused (decision 12): it is refuted where that is
certain, and unknown, or refuted for another reason, where it rests on an assumption.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.deploy.deployers import snapshots
from tests.laws.worlds import WORLDS, world

from trainlint.checks.refusals import Refused
from trainlint.facts.facts import Facts
from trainlint.model.known import Answer
from trainlint.proof.group import GroupProof

RECORDINGS = sorted((Path(__file__).parent.parent / "conformance/data/admission").glob("*.jsonl.gz"))
NO_GROUPS = {"job-statefulset.jsonl.gz", "jobset.jsonl.gz"}
"""What is refused there are objects of one pod, without devices."""
PARTS = 12


def refused_groups(files: Mapping[str, str]) -> Iterator[tuple[GroupProof, Refused]]:
    """Each group with each refusal of pods that it needs."""
    for snapshot in snapshots(files).values():
        facts = Facts(snapshot)
        if not (refused := facts.objects.refused):
            continue
        for proof in facts.groups.proofs:
            members = {id(each) for each in proof.group.members if each.replicas != 0}
            for each in refused:
                if any(id(pods) in members for pods in each.pod_sets):
                    yield proof, each


def disagreements(files: Mapping[str, str]) -> list[str]:
    return [
        f"{proof.group.name} is {proof.exists}: {refused.root} {refused.why}"
        for proof, refused in refused_groups(files)
        if (
            proof.exists is not Answer.REFUTED
            if refused.certain
            else proof.exists in {Answer.PROVED, Answer.CONDITIONAL}
        )
    ]


@pytest.mark.parametrize("part", range(PARTS))
def test_groups_of_all_worlds(part: int) -> None:
    for name in WORLDS[part::PARTS]:
        files = world(name)
        assert files is None or disagreements(files) == [], name


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name.removesuffix(".jsonl.gz"))
def test_groups_of_what_operators_refused(path: Path) -> None:
    refused = 0
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if "rejected" in record:
                written = record["input"] if isinstance(record["input"], list) else [record["input"]]
                files = {"run.yaml": "\n---\n".join(map(json.dumps, written))}
                refused += any(True for _ in refused_groups(files))
                assert disagreements(files) == [], record["id"]
    assert refused > 0 or path.name in NO_GROUPS
