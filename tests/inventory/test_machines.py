"""kind, kubeadm, Cluster API, k3s and RKE2, Talos, GKE ComputeClass (S 3; surprises 61 to 63 of S 5)."""

from __future__ import annotations

import pytest
from tests.inventory.reading import inventories, pools, taints

from trainlint.model.known import Undetermined
from trainlint.model.settings import Settings
from trainlint.source.node_files import RANCHER_CONFIG, TALOS_CONFIG
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read

ZONE = "topology.kubernetes.io/zone"
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
TAINT = [(CONTROL_PLANE, "", "NoSchedule")]


def kind(nodes: str, more: str = "") -> str:
    return f"kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nname: lab\nnodes: {nodes}\n{more}"


def test_kind_nodes_are_named_after_cluster_and_role() -> None:
    # S 3: <cluster>-control-plane, -worker, -worker2
    found = pools(kind("[{role: control-plane}, {role: worker}, {role: worker, labels: {gpu: 'true'}}]"))
    assert list(found) == ["lab-control-plane", "lab-worker", "lab-worker2"]
    assert found["lab-worker2"].labels["gpu"] == "true"
    assert found["lab-worker"].labels["kubernetes.io/hostname"] == "lab-worker"
    assert found["lab-worker"].label(ZONE) is None
    assert found["lab-worker"].allocatable is None


def test_the_control_plane_of_kind_keeps_its_taint_unless_it_is_alone() -> None:
    # S 5.61; kubernetes-sigs/kind:pkg/cluster/internal/create/actions/kubeadminit/init.go
    assert taints(pools(kind("[{role: control-plane}, {role: worker}]"))["lab-control-plane"]) == TAINT
    assert taints(pools(kind("[{role: control-plane}]"))["lab-control-plane"]) == []
    assert taints(pools("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n")["kind-control-plane"]) == []


def test_kubeadm_patches_of_a_kind_node_give_labels_and_taints() -> None:
    patch = """
nodes:
  - role: control-plane
  - role: worker
    kubeadmConfigPatches:
      - |
        kind: JoinConfiguration
        nodeRegistration:
          taints: [{key: gpu, value: a, effect: NoSchedule}]
          kubeletExtraArgs:
            node-labels: "team=ml,node-role.kubernetes.io/gpu="
"""
    found = pools("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nname: lab\n" + patch)["lab-worker"]
    assert taints(found) == [("gpu", "a", "NoSchedule")]
    assert found.labels["team"] == "ml"
    assert "node-role.kubernetes.io/gpu" not in found.labels  # NodeRestriction refuses it (S 1.11)


def test_a_kind_cluster_is_all_there_is_only_where_it_is_the_cluster() -> None:
    text = kind("[{role: control-plane}, {role: worker}]")
    (other,) = inventories({"kind.yaml": text})
    (meant,) = inventories({"kind.yaml": text}, Settings(profile="kind"))
    assert (other.complete, meant.complete) == (False, True)


def kubeadm(registration: str, kind_: str = "JoinConfiguration", more: str = "") -> str:
    return f"apiVersion: kubeadm.k8s.io/v1beta4\nkind: {kind_}\nnodeRegistration: {registration}\n{more}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (kubeadm("{}", "InitConfiguration"), TAINT),  # S 5.62: key absent
        (kubeadm("{taints: []}", "InitConfiguration"), []),
        (kubeadm("{}"), []),
        (kubeadm("{}", more="controlPlane: {}"), TAINT),
        (kubeadm("{taints: [{key: gpu, effect: NoSchedule}]}"), [("gpu", "", "NoSchedule")]),
        (
            kubeadm("{kubeletExtraArgs: [{name: register-with-taints, value: 'gpu=a:NoExecute'}]}"),
            [("gpu", "a", "NoExecute")],
        ),
        (kubeadm("{kubeletExtraArgs: {register-with-taints: 'gpu:NoSchedule'}}"), [("gpu", "", "NoSchedule")]),
    ],
)
def test_kubeadm_taints(text: str, expected: list[tuple[str, str, str]]) -> None:
    (pool,) = pools(text).values()
    assert taints(pool) == expected
    assert pool.allocatable is None
    assert pool.maximum is None


def test_kubeadm_configurations_never_describe_a_whole_cluster() -> None:
    (inventory,) = inventories({"a.yaml": kubeadm("{}", "InitConfiguration"), "b.yaml": kubeadm("{name: n1}")})
    assert not inventory.complete
    assert [pool.name for pool in inventory.pools] == ["a-control-plane", "n1"]


ANNOTATED = """
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata:
  name: gpu
  namespace: fleet
  annotations:
    cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: "0"
    cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: "4"
    capacity.cluster-autoscaler.kubernetes.io/cpu: "96"
    capacity.cluster-autoscaler.kubernetes.io/memory: 768Gi
    capacity.cluster-autoscaler.kubernetes.io/gpu-type: nvidia.com/gpu
    capacity.cluster-autoscaler.kubernetes.io/gpu-count: "8"
    capacity.cluster-autoscaler.kubernetes.io/labels: "pool=gpu,tier=a"
    capacity.cluster-autoscaler.kubernetes.io/taints: "dedicated=gpu:NoSchedule"
spec:
  clusterName: prod
  replicas: 2
  template:
    metadata: {labels: {node-role.kubernetes.io/gpu: "", dropped: "yes"}}
    spec:
      failureDomain: zone-a
      bootstrap: {configRef: {kind: KubeadmConfigTemplate, name: gpu}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfigTemplate
metadata: {name: gpu, namespace: fleet}
spec: {template: {spec: {joinConfiguration: {nodeRegistration: {taints: [{key: gpu, effect: NoExecute}]}}}}}
"""


def test_machines_have_what_their_annotations_say() -> None:
    # S 3 "CA scale-from-zero annotations"; kubernetes/autoscaler:cluster-autoscaler/cloudprovider/clusterapi/README.md
    (pool,) = pools(ANNOTATED).values()
    assert (pool.minimum, pool.maximum) == (0, 4)
    assert pool.allocatable is not None
    assert {key: pool.allocatable[key] for key in ("cpu", "memory", "pods", "nvidia.com/gpu")} == {
        "cpu": "96",
        "memory": "768Gi",
        "pods": "110",
        "nvidia.com/gpu": "8",
    }
    assert (pool.labels["pool"], pool.labels["tier"], pool.labels[ZONE]) == ("gpu", "a", "zone-a")
    assert pool.labels["kubernetes.io/arch"] == "amd64"
    assert taints(pool) == [("gpu", "", "NoExecute"), ("dedicated", "gpu", "NoSchedule")]


def test_only_some_labels_of_a_machine_reach_its_node() -> None:
    # S 3: node-role.kubernetes.io and node-restriction.kubernetes.io do
    (pool,) = pools(ANNOTATED).values()
    assert pool.labels["node-role.kubernetes.io/gpu"] == ""
    assert pool.label("dropped") is None


def test_machines_without_annotations_have_replicas_and_no_known_size() -> None:
    text = (
        "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineSet\nmetadata: {name: cpu}\n"
        "spec: {clusterName: prod, replicas: 3, template: {spec: {}}}\n"
    )
    (pool,) = pools(text).values()
    assert (pool.minimum, pool.maximum, pool.allocatable) == (3, 3, None)
    assert isinstance(pool.label(ZONE), Undetermined)


def test_machine_deployments_of_another_group_are_others() -> None:
    text = ANNOTATED.replace("cluster.x-k8s.io/v1beta2\nkind: MachineD", "machine.example.com/v1\nkind: MachineD")
    assert inventories({"a.yaml": text}) == ()


CLUSTER = """
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: prod, namespace: fleet}
spec: {controlPlaneRef: {kind: KubeadmControlPlane, name: head}%s}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlane
metadata: {name: head, namespace: fleet}
spec: {replicas: 3, kubeadmConfigSpec: {}}
"""


def test_a_cluster_with_its_control_plane_is_complete() -> None:
    (inventory,) = inventories({"a.yaml": ANNOTATED + CLUSTER % ""})
    assert inventory.complete
    assert [(pool.name, pool.maximum) for pool in inventory.pools] == [("gpu", 4), ("prod-control-plane", 3)]
    assert taints(inventory.pools[1]) == TAINT


def test_a_cluster_made_from_a_class_has_machines_that_stand_in_no_file() -> None:
    (inventory,) = inventories({"a.yaml": ANNOTATED + CLUSTER % ", topology: {class: x}"})
    assert not inventory.complete
    (alone,) = inventories({"a.yaml": ANNOTATED})
    assert not alone.complete


@pytest.mark.parametrize("file", ["etc/rancher/k3s/config.yaml", "rke2/agent.yaml", "config.yaml.d/10-gpu.yaml"])
def test_k3s_and_rke2_files_are_told_by_name_and_keys(file: str) -> None:
    text = 'node-name: n1\nnode-label: ["pool=gpu"]\nnode-taint+: ["gpu=a:NoSchedule"]\n'
    (pool,) = pools(text, file).values()
    assert (pool.name, pool.labels["pool"], taints(pool)) == ("n1", "gpu", [("gpu", "a", "NoSchedule")])


def test_a_server_of_k3s_is_not_tainted_by_itself() -> None:
    # S 5.63
    (pool,) = pools("node-label: a=b\ncluster-init: true\n", "k3s/config.yaml").values()
    assert taints(pool) == []


def test_other_files_with_such_keys_are_no_nodes() -> None:
    text = "node-label: [a=b]\n"
    assert inventories({"values.yaml": text}) == ()
    assert inventories({"k3s/config.yaml": "apiVersion: v1\n" + text}) == ()


TALOS = """
version: v1alpha1
machine:
  type: %s
  network: {hostname: n1}
  nodeLabels: {pool: gpu}
  nodeTaints: {gpu: "a:NoSchedule", idle: PreferNoSchedule}
cluster: {%s}
"""


def test_talos_labels_and_taints() -> None:
    (pool,) = pools(TALOS % ("worker", ""), "talos/worker.yaml").values()
    assert pool.labels["pool"] == "gpu"
    assert taints(pool) == [("gpu", "a", "NoSchedule"), ("idle", "", "PreferNoSchedule")]


def test_a_talos_control_plane_is_tainted_unless_it_may_be_used() -> None:
    (kept,) = pools(TALOS % ("controlplane", ""), "a.yaml").values()
    (open_,) = pools(TALOS % ("controlplane", "allowSchedulingOnControlPlanes: true"), "a.yaml").values()
    assert taints(kept)[-1:] == TAINT
    assert CONTROL_PLANE not in {taint.key for taint in open_.taints}


def test_files_without_a_kind_are_read_by_their_shape() -> None:
    kinds = KindFilter({RANCHER_CONFIG, TALOS_CONFIG})
    assert read("talos.yaml", (TALOS % ("worker", "")).encode(), kinds).documents
    assert read("k3s/config.yaml", b"node-label: [a=b]\n", kinds).documents
    assert not read("values.yaml", b"nodeLabels: {a: b}\n", kinds).documents


def test_a_compute_class_makes_pools_for_those_who_ask_for_it() -> None:
    text = """
apiVersion: cloud.google.com/v1
kind: ComputeClass
metadata: {name: train}
spec:
  nodePoolConfig: {nodeLabels: {team: ml}}
  priorities:
    - {machineType: a3-highgpu-8g, gpu: {type: nvidia-h100-80gb, count: 8}, location: {zones: [us-central1-a]}}
    - {machineFamily: n4}
    - {nodepools: [existing]}
"""
    found = pools(text)
    assert sorted(found) == ["train/0", "train/1"]
    first = found["train/0"]
    assert first.labels["cloud.google.com/compute-class"] == "train"
    assert first.labels["cloud.google.com/gke-accelerator"] == "nvidia-h100-80gb"
    assert (first.labels[ZONE], first.labels["topology.kubernetes.io/region"]) == ("us-central1-a", "us-central1")
    assert first.ceiling["cpu"] == "208000m"  # S 4: a3-highgpu-8g has 208 vCPUs
    assert found["train/1"].allocatable is None
    (inventory,) = inventories({"a.yaml": text})
    assert not inventory.complete
