"""Each operator takes random manifests that are valid, and refuses them after each single change that it refuses."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from tests.conformance.expansion import predict
from tests.conformance.single_mutations import SingleMutation, mutated, single_mutations
from tests.conformance.valid_manifests import VALID, Manifest, varied

DATA = Path(__file__).parent / "data" / "expansion"
MUTATIONS = {each.id: each for each in single_mutations(sorted(DATA.glob("*.jsonl.gz")))}
SEEDS = 12
BASES = 2


def fields_refused(items: list[Manifest]) -> list[str]:
    """The fields that the refusals of objects name, of the API server, of webhooks and of operators."""
    return [each["field"] for each in predict({"id": "", "input": items}).get("rejected", ())]


@pytest.mark.parametrize("kind", VALID)
def test_random_valid_manifests_are_taken_and_make_their_pods(kind: str) -> None:
    for seed in range(SEEDS):
        items, pods = VALID[kind](Random(f"{kind} {seed}"))
        predicted = predict({"id": "", "input": items})
        assert "rejected" not in predicted, (seed, predicted)
        assert len(predicted["output"]["pods"]) == pods, seed


def _steps(field: str) -> list[str]:
    """A path in parts, however its indices are spelled."""
    return [step.lower() for step in re.split(r"[.\[\]]+", field) if step]


def _near(ours: str, theirs: str) -> bool:
    """Whether one of two fields is, or holds, the other; no field is near to no other."""
    mine, others = _steps(ours), _steps(theirs)
    shorter = min(len(mine), len(others))
    return bool(mine) and mine[:shorter] == others[:shorter]


@pytest.mark.parametrize("mutation", MUTATIONS.values(), ids=MUTATIONS)
def test_each_single_change_that_upstream_refuses_is_refused(mutation: SingleMutation) -> None:
    changed = 0
    for seed in range(BASES):
        items = varied(Random(f"{mutation.id} {seed}"), mutation.taken)
        assert fields_refused(items) == []
        if mutated(items, mutation):
            changed += 1
            ours = fields_refused(items)
            assert ours
            theirs = [each for each in mutation.fields if each]
            if theirs:
                assert any(_near(each, other) for each in ours for other in theirs), (ours, theirs)
    assert changed


def test_the_mutations_reach_most_operators() -> None:
    assert len(MUTATIONS) == 135
    assert len({each.kind for each in MUTATIONS.values()}) == 16
