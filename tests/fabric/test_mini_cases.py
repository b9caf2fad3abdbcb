"""The mini-cases of the specification, through the whole pipeline (N 6, by their numbers)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.fabric.manifests import container, findings, mpi_job, multus_config, network, reported, template, torch_job

MULTUS = "k8s.v1.cni.cncf.io/networks"
GKE = "networking.gke.io/interfaces"
LOCK = {"securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}
IPAM = {"ipam": {"type": "whereabouts", "range": "10.64.0.0/20"}}
HOST = {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}


def with_env(
    annotations: dict[str, str] | None = None, spec: dict[str, Any] | None = None, **env: str
) -> dict[str, Any]:
    return torch_job(template(container(env), annotations, **(spec or {})))


@pytest.mark.parametrize("value", ["^docker,lo", "^lo,docker", "^lo", "eth", "eth0", "eth,ens,ib", "^=lo,docker0"])
def test_2_3_5_7_values_that_take_eth0(value: str) -> None:
    assert reported(with_env(NCCL_SOCKET_IFNAME=value)) == set()


@pytest.mark.parametrize("value", ["=eth", "ETH0", "eth*", "eth0 ", "ens5", "efa0", "an-interface-name", '"eth0"'])
def test_5_6_15_20_values_that_match_nothing(value: str) -> None:
    assert reported(with_env(NCCL_SOCKET_IFNAME=value)) == {"nccl-interface-missing"}


def test_1_an_exclusion_that_forgets_lo_takes_lo() -> None:
    assert reported(with_env(NCCL_SOCKET_IFNAME="^docker0")) == {"nccl-interface-loopback"}
    assert reported(with_env(spec=HOST, NCCL_SOCKET_IFNAME="^docker0")) == {"nccl-interface-loopback"}


def test_4_a_second_caret_is_part_of_a_name() -> None:
    assert reported(with_env(NCCL_SOCKET_IFNAME="^lo,^docker")) == {"invalid-nccl-value"}


def test_6_the_node_may_have_what_a_pod_does_not() -> None:
    assert reported(with_env(spec=HOST, NCCL_SOCKET_IFNAME="ens5")) == set()
    assert reported(with_env(spec=HOST, NCCL_SOCKET_IFNAME="an-interface-name")) == {"nccl-interface-missing"}


def test_9_a_network_by_multus_gives_net1() -> None:
    job = with_env({MULTUS: "a"}, NCCL_SOCKET_IFNAME="net1")
    assert reported(job, network(**IPAM), notes=True) == set()


def test_9_without_an_annotation_only_default_networks_could_give_net1() -> None:
    job = with_env(NCCL_SOCKET_IFNAME="net1")
    assert reported(job) == set()
    assert reported(job, notes=True) == {"nccl-interface-missing"}
    assert reported(job, multus_config()) == {"nccl-interface-missing"}
    assert reported(job, multus_config(defaultNetworks=["storage"]), notes=True) == set()


@pytest.mark.parametrize(("value", "missing"), [("net1", True), ("net2", False), ("fab", False)])
def test_10_a_named_interface_uses_its_number_up(value: str, missing: bool) -> None:
    job = with_env({MULTUS: "a@fab0,b"}, NCCL_SOCKET_IFNAME=value)
    found = reported(job, network("a", **IPAM), network("b"), multus_config())
    assert found == ({"nccl-interface-missing"} if missing else set())


def test_11_the_json_form_names_its_interface() -> None:
    job = with_env({MULTUS: '[{"name": "a", "interface": "rdma0"}]'}, NCCL_SOCKET_IFNAME="rdma")
    assert reported(job, network(**IPAM)) == set()


def test_12_the_annotation_on_the_object_itself_does_nothing() -> None:
    job = with_env(NCCL_SOCKET_IFNAME="net1")
    job["metadata"]["annotations"] = {MULTUS: "a"}
    (found,) = [each for each in findings(job, network(**IPAM)) if each.finding.rule == "nccl-interface-missing"]
    assert found.finding.severity == "error"
    assert "pod template" in found.finding.remedy
    assert any(each.path[-1] == MULTUS for each in found.related)


@pytest.mark.parametrize(("value", "missing"), [("eth0,eth1", False), ("eth2", False), ("eth1", True)])
def test_13_the_annotation_of_gke_is_exact(value: str, missing: bool) -> None:
    interfaces = '[{"interfaceName":"eth0","network":"default"},{"interfaceName":"eth2","network":"rdma-0"}]'
    job = with_env({GKE: interfaces}, NCCL_SOCKET_IFNAME=value)
    assert ("nccl-interface-missing" in reported(job)) is missing


def test_14_eth0_is_isolated_where_a_user_defined_network_is_the_primary_one() -> None:
    namespace = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "ml", "labels": {"k8s.ovn.org/primary-user-defined-network": ""}},
    }
    primary = {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "UserDefinedNetwork",
        "metadata": {"name": "ranks", "namespace": "ml"},
        "spec": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.100.0.0/16"]}},
    }
    wrong, right = with_env(NCCL_SOCKET_IFNAME="eth0"), with_env(NCCL_SOCKET_IFNAME="ovn-udn1")
    assert reported(wrong, namespace, primary) == {"nccl-interface-missing"}
    assert reported(right, namespace, primary) == set()
    assert reported(wrong, namespace) == set()


def test_16_loopback_reaches_all_ranks_of_one_pod() -> None:
    alone = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "alone", "namespace": "ml"},
        "spec": {"containers": [container({"NCCL_SOCKET_IFNAME": "lo"})]},
    }
    assert reported(alone) == set()
    assert reported(with_env(NCCL_SOCKET_IFNAME="lo")) == {"nccl-interface-loopback"}


def test_17_other_names_of_one_network_and_the_host_network() -> None:
    worker = template(container({"NCCL_SOCKET_IFNAME": "eth"}))
    on_host = template(container({"NCCL_SOCKET_IFNAME": "ens5"}), **HOST)
    master = template(container({"NCCL_SOCKET_IFNAME": "eth0"}))
    assert reported(torch_job(worker, master)) == set()
    assert reported(torch_job(on_host, master)) == set()


@pytest.mark.parametrize("value", ["^lo", "eth", "=eth0", "eth0, lo", "eth1"])
def test_18_19_gloo_wants_exact_names(value: str) -> None:
    assert reported(with_env(NCCL_SOCKET_IFNAME="eth0", GLOO_SOCKET_IFNAME=value)) == {"gloo-interface-syntax"}


def test_18_gloo_is_right_with_the_name_of_the_interface() -> None:
    assert reported(with_env(GLOO_SOCKET_IFNAME="eth0")) == set()
    assert reported(with_env(spec=HOST, GLOO_SOCKET_IFNAME="ens5")) == set()
    assert reported(with_env(spec=HOST, GLOO_SOCKET_IFNAME="^lo")) == {"gloo-interface-syntax"}


def config_map(name: str, **data: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "ml"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def test_21_a_value_from_a_configmap_is_reported_there_and_unknown_without_it() -> None:
    reference = {"name": "NCCL_SOCKET_IFNAME", "valueFrom": {"configMapKeyRef": {"name": "net", "key": "ifname"}}}
    job = torch_job(template({**container(), "env": [reference]}))
    assert reported(job, notes=True) == set()
    (found,) = [each for each in findings(job, config_map("net", ifname="ens5")) if each.finding.category == "fabric"]
    assert found.path == ("data", "ifname")


def test_23_true_is_zero_and_leaves_infiniband_on() -> None:
    holds = container({"NCCL_IB_DISABLE": "true"}, {"rdma/ib": "1"}, **LOCK)
    assert reported(torch_job(template(holds))) == {"invalid-nccl-value"}


def test_24_disabled_with_a_device_is_a_fabric_that_is_not_used() -> None:
    holds = container({"NCCL_IB_DISABLE": "1"}, {"rdma/ib": "1"}, **LOCK)
    assert reported(torch_job(template(holds))) == {"rdma-disabled-with-device"}
    assert reported(with_env(NCCL_IB_DISABLE="1")) == set()
    mounted = container({"NCCL_IB_DISABLE": "1"}, securityContext={"privileged": True})
    volumes = [{"name": "ib", "hostPath": {"path": "/dev/infiniband"}}]
    assert reported(torch_job(template(mounted, volumes=volumes))) == {"rdma-disabled-with-device"}
    efa = container({"NCCL_IB_DISABLE": "1"}, {"vpc.amazonaws.com/efa": "1"})
    assert reported(torch_job(template(efa))) == set()


def test_26_device_names_without_a_device() -> None:
    assert reported(with_env(NCCL_IB_HCA="mlx5_0")) == {"rdma-resource-missing"}
    claims = {"resourceClaims": [{"name": "nic", "resourceClaimTemplateName": "nic"}]}
    assert "rdma-resource-missing" not in reported(with_env(spec=claims, NCCL_IB_HCA="mlx5_0"))
    assert reported(with_env(NCCL_IB_HCA="mlx5_0", NCCL_IB_DISABLE="1")) == set()


def test_27_mpirun_splits_at_the_first_equals_sign() -> None:
    worker = template(container({}, {"rdma/ib": "1"}, **LOCK))
    assert reported(mpi_job("mpirun -np 2 -x NCCL_IB_HCA==mlx5_0,mlx5_1 train", worker)) == set()
    wrong = mpi_job("mpirun -np 2 -x NCCL_SOCKET_IFNAME=ens5 train", template(container()))
    (found,) = [each for each in findings(wrong) if each.finding.category == "fabric"]
    assert found.finding.rule == "nccl-interface-missing"
    assert "Launcher" in found.path


def test_27_what_the_launcher_passes_on_by_name_is_its_own_value() -> None:
    job = mpi_job("export NCCL_SOCKET_IFNAME=ens5; mpirun -np 2 -x NCCL_SOCKET_IFNAME train", template(container()))
    assert reported(job) == {"nccl-interface-missing"}
    silent = mpi_job("mpirun -np 2 train", template(container({"NCCL_SOCKET_IFNAME": "ens5"})))
    assert reported(silent) == set()  # ssh does not pass the container's own variables on


def test_28_a_rank_without_the_device_of_the_others() -> None:
    with_efa = template(container({}, {"vpc.amazonaws.com/efa": "1"}))
    assert reported(torch_job(with_efa, template(container()))) == {"rdma-on-some-roles"}
    assert reported(mpi_job("mpirun -np 2 train", with_efa)) == set()


def test_29_one_of_a_switch_is_enough_and_unequal_counts_are_not() -> None:
    eight = template(container({}, {"rdma/ib": "8"}, **LOCK))
    one = template(container({}, {"rdma/ib": "1"}, **LOCK))
    assert reported(torch_job(one)) == set()
    (found,) = [each for each in findings(torch_job(eight, one)) if each.finding.category == "fabric"]
    assert (found.finding.rule, found.finding.severity) == ("rdma-on-some-roles", "warning")


def test_30_verbs_need_locked_memory_and_efa_works_without() -> None:
    assert reported(torch_job(template(container({}, {"rdma/ib": "1"})))) == {"rdma-memlock"}
    assert reported(torch_job(template(container({}, {"vpc.amazonaws.com/efa": "1"})))) == set()
    other_user = template(container({}, {"rdma/ib": "1"}, **LOCK), securityContext={"runAsUser": 1000})
    assert reported(torch_job(other_user)) == {"rdma-memlock"}


def test_31_the_name_of_a_transport() -> None:
    for name, expected in (("IB", set()), ("Socket", {"rdma-disabled-with-device"})):
        holds = container({"NCCL_NET": name}, {"rdma/ib": "1"}, **LOCK)
        assert reported(torch_job(template(holds))) == expected


@pytest.mark.parametrize(("count", "wrong"), [("2", False), ("1", True), ("", True)])
def test_32_every_attachment_takes_a_device(count: str, wrong: bool) -> None:
    limits = {"nvidia.com/rdma-vf": count} if count else {}
    job = torch_job(template(container({}, limits, **LOCK), {MULTUS: "vf,vf"}))
    found = reported(job, network("vf", resource="nvidia.com/rdma-vf", type="sriov"))
    assert ("network-attachment-missing" in found) is wrong


def test_34_names_that_nccl_does_not_read() -> None:
    assert reported(with_env(NCCL_DISABLE_IB="1")) == {"unknown-nccl-variable"}
    assert reported(with_env(NCCL_TIMEOUT="3600")) == {"unknown-nccl-variable"}
    assert reported(with_env(NCCL_FASTRAK_CTRL_DEV="eth0", NCCL_VERSION="2.27.5-1"), notes=True) == set()


def test_a_variable_of_the_script_itself_is_no_setting() -> None:
    script = {"command": ["bash", "-c"], "args": ["NCCL_OWN_PATH=/opt; ls $NCCL_OWN_PATH; exec torchrun train.py"]}
    assert reported(torch_job(template({**container(), **script})), notes=True) == set()
    exported = {"command": ["bash", "-c"], "args": ["export NCCL_DISABLE_IB=1; exec torchrun train.py"]}
    assert reported(torch_job(template({**container(), **exported}))) == {"unknown-nccl-variable"}


def test_46_shared_memory() -> None:
    gpus = {"nvidia.com/gpu": "8"}
    mount = {"volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]}
    memory = {"volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}]}
    disk = {"volumes": [{"name": "shm", "emptyDir": {}}]}
    host = {"volumes": [{"name": "shm", "hostPath": {"path": "/dev/shm"}}]}
    assert reported(torch_job(template(container({}, gpus)))) == {"shm-too-small"}
    assert reported(torch_job(template(container({}, gpus, **mount), **disk))) == {"shm-too-small"}
    for volumes in (memory, host):
        assert reported(torch_job(template(container({}, gpus, **mount), **volumes))) == set()
    assert reported(torch_job(template(container({}, gpus), hostIPC=True))) == set()
    large = {"volumes": [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "64Gi"}}]}
    limits = {**gpus, "memory": "32Gi"}
    assert reported(torch_job(template(container({}, limits, **mount), **large))) == {"memory-volume-exceeds-limit"}


def test_50_images_of_other_releases() -> None:
    def job(one: str, other: str) -> set[str]:
        return reported(torch_job(template(container(image=one)), template(container(image=other))))

    ngc = "nvcr.io/nvidia/pytorch"
    assert job(f"{ngc}:23.11-py3", f"{ngc}:24.05-py3") == {"mixed-collective-versions"}
    assert job(f"{ngc}:24.05-py3", f"{ngc}@sha256:{'0' * 64}") == set()
    assert job("registry.example/a:1", "registry.example/a:2") == set()


def test_53_host_network_and_names() -> None:
    assert reported(with_env(spec={"hostNetwork": True})) == {"host-network-dns"}
    assert reported(with_env(spec=HOST)) == set()


def test_56_the_environment_wins_over_the_file() -> None:
    mount = {"volumeMounts": [{"name": "nccl", "mountPath": "/etc/nccl.conf", "subPath": "nccl.conf"}]}
    volumes = {"volumes": [{"name": "nccl", "configMap": {"name": "nccl"}}]}
    settings = config_map("nccl", **{"nccl.conf": "NCCL_SOCKET_IFNAME=ens5\n"})
    assert reported(torch_job(template(container(**mount), **volumes)), settings) == {"nccl-interface-missing"}
    own = container({"NCCL_SOCKET_IFNAME": "eth0"}, **mount)
    assert reported(torch_job(template(own, **volumes)), settings) == set()
    rocm = container(image="rocm/pytorch:1", **mount)  # 57: RCCL reads /etc/rccl.conf
    assert reported(torch_job(template(rocm, **volumes)), settings) == set()


@pytest.mark.parametrize(
    "env",
    [
        {"OMPI_MCA_btl_tcp_if_include": "eth0", "OMPI_MCA_btl_tcp_if_exclude": "lo"},
        {"OMPI_MCA_btl_tcp_if_exclude": "docker0"},
        {"OMPI_MCA_btl_tcp_if_include": "eth"},
    ],
)
def test_60_interface_lists_of_open_mpi(env: dict[str, str]) -> None:
    assert reported(with_env(**env)) == {"invalid-nccl-value"}
    assert reported(with_env(OMPI_MCA_btl_tcp_if_include="eth0")) == set()
    assert reported(with_env(OMPI_MCA_btl_tcp_if_exclude="lo,docker0")) == set()


def test_61_a_provider_and_its_device() -> None:
    assert reported(with_env(FI_PROVIDER="efa")) == {"rdma-resource-missing"}
    assert reported(with_env(spec=HOST, FI_PROVIDER="efa")) == set()
    slow = container({"FI_PROVIDER": "tcp"}, {"vpc.amazonaws.com/efa": "1"})
    assert reported(torch_job(template(slow))) == {"rdma-disabled-with-device"}


def test_62_mpi_over_tcp_is_meant() -> None:
    holds = container({"UCX_TLS": "tcp", "UCX_NET_DEVICES": "eth0"}, {"rdma/ib": "1"}, **LOCK)
    assert reported(torch_job(template(holds))) == set()


def test_70_one_role_may_leave_the_interface_to_nccl() -> None:
    master = template(container({"NCCL_SOCKET_IFNAME": "eth0"}))
    assert reported(torch_job(template(container()), master)) == set()


def test_roles_in_different_networks_cannot_connect() -> None:
    attached = template(container({"NCCL_SOCKET_IFNAME": "net1"}), {MULTUS: "a"})
    plain = template(container())
    assert reported(torch_job(attached, plain), network(**IPAM)) == {"interface-differs-across-roles"}
    routed = {"ipam": {"type": "whereabouts", "range": "10.64.0.0/20", "gateway": "10.64.0.1"}}
    assert reported(torch_job(attached, plain), network(**routed)) == set()
    assert reported(torch_job(attached), network(**IPAM)) == set()


def test_settings_of_nccl_in_pods_without_accelerators_are_inert() -> None:
    holds = container({"NCCL_SOCKET_IFNAME": "ens5"})
    holds["resources"] = {"limits": {"cpu": "8"}}
    assert reported(torch_job(template(holds))) == set()


def test_networks_are_looked_up_only_where_the_namespace_holds_some() -> None:
    job = torch_job(template(container(), {MULTUS: "a"}))
    assert reported(job) == set()
    assert reported(job, network("b")) == {"network-attachment-missing"}
    assert reported(job, network("a", namespace="other"), network("b")) == {"network-attachment-missing"}
    assert reported(torch_job(template(container(), {MULTUS: "a"}, **HOST)), network("b")) == set()


def test_debugging_that_was_left_in() -> None:
    assert reported(with_env(NCCL_DEBUG="TRACE"), notes=True) == {"verbose-debug-committed"}
    assert reported(with_env(NCCL_DEBUG="INFO", NCCL_DEBUG_SUBSYS="ALL"), notes=True) == {"verbose-debug-committed"}
    assert reported(with_env(TORCH_DISTRIBUTED_DEBUG="DETAIL"), notes=True) == {"verbose-debug-committed"}
    assert reported(with_env(NCCL_DEBUG="INFO", NCCL_DEBUG_SUBSYS="INIT,NET"), notes=True) == set()
    assert reported(with_env(NCCL_DEBUG_SUBSYS="ALL"), notes=True) == set()


@pytest.mark.parametrize(
    "text", ["9" * 5000, "-" + "1" * 5000, "0x" + "f" * 9000, "1e9999", "\x00", "a:" + "7" * 5000, "^" * 99]
)
def test_absurd_values_break_nothing(text: str) -> None:
    names = [
        "NCCL_IB_DISABLE",
        "NCCL_P2P_DISABLE",
        "NCCL_P2P_LEVEL",
        "NCCL_COMM_ID",
        "NCCL_SOCKET_IFNAME",
        "NCCL_IB_HCA",
    ]
    job = with_env({MULTUS: text, GKE: text}, **dict.fromkeys((*names, "GLOO_SOCKET_IFNAME"), text))
    for pod in job["spec"]["pytorchReplicaSpecs"].values():
        pod["template"]["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": text, "rdma/ib": text}}
        pod["template"]["spec"]["volumes"] = [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": text}}]
    findings(job, network(mtu=text, ipam={"range": text}), network("b", plugins=[[], {}]))


def plugin(sharing: str, name: str = "config.yaml") -> dict[str, Any]:
    return config_map("nvidia-device-plugin", **{name: f"version: v1\nsharing:\n{sharing}"})


SLICES = "  timeSlicing:\n    resources:\n    - {name: nvidia.com/gpu, replicas: 4}\n"


@pytest.mark.parametrize("method", ["timeSlicing", "mps"])
def test_49_two_slices_may_be_one_gpu(method: str) -> None:
    mount = {"volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]}
    memory = {"volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}]}
    shared = plugin(SLICES.replace("timeSlicing", method))
    two = torch_job(template(container({}, {"nvidia.com/gpu": "2"}, **mount), **memory))
    assert reported(two, shared) == {"shared-gpu-in-collective"}
    assert reported(torch_job(template(container())), shared) == set()
    assert (
        reported(two, plugin(SLICES.replace("  timeSlicing:\n", "  timeSlicing:\n    renameByDefault: true\n")))
        == set()
    )
    renamed = {"nvidia.com/gpu": "0", "nvidia.com/gpu.shared": "2"}
    assert reported(torch_job(template(container({}, renamed, **mount), **memory))) == {"shared-gpu-in-collective"}


def test_55_gpus_without_a_request() -> None:
    def job(value: str, limits: dict[str, str]) -> dict[str, Any]:
        holds = container({"NVIDIA_VISIBLE_DEVICES": value})
        holds["resources"] = {"limits": limits}
        return torch_job(template(holds))

    assert reported(job("all", {"cpu": "8"})) == {"gpu-request-bypassed"}
    assert reported(job("0,1", {"cpu": "8"})) == {"gpu-request-bypassed"}
    assert reported(job("void", {"cpu": "8"})) == set()
    assert reported(job("all", {"nvidia.com/gpu": "1"})) == set()


def test_fixed_names_of_virtual_functions() -> None:
    def job(value: str, **spec: Any) -> dict[str, Any]:
        holds = container({"NCCL_IB_HCA": value}, {"nvidia.com/rdma-vf": "1"}, **LOCK)
        return torch_job(template(holds, **spec))

    assert reported(job("=mlx5_4"), notes=True) == {"fixed-device-index"}
    assert reported(job("mlx5"), notes=True) == set()
    assert reported(job("=mlx5_4", **HOST), notes=True) == set()


def test_mtu_of_an_attachment_and_of_the_port_below_it() -> None:
    policy = {
        "apiVersion": "sriovnetwork.openshift.io/v1",
        "kind": "SriovNetworkNodePolicy",
        "metadata": {"name": "vf", "namespace": "openshift-sriov-network-operator"},
        "spec": {"resourceName": "vf", "mtu": 1500, "numVfs": 8, "isRdma": False},
    }
    job = torch_job(template(container({}, {"openshift.io/vf": "1"}), {MULTUS: "vf"}))
    assert reported(job, policy, network("vf", resource="openshift.io/vf", mtu=9000)) == {"mtu-mismatch"}
    assert reported(job, policy, network("vf", resource="openshift.io/vf", mtu=1500)) == set()
    assert reported(job, policy, network("vf", resource="openshift.io/vf")) == set()


def test_a_claim_for_gpus_only_brings_no_interface() -> None:
    def claim(device_class: str) -> dict[str, Any]:
        request = {"name": "one", "exactly": {"deviceClassName": device_class}}
        return {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "devices", "namespace": "ml"},
            "spec": {"spec": {"devices": {"requests": [request]}}},
        }

    claims = {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "devices"}]}
    job = with_env(spec=claims, NCCL_SOCKET_IFNAME="ens5")
    assert "nccl-interface-missing" in reported(job, claim("gpu.nvidia.com"))
    assert "nccl-interface-missing" not in reported(job, claim("mrdma.google.com"))
    assert "nccl-interface-missing" not in reported(job)


def test_a_container_that_only_sleeps_needs_no_shared_memory() -> None:
    holds = {**container({}, {"nvidia.com/gpu": "8"}), "command": ["bash", "-c"], "args": ["echo up; sleep 600"]}
    assert reported(torch_job(template(holds))) == set()


@pytest.mark.parametrize(
    "image", ["registry.k8s.io/pause:3.9", "perf/sleep", "oguzpastirmaci/gpu-burn", "x/gpu_burn:1"]
)
def test_images_that_hold_or_burn_gpus_need_no_shared_memory(image: str) -> None:
    holds = {**container({}, {"nvidia.com/gpu": "8"}), "image": image, "command": []}
    assert "shm-too-small" not in reported(torch_job(template(holds)))


def test_a_program_that_burns_gpus_needs_no_shared_memory() -> None:
    burns = {**container({}, {"nvidia.com/gpu": "8"}), "command": ["/app/gpu_burn", "60"]}
    assert "shm-too-small" not in reported(torch_job(template(burns)))


def test_data_workers_need_shared_memory_with_one_gpu_too() -> None:
    holds = {**container(), "command": ["torchrun", "train.py", "--num-workers", "8"]}
    assert reported(torch_job(template(holds))) == {"shm-too-small"}
    holds["command"][-1] = "0"
    assert reported(torch_job(template(holds))) == set()


def test_parts_of_gpus_need_no_shared_memory() -> None:
    # HAMi's own resources: two parts of GPUs, on which no collective runs.
    parts = {"nvidia.com/gpu": "2", "nvidia.com/gpucores": "30", "nvidia.com/gpumem": "1024"}
    assert "shm-too-small" not in reported(torch_job(template(container({}, parts))))
