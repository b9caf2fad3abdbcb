"""What nodes offer, what they register with, and how many of them can still be made (S 3)."""

from __future__ import annotations

import dataclasses

import pytest
from tests.fields import field
from tests.unknown_values import unknown

from trainlint.finding import Location
from trainlint.inventory.amounts import as_written, at_least, least_amounts
from trainlint.inventory.autoscaler import NodeGroup, is_status, may_grow, node_groups, unlike_any
from trainlint.inventory.cluster_inventory import common_steps, left_to_make
from trainlint.inventory.instance_types import instance_types, meant_accelerator
from trainlint.inventory.interfaces import extra_interfaces
from trainlint.inventory.node_template import region_of
from trainlint.inventory.registration import parse_labels, parse_taints, read_registration
from trainlint.inventory.tpu import Slice, slices
from trainlint.model.known import Known, Undetermined
from trainlint.model.pool import Pool, Taint

UNKNOWN = unknown("nothing says it")
AT = Location("a.yaml", 0, ())


@pytest.mark.parametrize(
    ("cpus", "left"),
    [
        # learn.microsoft.com, Node resource reservations: 100m of 2, 140m of 4, 180m of 8, 260m of 16, 420m of 32, 740m
        # of 64 cores
        (2, 1900),
        (4, 3860),
        (8, 7820),
        (16, 15740),
        (32, 31580),
        (64, 63260),
        (96, 95260),
    ],
)
def test_cores_that_the_strictest_provider_leaves(cpus: int, left: int) -> None:
    found = {each.allocatable["cpu"] for each in instance_types("azure") if each.cpus == cpus}
    assert found == {f"{left}m"}


@pytest.mark.parametrize(
    ("memory", "left"),
    [
        # cloud.google.com, Plan node sizes: 25 % of 4 GiB, 20 % of 4, 10 % of 8, 6 % of 112, 2 % of the rest;
        # and 750 MiB for evictions, 3 % for what the machine itself keeps
        (4096, 4096 - 750 - 122.88 - 1024),
        (8192, 8192 - 750 - 245.76 - 1024 - 819.2),
        (16384, 16384 - 750 - 491.52 - 1024 - 819.2 - 819.2),
        (131072, 131072 - 750 - 3932.16 - 1024 - 819.2 - 819.2 - 6881.28),
        (262144, 262144 - 750 - 7864.32 - 1024 - 819.2 - 819.2 - 6881.28 - 2621.44),
    ],
)
def test_memory_that_the_strictest_provider_leaves(memory: int, left: float) -> None:
    found = {each.allocatable["memory"] for each in instance_types("azure") if each.memory == memory}
    assert found == {f"{int(left)}Mi"}


def test_a_machine_too_small_for_the_system_leaves_nothing() -> None:
    assert {each.allocatable["memory"] for each in instance_types("gcp") if each.memory < 900} <= {"0Mi"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("nvidia.com/gpus", "nvidia.com/gpu"),
        ("nvidia.com/gpu", ""),
        ("nvidia.com/pgpu", ""),
        ("gpus", ""),
        ("google.com/tpus", "google.com/tpu"),
        ("example.com/widget", ""),
    ],
)
def test_a_resource_is_misspelt_where_one_accelerator_is_meant(name: str, meant: str) -> None:
    assert meant_accelerator(name) == meant


@pytest.mark.parametrize(
    ("text", "labels", "unknown"),
    [
        ("a=b", {"a": "b"}, set()),
        (" a=b , c=d=e ,", {"a": "b", "c": "d=e"}, set()),
        ("a", {"a": ""}, set()),
        ("", {}, set()),
        ("a=${B},c=d", {"c": "d"}, {"a"}),
        ("node-role.kubernetes.io/gpu=,node-restriction.kubernetes.io/a=b,c=d", {"c": "d"}, set()),
    ],
)
def test_labels_of_a_kubelet(text: str, labels: dict[str, str], unknown: set[str]) -> None:
    found, left_open = parse_labels(text)
    assert (found, set(left_open)) == (labels, unknown)


@pytest.mark.parametrize(
    ("text", "taints"),
    [
        ("a=b:NoSchedule", [("a", "b", "NoSchedule")]),
        ("a:NoExecute, c=d:PreferNoSchedule", [("a", "", "NoExecute"), ("c", "d", "PreferNoSchedule")]),
        ("a=b:c:NoSchedule", [("a", "b:c", "NoSchedule")]),
        ("a=b", []),
        (":NoSchedule", []),
        ("a=b:", []),
        ("", []),
    ],
)
def test_taints_of_a_kubelet(text: str, taints: list[tuple[str, str, str]]) -> None:
    assert [(each.key, each.value, each.effect) for each in parse_taints(text, AT)] == taints
    assert all(each.at == AT for each in parse_taints(text, AT))


def test_a_registration_says_taints_or_none_or_nothing() -> None:
    own = (Taint("node-role.kubernetes.io/control-plane"),)
    silent = read_registration(field({"name": "${NAME}"}))
    assert (silent.name, silent.labels, silent.taints) == ("", {}, None)
    assert (silent.taints_of(control_plane=True), silent.taints_of(control_plane=False)) == (own, ())
    none = read_registration(field({"name": "n1", "taints": []}))
    assert (none.name, none.taints, none.taints_of(control_plane=True)) == ("n1", (), ())
    both = read_registration(
        field(
            {
                "taints": [{"key": "a", "effect": "NoSchedule"}],
                "kubeletExtraArgs": {"register-with-taints": "b=c:NoExecute", "node-labels": "d=e,f=${F}"},
            }
        )
    )
    assert both.taints == (Taint("a", "", "NoSchedule"), Taint("b", "c", "NoExecute"))
    assert (dict(both.labels), set(both.undetermined)) == ({"d": "e"}, {"f"})
    flag = read_registration(field({"kubeletExtraArgs": {"register-with-taints": "b=c:NoExecute"}}))
    assert flag.taints == (Taint("b", "c", "NoExecute"),)


@pytest.mark.parametrize(
    ("allocatable", "names", "whole"),
    [
        ({"cpu": "8", "memory": "8Gi"}, {"pods"}, True),
        ({"cpu": "8", "memory": "8Gi", "pods": "20"}, set(), True),
        ({"cpu": "8"}, {"pods", "memory"}, False),
        ({"memory": "8Gi"}, {"pods", "cpu"}, False),
        ({}, {"pods", "cpu", "memory"}, False),
    ],
)
def test_a_list_with_cpu_and_memory_says_what_the_node_has(
    allocatable: dict[str, Known[str]], names: set[str], whole: bool
) -> None:
    left_open = {"ephemeral-storage", "hugepages-1Gi", "hugepages-2Mi"}
    found = as_written(Pool("gpu", allocatable=allocatable))
    assert found.allocatable is not None
    assert found.allocatable.keys() == allocatable.keys() | names | left_open
    assert found.allocatable["pods"] == allocatable.get("pods", "110")
    unknown = {name for name, amount in found.allocatable.items() if isinstance(amount, Undetermined)}
    assert unknown == left_open | (names - {"pods"})
    assert found.open_resources is not whole
    assert len(found.notes) == ("pods" not in allocatable)
    listed = as_written(Pool("gpu", allocatable=allocatable), devices=True)
    assert (listed.open_resources, listed.notes) == (False, ())
    assert as_written(Pool("gpu", allocatable=allocatable, open_resources=True)).open_resources


def test_labels_of_every_kubelet_are_there_with_unknown_values() -> None:
    found = as_written(Pool("gpu", labels={"kubernetes.io/os": "linux"}))
    assert found.allocatable is None
    assert "kubernetes.io/os" not in found.undetermined
    assert "kubernetes.io/arch" in found.undetermined


@pytest.mark.parametrize(
    ("lists", "least"),
    [
        ([{"cpu": "8", "gpu": "1"}, {"cpu": "7900m"}], {"cpu": "7900m"}),
        ([{"cpu": "8"}, {"cpu": "16"}], {"cpu": "8"}),
        ([{"cpu": "8"}, {"cpu": UNKNOWN}], {"cpu": UNKNOWN}),
        ([{"cpu": "8"}, {"cpu": "many"}], {"cpu": "8"}),
        ([{"cpu": "8"}], {"cpu": "8"}),
    ],
)
def test_the_least_of_what_all_lists_have(lists: list[dict[str, Known[str]]], least: dict[str, Known[str]]) -> None:
    assert dict(least_amounts(lists)) == least


@pytest.mark.parametrize(
    ("one", "other", "enough"),
    [
        ({"cpu": "8"}, {"cpu": "8"}, True),
        ({"cpu": "8"}, {"cpu": "8001m"}, False),
        ({"cpu": "8"}, {}, True),
        ({}, {"cpu": "1"}, False),
        ({}, {"cpu": "0"}, True),
        ({"cpu": UNKNOWN}, {"cpu": "1"}, False),
        ({}, {"cpu": UNKNOWN}, True),
        ({"cpu": "8"}, {"cpu": UNKNOWN, "memory": "1Gi"}, False),
        ({"cpu": "many"}, {"cpu": "1"}, False),
    ],
)
def test_a_list_surely_has_as_much_as_another(
    one: dict[str, Known[str]], other: dict[str, Known[str]], enough: bool
) -> None:
    assert at_least(one, other) is enough


GROUP = {"eks.amazonaws.com/nodegroup": "gpu"}


@pytest.mark.parametrize(
    ("minimum", "maximum", "nodes", "left"),
    [
        (1, 8, [3], (0, 5)),
        (4, 8, [3], (1, 5)),
        (1, 8, [3, 5], (0, 0)),
        (1, 8, [9], (0, 0)),
        (1, 8, [], (1, 8)),
        (1, None, [3], (1, None)),
        (1, 8, [None], (1, 8)),  # how many nodes there are is not known
    ],
)
def test_nodes_that_are_there_count_towards_the_limit_of_their_maker(
    minimum: int, maximum: int | None, nodes: list[int | None], left: tuple[int, int | None]
) -> None:
    maker = Pool("gpu", labels=GROUP, minimum=minimum, maximum=maximum)
    there = [Pool(f"n{index}", labels=GROUP, maximum=count) for index, count in enumerate(nodes)]
    other = Pool("cpu", labels={"eks.amazonaws.com/nodegroup": "cpu"}, maximum=5)
    found = left_to_make(maker, [*there, other])
    assert (found.minimum, found.maximum) == left


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [
        ("a/b/c.yaml", "a/b/d.yaml", 2),
        ("a/b/c.yaml", "a/c/b/d.yaml", 1),
        ("c.yaml", "a/c.yaml", 0),
        ("a/b", "a/b/c", 1),
    ],
)
def test_directories_that_files_have_in_common(one: str, other: str, steps: int) -> None:
    assert common_steps(one, other) == common_steps(other, one) == steps


@pytest.mark.parametrize(
    ("zone", "region"),
    [
        ("us-west-2a", "us-west-2"),
        ("us-gov-west-1b", "us-gov-west-1"),
        ("us-west-2", None),
        ("us-central1-a", "us-central1"),
        ("europe-west4-b", "europe-west4"),
        ("us-central1", None),
        ("eastus-1", None),
        ("rack-7", None),
        ("", None),
    ],
)
def test_the_name_of_a_zone_holds_its_region(zone: str, region: str | None) -> None:
    assert region_of(zone) == region


def status(text: str) -> tuple[NodeGroup, ...]:
    item = field({"kind": "ConfigMap", "data": {"status": text}})
    assert is_status(item)
    return node_groups(item)


WRITTEN = """
nodeGroups:
  - {name: gpu, health: {maxSize: 8, nodeCounts: {registered: {total: 3}}}}
  - {name: '', health: {maxSize: 8, nodeCounts: {registered: {total: 3}}}}
  - {name: cpu, health: {maxSize: many, nodeCounts: {registered: {total: 3}}}}
  - {name: tpu, health: {maxSize: 8}}
"""
PROSE = """
  Name:        gpu
  Health:      Healthy (ready=3 unready=0 registered=3 longUnregistered=0 cloudProviderTarget=3 (minSize=1, maxSize=8))
"""


@pytest.mark.parametrize("text", [WRITTEN, PROSE])
def test_a_status_lists_groups_with_their_size(text: str) -> None:
    found = status(text)
    assert [(each.name, each.there, each.most, each.at.path) for each in found] == [("gpu", 3, 8, ("data", "status"))]


def test_another_config_map_is_no_status() -> None:
    assert not is_status(field({"kind": "Secret", "data": {"status": "a"}}))
    assert not is_status(field({"kind": "ConfigMap", "data": {"other": "a"}}))
    assert status("text") == ()
    assert status("{") == ()


@pytest.mark.parametrize(
    ("group", "node", "labels", "holds"),
    [
        ("projects/p/zones/z/instanceGroups/gke-prod-gpu-1-grp", "gke-prod-gpu-1-abcd", {}, True),
        ("gke-prod-gpu-1-grp", "gke-prod-gpu-12-abcd", {}, False),
        ("aks-gpu-123-vmss", "aks-gpu-123-vmss000001", {}, True),
        ("aks-gpu-123-vmss", "aks-gpu-124-vmss000001", {}, False),
        ("eks-gpu-01234567-89ab-cdef-0123-456789abcdef", "ip-1", {"eks.amazonaws.com/nodegroup": "gpu"}, True),
        ("eks-gpu-01234567-89ab-cdef-0123-456789abcdef", "ip-1", {"eks.amazonaws.com/nodegroup": "cpu"}, False),
        ("eksctl-prod-nodegroup-gpu-NodeGroup-ABC", "ip-1", {"alpha.eksctl.io/nodegroup-name": "gpu"}, True),
        ("gpu.prod.example.com", "ip-1", {"kops.k8s.io/instancegroup": "gpu"}, True),
        ("gpu", "ip-1", {"other": "gpu"}, False),
    ],
)
def test_nodes_are_of_a_group_by_their_name_or_a_label(
    group: str, node: str, labels: dict[str, str], holds: bool
) -> None:
    assert NodeGroup(group, 1, 2, AT).holds(Pool(node, labels=labels, node_name=node)) is holds


def test_a_group_grows_by_nodes_like_the_least_of_its_own() -> None:
    labels = {**GROUP, "same": "a", "kubernetes.io/hostname": "n"}
    shared, own = Taint("a", "", "NoSchedule"), Taint("b", "", "NoSchedule")
    one = Pool("n1", {**labels, "zone": "a"}, (shared, own), {"cpu": "8", "gpu": "1"}, node_name="n1", notes=("x",))
    two = Pool("n2", {**labels, "zone": "b"}, (shared,), {"cpu": "7"}, node_name="n2")
    (found,) = may_grow([NodeGroup("x/gpu", 2, 5, AT)], [dataclasses.replace(one, unschedulable=True), two])
    assert (found.name, dict(found.labels), found.taints) == ("gpu (new nodes)", {**GROUP, "same": "a"}, (shared,))
    assert (found.allocatable, found.minimum, found.maximum) == ({"cpu": "7"}, 0, 3)
    assert (found.unschedulable, found.node_name, set(found.undetermined)) == (False, "", {"zone"})
    assert (found.notes, found.bound, found.bound_at) == ((), "maxSize 5 of its node group", AT)


@pytest.mark.parametrize(("there", "most", "grows"), [(2, 3, True), (2, 2, False), (3, 2, False)])
def test_a_full_group_does_not_grow(there: int, most: int, grows: bool) -> None:
    node = Pool("n1", GROUP, node_name="n1")
    group = NodeGroup("gpu", there, most, AT)
    assert len(list(may_grow([group], [node]))) == grows
    assert unlike_any([group], []) == ("gpu" if grows else "")
    assert unlike_any([group], [node]) == ""


@pytest.mark.parametrize(
    ("accelerator", "topology", "chips", "found"),
    [
        ("tpu-v5-lite-podslice", "2x4", 4, (Slice(4, 2), Slice(8, 1))),
        ("tpu-v4-podslice", "2x2x1", 4, (Slice(4, 1),)),
        ("tpu-v4-podslice", "2x2x300", 4, (Slice(4, 300),)),
        ("tpu-v4-podslice", "2x2x301", 8, ()),
        ("tpu-v4-podslice", "2x2x300", 0, ()),
        ("tpu-v4-podslice", "0x2x300", 4, ()),
        ("tpu-v4-podslice", "1200", 4, ()),
        ("tpu-of-tomorrow", "2x2x300", 4, ()),
    ],
)
def test_slices_of_a_topology(accelerator: str, topology: str, chips: int, found: tuple[Slice, ...]) -> None:
    # cloud.google.com: TPUs in GKE, TPU configurations
    assert sorted(slices(accelerator, topology, chips), key=lambda each: each.chips) == list(found)


def test_interfaces_of_a_machine() -> None:
    assert [extra_interfaces(each) for each in ("a3-highgpu-8g", "a3-megagpu-8g")] == [4, 8]  # cloud.google.com: A3
    assert extra_interfaces("e2-small") is None
