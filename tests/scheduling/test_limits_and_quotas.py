"""LimitRange and ResourceQuota: what they give, what they refuse, what pods use (S 1.11)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scheduling.clusters import field, spec

from trainlint.kube.admission import read_limit_range, read_resource_quota
from trainlint.kube.pod import read_pod_spec
from trainlint.model.admission import LimitRange, ResourceQuota
from trainlint.model.known import Undetermined
from trainlint.model.pod import PodSpec
from trainlint.scheduling.limit_ranger import refusals, with_defaults
from trainlint.scheduling.pod import Pod, defaulted
from trainlint.scheduling.resource_quota import covers, limit, unset, usage
from trainlint.wording.because import because_text

GPU = "nvidia.com/gpu"


def limits(*items: dict[str, Any], kind: str = "Container") -> LimitRange:
    written = [{"type": kind, **item} for item in items]
    return read_limit_range(field({"metadata": {"name": "limits"}, "spec": {"limits": written}}), "team")


def container(requests: dict[str, str] | None = None, limits: dict[str, str] | None = None) -> dict[str, Any]:
    return {"name": "main", "resources": {"requests": requests or {}, "limits": limits or {}}}


def pods(*containers: dict[str, Any], **parts: Any) -> PodSpec:
    return read_pod_spec(field(spec(containers=list(containers), **parts)))


def quota(hard: dict[str, str], **parts: Any) -> ResourceQuota:
    return read_resource_quota(field({"metadata": {"name": "quota"}, "spec": {"hard": hard, **parts}}), "team")


def pod(*containers: dict[str, Any], **parts: Any) -> Pod:
    return defaulted("team", {}, pods(*containers, **parts))


def test_defaults_fill_only_what_is_missing() -> None:
    given = limits({"default": {"cpu": "2", "memory": "4Gi"}, "defaultRequest": {"cpu": "500m"}})
    (bare,) = with_defaults(pods(container()), [given]).containers
    assert (bare.requests, bare.limits) == ({"cpu": "500m", "memory": "4Gi"}, {"cpu": "2", "memory": "4Gi"})
    (own,) = with_defaults(pods(container(limits={"cpu": "8"})), [given]).containers
    assert (own.requests["cpu"], own.limits["cpu"]) == ("8", "8"), "the limit was copied before the plugin ran"


def test_init_containers_get_them_too() -> None:
    made = with_defaults(pods(container(), initContainers=[container()]), [limits({"default": {"cpu": "1"}})])
    assert made.init_containers[0].requests == {"cpu": "1"}


def test_a_maximum_is_a_default_limit_and_a_minimum_a_default_request() -> None:
    (most,) = with_defaults(pods(container()), [limits({"max": {"cpu": "4"}})]).containers
    assert (most.requests, most.limits) == ({"cpu": "4"}, {"cpu": "4"})
    (least,) = with_defaults(pods(container()), [limits({"min": {"cpu": "1"}})]).containers
    assert (least.requests, least.limits) == ({"cpu": "1"}, {})


def test_two_ranges_that_differ_leave_the_default_open() -> None:
    (made,) = with_defaults(
        pods(container()), [limits({"default": {"cpu": "1"}}), limits({"default": {"cpu": "2"}})]
    ).containers
    assert isinstance(made.limits["cpu"], Undetermined)


@pytest.mark.parametrize(
    ("item", "resources", "refused"),
    [
        ({"max": {"cpu": "4"}}, container(limits={"cpu": "4"}), False),
        ({"max": {"cpu": "4"}}, container(limits={"cpu": "4001m"}), True),
        ({"max": {"cpu": "4"}}, container(), False),
        ({"max": {"cpu": "4"}}, container(requests={"cpu": "5"}), True),
        ({"min": {"memory": "1Gi"}}, container(requests={"memory": "512Mi"}), True),
        ({"min": {"memory": "1Gi"}}, container(requests={"memory": "1Gi"}), False),
        ({"min": {"memory": "1Gi"}}, container(), False),
        ({"maxLimitRequestRatio": {"cpu": "2"}}, container({"cpu": "1"}, {"cpu": "3"}), True),
        ({"maxLimitRequestRatio": {"cpu": "2"}}, container({"cpu": "1"}, {"cpu": "2"}), False),
        ({"default": {"cpu": "2"}}, container(requests={"cpu": "8"}), True),
        ({"default": {"cpu": "2"}}, container(requests={"cpu": "8"}, limits={"cpu": "8"}), False),
        ({"default": {GPU: "8"}}, container(requests={GPU: "4"}), True),
        ({"max": {"cpu": "4"}}, container(limits={"cpu": "${CPU}"}), False),
        ({"max": {"cpu": "${MAX}"}}, container(limits={"cpu": "9"}), False),
    ],
)
def test_containers_outside_the_bounds_are_refused(item: Any, resources: Any, refused: bool) -> None:
    assert any(True for _ in refusals(pods(resources), [limits(item)])) is refused


def test_bounds_of_a_pod_count_all_containers_together() -> None:
    bound = [limits({"max": {"cpu": "4"}}, kind="Pod")]
    two = pods(container(limits={"cpu": "2"}), container(limits={"cpu": "2"}))
    assert list(refusals(two, bound)) == []
    three = pods(*[container(limits={"cpu": "2"})] * 3)
    assert ["6" in because_text(each.reason) for each in refusals(three, bound)] == [True, True], (
        "its request and its limit"
    )


@pytest.mark.parametrize(
    ("entry", "used"),
    [
        ("pods", 1),
        ("count/pods", 1),
        ("cpu", 3000),
        ("requests.cpu", 3000),
        ("limits.cpu", 4000),
        ("requests.memory", 2 << 30),
        (f"requests.{GPU}", 8),
        ("limits.memory", 0),
        ("requests.storage", None),
        ("persistentvolumeclaims", None),
        ("count/jobs.batch", None),
    ],
)
def test_a_pod_uses_what_its_containers_ask_for(entry: str, used: int | None) -> None:
    asked = pod(
        container({"cpu": "1", "memory": "2Gi"}, {"cpu": "2"}),
        {"name": "b", "resources": {"limits": {"cpu": "2", GPU: "8"}}},
    )
    assert usage(entry, asked) == used


def test_the_overhead_counts() -> None:
    asked = pod(container(limits={"cpu": "1"}), overhead={"cpu": "500m", "memory": "1Gi"})
    assert (usage("requests.cpu", asked), usage("limits.cpu", asked)) == (1500, 1500)
    assert (usage("requests.memory", asked), usage("limits.memory", asked)) == (1 << 30, 0)


@pytest.mark.parametrize(
    ("hard", "resources", "missing"),
    [
        ({"requests.cpu": "4"}, container(), ["requests.cpu"]),
        ({"cpu": "4"}, container(requests={"cpu": "1"}), []),
        ({"limits.memory": "4Gi"}, container(requests={"memory": "1Gi"}), ["limits.memory"]),
        ({"requests.memory": "4Gi"}, container(limits={"memory": "1Gi"}), []),
        ({f"requests.{GPU}": "4", "pods": "3", "requests.ephemeral-storage": "1Gi"}, container(), []),
    ],
)
def test_a_quota_on_cpu_or_memory_wants_every_container_to_set_them(hard: Any, resources: Any, missing: Any) -> None:
    assert [entry for entry, _ in unset(quota(hard), pod(resources))] == missing


@pytest.mark.parametrize(
    ("scoped", "asked", "inside"),
    [
        ({}, pod(container()), True),
        ({"scopes": ["BestEffort"]}, pod(container()), True),
        ({"scopes": ["BestEffort"]}, pod(container(requests={"cpu": "1"})), False),
        ({"scopes": ["NotBestEffort"]}, pod(container(limits={"cpu": "1"})), True),
        ({"scopes": ["Terminating"]}, pod(container()), False),
        ({"scopes": ["Terminating"]}, pod(container(), activeDeadlineSeconds=60), True),
        ({"scopes": ["NotTerminating"]}, pod(container()), True),
        ({"scopes": ["Terminating", "BestEffort"]}, pod(container()), False),
        ({"scopes": ["CrossNamespacePodAffinity"]}, pod(container()), None),
    ],
)
def test_scopes_choose_the_pods(scoped: Any, asked: Pod, inside: bool | None) -> None:
    assert covers(quota({"pods": "1"}, **scoped), asked) is inside


@pytest.mark.parametrize(
    ("operator", "values", "name", "inside"),
    [
        ("In", ["high"], "high", True),
        ("In", ["high"], "low", False),
        ("NotIn", ["high"], "low", True),
        ("Exists", [], "low", True),
        ("DoesNotExist", [], "low", False),
        ("In", ["high"], "", None),
    ],
)
def test_priority_classes_choose_the_pods(operator: str, values: list[str], name: str, inside: bool | None) -> None:
    rule = {"scopeName": "PriorityClass", "operator": operator, "values": values}
    scoped = quota({"pods": "1"}, scopeSelector={"matchExpressions": [rule]})
    assert covers(scoped, pod(container(), priorityClassName=name)) is inside


def test_amounts_of_a_quota_are_read_exactly_or_not_at_all() -> None:
    entries = quota({"requests.cpu": "1500m", "limits.memory": "1Gi", "pods": "${PODS}", "requests.memory": "many"})
    assert limit("requests.cpu", entries) == 1500
    assert limit("limits.memory", entries) == 1 << 30
    assert isinstance(limit("pods", entries), Undetermined)
    assert isinstance(limit("requests.memory", entries), Undetermined)
