"""What may and may not be concluded from nodes that are derived, estimated, shared or only some of all (S 3, 4)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint, verdicts

JOB = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: %d
      template:
        spec:
          nodeSelector: {pool: gpu}
          containers: [{name: pytorch, image: i, resources: {limits: {%s}}}]
"""
GROUP = "managedNodeGroups:\n  - {name: gpu, instanceType: p5.48xlarge, labels: {pool: gpu}, maxSize: 4, %s}\n"
EKSCTL = "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: prod, region: us-west-2}\n" + GROUP
ONE_ZONE = EKSCTL % "availabilityZones: [us-west-2a]"
GPUS = "nvidia.com/gpu: '8'"


def judged(root: Path, cluster: str, job: str) -> tuple[set[tuple[str, str]], set[str]]:
    result = lint(root, {"cluster.yaml": cluster, "job.yaml": job})
    rules = {each.finding.rule for each in result.findings if each.finding.severity != "note"}
    return set(verdicts(result).values()), rules


@pytest.mark.parametrize(
    ("memory", "expected", "rules"),
    [
        ("1800Gi", ("proved", "proved"), set()),  # below what surely is allocatable, 1938410Mi
        ("1950Gi", ("unknown", "unknown"), set()),  # between that and what the machine has, 2048Gi
        ("2100Gi", ("refuted", "refuted"), {"request-exceeds-node"}),
    ],
)
def test_between_what_surely_is_left_and_what_there_is_nothing_is_known(
    tmp_path: Path, memory: str, expected: tuple[str, str], rules: set[str]
) -> None:
    assert judged(tmp_path, ONE_ZONE, JOB % (2, f"{GPUS}, memory: {memory}")) == ({expected}, rules)


def test_two_pods_that_fit_one_node_only_by_the_most_that_there_can_be_are_open(tmp_path: Path) -> None:
    # 4 nodes; 8 pods of 4 GPUs and 970Gi: two on a node need 1940Gi, of which 1893Gi are sure and 2048Gi possible
    for memory, expected in (("940Gi", "proved"), ("970Gi", "unknown"), ("1030Gi", "refuted")):
        job = JOB % (8, f"nvidia.com/gpu: '4', memory: {memory}")
        found, rules = judged(tmp_path / memory, ONE_ZONE, job)
        assert {exists for exists, _ in found} == {expected}
        assert rules == ({"group-exceeds-capacity"} if expected == "refuted" else set())


def test_every_vcpu_of_a_machine_is_more_than_any_node_leaves(tmp_path: Path) -> None:
    # S 5.22
    assert judged(tmp_path, ONE_ZONE, JOB % (2, f"{GPUS}, cpu: '192'"))[1] == {"request-exceeds-node"}


def test_a_device_that_the_type_does_not_decide_is_open(tmp_path: Path) -> None:
    for resource in ("vpc.amazonaws.com/efa: '32'", "example.com/nic: '1'", "hugepages-2Mi: 1Gi, memory: 1Gi"):
        found, rules = judged(tmp_path / resource[:3], ONE_ZONE, JOB % (2, f"{GPUS}, {resource}"))
        assert (found, rules) == ({("unknown", "unknown")}, set())


def test_zones_that_are_not_written_leave_the_group_open(tmp_path: Path) -> None:
    found, rules = judged(tmp_path, EKSCTL % "minSize: 0", JOB % (2, GPUS))
    assert (found, rules) == ({("unknown", "unknown")}, set())


def test_types_of_one_group_share_its_size(tmp_path: Path) -> None:
    # four nodes of either type; five pods fit no way, four do; with both types counted in full there would be eight
    both = (EKSCTL % "availabilityZones: [us-west-2a]").replace(
        "instanceType: p5.48xlarge", "instanceTypes: [p5.48xlarge, p4d.24xlarge]"
    )
    assert judged(tmp_path / "4", both, JOB % (4, GPUS))[0] == {("proved", "proved")}
    found, _ = judged(tmp_path / "5", both, JOB % (5, GPUS))
    assert ("proved", "proved") not in found


NODE_POOL = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    metadata: {labels: {pool: gpu}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: x}
      requirements:
        - {key: node.kubernetes.io/instance-type, operator: In, values: [p5.48xlarge]}
        - {key: topology.kubernetes.io/zone, operator: In, values: [us-west-2a]}
      taints: [{key: gpu, effect: NoSchedule}]
"""


def test_pods_that_ask_for_a_device_of_a_node_pool_have_no_other_nodes(tmp_path: Path) -> None:
    # design, section 11: likely, under an assumption that is shown
    result = lint(tmp_path, {"cluster.yaml": NODE_POOL, "job.yaml": JOB % (2, GPUS)})
    assert set(verdicts(result).values()) == {("refuted", "refuted")}
    (found,) = (each.finding for each in result.findings if each.finding.rule == "untolerated-taint")
    assert found.certainty == "likely"
    assert len(found.assumes) == 1
    assert found.assumes[0].endswith("are those that Git describes")


@pytest.mark.parametrize(("said", "refuted"), [("", True), ("nodes: closed", True), ("nodes: open", False)])
def test_the_settings_say_whether_there_are_other_nodes(tmp_path: Path, said: str, refuted: bool) -> None:
    files = {"cluster.yaml": NODE_POOL, "job.yaml": JOB % (2, GPUS)}
    files["trainlint.yaml"] = f"clusters: [{{name: prod, {said}}}]\n"
    rules = [each.finding for each in lint(tmp_path, files).findings if each.finding.rule == "untolerated-taint"]
    assert bool(rules) is refuted
    assert all(each.certainty == ("proven" if said else "likely") for each in rules)


def test_pods_that_ask_for_no_device_and_select_nothing_find_room_elsewhere(tmp_path: Path) -> None:
    job = (JOB % (2, "cpu: '4'")).replace("          nodeSelector: {pool: gpu}\n", "")
    _, rules = judged(tmp_path, NODE_POOL, job)
    assert rules == set()


def test_a_node_pool_proves_that_a_place_exists_and_not_that_there_are_no_others(tmp_path: Path) -> None:
    open_ = NODE_POOL.replace("taints: [{key: gpu, effect: NoSchedule}]", "taints: []")
    found, rules = judged(tmp_path, open_, JOB % (2, GPUS))
    assert (found, rules) == ({("proved", "conditional")}, set())


def test_beside_the_node_groups_of_the_cluster_a_node_pool_is_all_there_is(tmp_path: Path) -> None:
    system = (
        (EKSCTL % "availabilityZones: [us-west-2a]").replace("p5.48xlarge", "m5.large").replace("pool: gpu", "pool: x")
    )
    found, rules = judged(tmp_path, system + "---" + NODE_POOL, JOB % (2, GPUS))
    assert (found, rules) == ({("refuted", "refuted")}, {"untolerated-taint"})


def test_node_pools_of_several_directories_are_one_cluster_unless_they_share_a_name(tmp_path: Path) -> None:
    open_ = NODE_POOL.replace("taints: [{key: gpu, effect: NoSchedule}]", "taints: []")
    cpu = open_.replace("name: gpu", "name: cpu").replace("pool: gpu", "pool: cpu").replace("p5.48xlarge", "m5.large")
    files = {"pools/gpu/pool.yaml": open_, "pools/cpu/pool.yaml": cpu, "jobs/job.yaml": JOB % (2, GPUS)}
    assert set(verdicts(lint(tmp_path / "one", files)).values()) == {("proved", "conditional")}


def test_an_inventory_that_was_written_counts_before_what_is_derived(tmp_path: Path) -> None:
    written = """
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: lab}
pools: [{name: a, count: 2, zone: z, labels: {pool: gpu}, allocatable: {nvidia.com/gpu: "8"}}]
"""
    files = {"inventory.yaml": written, "karpenter.yaml": NODE_POOL, "job.yaml": JOB % (2, GPUS)}
    assert set(verdicts(lint(tmp_path, files)).values()) == {("proved", "proved")}


KIND = """
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes: [{role: control-plane}, {role: worker}, {role: worker}]
"""
PORTS = """
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  parallelism: 3
  completions: 3
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: i, ports: [{containerPort: 9, hostPort: 9}], resources: {requests: {cpu: "1"}}}]
"""


def test_what_no_size_of_a_node_could_fix_is_found_without_knowing_the_size(tmp_path: Path) -> None:
    # S 1.4: one host port a node; the tainted control plane takes none, so two nodes for three pods
    profile = {"trainlint.yaml": "clusters: [{name: kind, profile: kind}]\n"}
    result = lint(tmp_path / "a", {"kind.yaml": KIND, "job.yaml": PORTS, **profile})
    assert {each.finding.rule for each in result.findings} == {"host-port-conflict"}
    result = lint(tmp_path / "b", {"kind.yaml": KIND, "job.yaml": PORTS})
    assert not result.findings  # nothing says that this is the cluster
