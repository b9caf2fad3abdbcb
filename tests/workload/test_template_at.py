"""Paths of pod templates with steps that stand for every key and every element."""

from __future__ import annotations

from typing import Any

import pytest

from trainlint.finding import Path
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef
from trainlint.source.document import Document
from trainlint.workload.expansion import Context
from trainlint.workload.kinds import WORKLOADS, workload_kind
from trainlint.workload.template_at import steps

TEMPLATE = {"spec": {"containers": [{"name": "a", "image": "b"}]}}


@pytest.mark.parametrize(
    ("item", "pattern", "found"),
    [
        ({"spec": {"template": TEMPLATE}}, ("spec", "template"), [(("spec", "template"), "")]),
        ({"a": {"x": {}, "y": 1}}, ("a", "{}", "t"), [(("a", "x", "t"), "x"), (("a", "y", "t"), "y")]),
        ({"a": [{"name": "x"}, 3, {"name": 4}]}, ("a", "[]"), [(("a", 0), "x"), (("a", 2), "")]),
        ({"a": [{"b": [{"name": "x"}]}, {"name": "y"}]}, ("a", "[]", "b", "[]"), [(("a", 0, "b", 0), "x")]),
        ({"a": "text"}, ("a", "{}"), []),
        ({"a": {"b": 1}}, ("a", "[]"), []),
        (None, (), [((), "")]),
    ],
)
def test_a_pattern_stands_for_paths(item: Any, pattern: Path, found: list[tuple[Path, str]]) -> None:
    assert list(steps(item, pattern)) == found


def test_the_name_of_an_element_is_in_the_field_that_is_named() -> None:
    item = {"groups": [{"groupName": "x", "name": "y"}]}
    assert list(steps(item, ("groups", "[]"), "groupName")) == [(("groups", 0), "x")]


def test_templates_lie_below_the_spec_of_their_kind() -> None:
    for kind in WORKLOADS:
        for place in kind.templates:
            assert place.path[: len(kind.spec)] == kind.spec or kind.name == "Pod"
            assert bool(place.role) or {"{}", "[]"} & set(place.path), "a template has a name"
            assert not place.claims or place.lent is not None


@pytest.mark.parametrize(
    ("api_version", "name", "roles"),
    [  # kubernetes-sigs/kueue:pkg/controller/jobs/kubeflow/jobs: the order of the pod sets
        ("kubeflow.org/v1", "PyTorchJob", {"master": 1, "worker": 3}),
        ("kubeflow.org/v2beta1", "MPIJob", {"launcher": 1, "worker": 3}),
    ],
)
def test_kinds_declare_what_kueue_makes_of_them(api_version: str, name: str, roles: dict[str, int]) -> None:
    kind = workload_kind(api_version, name)
    assert kind is not None
    assert kind.queued is not None
    key = "pytorchReplicaSpecs" if name == "PyTorchJob" else "mpiReplicaSpecs"
    written = {role.capitalize(): {"replicas": count, "template": TEMPLATE} for role, count in reversed(roles.items())}
    item = Document("a.yaml", 0, 1, "", {"spec": {key: written}}).root
    found = kind.queued(item, ObjectRef(name, "ml", "train"), Context(Settings(), {}))
    assert found is not None
    assert [(each.name, each.count) for each in found] == [*roles.items()]
