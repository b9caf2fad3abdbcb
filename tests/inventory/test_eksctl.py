"""eksctl ClusterConfig (S 3; eksctl-io/eksctl:pkg/apis/eksctl.io/v1alpha5/types.go, validation.go)."""

from __future__ import annotations

import pytest
from tests.inventory.reading import inventories, pools, taints

from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool

ZONE = "topology.kubernetes.io/zone"
TYPE = "node.kubernetes.io/instance-type"


def cluster(group: str, level: str = "managedNodeGroups", more: str = "") -> str:
    return (
        "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: prod, region: us-west-2}\n"
        f"{more}\n{level}:\n  - {group}\n"
    )


def one(group: str, level: str = "managedNodeGroups", more: str = "") -> Pool:
    (pool,) = pools(cluster(group, level, more)).values()
    return pool


def test_a_managed_group_has_the_labels_of_eks_and_of_eksctl() -> None:
    # S 3 "EKS managed groups", "eksctl"
    pool = one("{name: gpu, instanceType: p4d.24xlarge, availabilityZones: [us-west-2a], labels: {pool: a100}}")
    assert pool.labels["eks.amazonaws.com/nodegroup"] == "gpu"
    assert pool.labels["eks.amazonaws.com/capacityType"] == "ON_DEMAND"
    assert pool.labels["alpha.eksctl.io/nodegroup-name"] == "gpu"
    assert pool.labels["alpha.eksctl.io/cluster-name"] == "prod"
    assert pool.labels["pool"] == "a100"
    assert pool.labels[TYPE] == "p4d.24xlarge"
    assert (pool.labels[ZONE], pool.labels["topology.kubernetes.io/region"]) == ("us-west-2a", "us-west-2")
    assert pool.label("no-such-label") is None


def test_a_group_of_its_own_has_no_label_of_managed_groups() -> None:
    assert "eks.amazonaws.com/nodegroup" not in one("{name: gpu}", "nodeGroups").labels


def test_gpus_bring_no_taint_on_eks() -> None:
    # S 3: "No automatic GPU taint"
    assert taints(one("{name: gpu, instanceType: p4d.24xlarge}")) == []


def test_taints_are_a_list_or_for_own_groups_a_mapping() -> None:
    wanted = [("nvidia.com/gpu", "true", "NoSchedule")]
    assert taints(one("{name: g, taints: [{key: nvidia.com/gpu, value: 'true', effect: NoSchedule}]}")) == wanted
    assert taints(one("{name: g, taints: {nvidia.com/gpu: 'true:NoSchedule'}}", "nodeGroups")) == wanted
    assert taints(one("{name: g, taints: {gpu: ':NoExecute'}}", "nodeGroups")) == [("gpu", "", "NoExecute")]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ("", (2, 2)),  # DefaultNodeCount
        ("desiredCapacity: 5", (5, 5)),
        ("minSize: 1", (1, 1)),
        ("minSize: 1, desiredCapacity: 3", (1, 3)),
        ("minSize: 0, maxSize: 8", (0, 8)),
        ("maxSize: 4", (2, 4)),
    ],
)
def test_sizes_that_are_not_written_follow_from_the_others(sizes: str, expected: tuple[int, int]) -> None:
    # eksctl-io/eksctl:pkg/apis/eksctl.io/v1alpha5/validation.go ValidateManagedNodeGroup
    pool = one(f"{{name: g, availabilityZones: [us-west-2a]{', ' if sizes else ''}{sizes}}}")
    assert (pool.minimum, pool.maximum) == expected


def test_a_size_that_is_a_placeholder_proves_nothing() -> None:
    pool = one("{name: g, maxSize: '${N}'}")
    assert pool.maximum is None
    assert pool.allocatable is not None
    assert isinstance(pool.allocatable["cpu"], Undetermined)


def test_zones_come_from_the_group_then_from_the_cluster() -> None:
    more = "availabilityZones: [us-west-2a, us-west-2b]"
    assert sorted(pools(cluster("{name: g}", more=more))) == ["g (us-west-2a)", "g (us-west-2b)"]
    assert one("{name: g, availabilityZones: [us-west-2c]}", more=more).labels[ZONE] == "us-west-2c"


def test_zones_that_the_file_does_not_name_are_not_known() -> None:
    assert isinstance(one("{name: g}").label(ZONE), Undetermined)
    assert isinstance(one("{name: g, availabilityZones: ['${AZ}']}").label(ZONE), Undetermined)


def test_a_group_for_efa_stands_in_one_of_several_zones() -> None:
    # S 3: "efaEnabled -> one AZ"
    more = "availabilityZones: [us-west-2a, us-west-2b]"
    assert isinstance(one("{name: g, efaEnabled: true}", more=more).label(ZONE), Undetermined)


def test_subnets_tell_the_zone() -> None:
    more = "vpc: {subnets: {private: {us-west-2b: {id: subnet-1}, mine: {id: subnet-2, az: us-west-2d}}}}"
    assert one("{name: g, subnets: [us-west-2b]}", more=more).labels[ZONE] == "us-west-2b"
    assert one("{name: g, subnets: [subnet-2]}", more=more).labels[ZONE] == "us-west-2d"
    assert isinstance(one("{name: g, subnets: [subnet-9]}", more=more).label(ZONE), Undetermined)


def test_an_instance_type_is_m5_large_unless_something_else_chooses_it() -> None:
    assert one("{name: g}").labels[TYPE] == "m5.large"  # DefaultNodeType
    chosen = one("{name: g, instanceSelector: {vCPUs: 4}}")
    assert isinstance(chosen.label(TYPE), Undetermined)
    assert chosen.allocatable is None


def test_several_types_share_one_size() -> None:
    text = "{name: g, availabilityZones: [us-west-2a], maxSize: 4, instanceTypes: [g5.xlarge, g5.2xlarge]}"
    found = pools(cluster(text))
    assert sorted(found) == ["g (g5.2xlarge)", "g (g5.xlarge)"]
    assert {(pool.maximum, pool.budget) for pool in found.values()} == {(4, "g")}


def test_types_of_an_own_group_stand_in_its_distribution() -> None:
    text = "{name: g, instancesDistribution: {instanceTypes: [g5.xlarge]}}"
    assert one(text, "nodeGroups").labels[TYPE] == "g5.xlarge"


def test_a_type_that_the_tables_do_not_hold_has_no_known_size() -> None:
    pool = one("{name: g, instanceType: z9.mega}")
    assert pool.labels[TYPE] == "z9.mega"
    assert pool.allocatable is None


def test_pods_per_node_may_be_written() -> None:
    pool = one("{name: g, instanceType: m5.large, maxPodsPerNode: 20}")
    assert pool.allocatable is not None
    assert pool.allocatable["pods"] == "20"


@pytest.mark.parametrize(
    "more", ["autoModeConfig: {enabled: true}", "karpenter: {version: '1.0'}", "fargateProfiles: [{name: f}]"]
)
def test_what_makes_other_nodes_leaves_the_inventory_open(more: str) -> None:
    (inventory,) = inventories({"a.yaml": cluster("{name: g}", more=more)})
    assert not inventory.complete
    assert inventory.partial


def test_two_clusters_of_one_directory_are_two_inventories() -> None:
    other = cluster("{name: g}").replace("prod", "dev")
    found = inventories({"a.yaml": cluster("{name: g}"), "b.yaml": other})
    assert [each.cluster for each in found] == ["prod", "dev"]
    assert all(each.complete for each in found)


def test_a_config_without_groups_describes_no_nodes() -> None:
    assert inventories({"a.yaml": "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: x}\n"}) == ()
