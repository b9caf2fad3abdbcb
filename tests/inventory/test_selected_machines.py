"""Which machines selectors leave; the numbers are those of the providers' own pages, which the tables name."""

from __future__ import annotations

import pytest

from trainlint.inventory.machine_selection import selected_machines
from trainlint.inventory.tpu import Slice, slices
from trainlint.model.pod import PodSpec
from trainlint.model.selector import NodeSelectorTerm, Requirement

TYPE = "node.kubernetes.io/instance-type"


def spec(*selector: tuple[str, str], terms: tuple[tuple[tuple[str, str], ...], ...] | None = None) -> PodSpec:
    def requirements(pairs: tuple[tuple[str, str], ...]) -> tuple[Requirement, ...]:
        return tuple(Requirement(key, "In", tuple(value.split("|"))) for key, value in pairs)

    affinity = None if terms is None else tuple(NodeSelectorTerm(requirements(each)) for each in terms)
    return PodSpec(node_selector=requirements(selector), node_affinity=affinity)


@pytest.mark.parametrize(
    ("key", "value", "resource", "most"),
    [
        (TYPE, "p5.48xlarge", "nvidia.com/gpu", 8),
        (TYPE, "ml.p5.48xlarge", "nvidia.com/gpu", 8),  # HyperPod writes the type so
        (TYPE, "g5.xlarge|g5.12xlarge", "nvidia.com/gpu", 4),
        (TYPE, "standard_nd96isr_h100_v5", "nvidia.com/gpu", 8),  # Azure's names have no case
        (TYPE, "BM.GPU.H100.8", "nvidia.com/gpu", 8),
        (TYPE, "a3-highgpu-8g", "nvidia.com/gpu", 8),
        (TYPE, "m5.xlarge", "nvidia.com/gpu", 0),
        ("cloud.google.com/gke-accelerator", "nvidia-b200", "nvidia.com/gpu", 8),
        ("cloud.google.com/gke-tpu-accelerator", "tpu-v4-podslice", "google.com/tpu", 4),
        ("karpenter.k8s.aws/instance-family", "p4d", "nvidia.com/gpu", 8),
        ("karpenter.k8s.aws/instance-gpu-name", "h100", "nvidia.com/gpu", 8),
        ("eks.amazonaws.com/instance-family", "trn1", "aws.amazon.com/neuron", 16),
    ],
)
def test_a_label_that_names_machines_says_what_the_largest_of_them_has(
    key: str, value: str, resource: str, most: int
) -> None:
    machines = selected_machines(spec((key, value)))
    assert machines is not None
    assert machines.types
    assert machines.most(resource) == most


@pytest.mark.parametrize(
    "selector",
    [
        ((TYPE, "p99.48xlarge"),),  # a table that does not hold a type says nothing of it
        ((TYPE, "p5.48xlarge|p99.48xlarge"),),
        ((TYPE, "${TYPE}"),),
        (("cloud.google.com/gke-accelerator", "nvidia-tesla-t4"),),  # attached to N1: the type does not say how many
        (("cloud.google.com/gke-accelerator", "nvidia-z900"),),
        (("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"),),  # many machines have it, and people's own
        (("team", "vision"),),
        (),
    ],
)
def test_what_names_no_known_machine_leaves_all(selector: tuple[tuple[str, str], ...]) -> None:
    assert selected_machines(spec(*selector)) is None


@pytest.mark.parametrize(
    "selector",
    [
        ((TYPE, "p4d.24xlarge"), ("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3")),
        ((TYPE, "p4d.24xlarge"), ("karpenter.k8s.aws/instance-family", "p5")),
        ((TYPE, "a2-highgpu-8g"), ("cloud.google.com/gke-accelerator", "nvidia-h100-80gb")),
        ((TYPE, "m5.xlarge"), ("nvidia.com/gpu.product", "Tesla-T4")),
    ],
)
def test_selectors_that_contradict_each_other_leave_none(selector: tuple[tuple[str, str], ...]) -> None:
    machines = selected_machines(spec(*selector))
    assert machines is not None
    assert machines.types == ()


def test_selectors_that_agree_leave_the_machine() -> None:
    machines = selected_machines(spec((TYPE, "p5.48xlarge"), ("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3")))
    assert machines is not None
    assert [each.name for each in machines.types] == ["p5.48xlarge"]


def test_terms_of_an_affinity_are_alternatives() -> None:
    machines = selected_machines(spec(terms=(((TYPE, "p4d.24xlarge"),), ((TYPE, "g5.xlarge"),))))
    assert machines is not None
    assert {each.name for each in machines.types} == {"p4d.24xlarge", "g5.xlarge"}


def test_one_term_that_names_no_machine_leaves_all() -> None:
    assert selected_machines(spec(terms=(((TYPE, "p4d.24xlarge"),), (("team", "vision"),)))) is None


# --- TPU slices (GKE: chips are the product of the dimensions, hosts the chips divided by those of a host) ---


@pytest.mark.parametrize(
    ("accelerator", "topology", "chips", "expected"),
    [
        ("tpu-v4-podslice", "2x2x2", 4, {Slice(4, 2)}),
        ("tpu-v5-lite-podslice", "4x4", 4, {Slice(4, 4)}),
        ("tpu-v5-lite-podslice", "2x4", 8, {Slice(8, 1), Slice(4, 2)}),
        ("tpu-v6e-slice", "16x16", 4, {Slice(4, 64)}),
        ("tpu-v4-podslice", "4x4x20", 4, {Slice(4, 80)}),  # not in the table: computed
    ],
)
def test_a_topology_has_hosts(accelerator: str, topology: str, chips: int, expected: set[Slice]) -> None:
    assert set(slices(accelerator, topology, chips)) == expected


@pytest.mark.parametrize(
    ("accelerator", "topology"), [("tpu-v99", "2x2"), ("tpu-v4-podslice", "large"), ("tpu-v4-podslice", "3x5x7")]
)
def test_what_is_no_known_slice_is_unknown(accelerator: str, topology: str) -> None:
    assert slices(accelerator, topology, 4) == ()
