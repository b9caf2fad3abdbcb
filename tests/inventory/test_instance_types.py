"""The tables of instance types against S 4, and laws that hold for every row."""

from __future__ import annotations

import pytest

from trainlint.inventory.instance_types import instance_type
from trainlint.model.quantity import parse_quantity


@pytest.mark.parametrize(
    ("provider", "name", "cpus", "mebibytes", "resource", "count"),
    [
        ("aws", "p3dn.24xlarge", 96, 786432, "nvidia.com/gpu", 8),
        ("aws", "p4d.24xlarge", 96, 1179648, "nvidia.com/gpu", 8),
        ("aws", "p5.4xlarge", 16, 262144, "nvidia.com/gpu", 1),
        ("aws", "p5en.48xlarge", 192, 2097152, "nvidia.com/gpu", 8),
        ("aws", "g4dn.metal", 96, 393216, "nvidia.com/gpu", 8),
        ("aws", "g6e.24xlarge", 96, 786432, "nvidia.com/gpu", 4),
        ("aws", "trn1.32xlarge", 128, 524288, "aws.amazon.com/neuron", 16),
        ("aws", "inf2.24xlarge", 96, 393216, "aws.amazon.com/neuron", 6),
        ("azure", "Standard_ND96isr_H100_v5", 96, 1945600, "nvidia.com/gpu", 8),
        ("azure", "Standard_ND96isr_MI300X_v5", 96, 1894400, "amd.com/gpu", 8),
        ("azure", "Standard_NC48ads_A100_v4", 48, 450560, "nvidia.com/gpu", 2),
        # MicrosoftDocs/azure-compute-docs: ncast4v3-series, nva10v5-series
        ("azure", "Standard_NC16as_T4_v3", 16, 110 * 1024, "nvidia.com/gpu", 1),
        ("azure", "Standard_NC64as_T4_v3", 64, 440 * 1024, "nvidia.com/gpu", 4),
        ("azure", "Standard_NV72ads_A10_v5", 72, 880 * 1024, "nvidia.com/gpu", 2),
        ("gcp", "a2-megagpu-16g", 96, 1360 * 1024, "nvidia.com/gpu", 16),
        ("gcp", "a3-megagpu-8g", 208, 1872 * 1024, "nvidia.com/gpu", 8),
        ("gcp", "g2-standard-48", 48, 192 * 1024, "nvidia.com/gpu", 4),
        # cloud.google.com/compute/docs/accelerator-optimized-machines
        ("gcp", "g4-standard-384", 384, 1440 * 1024, "nvidia.com/gpu", 8),
        ("oci", "BM.GPU.B4.8", 128, 2048 * 1024, "nvidia.com/gpu", 8),
        ("oci", "BM.GPU.MI355X.8", 256, 3072 * 1024, "amd.com/gpu", 8),
        ("oci", "VM.GPU.A10.2", 60, 480 * 1024, "nvidia.com/gpu", 2),
    ],
)
def test_sizes_of_gpu_types(provider: str, name: str, cpus: int, mebibytes: int, resource: str, count: int) -> None:
    found = instance_type(provider, name)
    assert found is not None
    assert (found.cpus, found.memory, found.devices[resource]) == (cpus, mebibytes, count)
    assert found.allocatable[resource] == str(count)


@pytest.mark.parametrize(
    ("name", "cpu", "memory", "pods"),
    [
        ("p4d.24xlarge", "95690m", "1082712Mi", "737"),
        ("p5.48xlarge", "191450m", "1938410Mi", "100"),
        ("p5en.48xlarge", "191450m", "1937332Mi", "198"),
        ("g6e.48xlarge", "191450m", "1449132Mi", "492"),
    ],
)
def test_documented_allocatable_of_aws(name: str, cpu: str, memory: str, pods: str) -> None:
    found = instance_type("aws", name)
    assert found is not None
    assert (found.allocatable["cpu"], found.allocatable["memory"], found.allocatable["pods"]) == (cpu, memory, pods)


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("aws", "p5.48xlarge"),
        ("aws", "m6i.2xlarge"),
        ("azure", "Standard_ND96isr_H100_v5"),
        ("gcp", "a3-highgpu-1g"),
        ("oci", "VM.GPU.A10.1"),
    ],
)
def test_what_surely_is_left_is_less_than_the_most_and_that_no_more_than_the_machine_has(
    provider: str, name: str
) -> None:
    found = instance_type(provider, name)
    assert found is not None
    for resource, capacity in (("cpu", found.cpus), ("memory", found.memory << 20)):
        surely, most = found.allocatable[resource], found.ceiling[resource]
        assert isinstance(surely, str)
        assert 0 < parse_quantity(surely) <= parse_quantity(most) <= capacity
        assert parse_quantity(surely) < capacity


def test_a_type_without_accelerators_surely_has_none() -> None:
    found = instance_type("aws", "m6i.2xlarge")
    assert found is not None
    assert found.allocatable["nvidia.com/gpu"] == "0"


def test_types_that_are_not_listed_are_not_there() -> None:
    assert instance_type("aws", "p9.infinite") is None
    assert instance_type("no-provider", "p5.48xlarge") is None
    assert instance_type("", "") is None
