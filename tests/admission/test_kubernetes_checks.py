"""The checks of kubernetes:pkg/apis/core/validation, function by function, as ``kubernetes_checks.yaml`` lists them."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from tests.admission.lawful import check_laws
from tests.admission.valid_pods import valid_pod

from trainlint.admission.problem import Problem
from trainlint.admission.refusals import demands, problems
from trainlint.source.document import Document
from trainlint.wording.because import because_text, remedy_for

TABLE = Path(__file__).with_name("kubernetes_checks.yaml")
NEWEST = "1.36"
SEEDS = 300
BASES = 3
Row = dict[str, Any]
METADATA = {"name": "a"}
OBJECTS: dict[str, Row] = {
    "ConfigMap": {"apiVersion": "v1"},
    "LimitRange": {"apiVersion": "v1", "spec": {}},
    "PersistentVolumeClaim": {
        "apiVersion": "v1",
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    },
    "PriorityClass": {"apiVersion": "scheduling.k8s.io/v1", "value": 1},
    "ResourceQuota": {"apiVersion": "v1", "spec": {"hard": {"pods": 1}}},
    "Secret": {"apiVersion": "v1"},
    "Service": {"apiVersion": "v1", "spec": {"selector": {"a": "b"}, "ports": [{"port": 80}]}},
}


@cache
def table() -> dict[str, Row]:
    found: dict[str, Row] = yaml.safe_load(TABLE.read_text("utf-8"))
    return found


def rows(kind: str) -> list[Any]:
    return [
        pytest.param(row, id=f"{function}-{number}")
        for function, entry in table().items()
        for number, row in enumerate(entry.get(kind, ()))
    ]


def plain_pod() -> Row:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {
            "restartPolicy": "Never",
            "volumes": [
                {"name": "scratch", "emptyDir": {}},
                {"name": "claim", "persistentVolumeClaim": {"claimName": "c"}},
            ],
            "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}],
            "containers": [{"name": "main", "image": "registry.example/train:1"}],
        },
    }


def changed(row: Row, pod: Row) -> Row:
    """The object with the changes of a row."""
    if "of" in row:
        item = {**copy.deepcopy(OBJECTS[row["of"]]), "kind": row["of"], "metadata": METADATA, **row.get("whole", {})}
        if "spec" in row:
            item["spec"] = {**item["spec"], **row["spec"]}
        return item
    made = copy.deepcopy(pod)
    made["metadata"] = {**made["metadata"], **row.get("metadata", {})}
    made["spec"].update(copy.deepcopy(row.get("spec", {})))
    made["spec"]["containers"][0].update(copy.deepcopy(row.get("container", {})))
    if "init" in row:
        init = {"name": "first", "image": "registry.example/i:1", **copy.deepcopy(row["init"])}
        made["spec"]["initContainers"] = [init]
    return made


def refused(item: Row, release: str = NEWEST) -> list[Problem]:
    cursor = Document("a.yaml", 0, 1, "", item).root
    return list(problems(cursor, release) if item["kind"] == "Pod" else demands(cursor))


def place(row: Row) -> str:
    """Where the fault of a row stands in its object."""
    if "whole" in row:
        return str(row["at"])
    if "from" in row or not {"container", "init", "metadata"} & set(row):
        return f"spec/{row['at']}"
    above = "metadata" if "metadata" in row else "spec/containers/0" if "container" in row else "spec/initContainers/0"
    return f"{above}/{row['at']}"


@pytest.mark.parametrize("row", rows("refused"))
def test_a_change_that_upstream_refuses_is_refused_once_at_its_place(row: Row) -> None:
    item = changed(row, plain_pod())
    found = refused(item, row.get("until", NEWEST))
    assert ["/".join(map(str, each.at)) for each in found] == [place(row)]
    assert all(because_text(each.why) and remedy_for(each.why) for each in found)
    if item["kind"] == "Pod":
        check_laws(item, found)


@pytest.mark.parametrize("row", rows("taken"))
def test_what_upstream_takes_is_taken(row: Row) -> None:
    assert refused(changed(row, plain_pod())) == []


@pytest.mark.parametrize("row", [each for each in rows("refused") if "since" in each.values[0]])
def test_an_older_release_takes_what_only_newer_ones_refuse(row: Row) -> None:
    major, minor = map(int, row["since"].split("."))
    pod = changed(row, plain_pod())
    assert refused(pod, f"{major}.{minor - 1}") == []
    assert refused(pod, row["since"])


@pytest.mark.parametrize("row", [each for each in rows("refused") if "until" in each.values[0]])
def test_a_newer_release_takes_what_only_older_ones_refuse(row: Row) -> None:
    assert refused(changed(row, plain_pod())) == []


def test_every_function_has_a_check_or_a_reason() -> None:
    assert all(entry.get("refused") or entry.get("left") for entry in table().values())
    assert len(table()) > 120


@pytest.mark.parametrize("start", range(0, SEEDS, 100))
def test_random_valid_pods_are_never_refused(start: int) -> None:
    for seed in range(start, start + 100):
        pod = valid_pod(Random(seed))
        assert [because_text(each.why) for each in refused(pod)] == [], seed


@pytest.mark.parametrize("row", [each for each in rows("refused") if not {"of", "until"} & set(each.values[0])])
def test_each_change_of_a_random_pod_is_refused(row: Row) -> None:
    for seed in range(BASES):
        pod = changed(row, valid_pod(Random(f"{row['at']} {seed}")))
        told = ["/".join(map(str, each.at)) for each in refused(pod)]
        others = ["/".join(map(str, at)) for each in refused(pod) for _, at in each.related]
        assert place(row) in [*told, *others], (seed, told)
