"""Valid manifests in random combinations are never refused, and are after one change that the API server refuses."""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml
from tests.plausible import plausible

from trainlint.admission.refusals import problems
from trainlint.source.document import Document
from trainlint.wording.because import because_text

BY_CHANCE = ("minDomains of", "two spread constraints are over")
"""Of spread constraints the generator leaves to chance what the API server refuses (validateMinDomains,
ValidateSpreadConstraintNotRepeat)."""


def workloads(seed: int) -> list[dict[str, Any]]:
    files = plausible(random.Random(seed))
    return [each for each in yaml.safe_load_all(files["jobs.yaml"]) if each]


def said(item: dict[str, Any]) -> list[str]:
    return [because_text(each.why) for each in problems(Document("jobs.yaml", 0, 1, "", item).root, "1.36")]


def containers(node: Any) -> list[dict[str, Any]]:
    """The containers of every pod template of an object."""
    if isinstance(node, list):
        return [found for each in node for found in containers(each)]
    if not isinstance(node, dict):
        return []
    own = node["containers"] if isinstance(node.get("containers"), list) else []
    return own + [found for each in node.values() for found in containers(each)]


@pytest.mark.parametrize("start", range(0, 120, 60))
def test_no_plausible_workload_is_refused(start: int) -> None:
    for seed in range(start, start + 60):
        for item in workloads(seed):
            left = [why for why in said(item) if not why.startswith(BY_CHANCE)]
            assert left == [], (seed, item["kind"])


@pytest.mark.parametrize("start", range(0, 40, 20))
def test_one_mutation_is_refused(start: int) -> None:
    mutations = (
        {"volumeMounts": [{"name": "no-such-volume", "mountPath": "/x"}]},
        {"volumeMounts": [{"name": "no-such-volume"}]},
        {"ports": [{"name": "a-name-of-more-than-15", "containerPort": 1}]},
        {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}},
        {"securityContext": {"privileged": True, "allowPrivilegeEscalation": False}},
        {"args": [1]},
    )
    for seed in range(start, start + 20):
        for item in workloads(seed):
            found = containers(item.get("spec"))
            if found and item["kind"] != "Service":
                mutation = mutations[seed % len(mutations)]
                found[0].update(mutation)
                assert said(item), (seed, item["kind"], mutation)
