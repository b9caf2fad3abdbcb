"""What annotations, images, device plugins and settings say about the fabric, value by value (N 2 to 5)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.fields import field
from tests.unknown_values import unknown

from trainlint.fabric.attachment import (
    GKE_ANNOTATION,
    MULTUS_ANNOTATION,
    Attachment,
    gke_interfaces,
    multus_attachments,
)
from trainlint.fabric.demand import fabric_off, fabric_refused, needs_device
from trainlint.fabric.device import Device, DeviceKind, Devices, devices_in, devices_of, offered_devices, requested
from trainlint.fabric.ground import AttachmentGround
from trainlint.fabric.image import Versions, versions_of
from trainlint.fabric.networks import Networks
from trainlint.fabric.number import is_plain_number, leading_number, read_disable, read_flag, read_level, read_number
from trainlint.fabric.pod_interfaces import POD_NETWORK, Network, pod_interfaces
from trainlint.fabric.process import Rank
from trainlint.fabric.release import read_release, write_release
from trainlint.fabric.sharing import CONFIG_LABEL, GpuSharing, read_sharing
from trainlint.finding import Location
from trainlint.kube.meta import read_meta
from trainlint.kube.network import Attachable
from trainlint.kube.pod import read_pod_spec
from trainlint.launch.environment import Variable
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.pod import Container, PodSpec
from trainlint.model.pool import Pool
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.snapshot.objects import ApiObject
from trainlint.wording.because import texts_of

HERE = Location("a.yaml", 0)
FIRST = Attachment("ml", "a", "net1")


def pods(spec: PodSpec | None = None, annotations: dict[str, str] | None = None) -> PodSet:
    owner = ObjectRef("Job", "ml", "train")
    return PodSet(owner, "", 1, {}, spec or PodSpec(()), HERE, HERE, annotations=annotations or {})


def spec_of(**parts: Any) -> PodSpec:
    return read_pod_spec(field({"containers": [{"name": "c", "image": "i"}], **parts}))


def limits(**amounts: str) -> PodSpec:
    named = {name.replace("__", "/").replace("_", "."): amount for name, amount in amounts.items()}
    return spec_of(containers=[{"name": "c", "image": "i", "resources": {"limits": named}}])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("a", (FIRST,)),
        ("a, other/b@ib0,,c", (FIRST, Attachment("other", "b", "ib0"), Attachment("ml", "c", "net3"))),
        ("a b", None),
        ("a/b/c", None),
        ("a@b@c", None),
        ("{{ networks }}", None),
        (json.dumps([{"name": "a"}]), (FIRST,)),
        (json.dumps([{"name": "a", "namespace": "", "interface": ""}]), (FIRST,)),
        (json.dumps([{"name": "a", "namespace": "o", "interface": "x"}]), (Attachment("o", "a", "x"),)),
        (json.dumps([{"name": "a"}, {"name": "b", "interfaceRequest": "y"}]), (FIRST, Attachment("ml", "b", "y"))),
        (json.dumps([{"namespace": "o"}]), None),
        (json.dumps({"name": "a"}), None),
        (json.dumps(["a"]), None),
        ('[{"name": "a"', None),
    ],
)  # fmt: skip
def test_networks_of_multus(text: str, expected: tuple[Attachment, ...] | None) -> None:
    found = multus_attachments({MULTUS_ANNOTATION: text}, "ml")
    assert isinstance(found, Undetermined) if expected is None else found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        (" ", ()),
        ('[{"interfaceName": "eth0", "network": "default"}]', (Attachment("", "default", "eth0"),)),
        ('[{"interfaceName": "eth1"}]', (Attachment("", "", "eth1"),)),
        ('[{"network": "default"}]', None),
        ('[{"interfaceName": 1}]', None),
        ("x", None),
        ("${INTERFACES}", None),
    ],
)
def test_interfaces_of_gke(text: str, expected: tuple[Attachment, ...] | None) -> None:
    found = gke_interfaces({GKE_ANNOTATION: text})
    assert isinstance(found, Undetermined) if expected is None else found == expected
    assert gke_interfaces({}) == ()


def interfaces(
    annotations: dict[str, str] | None = None,
    networks: Networks | None = None,
    labels: frozenset[str] = frozenset(),
    **spec: Any,
) -> Any:
    return pod_interfaces(pods(spec_of(**spec), annotations), networks or Networks(), Settings(profile="eks"), labels)


PRIMARY = "k8s.ovn.org/primary-user-defined-network"
NETS = tuple(f"net{number}" for number in range(1, 17))


def test_pods_have_loopback_and_the_pod_network() -> None:
    found = interfaces()
    assert (found.names, found.possible, texts_of(found.unknown), found.useless) == (("lo", "eth0"), NETS, (), {"lo"})
    assert found.network_of("eth0") == POD_NETWORK
    assert found.network_of("eth1") is None
    assert [interfaces(networks=Networks(multus_defaults=each)).possible for each in (True, False, None)] == [
        NETS,
        (),
        NETS,
    ]
    assert texts_of(interfaces(networks=Networks(multus_defaults=True)).unknown) == (
        "Multus adds default networks to every pod",
    )


def test_pods_on_the_host_network_have_what_the_node_has() -> None:
    found = interfaces(hostNetwork=True)
    assert (found.names, found.possible) == (("lo",), ("ens5", "eth0"))
    assert texts_of(found.unknown) == ("hostNetwork: the pods have the node's interfaces",)


def test_interfaces_of_annotations() -> None:
    own = Attachable("ml", "a", subnets=("10.1.0.0/24",), routed=False)
    networks = Networks(attachable={("ml", "a"): own})
    found = interfaces({MULTUS_ANNOTATION: "a, b@ib0"}, networks)
    assert found.names == ("lo", "eth0", "net1", "ib0")
    assert found.network_of("net1") == Network("the network ml/a", ("10.1.0.0/24",), isolated=True)
    assert found.network_of("ib0") == Network("the network ml/b")
    gke = [{"interfaceName": "eth0", "network": "default"}, {"interfaceName": "eth1", "network": "rdma"}]
    found = interfaces({GKE_ANNOTATION: json.dumps(gke)})
    assert (found.names, found.possible) == (("lo", "eth0", "eth1"), ())
    assert (found.network_of("eth0"), found.network_of("eth1")) == (
        POD_NETWORK,
        Network("the network rdma", isolated=True),
    )
    assert texts_of(interfaces({GKE_ANNOTATION: "x"}).unknown) == (f"{GKE_ANNOTATION} cannot be read",)
    assert texts_of(interfaces({MULTUS_ANNOTATION: "a b"}).unknown) == (f"{MULTUS_ANNOTATION} cannot be read",)


@pytest.mark.parametrize(
    ("primary", "labels", "names", "useless", "open_"),
    [
        (frozenset({"ml"}), frozenset({PRIMARY}), ("lo", "eth0", "ovn-udn1"), {"lo", "eth0"}, False),
        (frozenset({"ml"}), frozenset[str](), ("lo", "eth0"), {"lo"}, True),
        (frozenset[str](), frozenset({PRIMARY}), ("lo", "eth0"), {"lo"}, True),
        (frozenset({"other"}), frozenset[str](), ("lo", "eth0"), {"lo"}, False),
    ],
)
def test_a_primary_network_of_a_namespace(
    primary: frozenset[str], labels: frozenset[str], names: tuple[str, ...], useless: set[str], open_: bool
) -> None:
    found = interfaces(networks=Networks(primary=primary), labels=labels)
    assert (found.names, found.useless, bool(texts_of(found.unknown))) == (names, useless, open_)


@pytest.mark.parametrize(
    ("one", "other", "surely"),
    [
        (Network("a", ("10.1.0.0/24",)), Network("b", ("10.2.0.0/24",)), True),
        (Network("a", ("10.1.0.0/24",)), Network("b", ("10.1.0.128/25",)), False),
        (Network("a", ("10.1.0.0/24",)), Network("a", ("10.2.0.0/24",)), False),
        (Network("a", ("10.1.0.0/24",)), Network("b"), False),
        (Network("a", ("10.1.0.0/24",)), Network("b", ("2001:db8::/64",)), True),
        (Network("a", ("10.1.0.0/24",)), Network("b", ("nonsense",)), False),
        (Network("a", ("10.1.0.10-10.1.0.99/24",)), Network("b", ("10.1.0.0/24",)), False),
        (Network("a", ("10.1.0.10-10.1.0.99/24",)), Network("b", ("10.2.0.0/24",)), True),
        (POD_NETWORK, Network("b", isolated=True), True),
        (POD_NETWORK, Network("b", ("10.2.0.0/24",)), False),
        (POD_NETWORK, POD_NETWORK, False),
    ],
)
def test_networks_that_are_surely_different(one: Network, other: Network, surely: bool) -> None:
    assert (one.surely_other(other), other.surely_other(one)) == (surely, surely)


CLAIMS = Networks(
    claims={("ml", "gpus"): ("gpu.nvidia.com", "mig.nvidia.com"), ("ml", "nics"): ("gpu.nvidia.com", "dra.net")}
)


@pytest.mark.parametrize(("name", "only"), [("gpus", True), ("nics", False), ("absent", False)])
def test_claims_may_bring_networks_unless_all_of_them_are_gpus(name: str, only: bool) -> None:
    assert CLAIMS.only_gpus("ml", name) is only
    assert CLAIMS.only_gpus("other", name) is False
    claims = [{"name": "x", "resourceClaimTemplateName": name}]
    told = (f"the resource claim {name} may bring network devices",)
    assert texts_of(interfaces(networks=CLAIMS, resourceClaims=claims).unknown) == (() if only else told)
    assert devices_of(pods(spec_of(resourceClaims=claims)), CLAIMS).open == (
        "" if only else f"the resource claim {name}"
    )


@pytest.mark.parametrize(
    ("resource", "kind"),
    [
        ("vpc.amazonaws.com/efa", DeviceKind.EFA),
        ("rdma/hca", DeviceKind.VERBS),
        ("rdma/anything", DeviceKind.VERBS),
        ("example.com/rdma", DeviceKind.VERBS),
        ("example.com/my-hca_1", DeviceKind.VERBS),
        ("example.com/ib0", DeviceKind.VERBS),
        ("example.com/ibis", None),
        ("nvidia.com/mlnxnics", DeviceKind.VERBS),
        ("nvidia.com/gpu", None),
        ("nvidia.com/gpu.shared", None),
        ("nvidia.com/mig-1g.5gb", None),
        ("openshift.io/plain", None),
        ("openshift.io/rail", DeviceKind.VERBS),
        ("openshift.io/roce", None),
        ("example.com/rail", None),
        ("cpu", None),
        ("hugepages-2Mi", None),
    ],
)
def test_kinds_of_devices(resource: str, kind: DeviceKind | None) -> None:
    networks = Networks(rdma_resources={"rail": True, "roce": False})
    container = Container(limits={resource: "2"})
    assert [each.kind for each in devices_in(container, networks)] == ([kind] if kind else [])
    assert list(devices_in(Container(limits={resource: "0"}), networks)) == []
    wanted = [list(devices_in(container, networks, only)) for only in DeviceKind]
    assert [bool(each) for each in wanted] == [kind is only for only in DeviceKind]


def test_what_a_container_asks_for_and_where() -> None:
    at = HERE.child("spec")
    container = Container(limits={"a/b": "2"}, requests={"a/b": "1", "c/d": "3"}, resources_at=at)
    assert list(requested(container)) == [
        ("a/b", 2, at.child("limits", "a/b")),
        ("c/d", 3, at.child("requests", "c/d")),
    ]
    assert list(requested(Container(limits={"a/b": "x"}))) == [
        ("a/b", Undetermined(Because(AttachmentGround.NO_QUANTITY)), None)
    ]


@pytest.mark.parametrize(
    ("spec", "door"),
    [
        (spec_of(), ""),
        (spec_of(hostNetwork=True), "the pod is on the host network"),
        (
            spec_of(containers=[{"name": "c", "image": "i", "securityContext": {"privileged": True}}]),
            "a privileged container sees the node's devices",
        ),
        (spec_of(volumes=[{"name": "d", "hostPath": {"path": "/dev/infiniband/"}}]), "the node's devices are mounted"),
        (spec_of(volumes=[{"name": "d", "hostPath": {"path": "/dev"}}]), "the node's devices are mounted"),
        (spec_of(volumes=[{"name": "d", "hostPath": {"path": "/dev/shm"}}]), ""),
        (limits(networking_gke_io_networks__rdma="1"), "networking.gke.io.networks/rdma is asked for"),
        (limits(example_com__vf="1"), ""),
    ],
)
def test_doors_to_devices_that_are_not_asked_for(spec: PodSpec, door: str) -> None:
    assert devices_of(pods(spec), Networks()).open == door


@pytest.mark.parametrize(
    ("resource", "door"),
    [
        ("example_com__vf", True),
        ("openshift_io__rail", True),
        ("openshift_io__plain", False),
        ("nvidia_com__gpu", False),
        ("cpu", False),
    ],
)
def test_resources_beside_a_network_may_be_its_devices(resource: str, door: bool) -> None:
    networks = Networks(rdma_resources={"rail": True, "plain": False})
    found = devices_of(pods(limits(**{resource: "1"}), {MULTUS_ANNOTATION: "a"}), networks)
    assert bool(found.open) is door
    assert not devices_of(pods(limits(**{resource: "0"}), {MULTUS_ANNOTATION: "a"}), networks).open
    assert not devices_of(pods(limits(**{resource: "1"}), {MULTUS_ANNOTATION: " "}), networks).open


@pytest.mark.parametrize(
    ("path", "privileged"), [("/dev/infiniband", True), ("/dev/infiniband", False), ("/dev", True)]
)
def test_devices_of_the_node_in_a_privileged_container(path: str, privileged: bool) -> None:
    container = {"name": "c", "image": "i", "securityContext": {"privileged": privileged}}
    found = devices_of(
        pods(spec_of(containers=[container], volumes=[{"name": "d", "hostPath": {"path": path}}])), Networks()
    )
    mounted = privileged and path == "/dev/infiniband"
    assert (found.mounted is not None) is mounted
    if found.mounted is not None:
        assert (found.mounted.kind, found.mounted.resource, found.mounted.count) == (DeviceKind.VERBS, path, 1)


def pool(name: str = "p", labels: dict[str, str] | None = None, **amounts: str) -> Pool:
    named = {each.replace("__", "/").replace("_", "."): amount for each, amount in amounts.items()}
    return Pool(name, labels or {}, allocatable=named)


@pytest.mark.parametrize(
    ("asked", "pools", "offered"),
    [
        ("8", [pool(nvidia_com__gpu="8", rdma__hca="8")], [("rdma/hca", 8)]),
        ("4", [pool(nvidia_com__gpu="8", rdma__hca="8")], [("rdma/hca", 4)]),
        ("1", [pool(nvidia_com__gpu="8", rdma__hca="4")], [("rdma/hca", 1)]),
        ("9", [pool(nvidia_com__gpu="8", rdma__hca="8")], [("rdma/hca", 1)]),
        ("8", [pool(nvidia_com__gpu="8", rdma__hca="0")], []),
        ("8", [pool(nvidia_com__gpu="8", rdma__hca="8"), pool(nvidia_com__gpu="8", rdma__hca="4")], [("rdma/hca", 4)]),
        ("8", [pool(nvidia_com__gpu="8", rdma__hca="8"), pool(nvidia_com__gpu="8")], []),
        ("8", [], []),
    ],
)
def test_devices_that_all_nodes_have(asked: str, pools: list[Pool], offered: list[tuple[str, int]]) -> None:
    found = offered_devices(pods(limits(nvidia_com__gpu=asked)), pools, Networks())
    assert [(each.resource, each.count) for each in found] == offered


def config(resources: list[dict[str, Any]], method: str = "timeSlicing", name: str = "any", **more: Any) -> ApiObject:
    text = json.dumps({"version": "v1", "sharing": {method: {"resources": resources, **more}}})
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {name: text}}
    cursor = field(data)
    return ApiObject(cursor, read_meta(cursor), None)


GPU = "nvidia.com/gpu"
FOUR = [{"name": GPU, "replicas": 4}]


@pytest.mark.parametrize(
    ("objects", "shared"),
    [
        ([], False),
        ([config(FOUR)], True),
        ([config(FOUR, "mps")], True),
        ([config(FOUR, "other")], False),
        ([config([{"name": GPU, "replicas": 1}])], False),
        ([config([{"name": GPU, "replicas": 2}])], True),
        ([config([{"name": "nvidia.com/other", "replicas": 4}])], False),
        ([config(FOUR, renameByDefault=True)], False),
        ([config([{**FOUR[0], "rename": "x"}])], False),
        ([config(FOUR), config([])], False),
    ],
)
def test_gpus_that_every_configuration_of_the_device_plugin_shares(objects: list[ApiObject], shared: bool) -> None:
    found = read_sharing(objects)
    assert (found.of(GPU, None) is not None) is shared
    if shared:
        told = found.of(GPU, None)
        assert told is not None
        assert told.why.startswith("the device plugin offers each of them ")
        assert told.role == "shares the GPUs"


@pytest.mark.parametrize(
    ("labels", "objects", "shared"),
    [
        ({"nvidia.com/gpu.sharing-strategy": "time-slicing"}, [], True),
        ({"nvidia.com/gpu.sharing-strategy": "mps"}, [], True),
        ({"nvidia.com/gpu.sharing-strategy": "none"}, [config(FOUR)], False),
        ({"nvidia.com/gpu.product": "A100-SHARED"}, [], True),
        ({"nvidia.com/gpu.product": "A100"}, [config(FOUR)], False),
        ({}, [config(FOUR)], True),
        ({}, [config(FOUR, name="a"), config(FOUR, name="b")], False),
        ({}, [config(FOUR, name="default"), config([], name="b")], True),
        ({}, [config([], name="default"), config(FOUR, name="b")], False),
        ({CONFIG_LABEL: "b"}, [config([], name="default"), config(FOUR, name="b")], True),
        ({CONFIG_LABEL: "c"}, [config(FOUR, name="default"), config([], name="b")], True),
        ({CONFIG_LABEL: "c"}, [config(FOUR, name="b")], False),
    ],
)
def test_gpus_that_a_pool_shares(labels: dict[str, str], objects: list[ApiObject], shared: bool) -> None:
    found = read_sharing(objects)
    assert (found.of(GPU, (pool(labels=labels),)) is not None) is shared
    assert found.of(GPU, (pool(labels=labels), pool(labels={"nvidia.com/gpu.product": "A100"}))) is None


@pytest.mark.parametrize(
    ("found", "refused"),
    [
        # NVIDIA/k8s-device-plugin, api/config/v1/config.go: MPS refuses by default, time slicing where it is told to
        (config(FOUR), False),
        (config(FOUR, failRequestsGreaterThanOne=False), False),
        (config(FOUR, failRequestsGreaterThanOne=True), True),
        (config(FOUR, "mps"), True),
        (config(FOUR, "mps", failRequestsGreaterThanOne=False), False),
    ],
)
def test_requests_above_one_that_the_device_plugin_refuses(found: ApiObject, refused: bool) -> None:
    told = read_sharing([found]).of(GPU, None)
    assert told is not None
    assert told.refused is refused


def test_what_is_offered_as_shared_is_shared() -> None:
    assert GpuSharing().of("nvidia.com/gpu.shared", None) is not None
    assert GpuSharing().of(GPU, None) is None


def rank(**settings: str | None) -> Rank:
    named = {name: Variable(name, unknown("x") if value is None else value, HERE) for name, value in settings.items()}
    own = pods()
    return Rank(own, Container(), named, (), own)


@pytest.mark.parametrize(
    ("settings", "needs", "refuses", "off"),
    [
        ({}, "", False, False),
        ({"FI_PROVIDER": " efa "}, "FI_PROVIDER", False, False),
        ({"FI_PROVIDER": "tcp"}, "", True, False),
        ({"FI_PROVIDER": "TCP;ofi_rxm"}, "", True, False),
        ({"NCCL_NET": "Libfabric"}, "NCCL_NET", False, False),
        ({"NCCL_NET": "Socket"}, "", True, False),
        ({"NCCL_NET": None}, "", True, False),
        ({"NCCL_NET": None, "FI_PROVIDER": "efa"}, "FI_PROVIDER", False, False),
        ({"NCCL_IB_HCA": "mlx5"}, "NCCL_IB_HCA", False, False),
        ({"NCCL_IB_HCA": "^mlx5"}, "", False, False),
        ({"NCCL_IB_HCA": "eth0"}, "", False, False),
        ({"NCCL_IB_HCA": "=bond0"}, "", False, False),
        ({"NCCL_IB_HCA": "x"}, "", False, False),
        ({"NCCL_IB_HCA": "xy"}, "NCCL_IB_HCA", False, False),
        ({"UCX_NET_DEVICES": "mlx5_0:1"}, "UCX_NET_DEVICES", False, False),
        ({"UCX_NET_DEVICES": "eth0"}, "", False, False),
        ({"NCCL_IB_HCA": "mlx5", "NCCL_IB_DISABLE": "1"}, "", True, True),
        ({"NCCL_IB_HCA": "mlx5", "NCCL_IB_DISABLE": "0"}, "NCCL_IB_HCA", False, False),
        ({"NCCL_IB_HCA": "mlx5", "NCCL_IB_DISABLE": ""}, "NCCL_IB_HCA", False, False),
        ({"NCCL_IB_HCA": "mlx5", "NCCL_IB_DISABLE": None}, "", True, True),
    ],
)
def test_settings_that_need_a_device(settings: dict[str, str | None], needs: str, refuses: bool, off: bool) -> None:
    own = rank(**settings)
    found = needs_device(own, Devices())
    assert ("" if found is None else found.name, fabric_refused(own), fabric_off(own)) == (needs, refuses, off)
    asked = Devices((Device(DeviceKind.VERBS, "rdma/hca", 1),))
    assert needs_device(own, asked) is needs_device(own, Devices(open="a door")) is None


@pytest.mark.parametrize(
    ("image", "nccl", "torch"),
    [
        ("nvcr.io/nvidia/pytorch:24.05-py3", "2.21.5", None),
        ("nvcr.io/nvidia/pytorch:24.06-py3", None, None),
        ("nvcr.io/nvidia/cuda:24.05-py3", None, None),
        ("pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime", "2.21.5", "2.5.1"),
        ("docker.io/pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime", "2.21.5", "2.5.1"),
        ("pytorch/pytorch:2.5.1-cuda11.8-cudnn9-runtime", None, "2.5.1"),
        ("pytorch/pytorch:2.5.1", None, "2.5.1"),
        ("registry.example/pytorch/pytorch:2.5.1-cuda12.4", None, "2.5.1"),
        ("x.dkr.ecr.amazonaws.com/pytorch-training:2.5.1-gpu-py311-cu124", None, "2.5.1"),
        ("registry.example/train:torch2.5.1-nccl2.23.4", "2.23.4", "2.5.1"),
        ("registry.example/train:pytorch-v2.5.1", None, "2.5.1"),
        ("registry.example/train:nccl-2.23.4.1", None, None),
        ("registry.example/nccl-2.23.4/train", None, None),
        ("registry.example/train@sha256:abc", None, None),
        ("registry.example/train:nccl2.23.4@sha256:abc", "2.23.4", None),
    ],
)
def test_versions_in_names_of_images(image: str, nccl: str | None, torch: str | None) -> None:
    releases = [None if each is None else read_release(each) for each in (nccl, torch)]
    assert versions_of(image) == Versions(*releases)


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("2.21.5", (2, 21, 5)),
        ("2.27.5-1", (2, 27, 5)),
        ("2.27.5+cuda12", (2, 27, 5)),
        ("2.27", (2, 27)),
        ("2", None),
        ("2.x", None),
        ("2.", None),
        ("2.9999", (2, 9999)),
        ("2.10000", None),
        ("", None),
    ],
)
def test_releases(text: str, release: tuple[int, ...] | None) -> None:
    assert read_release(text) == release
    if release is not None:
        assert write_release(release) == ".".join(map(str, release))


@pytest.mark.parametrize(
    ("text", "number", "plain"),
    [
        ("0", 0, True),
        ("-7", -7, True),
        ("+7", 7, False),
        (" 7", 7, False),
        ("010", 8, False),
        ("0x1F", 31, True),
        ("0X1f", 31, False),
        ("7x", 7, False),
        ("08", 0, False),
        ("x", None, False),
        ("", None, False),
    ],
)
def test_numbers_as_strtoll_reads_them(text: str, number: int | None, plain: bool) -> None:
    assert (leading_number(text), is_plain_number(text)) == (number, plain)


def test_values_of_variables_at_their_bounds() -> None:
    most = 2**63 - 1
    assert (read_number(str(most)).value, read_number(str(most)).valid) == (most, True)
    assert (read_number(str(most + 1)).value, read_number(str(most + 1)).valid) == (None, False)
    assert read_number(str(-most - 1)).value == -most - 1
    assert [read_number("x", each).value for each in ((2, 31), (2, 32))] == [0, None]
    assert [read_number("x", each).valid for each in ((2, 31), (2, 32))] == [True, False]
    assert (read_number("").value, read_number("").valid) == (None, True)
    assert [read_disable(each) for each in ("1", "0", "2", "x", "", str(2**32 + 1))] == [
        True,
        False,
        False,
        False,
        False,
        True,
    ]
    assert [read_flag(each) for each in ("1", "t", "True", "0", "f", "FALSE", "yes")] == [True] * 3 + [False] * 3 + [
        None
    ]
    assert [read_level(each) for each in ("SYS", "sys", "0", "1", "4", "9", "x")] == [
        "SYS",
        None,
        "LOC",
        "PIX",
        "SYS",
        "SYS",
        None,
    ]
    assert [read_level("C2C", each) for each in ((2, 26), (2, 27))] == [None, "C2C"]
    assert [read_level("P2C", each) for each in ((2, 27), (2, 28))] == [None, "P2C"]
