"""Karpenter NodePools (S 3; surprises 57, 58 and 60 of S 5)."""

from __future__ import annotations

from typing import Any

from tests.inventory.reading import inventories, pools, taints

from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool

ZONE = "topology.kubernetes.io/zone"
TYPE = "node.kubernetes.io/instance-type"
CLASS = "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: train}"


def node_pool(requirements: str = "[]", more: str = "", limits: str = "{}", labels: str = "{}") -> str:
    return f"""
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{name: gpu}}
spec:
  limits: {limits}
  template:
    metadata: {{labels: {labels}}}
    spec:
      {CLASS}
      requirements: {requirements}
      {more}
"""


def requirement(key: str, *values: str, operator: str = "In") -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def one(*requirements: dict[str, Any], **rest: str) -> Pool:
    (pool,) = pools(node_pool(str(list(requirements)), **rest)).values()
    return pool


def test_labels_that_karpenter_puts_on_every_node_of_a_pool() -> None:
    # S 3 "Karpenter core"; KRP:pkg/apis/v1/labels.go
    pool = one(labels="{team: ml}")
    assert pool.labels["karpenter.sh/nodepool"] == "gpu"
    assert pool.labels["karpenter.k8s.aws/ec2nodeclass"] == "train"
    assert pool.labels["karpenter.sh/registered"] == pool.labels["karpenter.sh/initialized"] == "true"
    assert pool.labels["team"] == "ml"


def test_startup_taints_need_no_toleration_and_other_taints_do() -> None:
    # S 5.57; KRP:pkg/scheduling/taints.go
    more = "taints: [{key: gpu, value: a, effect: NoSchedule}]\n      startupTaints: [{key: cni, effect: NoExecute}]"
    assert taints(one(more=more)) == [("gpu", "a", "NoSchedule")]


def test_a_label_that_no_requirement_defines_is_not_there() -> None:
    # S 5.58: a custom label must be defined by the pool to be selected
    pool = one()
    assert pool.label("team") is None
    assert isinstance(pool.label("karpenter.k8s.aws/instance-family"), Undetermined)  # well-known: the type decides


def test_a_custom_label_that_a_requirement_leaves_open_has_an_unknown_value() -> None:
    assert isinstance(one(requirement("team", operator="Exists")).label("team"), Undetermined)
    assert isinstance(one(requirement("team", "x", operator="NotIn")).label("team"), Undetermined)
    assert one(requirement("team", operator="DoesNotExist")).label("team") is None


def test_an_instance_type_gives_size_accelerators_and_the_labels_that_follow() -> None:
    # S 4: p5.48xlarge; allocatable 191450m CPUs and 1938410Mi (aws/karpenter-provider-aws:.../instance-types.md)
    pool = one(requirement(TYPE, "p5.48xlarge"), requirement(ZONE, "eu-north-1b"))
    assert pool.allocatable is not None
    assert (pool.allocatable["cpu"], pool.allocatable["memory"]) == ("191450m", "1938410Mi")
    assert pool.allocatable["nvidia.com/gpu"] == "8"
    assert pool.ceiling == {"cpu": "191450m", "memory": "2097152Mi"}
    assert pool.labels["karpenter.k8s.aws/instance-gpu-name"] == "h100"
    assert pool.labels["karpenter.k8s.aws/instance-gpu-count"] == "8"
    assert pool.labels["topology.kubernetes.io/region"] == "eu-north-1"
    assert pool.labels["kubernetes.io/arch"] == "amd64"


def test_what_a_plugin_offers_is_not_known_from_the_type() -> None:
    pool = one(requirement(TYPE, "p5.48xlarge"))
    assert pool.allocatable is not None
    assert isinstance(pool.allocatable["vpc.amazonaws.com/efa"], Undetermined)
    assert isinstance(pool.allocatable["ephemeral-storage"], Undetermined)
    assert pool.open_resources


def test_fractional_gpus_offer_none() -> None:
    # S 5.60: g6f.xlarge has gpu-count 0
    pool = one(requirement(TYPE, "g6f.xlarge"))
    assert pool.allocatable is not None
    assert pool.allocatable["nvidia.com/gpu"] == "0"


def test_a_family_alone_says_nothing_about_the_size() -> None:
    pool = one(requirement("karpenter.k8s.aws/instance-family", "p5", "p5e"))
    assert pool.allocatable is None
    assert isinstance(pool.label("karpenter.k8s.aws/instance-family"), Undetermined)


def test_the_zones_of_subnets_that_are_chosen_by_tags_are_not_known() -> None:
    pool = one()
    assert isinstance(pool.label(ZONE), Undetermined)
    assert isinstance(pool.label("topology.kubernetes.io/region"), Undetermined)


def test_zones_and_types_divide_a_pool_and_share_its_limit() -> None:
    found = pools(
        node_pool(
            str([requirement(ZONE, "eu-west-1a", "eu-west-1b"), requirement(TYPE, "p5.48xlarge", "p4d.24xlarge")]),
            limits="{nvidia.com/gpu: 32}",
        )
    )
    assert sorted(found) == [
        "gpu (eu-west-1a, p4d.24xlarge)",
        "gpu (eu-west-1a, p5.48xlarge)",
        "gpu (eu-west-1b, p4d.24xlarge)",
        "gpu (eu-west-1b, p5.48xlarge)",
    ]
    assert {pool.maximum for pool in found.values()} == {4}
    assert {pool.minimum for pool in found.values()} == {0}
    assert {pool.budget for pool in found.values()} == {"gpu"}


def test_other_requirements_exclude_instance_types() -> None:
    pool = one(
        requirement(TYPE, "p5.48xlarge", "p4d.24xlarge"), requirement("karpenter.k8s.aws/instance-gpu-name", "h100")
    )
    assert pool.labels[TYPE] == "p5.48xlarge"


def test_limits_bound_the_number_of_nodes_by_capacity() -> None:
    # KRP: no instance is launched that would exceed a limit
    assert one(requirement(TYPE, "p5.48xlarge"), limits="{cpu: 400}").maximum == 2
    assert one(requirement(TYPE, "p5.48xlarge"), limits="{cpu: 400, nodes: 1}").maximum == 1
    assert one(requirement(TYPE, "p5.48xlarge"), limits="{nvidia.com/gpu: 7}").maximum == 0
    assert one(requirement(TYPE, "p5.48xlarge")).maximum is None
    assert one(limits="{cpu: 400}").maximum is None  # the size of a node is not known


def test_a_static_pool_has_its_replicas() -> None:
    text = node_pool().replace("  limits: {}", "  replicas: 3")
    (pool,) = pools(text).values()
    assert (pool.minimum, pool.maximum) == (3, 3)


def test_a_node_class_may_say_how_many_pods_a_node_takes() -> None:
    node_class = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: train}\n"
    node_class += "spec: {kubelet: {maxPods: 42}}\n"
    (inventory,) = inventories({"a.yaml": node_pool(str([requirement(TYPE, "p5.48xlarge")])) + "---\n" + node_class})
    assert inventory.pools[0].allocatable is not None
    assert inventory.pools[0].allocatable["pods"] == "42"


def test_a_node_pool_alone_describes_some_nodes_only() -> None:
    (inventory,) = inventories({"a.yaml": node_pool()})
    assert not inventory.complete
    assert "Karpenter" in inventory.partial


def test_a_node_pool_next_to_the_node_groups_of_its_cluster_completes_them() -> None:
    cluster = (
        "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: prod, region: eu-west-1}\n"
        "managedNodeGroups: [{name: system, instanceType: m5.large, availabilityZones: [eu-west-1a]}]\n"
    )
    (inventory,) = inventories({"cluster/eks.yaml": cluster, "cluster/pool.yaml": node_pool()})
    assert inventory.complete
    assert [pool.name for pool in inventory.pools] == ["system", "gpu"]


def test_a_node_pool_of_another_group_is_none_of_karpenters() -> None:
    assert inventories({"a.yaml": node_pool().replace("karpenter.sh/v1", "example.com/v1")}) == ()


def test_a_placeholder_in_a_requirement_leaves_its_label_open() -> None:
    pool = one(requirement(ZONE, "${ZONE}"))
    assert isinstance(pool.label(ZONE), Undetermined)


def test_other_clouds_are_told_by_the_group_of_the_node_class() -> None:
    # S 3, S 4: BM.GPU.H100.8 has 224 vCPUs and 2048 GiB
    text = node_pool(str([requirement(TYPE, "BM.GPU.H100.8")])).replace(
        CLASS, "nodeClassRef: {group: oci.oraclecloud.com, kind: OCINodeClass, name: train}"
    )
    (pool,) = pools(text).values()
    assert pool.labels["oci.oraclecloud.com/ocinodeclass"] == "train"
    assert pool.ceiling == {"cpu": "224000m", "memory": "2097152Mi"}
    assert pool.allocatable is not None
    assert pool.allocatable["nvidia.com/gpu"] == "8"
