"""Effective requests of pods (S 1.5): which container decides, pod-level defaults, what is not known."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scheduling.clusters import field, pod

from trainlint.finding import Location
from trainlint.kube.pod import read_pod_spec
from trainlint.model.known import Undetermined
from trainlint.scheduling.requests import is_extended_resource, is_scalar_resource, pod_limits, pod_requests
from trainlint.wording.because import because_text


def requests(**parts: Any) -> dict[str, object]:
    return dict(pod_requests(read_pod_spec(field(parts))).amounts)


def container(requests: dict[str, str] | None = None, limits: dict[str, str] | None = None, **parts: str) -> Any:
    return {"name": "c", "resources": {"requests": requests or {}, "limits": limits or {}}, **parts}


def test_a_missing_request_takes_the_limit_and_a_given_one_stays() -> None:
    found = requests(containers=[container({"cpu": "1"}, {"cpu": "2", "memory": "1Gi"})])
    assert found == {"cpu": 1000, "memory": 2**30}


def test_overhead_comes_on_top_of_pod_level_requests() -> None:
    extra = {"cpu": "100m", "memory": "1"}
    found = requests(containers=[container({"cpu": "6"})], resources={"requests": {"cpu": "2"}}, overhead=extra)
    assert found == {"cpu": 2100, "memory": 1}


def test_pod_level_requests_never_apply_to_devices() -> None:
    one = {"nvidia.com/gpu": "1"}
    found = requests(containers=[container(limits={"nvidia.com/gpu": "4"})], resources={"requests": one})
    assert found == {"nvidia.com/gpu": 4}


def test_pod_level_limits_alone_take_the_requests_of_the_containers_where_these_ask() -> None:
    found = requests(containers=[container({"cpu": "1"})], resources={"limits": {"cpu": "4", "memory": "2Gi"}})
    assert found == {"cpu": 1000, "memory": 2**31}


def test_huge_pages_cannot_be_overcommitted_so_the_pod_level_limit_is_the_request() -> None:
    # Recorded: fp-hand-01166.
    found = requests(
        containers=[container({"hugepages-2Mi": "2Mi", "cpu": "1"}, {"hugepages-2Mi": "2Mi"})],
        resources={"limits": {"hugepages-2Mi": "4Mi", "cpu": "1"}},
    )
    assert found["hugepages-2Mi"] == 4 * 2**20


def test_the_place_of_the_container_that_asks_for_most_is_kept() -> None:
    main = [container({"cpu": "1"}), container({"memory": "1"})]
    spec = field({"initContainers": [container({"cpu": "4"})], "containers": main})
    decided = pod_requests(read_pod_spec(spec)).decided_by
    assert decided["cpu"] == Location("made-up.yaml", 0, ("initContainers", 0))
    assert decided["memory"] == Location("made-up.yaml", 0, ("containers", 1))


@pytest.mark.parametrize("amount", ["${GPUS}", "eight", "8GB"])
def test_an_amount_that_is_no_quantity_is_not_known(amount: str) -> None:
    found = requests(containers=[container(limits={"nvidia.com/gpu": amount, "cpu": "1"})])
    assert isinstance(found["nvidia.com/gpu"], Undetermined)
    assert amount in because_text(found["nvidia.com/gpu"].why)
    assert found["cpu"] == 1000


@pytest.mark.parametrize(
    ("name", "extended", "scalar"),
    [
        ("nvidia.com/gpu", True, True),
        ("vpc.amazonaws.com/efa", True, True),
        ("hugepages-2Mi", False, True),
        ("attachable-volumes-csi-x", False, True),
        ("kubernetes.io/batteries", False, True),
        ("cpu", False, False),
        ("gpu", False, False),
        ("NVIDIA.COM/gpu", False, False),
        ("nvidia.com/a/b", False, False),
        ("requests.nvidia.com/gpu", False, False),
    ],
)
def test_which_names_are_counted(name: str, extended: bool, scalar: bool) -> None:
    assert (is_extended_resource(name), is_scalar_resource(name)) == (extended, scalar)


amounts = st.integers(0, 8).map(str)
containers = st.lists(amounts.map(lambda cpu: container({"cpu": cpu})), max_size=3)
policies = st.sampled_from(["", "Always"])
starting = st.lists(
    st.builds(lambda cpu, policy: container({"cpu": cpu}, restartPolicy=policy), amounts, policies), max_size=3
)


@given(containers, starting, amounts)
def test_one_more_container_never_lowers_the_requests(main: Any, init: Any, cpu: str) -> None:
    before = pod(containers=main, initContainers=init).requests.get("cpu")
    for more in (
        pod(containers=[*main, container({"cpu": cpu})], initContainers=init),
        pod(containers=main, initContainers=[*init, container({"cpu": cpu})]),
        pod(containers=main, initContainers=[container({"cpu": cpu}, restartPolicy="Always"), *init]),
    ):
        after = more.requests.get("cpu")
        assert isinstance(before, int)
        assert isinstance(after, int)
        assert before <= after


@given(containers, starting)
def test_the_requests_lie_between_the_largest_container_and_the_sum(main: Any, init: Any) -> None:
    each = [int(one["resources"]["requests"]["cpu"]) * 1000 for one in (*main, *init)]
    found = pod(containers=main, initContainers=init).requests.get("cpu")
    assert isinstance(found, int)
    assert max(each, default=0) <= found <= sum(each)


def test_pod_level_limits_replace_the_sum_of_the_containers_for_quotas_and_never_for_devices() -> None:
    # S 1.5, 1.11: limits.memory of a quota counts the pod's own limit where it has one.
    containers = [container(limits={"memory": "1Gi", "cpu": "2", "nvidia.com/gpu": "4"})] * 2
    own = {"limits": {"memory": "8Gi", "nvidia.com/gpu": "1"}}
    alone = pod_limits(read_pod_spec(field({"containers": containers}))).amounts
    with_own = pod_limits(read_pod_spec(field({"containers": containers, "resources": own}))).amounts
    assert alone == {"memory": 2 * 2**30, "cpu": 4000, "nvidia.com/gpu": 8}
    assert with_own == {"memory": 8 * 2**30, "cpu": 4000, "nvidia.com/gpu": 8}


def test_pod_level_memory_limits_decide_where_containers_ask_for_nothing_and_where_they_ask_for_more() -> None:
    assert requests(containers=[container()], resources={"limits": {"memory": "8Gi"}}) == {"memory": 8 * 2**30}
    asked = requests(
        containers=[container({"memory": "1Gi"}), container({"memory": "2Gi"})],
        resources={"requests": {"memory": "6Gi"}, "limits": {"memory": "8Gi"}},
    )
    assert asked == {"memory": 6 * 2**30}
