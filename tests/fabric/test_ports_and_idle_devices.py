"""MTUs of ports behind one resource, devices with names of their own, fabrics that are left alone (N 3.2 to 3.4)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.fabric.manifests import container, findings, network, reported, template, torch_job

MULTUS = "k8s.v1.cni.cncf.io/networks"
LOCK = {"securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}
SHM: dict[str, Any] = {"volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]}
VOLUMES = {"volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}]}


def node_policy(
    name: str, mtu: int | None, resource: str = "rail", pool: str = "", port: str = "ens1"
) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "resourceName": resource,
        "isRdma": True,
        "nodeSelector": {"pool": pool or name},
        "nicSelector": {"pfNames": [port]},
        "numVfs": 8,
    }
    return {
        "apiVersion": "sriovnetwork.openshift.io/v1",
        "kind": "SriovNetworkNodePolicy",
        "metadata": {"name": name, "namespace": "sriov-network-operator"},
        "spec": spec if mtu is None else spec | {"mtu": mtu},
    }


JOB = torch_job(template(container(limits={"openshift.io/rail": "1"}, **LOCK)))


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (node_policy("a", 9000), node_policy("b", 1500), 1),
        (node_policy("a", 9000), node_policy("b", 9000), 0),
        (node_policy("a", 9000), node_policy("b", None), 0),
        (node_policy("a", 9000), node_policy("b", 1500, resource="storage"), 0),
        (node_policy("a", 9000, pool="x"), node_policy("b", 1500, pool="x"), 0),  # one of them wins, by priority
        (node_policy("a", 9000, pool="x"), node_policy("b", 1500, pool="x", port="ens2"), 1),
    ],
)
def test_two_policies_for_the_ports_of_one_resource(one: dict[str, Any], other: dict[str, Any], found: int) -> None:
    spoken = [each for each in findings(JOB, one, other) if each.finding.rule == "mtu-mismatch"]
    assert len(spoken) == found


def test_ports_that_no_rank_uses_are_on_no_path() -> None:
    job = torch_job(template(container()))
    assert "mtu-mismatch" not in reported(job, node_policy("a", 9000), node_policy("b", 1500))


@pytest.mark.parametrize(
    ("annotations", "limits", "found"),
    [
        ({MULTUS: "a"}, {"example.com/whatever": "1"}, set()),
        ({MULTUS: "a"}, {}, {"rdma-resource-missing"}),
        ({}, {"example.com/whatever": "1"}, {"rdma-resource-missing"}),
    ],
)
def test_resources_of_attached_networks_have_names_of_their_own(
    annotations: dict[str, str], limits: dict[str, str], found: set[str]
) -> None:
    job = torch_job(template(container({"NCCL_IB_HCA": "mlx5_0"}, limits, **LOCK), annotations))
    assert reported(job, network()) & {"rdma-resource-missing"} == found


@pytest.mark.parametrize(
    ("value", "found"), [("eth0", False), ("=eth0", False), ("mlx5", True), ("ibp", True), ("enp1s0", False)]
)
def test_an_interface_where_adapters_belong_names_none_on_purpose(value: str, found: bool) -> None:
    assert ("rdma-resource-missing" in reported(torch_job(template(container({"NCCL_IB_HCA": value}))))) is found


def inventory(**allocatable: str) -> dict[str, Any]:
    pools = [{"name": "p", "count": 8, "zone": "z", "allocatable": {"cpu": "99", "memory": "999Gi", **allocatable}}]
    return {"apiVersion": "trainlint.io/v1alpha1", "kind": "Inventory", "metadata": {"name": "i"}, "pools": pools}


def whole(gpus: str = "8", env: dict[str, str] | None = None, **limits: str) -> dict[str, Any]:
    holds = container(env, {"nvidia.com/gpu": gpus, **limits}, **SHM)
    return torch_job(template(holds | {"command": ["torchrun", f"--nproc-per-node={gpus}", "x.py"]}, **VOLUMES))


@pytest.mark.parametrize(
    ("job", "offered", "found"),
    [
        (whole(), {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}, True),
        (whole(), {"nvidia.com/gpu": "8", "rdma/ib": "1"}, True),
        (whole(), {"nvidia.com/gpu": "8"}, False),
        (whole("4"), {"nvidia.com/gpu": "8", "rdma/ib": "1"}, False),  # the other half may belong to others
        (whole(**{"rdma/ib": "1"}), {"nvidia.com/gpu": "8", "rdma/ib": "1"}, False),
        (whole(env={"NCCL_IB_DISABLE": "1"}), {"nvidia.com/gpu": "8", "rdma/ib": "1"}, False),
        (whole(env={"NCCL_NET": "Socket"}), {"nvidia.com/gpu": "8", "rdma/ib": "1"}, False),
        (whole(env={"NCCL_IB_HCA": "mlx5"}), {"nvidia.com/gpu": "8", "rdma/ib": "1"}, False),  # rdma-resource-missing
    ],
)
def test_whole_nodes_with_a_fabric_that_no_rank_asks_for(
    job: dict[str, Any], offered: dict[str, str], found: bool
) -> None:
    assert ("unused-fabric" in reported(job, inventory(**offered), notes=True)) is found


TYPE = "node.kubernetes.io/instance-type"
GKE = "networking.gke.io/interfaces"


def on(gpus: str, annotations: dict[str, str] | None = None, host: bool = False, **selector: str) -> dict[str, Any]:
    holds = container(None, {"nvidia.com/gpu": gpus}, **SHM) | {"command": ["torchrun", f"--nproc-per-node={gpus}"]}
    spec: dict[str, Any] = {"nodeSelector": {key.replace("_", "/"): value for key, value in selector.items()}}
    return torch_job(template(holds, annotations, **VOLUMES, **spec, **({"hostNetwork": True} if host else {})))


@pytest.mark.parametrize(
    ("job", "found"),
    [
        # docs.aws.amazon.com/AWSEC2: p5.48xlarge has 8 GPUs and 32 EFA devices, g5.xlarge none
        (on("8", **{TYPE: "p5.48xlarge"}), True),
        (on("4", **{TYPE: "p5.48xlarge"}), False),  # the other half may belong to others
        (on("1", **{TYPE: "g5.xlarge"}), False),
        (on("8", **{TYPE: "p99.48xlarge"}), False),  # no table holds it
        (on("8"), False),
        # cloud.google.com: a3-highgpu-8g has four networks for GPUs, a3-highgpu-1g none, a2-highgpu-8g none
        (on("8", **{"cloud.google.com/gke-accelerator": "nvidia-h100-80gb"}), True),
        (on("8", **{TYPE: "a3-highgpu-8g"}), True),
        (on("8", {GKE: '[{"interfaceName": "eth0", "network": "default"}]'}, **{TYPE: "a3-highgpu-8g"}), False),
        (on("8", host=True, **{TYPE: "a3-highgpu-8g"}), False),
        (on("1", **{"cloud.google.com/gke-accelerator": "nvidia-h100-80gb"}), False),
        (on("8", **{TYPE: "a2-highgpu-8g"}), False),
    ],
)
def test_the_machine_says_which_fabric_there_is(job: dict[str, Any], found: bool) -> None:
    assert ("unused-fabric" in reported(job, notes=True)) is found
