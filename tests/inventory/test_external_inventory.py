"""Nodes that are not in Git (``--inventory``): read, united with what Git describes, and given to their cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import lint, verdicts
from tests.inventory.reading import inventories

from trainlint.config.choices import NodesFile
from trainlint.engine import check
from trainlint.finding import UsageError
from trainlint.inventory.external_inventory import read_given
from trainlint.inventory.inventory_union import joined
from trainlint.model.pool import Inventory

JOB = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: REPLICAS
      template:
        spec:
          tolerations: [{key: nvidia.com/gpu, operator: Exists}]
          containers: [{name: pytorch, image: i, resources: {limits: {nvidia.com/gpu: "8"}}}]
"""
POOLS = """
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: prod}
complete: COMPLETE
pools:
  - name: gpu
    count: COUNT
    zone: a
    labels: {machine: big}
    allocatable: {cpu: "90", memory: 900Gi, nvidia.com/gpu: "8"}
"""
CLUSTER = """
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: CLUSTER, region: eu-west-1}
managedNodeGroups:
  - {name: p5, instanceType: p5.48xlarge, availabilityZones: [eu-west-1a], minSize: 0, maxSize: MAX}
"""
STATUS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: cluster-autoscaler-status, namespace: kube-system}
data:
  status: |
    autoscalerStatus: Running
    nodeGroups:
    - name: NAME
      health:
        status: Healthy
        nodeCounts: {registered: {total: 1, ready: 1}}
        cloudProviderTarget: 1
        minSize: 1
        maxSize: 3
"""
PROSE = """
apiVersion: v1
kind: ConfigMap
metadata: {name: cluster-autoscaler-status, namespace: kube-system}
data:
  status: |
    Cluster-autoscaler status at 2024-01-01 00:00:00 +0000 UTC:
    Cluster-wide:
      Health:      Healthy (ready=1 unready=0 notStarted=0 registered=1 longUnregistered=0)
    NodeGroups:
      Name:        NAME
      Health:      Healthy (ready=1 unready=0 registered=1 cloudProviderTarget=1 (minSize=1, maxSize=3))
"""


def node(name: str, **labels: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": "a", "machine": "big", **labels}},
        "status": {"allocatable": {"cpu": "95", "memory": "950Gi", "pods": "110", "nvidia.com/gpu": "8"}},
    }


def listed(*nodes: dict[str, Any]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(nodes)})


def united(given: dict[str, str], git: dict[str, str], stated: str = "") -> Inventory:
    files = tuple(read_given(NodesFile(name, text.encode())) for name, text in given.items())
    return joined(files, inventories(git), stated)


def sizes(inventory: Inventory) -> dict[str, tuple[int, int | None]]:
    return {pool.name: (pool.minimum, pool.maximum) for pool in inventory.pools}


def test_nodes_count_beside_those_in_git() -> None:
    found = united({"n.json": listed(node("n1"))}, {"nodes/n2.json": listed(node("n2"))})
    assert sizes(found) == {"n1": (1, 1), "n2": (1, 1)}
    assert found.complete


def test_a_node_that_both_list_is_one_node() -> None:
    found = united({"n.json": listed(node("n1"), node("n2"))}, {"nodes/n2.json": listed(node("n2"))})
    assert sizes(found) == {"n1": (1, 1), "n2": (1, 1)}


@pytest.mark.parametrize(("count", "left"), [(1, {}), (2, {}), (5, {"gpu": (3, 3)})])
def test_of_a_pool_in_git_the_nodes_that_are_listed_are_not_counted_twice(
    count: int, left: dict[str, tuple[int, int]]
) -> None:
    pools = POOLS.replace("COUNT", str(count)).replace("COMPLETE", "true")
    found = united({"n.json": listed(node("n1"), node("n2"))}, {"inventory.yaml": pools})
    assert sizes(found) == {"n1": (1, 1), "n2": (1, 1), **left}


def test_nodes_with_less_than_those_of_a_pool_are_others() -> None:
    small = node("n1")
    small["status"]["allocatable"]["nvidia.com/gpu"] = "4"
    pools = POOLS.replace("COUNT", "2").replace("COMPLETE", "true")
    assert sizes(united({"n.json": listed(small)}, {"inventory.yaml": pools})) == {"n1": (1, 1), "gpu": (2, 2)}


def test_nodes_that_a_described_group_made_count_towards_its_limit() -> None:
    cluster = CLUSTER.replace("CLUSTER", "c").replace("MAX", "4")
    found = united({"n.json": listed(node("n1", **{"eks.amazonaws.com/nodegroup": "p5"}))}, {"eksctl.yaml": cluster})
    assert sizes(found) == {"n1": (1, 1), "p5": (0, 3)}


def test_which_of_several_described_clusters_has_the_nodes_stays_open() -> None:
    git = {f"{name}/eksctl.yaml": CLUSTER.replace("CLUSTER", name).replace("MAX", "4") for name in ("one", "two")}
    found = united({"n.json": listed(node("n1"))}, git)
    assert sizes(found) == {"n1": (1, 1)}
    assert not found.complete
    assert "which of 2 described clusters" in found.partial


def test_the_settings_say_whether_there_are_other_nodes() -> None:
    nodes = {"n.json": listed(node("n1"))}
    assert not united(nodes, {}, "open").complete
    part = {"i.yaml": POOLS.replace("COUNT", "2").replace("COMPLETE", "false")}
    assert united(part, {}, "closed").complete


NODE_POOL = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  limits: {nvidia.com/gpu: 16}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: x}
      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [p5.48xlarge]}]
"""


def test_a_node_pool_that_made_nodes_and_is_not_in_git_may_make_more() -> None:
    nodes = {"n.json": listed(node("n1", **{"karpenter.sh/nodepool": "gpu"}))}
    assert "NodePool gpu" in united(nodes, {}).partial
    found = united(nodes, {"karpenter.yaml": NODE_POOL})
    assert found.complete
    assert [pool.maximum for pool in found.pools] == [1, 1]
    assert "NodePool gpu" in inventories(nodes)[0].partial


def test_an_inventory_that_is_not_complete_leaves_the_world_open() -> None:
    assert not united({"i.yaml": POOLS.replace("COUNT", "2").replace("COMPLETE", "false")}, {}).complete


@pytest.mark.parametrize("status", [STATUS, PROSE])
@pytest.mark.parametrize(
    ("group", "name", "labels"),
    [
        (
            "https://www.googleapis.com/compute/v1/projects/p/zones/a/instanceGroups/gke-c-gpu-0a1b2c3d-grp",
            "gke-c-gpu-0a1b2c3d-x9kz",
            {},
        ),
        ("aks-gpu-12345678-vmss", "aks-gpu-12345678-vmss000002", {}),
        ("eks-gpu-aabbccdd-1111-2222-3333-444455556666", "ip-10-0-0-1", {"eks.amazonaws.com/nodegroup": "gpu"}),
        ("eksctl-c-nodegroup-gpu-NodeGroup-1ABC", "ip-10-0-0-1", {"alpha.eksctl.io/nodegroup-name": "gpu"}),
        ("gpu.c.example.com", "i-1", {"kops.k8s.io/instancegroup": "gpu"}),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_the_autoscaler_says_how_far_a_group_can_grow(
    status: str, group: str, name: str, labels: dict[str, str], *, first: bool
) -> None:
    files = {"n.json": listed(node(name, **labels)), "status.yaml": status.replace("NAME", group)}
    found = united(dict(sorted(files.items(), reverse=not first)), {})
    assert [(pool.minimum, pool.maximum) for pool in found.pools] == [(1, 1), (0, 2)]
    assert found.complete


def test_a_group_of_which_nothing_shows_the_nodes_leaves_the_world_open() -> None:
    found = united({"n.json": listed(node("n1")), "status.yaml": STATUS.replace("NAME", "aks-gpu-1-vmss")}, {})
    assert sizes(found) == {"n1": (1, 1)}
    assert "node group aks-gpu-1-vmss" in found.partial


def test_new_nodes_have_what_all_nodes_of_their_group_have() -> None:
    one, two = node("aks-g-1-vmss000000", rack="r1"), node("aks-g-1-vmss000001", rack="r2", extra="x")
    two["status"]["allocatable"]["memory"] = "940Gi"
    files = {"n.json": listed(one, two), "status.yaml": STATUS.replace("NAME", "aks-g-1-vmss")}
    new = united(files, {}).pools[-1]
    assert new.labels == {"topology.kubernetes.io/zone": "a", "machine": "big"}
    assert {"rack", "extra"} <= new.undetermined.keys()
    assert (new.allocatable or {})["memory"] == "940Gi"


BROKEN = [
    ("apiVersion: v1\nkind: Node\nmetadata: {name: a\n", "is not closed"),
    (
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n",
        "n.yaml:1:1: --inventory: Node n1 has no status.allocatable",
    ),
    ("apiVersion: v1\nkind: Node\nmetadata: {}\nstatus: {allocatable: {cpu: '1'}}\n", "without a name"),
    ("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n", "nothing in n.yaml says which nodes there are"),
    (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n",
        "not the status of the Cluster Autoscaler",
    ),
    ("apiVersion: trainlint.io/v1alpha1\nkind: Inventory\npools: [{name: a}]\n", "n.yaml:3:"),
    ("apiVersion: trainlint.io/v1alpha1\nkind: Inventory\npools: {{ .Values.x }}\n", "template"),
    ("", "nothing in n.yaml says which nodes there are"),
    ("\0\1\2\xff", "n.yaml"),
]


@pytest.mark.parametrize(("text", "words"), BROKEN)
def test_bad_input_names_its_line_and_the_remedy(text: str, words: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_given(NodesFile("n.yaml", text.encode("latin-1")))
    assert words in str(raised.value)


def nodes_of(count: int, cluster: str = "") -> NodesFile:
    return NodesFile("nodes.json", listed(*(node(f"n{number}") for number in range(count))).encode(), cluster)


@pytest.mark.parametrize(("count", "answers"), [(2, ("refuted", "refuted")), (3, ("proved", "proved"))])
def test_a_group_is_judged_on_the_nodes_that_are_given(tmp_path: Path, count: int, answers: tuple[str, str]) -> None:
    (tmp_path / "job.yaml").write_text(JOB.replace("REPLICAS", "3"), encoding="utf-8")
    result = check([tmp_path], nodes=(nodes_of(count),))
    assert [(group.exists.value, group.for_all.value) for group in result.groups] == [answers]
    assert all(placed.finding.at.file == "job.yaml" for placed in result.findings)


def test_nodes_go_to_the_cluster_that_is_named(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "eksctl.yaml").write_text(
            CLUSTER.replace("CLUSTER", name).replace("MAX", "1"), encoding="utf-8"
        )
        job = JOB.replace("REPLICAS", "3").replace("name: train", f"name: {name}")
        (tmp_path / name / "job.yaml").write_text(job, encoding="utf-8")
    result = check([tmp_path], nodes=(nodes_of(3, "one"),))
    assert {group.name: group.exists.value for group in result.groups} == {"ml/one": "proved", "ml/two": "refuted"}


def test_a_cluster_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "eksctl.yaml").write_text(CLUSTER.replace("CLUSTER", "one").replace("MAX", "1"), encoding="utf-8")
    with pytest.raises(UsageError, match="no cluster 'two': the clusters here are one"):
        check([tmp_path], nodes=(nodes_of(3, "two"),))


SETTINGS = "clusters:\n  - {name: one}\n  - {name: two}\n"


def test_of_several_clusters_one_must_be_named_on_the_command_line_or_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB.replace("REPLICAS", "3"), encoding="utf-8")
    (tmp_path / "trainlint.yaml").write_text(SETTINGS, encoding="utf-8")
    with pytest.raises(UsageError, match="which of the clusters one, two has the nodes of nodes"):
        check([tmp_path], nodes=(nodes_of(3),))
    for given in (
        nodes_of(3, "two"),
        NodesFile("i.yaml", POOLS.replace("prod", "two").replace("COUNT", "3").replace("COMPLETE", "true").encode()),
    ):
        result = check([tmp_path], nodes=(given,))
        found = {group.snapshot.partition(":")[0]: group.exists.value for group in result.groups}
        assert found == {"one": "conditional", "two": "proved"}


def test_without_nodes_nothing_changes(tmp_path: Path) -> None:
    files = {"job.yaml": JOB.replace("REPLICAS", "3")}
    assert set(verdicts(lint(tmp_path, files)).values()) == {("conditional", "conditional")}
