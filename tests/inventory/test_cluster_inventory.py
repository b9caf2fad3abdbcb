"""Nodes that there are and what makes more of them are one inventory: neither displaces the other (decision 11)."""

from __future__ import annotations

from trainlint.inventory.read import read_inventories
from trainlint.kube.meta import read_meta
from trainlint.model.pool import Inventory
from trainlint.source.document import Document
from trainlint.source.loader import load
from trainlint.source.reading import objects

STOCK = """apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: today}
pools:
  - {name: system, count: 2, zone: eu-west-1a, allocatable: {cpu: "8", memory: 30Gi}}
  - name: gpu
    count: 3
    zone: eu-west-1a
    labels: {eks.amazonaws.com/nodegroup: p5}
    allocatable: {cpu: "190", memory: 1900Gi, nvidia.com/gpu: "8"}
"""
NODE = """apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "8", memory: 30Gi, pods: "58"}}
"""
MAKER = """apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: NAME}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: x}
      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [g5.2xlarge]}]
"""
GROUPS = """apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: CLUSTER, region: eu-west-1}
managedNodeGroups:
  - {name: p5, instanceType: p5.48xlarge, availabilityZones: [eu-west-1a], minSize: 1, maxSize: 8}
"""


def read(files: dict[str, str]) -> tuple[Inventory, ...]:
    documents = [Document(name, 0, 1, text, load(text).data) for name, text in files.items()]
    return read_inventories((read_meta(item), item) for document in documents for item in objects(document))


def test_a_written_inventory_and_a_node_pool_elsewhere_are_one_cluster() -> None:
    (found,) = read({"inventory.yaml": STOCK, "infra/karpenter/gpu.yaml": MAKER.replace("NAME", "a10g")})
    assert [pool.name for pool in found.pools] == ["system", "gpu", "a10g"]
    assert found.complete
    assert found.live


def test_nodes_in_git_and_a_node_pool_elsewhere_are_one_cluster() -> None:
    (found,) = read({"nodes/n1.yaml": NODE, "infra/gpu.yaml": MAKER.replace("NAME", "a10g")})
    assert [pool.name for pool in found.pools] == ["n1", "a10g"]


def test_nodes_of_a_group_count_towards_its_size() -> None:
    (found,) = read({"inventory.yaml": STOCK, "cluster.yaml": GROUPS.replace("CLUSTER", "prod")})
    made = next(pool for pool in found.pools if pool.name == "p5")
    assert (made.minimum, made.maximum) == (0, 5)
    assert found.cluster == "prod"


def test_each_cluster_gets_what_lies_nearest_to_its_nodes() -> None:
    files = {
        "dev/inventory.yaml": STOCK,
        "dev/pool.yaml": MAKER.replace("NAME", "dev"),
        "prod/inventory.yaml": STOCK,
        "prod/pool.yaml": MAKER.replace("NAME", "prod"),
    }
    assert [[pool.name for pool in each.pools][2:] for each in read(files)] == [["dev"], ["prod"]]


def test_where_it_is_not_known_whose_a_node_pool_is_the_nodes_are_not_all() -> None:
    files = {"dev/i.yaml": STOCK, "prod/i.yaml": STOCK, "infra/pool.yaml": MAKER.replace("NAME", "a10g")}
    dev, prod, maker = read(files)
    assert not dev.complete
    assert not prod.complete
    assert [pool.name for pool in maker.pools] == ["a10g"]


def test_two_clusters_are_never_united() -> None:
    files = {
        "inventory.yaml": STOCK,
        "one.yaml": GROUPS.replace("CLUSTER", "one"),
        "two.yaml": GROUPS.replace("CLUSTER", "two"),
    }
    found = read(files)
    assert len(found) == 3
    assert not next(each for each in found if each.live).complete


def test_an_example_makes_no_nodes_of_the_cluster() -> None:
    files = {"inventory.yaml": STOCK, "examples/karpenter/pool.yaml": MAKER.replace("NAME", "a10g")}
    stock, _ = read(files)
    assert stock.complete
    assert [pool.name for pool in stock.pools] == ["system", "gpu"]


def test_a_node_that_there_is_and_that_its_tool_describes_too_is_counted_once_as_it_is() -> None:
    made = (
        "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nname: lab\nnodes: [{role: control-plane}, {role: worker}]\n"
    )
    there = NODE.replace("name: n1", "name: lab-worker")
    for files in ({"kind.yaml": made, "nodes.yaml": there}, {"nodes.yaml": there, "zz.yaml": made}):
        (found,) = read(files)
        assert sorted(pool.name for pool in found.pools) == ["lab-control-plane", "lab-worker"]
        (worker,) = (pool for pool in found.pools if pool.name == "lab-worker")
        assert worker.allocatable is not None
        assert not worker.notes, "how much it has is known"
