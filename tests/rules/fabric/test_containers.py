"""When the rules about single containers of the fabric speak, at both sides of each bound that their pages name."""

from __future__ import annotations

from typing import Any

import pytest
from tests.fields import field

from trainlint.fabric.networks import Networks
from trainlint.fabric.sharing import GpuSharing
from trainlint.finding import Location
from trainlint.kube.pod import read_pod_spec
from trainlint.model.pool import Pool
from trainlint.model.workload import ObjectRef, PodSet
from trainlint_rules.fabric.gpu_request_bypassed import bypassed_requests
from trainlint_rules.fabric.memory_volume_exceeds_limit import large_volumes
from trainlint_rules.fabric.rdma_memlock import locked_memory
from trainlint_rules.fabric.shared_gpu_in_collective import shared_gpus
from trainlint_rules.fabric.shm_too_small import small_shared_memory
from trainlint_rules.fabric.verbose_debug_committed import left_debugging

HERE = Location("a.yaml", 0)
GPU = "nvidia.com/gpu"


def pods(container: dict[str, Any], kind: str = "Job", labels: dict[str, str] | None = None, **spec: Any) -> PodSet:
    whole = {"name": "main", "image": "registry.example/train:1", "command": ["torchrun", "t.py"], **container}
    owner = ObjectRef(kind, "ml", "train")
    return PodSet(owner, "", 1, labels or {}, read_pod_spec(field({"containers": [whole], **spec})), HERE, HERE)


def limits(**amounts: str) -> dict[str, Any]:
    return {
        "resources": {"limits": {name.replace("__", "/").replace("_", "."): each for name, each in amounts.items()}}
    }


EIGHT, ONE = limits(nvidia_com__gpu="8"), limits(nvidia_com__gpu="1")
MOUNT = {"volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]}


def volume(**source: Any) -> list[dict[str, Any]]:
    return [{"name": "shm", **source}]


@pytest.mark.parametrize(
    ("container", "spec", "told"),
    [
        (EIGHT, {}, "is the runtime's default of 64 MiB, and it has 8 GPUs"),
        (limits(nvidia_com__gpu="2"), {}, "is the runtime's default of 64 MiB, and it has 2 GPUs"),
        (ONE, {}, ""),
        ({}, {}, ""),
        (limits(amd_com__gpu="2"), {}, "is the runtime's default of 64 MiB, and it has 2 GPUs"),
        ({"resources": {"requests": {"nvidia.com/gpu.shared": "2"}}}, {}, "it has 2 GPUs"),
        ({"resources": {"limits": {"nvidia.com/mig-1g.5gb": "2"}}}, {}, ""),
        ({"resources": {"limits": {GPU: "2", "nvidia.com/gpucores": "50"}}}, {}, ""),
        ({**EIGHT, **MOUNT}, {"volumes": volume(emptyDir={})}, "lies on disk, and it has 8 GPUs"),
        ({**EIGHT, **MOUNT}, {"volumes": volume(emptyDir={"medium": "Memory"})}, ""),
        ({**EIGHT, **MOUNT}, {"volumes": volume(hostPath={"path": "/dev/shm"})}, ""),
        ({**EIGHT, **MOUNT}, {}, ""),
        (EIGHT, {"volumes": volume(emptyDir={"medium": "Memory"})}, "is the runtime's default"),
        (EIGHT, {"hostIPC": True}, ""),
        *(
            ({**ONE, "args": [f"--{each}=4"]}, {}, f"it has data workers (--{each}=4)")
            for each in ("num-workers", "dataloader-num-workers", "data-workers", "num-data-workers", "workers")
        ),
        ({**ONE, "args": ["--num-workers=0"]}, {}, ""),
        ({**ONE, "args": ["--num-threads=4"]}, {}, ""),
        ({"args": ["--num-workers=4"]}, {}, ""),
        *(
            ({**EIGHT, "command": [each, "x"]}, {}, "")
            for each in ("sleep", "echo", "true", "nvidia-smi", "tail", "date", "hostname", "env")
        ),
        ({**EIGHT, "image": "registry.example/gpu-burn:1"}, {}, ""),
        ({**EIGHT, "image": "registry.example/gpu-burner:1"}, {}, "it has 8 GPUs"),
    ],
)  # fmt: skip
def test_small_shared_memory(container: dict[str, Any], spec: dict[str, Any], told: str) -> None:
    found = list(small_shared_memory(pods(container, **spec)))
    assert len(found) == bool(told)
    assert all(told in each.finding().message for each in found)


def test_ray_mounts_shared_memory_itself() -> None:
    assert not list(small_shared_memory(pods(EIGHT, "RayCluster")))
    assert list(small_shared_memory(pods(EIGHT, "PyTorchJob")))


RDMA = limits(rdma__hca="1")


def security(**context: Any) -> dict[str, Any]:
    return {**RDMA, "securityContext": context}


BYPASS = ("IPC_LOCK", "ALL", "SYS_ADMIN", "SYS_RESOURCE")
LOCK = {"capabilities": {"add": ["IPC_LOCK"]}}


@pytest.mark.parametrize(
    ("container", "more", "told"),
    [
        (RDMA, {}, "has no IPC_LOCK"),
        (ONE, {}, ""),
        (limits(vpc_amazonaws_com__efa="1"), {}, ""),
        *((security(capabilities={"add": [each]}), {}, "") for each in BYPASS),
        (security(capabilities={"add": ["NET_ADMIN"]}), {}, "has no IPC_LOCK"),
        (security(privileged=True), {}, ""),
        (security(**LOCK, runAsUser=0), {}, ""),
        (security(**LOCK, runAsUser=1000), {}, "does not run as root"),
        (RDMA, {"labels": {"gpu.coreweave.cloud/x": "1"}}, ""),
        (RDMA, {"nodeSelector": {"node.coreweave.cloud/class": "gpu"}}, ""),
        (RDMA, {"nodeSelector": {"class": "gpu"}}, "has no IPC_LOCK"),
    ],
)  # fmt: skip
def test_locked_memory(container: dict[str, Any], more: dict[str, Any], told: str) -> None:
    found = list(locked_memory(pods(container, **more), Networks()))
    assert len(found) == bool(told)
    for each in found:
        assert told in each.finding().message
        assert len(list(each.fixes)) == ("has no" in told)


def env(**values: str) -> dict[str, Any]:
    return {"env": [{"name": name, "value": value} for name, value in values.items()]}


@pytest.mark.parametrize(
    ("container", "more", "told"),
    [
        (env(NVIDIA_VISIBLE_DEVICES="all"), {}, "every GPU of the node"),
        (env(NVIDIA_VISIBLE_DEVICES=" ALL "), {}, "every GPU of the node"),
        (env(NVIDIA_VISIBLE_DEVICES="0,1"), {}, "the GPUs 0,1"),
        *((env(NVIDIA_VISIBLE_DEVICES=each), {}, "") for each in ("", "void", "None")),
        (env(NVIDIA_DRIVER_CAPABILITIES="all"), {}, ""),
        ({**env(NVIDIA_VISIBLE_DEVICES="all"), **ONE}, {}, ""),
        (env(NVIDIA_VISIBLE_DEVICES="all"), {"kind": "DaemonSet"}, ""),
        (env(NVIDIA_VISIBLE_DEVICES="all"), {"resourceClaims": [{"name": "g", "resourceClaimName": "g"}]}, ""),
    ],
)
def test_requests_that_are_bypassed(container: dict[str, Any], more: dict[str, Any], told: str) -> None:
    found = list(bypassed_requests(pods(container, **more)))
    assert len(found) == bool(told)
    assert all(told in each.finding().message for each in found)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"NCCL_DEBUG": "TRACE"}, ["NCCL_DEBUG"]),
        ({"NCCL_DEBUG": "INFO"}, []),
        ({"NCCL_DEBUG": "WARN", "NCCL_DEBUG_SUBSYS": "ALL"}, []),
        ({"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "init, all"}, ["NCCL_DEBUG_SUBSYS"]),
        ({"NCCL_DEBUG": "ABORT", "NCCL_DEBUG_SUBSYS": "ALL"}, ["NCCL_DEBUG_SUBSYS"]),
        ({"NCCL_DEBUG": "TRACE", "NCCL_DEBUG_SUBSYS": "ALL"}, ["NCCL_DEBUG"]),
        ({"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT"}, []),
        ({"TORCH_DISTRIBUTED_DEBUG": "detail"}, ["TORCH_DISTRIBUTED_DEBUG"]),
        ({"TORCH_DISTRIBUTED_DEBUG": "INFO"}, []),
        ({"NCCL_DEBUG": "TRACE", "TORCH_DISTRIBUTED_DEBUG": "DETAIL"}, ["NCCL_DEBUG", "TORCH_DISTRIBUTED_DEBUG"]),
    ],
)  # fmt: skip
def test_debugging_that_was_left(values: dict[str, str], named: list[str]) -> None:
    faults = list(left_debugging(pods(env(**values))))
    found = [each.finding() for each in faults]
    assert [len(each.fixes) for each in faults] == [1] * len(named)
    assert [each.message.partition("=")[0] for each in found] == named
    for each, name in zip(found, named, strict=True):
        assert each.remedy == (f"remove {name}, or write NCCL_DEBUG=WARN" if name == "NCCL_DEBUG" else f"remove {name}")


@pytest.mark.parametrize(
    ("source", "limit", "told"),
    [
        ({"medium": "Memory", "sizeLimit": "9Gi"}, "8Gi", True),
        ({"medium": "Memory", "sizeLimit": "8Gi"}, "8Gi", False),
        ({"medium": "Memory"}, "8Gi", False),
        ({"sizeLimit": "9Gi"}, "8Gi", False),
        ({"medium": "Memory", "sizeLimit": "9Gi"}, "", False),
        ({"medium": "Memory", "sizeLimit": "${SIZE}"}, "8Gi", False),
        ({"medium": "Memory", "sizeLimit": "9Gi"}, "${LIMIT}", False),
    ],
)
@pytest.mark.parametrize("mounted", [True, False])
def test_volumes_larger_than_the_memory_limit(source: dict[str, str], limit: str, told: bool, mounted: bool) -> None:
    container = {**(limits(memory=limit) if limit else {}), **(MOUNT if mounted else {})}
    found = list(large_volumes(pods(container, volumes=volume(emptyDir=source))))
    assert len(found) == (told and mounted)


def pool(product: str) -> tuple[Pool, ...]:
    return (Pool("p", {"nvidia.com/gpu.product": product}),)


@pytest.mark.parametrize(
    ("container", "pools", "told"),
    [
        (limits(nvidia_com__gpu="2"), pool("A100-SHARED"), True),
        (limits(nvidia_com__gpu="1"), pool("A100-SHARED"), False),
        (limits(nvidia_com__gpu="2"), pool("A100"), False),
        (limits(nvidia_com__gpu="2"), None, False),
        ({"resources": {"limits": {"nvidia.com/gpu.shared": "2"}}}, None, True),
        ({"resources": {"limits": {"nvidia.com/mig-1g.5gb": "2"}}}, pool("A100-SHARED"), True),
        ({"resources": {"limits": {GPU: "${GPUS}"}}}, pool("A100-SHARED"), False),
        (limits(amd_com__gpu="2"), pool("A100-SHARED"), False),
    ],
)
def test_shared_gpus(container: dict[str, Any], pools: tuple[Pool, ...] | None, told: bool) -> None:
    found = [each.finding() for each in shared_gpus(pods(container), GpuSharing(), pools)]
    assert len(found) == told
    assert all("asks for 2 " in each.message for each in found)
