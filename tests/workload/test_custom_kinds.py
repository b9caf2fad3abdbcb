"""Kinds that the configuration describes, kinds with pods that are not known, groups by selector (W 18)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint
from tests.workload.manifests import GPU, flows, group, objects

from trainlint.config.load import configuration_document, load_settings
from trainlint.finding import UsageError
from trainlint.model.settings import Settings
from trainlint.model.workload import FlowKind
from trainlint.source.podtemplates import POD_OWNERS
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read as read_source
from trainlint.workload import read_workloads

SWARM = f"""
apiVersion: swarm.example.com/v1
kind: Swarm
metadata: {{name: s, namespace: ml}}
spec:
  head:
    template: {{spec: {{containers: [{{name: h, image: h}}]}}}}
  parts:
    - {{called: a, size: 2, pods: {{spec: {{containers: [{{name: c, image: c, {GPU}}}]}}}}}}
    - {{called: b, size: 3, pods: {{spec: {{containers: [{{name: c, image: c, {GPU}}}]}}}}}}
"""
CONFIGURATION = """
workloads:
  - kind: Swarm
    group: swarm.example.com
    roles:
      - {name: head, at: spec.head, replicas: 1, ranks: false}
      - {at: spec.parts.*, template: pods, replicas: size, name_at: called}
    flows:
      - {from: a, to: head, port: 6000}
"""


def settings(text: str) -> Settings:
    return load_settings(configuration_document("trainlint.yaml", text.encode()))[0]


def test_roles_replicas_and_flows_are_where_the_configuration_says() -> None:
    workloads = read_workloads(objects(SWARM), settings(CONFIGURATION))
    assert {pods.role: pods.replicas for pods in workloads.pod_sets} == {"head": 1, "a": 2, "b": 3}
    found = group(workloads)
    assert found.name == "ml/s"
    assert flows(found, FlowKind.CALL) == {"a -> head 6000"}
    pairs = {f"{one} -> {other} 32768-60999" for one in "ab" for other in "ab"}
    assert flows(found, FlowKind.COLLECTIVE) == pairs
    assert workloads.unknowns == ()


def test_a_description_of_another_group_is_of_another_kind() -> None:
    other = settings(CONFIGURATION.replace("swarm.example.com", "other.example.com"))
    assert read_workloads(objects(SWARM), other).pod_sets == ()


def test_a_kind_that_is_not_described_is_an_unknown() -> None:
    (unknown,) = read_workloads(objects(SWARM), Settings()).unknowns
    assert unknown.subject == "Swarm ml/s"
    assert "spec.head.template" in unknown.missing
    assert "workloads:" in unknown.remedy


@pytest.mark.parametrize("kind", ["DaemonSet", "CustomResourceDefinition", "HelmRelease", "ConfigMap"])
def test_objects_about_other_objects_make_no_pods(kind: str) -> None:
    assert read_workloads(objects(SWARM.replace("Swarm", kind)), Settings()).unknowns == ()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("apiVersion: a/v1\nkind: Swarm\nspec:\n  containers:\n    - {name: c, image: c}\n", True),
        ("apiVersion: a/v1\nkind: Swarm\nspec:\n  containers: 3\n", False),
        ("apiVersion: a/v1\nkind: Swarm\nspec: {}\n", False),
        ("kind: Swarm\nspec:\n  containers:\n    - {name: c, image: c}\n", False),
        ("apiVersion: a/v1\nkind: DaemonSet\nspec:\n  containers:\n    - {name: c, image: c}\n", False),
        ("containers:\n  - {name: c, image: c}\n", False),
    ],
)
def test_files_are_read_for_the_pods_in_them(text: str, read: bool) -> None:
    kinds = KindFilter({"Pod", POD_OWNERS})
    assert bool(read_source("x.yaml", text.encode(), kinds).documents) is read
    assert read_source("x.yaml", text.encode(), KindFilter({"Pod"})).documents == ()


def test_an_unknown_kind_is_reported_from_the_repository(tmp_path: Path) -> None:
    text = """
apiVersion: swarm.example.com/v1
kind: Swarm
metadata: {name: s, namespace: ml}
spec:
  head:
    template:
      spec:
        containers:
          - {name: h, image: h}
"""
    result = lint(tmp_path, {"swarm.yaml": text})
    assert ["Swarm" in each.missing for each in result.unknowns] == [True]
    described = lint(tmp_path, {"trainlint.yaml": CONFIGURATION})
    assert not any("no kind that trainlint knows" in each.missing for each in described.unknowns)


def test_a_selector_makes_a_group_of_objects() -> None:
    job = """
    apiVersion: batch/v1
    kind: Job
    metadata: {name: NAME, namespace: ml}
    spec:
      template:
        metadata: {labels: {team: t}}
        spec: {containers: [{name: c, command: [x, "--server=other.ml:80"]}]}
    """
    service = (
        "{apiVersion: v1, kind: Service, metadata: {name: other, namespace: ml}, spec: {selector: {team: t}}}\n---"
    )
    text = service + "---".join(job.replace("NAME", name) for name in "ab").replace("\n    ", "\n")
    declared = settings("groups: {ml/pair: {selector: {team: t}, cross_zone: allowed}}")
    found = group(read_workloads(objects(text), declared))
    assert found.name == "ml/a+b"
    assert found.cross_zone_allowed
    assert read_workloads(objects(text), Settings()).groups == ()


@pytest.mark.parametrize(
    "text",
    [
        "workloads: [{kind: Swarm}]",
        "workloads: [{kind: Swarm, roles: []}]",
        "workloads: [{kind: Swarm, roles: [{tmplate: x}]}]",
        "workloads: [{kind: Swarm, roles: [{}], flows: [{from: a, to: b, port: 0}]}]",
    ],
)
def test_a_wrong_description_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="workloads"):
        settings(text)


@pytest.mark.parametrize(("port", "taken"), [(0, False), (1, True), (65535, True), (65536, False)])
def test_the_port_of_a_described_connection_is_a_port(port: int, taken: bool) -> None:
    text = CONFIGURATION.replace("port: 6000", f"port: {port}")
    if taken:
        workloads = read_workloads(objects(SWARM), settings(text))
        assert flows(group(workloads), FlowKind.CALL) == {f"a -> head {port}"}
    else:
        with pytest.raises(UsageError):
            settings(text)
