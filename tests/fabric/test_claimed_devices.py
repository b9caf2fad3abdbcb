"""Network devices that claims give: RDMA devices and interfaces of DRANET.

google/dranet: pkg/apis/attributes.go (dra.net/rdma), pkg/apis/types.go (interface.name); GKE's classes
(cloud.google.com/kubernetes-engine/docs/how-to/allocate-network-resources-dra): mrdma.google.com does RDMA,
netdev.google.com does not.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.fabric.manifests import container, reported, template, torch_job

DRANET = 'device.attributes["dra.net"].rdma'


def claim_template(
    device_class: str = "dra.net", selector: str = "", interface: str = "", count: int = 1
) -> dict[str, Any]:
    exactly: dict[str, Any] = {"deviceClassName": device_class, "count": count}
    if selector:
        exactly["selectors"] = [{"cel": {"expression": selector}}]
    devices: dict[str, Any] = {"requests": [{"name": "nic", "exactly": exactly}]}
    if interface:
        opaque = {"driver": "dra.net", "parameters": {"interface": {"name": interface}}}
        devices["config"] = [{"opaque": opaque}]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "nics", "namespace": "ml"},
        "spec": {"spec": {"devices": devices}},
    }


def rank(env: dict[str, str] | None = None, claims: bool = True) -> dict[str, Any]:
    holds = container(env)
    if not claims:
        return template(holds)
    holds["resources"]["claims"] = [{"name": "nics"}]
    return template(holds, resourceClaims=[{"name": "nics", "resourceClaimTemplateName": "nics"}])


@pytest.mark.parametrize(
    ("device_class", "selector", "found"),
    [
        ("mrdma.google.com", "", True),
        ("netdev.google.com", "", False),
        ("dra.net", f"{DRANET} == true", True),
        ("dra.net", DRANET, True),
        ("dra.net", f"{DRANET} == false", False),
        ("dra.net", f"!{DRANET}", False),
        ("dra.net", f'{DRANET} || device.attributes["dra.net"].virtual', False),
        ("dra.net", "", False),
    ],
)
def test_only_some_ranks_claim_an_rdma_device(device_class: str, selector: str, found: bool) -> None:
    claims = claim_template(device_class, selector)
    assert ("rdma-on-some-roles" in reported(torch_job(rank(), rank(claims=False)), claims)) is found
    assert "rdma-on-some-roles" not in reported(torch_job(rank()), claims)


@pytest.mark.parametrize(("device_class", "found"), [("mrdma.google.com", True), ("netdev.google.com", False)])
def test_a_claimed_device_that_a_setting_switches_off(device_class: str, found: bool) -> None:
    job = torch_job(rank({"NCCL_IB_DISABLE": "1"}))
    assert ("rdma-disabled-with-device" in reported(job, claim_template(device_class))) is found


@pytest.mark.parametrize(
    ("value", "interface", "count", "found"),
    [
        ("rail0", "rail0", 1, False),
        ("rail", "rail0", 1, False),
        ("eth0", "rail0", 1, False),
        ("gpu0rdma0", "rail0", 1, True),
        ("gpu0rdma0", "", 1, False),  # the driver keeps the name that the interface has on the node
        ("gpu0rdma0", "rail0", 2, False),  # one name for two interfaces: what the driver does is not stated
    ],
)
def test_interfaces_have_the_names_that_the_claim_gives_them(
    value: str, interface: str, count: int, found: bool
) -> None:
    claims = claim_template(selector=f"{DRANET} == true", interface=interface, count=count)
    spoken = reported(torch_job(rank({"NCCL_SOCKET_IFNAME": value})), claims)
    assert ("nccl-interface-missing" in spoken) is found


@pytest.mark.parametrize(
    ("strategy", "driver", "found"),
    [
        ("TimeSlicing", "gpu.nvidia.com", True),
        ("MPS", "gpu.nvidia.com", True),
        ("", "gpu.nvidia.com", False),
        ("MPS", "gpu.example.com", False),
    ],
)
def test_pods_that_share_the_gpus_of_a_claim(strategy: str, driver: str, found: bool) -> None:
    """NVIDIA/k8s-dra-driver-gpu, api/nvidia.com/resource/v1beta1/sharing.go."""
    parameters = {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig", "sharing": {"strategy": strategy}}
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "gpu", "namespace": "ml"},
        "spec": {
            "devices": {
                "requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}],
                "config": [{"opaque": {"driver": driver, "parameters": parameters}}],
            }
        },
    }
    holds = container()
    holds["resources"] = {"claims": [{"name": "gpu"}]}
    shared = torch_job(template(holds, resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}]))
    assert ("shared-gpu-in-collective" in reported(shared, claim)) is found
