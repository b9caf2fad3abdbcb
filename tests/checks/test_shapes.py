"""Pods that do not fit the machine, the TPU slice or the compute domain that they select.

Machines: docs.aws.amazon.com (p4d.24xlarge has 8 GPUs, g5.xlarge 1), cloud.google.com (a3-highgpu-8g: 4 cards beside
eth0; TPU topologies). NVIDIA: one process uses one MIG slice.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.references.test_settings_of_pods import snapshot

from trainlint.checks.shapes import Shape, ShapeMismatch, shape_mismatches

JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  parallelism: COUNT
  completions: COUNT
  completionMode: Indexed
  template:
    metadata: {annotations: {ANNOTATIONS}}
    spec:
      restartPolicy: Never
      CLAIMS
      SELECTOR
      containers:
        - {name: main, image: "train:1", resources: {limits: {LIMITS}CLAIMED}}
"""
POD = ("spec", "template", "spec")
RESOURCES = (*POD, "containers", 0, "resources")
TYPE = "node.kubernetes.io/instance-type"
PREFIX = "cloud.google.com/gke-tpu"
TPU = f"nodeSelector: {{{PREFIX}-accelerator: tpu-v5-lite-podslice, {PREFIX}-topology: SHAPE}}"


def job(selector: str = "", limits: str = "", count: int | str = 2, annotations: str = "", claims: str = "") -> str:
    text = JOB.replace("SELECTOR", selector).replace("LIMITS", limits).replace("COUNT", str(count))
    text = text.replace("ANNOTATIONS", annotations).replace("CLAIMED", ", claims: [{name: c}]" if claims else "")
    return text.replace("CLAIMS", f"resourceClaims: [{{name: c, {claims}}}]" if claims else "")


def machine(*types: str) -> str:
    if len(types) == 1:
        return f"nodeSelector: {{{TYPE}: {types[0]}}}"
    terms = f"{{matchExpressions: [{{key: {TYPE}, operator: In, values: [{', '.join(types)}]}}]}}"
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    return f"affinity: {{nodeAffinity: {{{required}: {{nodeSelectorTerms: [{terms}]}}}}}}"


def mismatches(*documents: str) -> list[ShapeMismatch]:
    return list(shape_mismatches(snapshot({"a.yaml": "---\n".join(documents)})))


@pytest.mark.parametrize(
    ("types", "limits", "wanted", "there"),
    [
        (["p4d.24xlarge"], "nvidia.com/gpu: 8", 0, 0),
        (["p4d.24xlarge"], "nvidia.com/gpu: 9", 9, 8),
        (["g5.xlarge"], "nvidia.com/gpu: 2", 2, 1),
        (["g5.xlarge", "p4d.24xlarge"], "nvidia.com/gpu: 8", 0, 0),
        (["g5.xlarge", "p4d.24xlarge"], "nvidia.com/gpu: 9", 9, 8),
        (["m5.large"], "nvidia.com/gpu: 1", 1, 0),
        (["m5.large"], "cpu: 100", 0, 0),
        (["m5.large"], "nvidia.com/gpu: 0", 0, 0),
        (["z9.mega"], "nvidia.com/gpu: 99", 0, 0),  # a machine that no table holds
        (["'${TYPE}'"], "nvidia.com/gpu: 99", 0, 0),
    ],
)
def test_a_machine_has_as_many_devices_as_pods_ask_for(types: list[str], limits: str, wanted: int, there: int) -> None:
    found = mismatches(job(machine(*types), limits))
    assert len(found) == bool(wanted)
    for each in found:
        assert (each.shape, each.wanted, each.there, each.resource) == (
            Shape.MACHINE, wanted, there, "nvidia.com/gpu",
        )  # fmt: skip
        assert each.fatal
        assert (each.at.path, set(each.machines), [pods.name for pods in each.pod_sets]) == (
            RESOURCES, set(types), ["train"],
        )  # fmt: skip
        assert len(each.places) == len(each.selected) == 1
        assert TYPE in each.selected[0]
        assert each.name == each.selected[0]


def test_selectors_that_no_machine_has_together_contradict() -> None:
    both = f"nodeSelector: {{{TYPE}: g5.xlarge, karpenter.k8s.aws/instance-family: p4d}}"
    (found,) = mismatches(job(both))
    assert (found.shape, found.at.path[:-1], len(found.selected)) == (Shape.CONTRADICTION, (*POD, "nodeSelector"), 2)
    assert found.at == found.places[-1]
    assert found.name == " and ".join(found.selected)
    assert mismatches(job(both.replace("p4d", "g5"))) == []


def test_nodes_that_share_a_gpu_offer_more() -> None:
    shared = f"nodeSelector: {{{TYPE}: g5.xlarge, nvidia.com/gpu.sharing-strategy: time-slicing}}"
    assert mismatches(job(shared, "nvidia.com/gpu: 2")) == []


@pytest.mark.parametrize(
    ("shape", "chips", "count", "expected"),
    [
        ("2x4", 8, 1, None),
        ("2x4", 8, 3, None),  # a slice of one host for each pod
        ("2x4", 4, 2, None),
        ("2x4", 4, 3, None),  # half of a host of eight chips, for all that is known
        ("4x4", 4, 4, None),
        ("4x4", 4, 8, None),
        ("4x4", 4, 5, (Shape.HOSTS, 5, 4)),
        ("4x4", 8, 4, (Shape.CHIPS, 8, 4)),
        ("4x4", 1, 4, (Shape.CHIPS, 1, 4)),
        ("1x1", 1, 3, None),
        ("9x9", 4, 3, None),  # no such slice: another rule
        ("'${SHAPE}'", 4, 3, None),
    ],
)
def test_a_slice_has_a_pod_on_every_host(
    shape: str, chips: int, count: int, expected: tuple[Shape, int, int] | None
) -> None:
    found = mismatches(job(TPU.replace("SHAPE", shape), f"google.com/tpu: {chips}", count))
    assert [(each.shape, each.wanted, each.there) for each in found] == ([expected] if expected else [])
    for each in found:
        assert (each.name, each.resource, each.fatal) == (f"{shape} of tpu-v5-lite-podslice", "google.com/tpu", True)
        assert [at.path[-1] for at in each.places] == ["cloud.google.com/gke-tpu-topology"]
        assert each.at.path == (RESOURCES if each.shape is Shape.CHIPS else ())


@pytest.mark.parametrize(
    ("limits", "wanted", "first"),
    [
        ("nvidia.com/mig-1g.5gb: 1", 0, ""),
        ("nvidia.com/mig-1g.5gb: 2", 2, "nvidia.com/mig-1g.5gb"),
        ("nvidia.com/mig-1g.5gb: 1, nvidia.com/mig-2g.10gb: 1", 2, "nvidia.com/mig-1g.5gb"),
        ("nvidia.com/mig-1g.5gb: '${N}'", 0, ""),
        ("nvidia.com/gpu: 2", 0, ""),
    ],
)
def test_a_process_uses_one_slice_of_a_gpu(limits: str, wanted: int, first: str) -> None:
    found = mismatches(job(limits=limits))
    assert [(each.shape, each.wanted, each.there, each.resource) for each in found] == [
        (Shape.MIG, wanted, 1, first)
    ] * bool(wanted)
    for each in found:
        assert (each.at.path, each.name, each.fatal) == (RESOURCES, "main", False)
        assert len(each.resources) == limits.count("mig")


def networks(count: int) -> str:
    listed: list[dict[str, Any]] = [{"interfaceName": f"eth{each}", "network": f"n{each}"} for each in range(count)]
    return f"networking.gke.io/interfaces: '{json.dumps(listed)}'"


@pytest.mark.parametrize(
    ("types", "count", "most"),
    [
        (["a3-highgpu-8g"], 5, 0),
        (["a3-highgpu-8g"], 6, 5),
        (["a3-highgpu-8g", "a3-megagpu-8g"], 9, 0),
        (["a3-highgpu-8g", "a3-megagpu-8g"], 10, 9),
        (["n2-standard-8"], 9, 0),
        (["a3-highgpu-8g", "n2-standard-8"], 9, 0),
    ],
)
def test_a_pod_has_as_many_interfaces_as_the_machine(types: list[str], count: int, most: int) -> None:
    found = mismatches(job(machine(*types), annotations=networks(count)))
    assert [(each.shape, each.wanted, each.there) for each in found] == [(Shape.INTERFACES, count, most)] * bool(most)
    for each in found:
        assert each.at.path == ("spec", "template", "metadata", "annotations", "networking.gke.io/interfaces")
        assert set(each.machines) == set(types)


DOMAIN = """apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: {name: domain, namespace: ml}
spec: {numNodes: NODES, channel: {resourceClaimTemplate: {name: channel}}}
"""


@pytest.mark.parametrize(
    ("nodes", "count", "there"), [("2", 2, 0), ("3", 2, 3), ("1", 2, 0), ("0", 2, 0), ("'${N}'", 2, 0)]
)
def test_a_compute_domain_waits_for_its_nodes(nodes: str, count: int, there: int) -> None:
    claim = "resourceClaimTemplateName: channel"
    found = mismatches(job(claims=claim, count=count), DOMAIN.replace("NODES", nodes))
    assert [(each.shape, each.wanted, each.there, each.name) for each in found] == [
        (Shape.DOMAIN, count, there, "domain")
    ] * bool(there)
    for each in found:
        assert (each.at.path, [at.path for at in each.places]) == (("spec", "numNodes"), [()])
    other = DOMAIN.replace("NODES", nodes).replace("namespace: ml", "namespace: web")
    assert mismatches(job(claims=claim, count=count), other) == []
    assert mismatches(job(claims=claim.replace("channel", "other"), count=count), DOMAIN.replace("NODES", nodes)) == []


def test_one_fault_of_several_roles_is_told_once() -> None:
    container = "{name: pytorch, resources: {limits: {nvidia.com/gpu: 2}}}"
    template = f"{{spec: {{{machine('g5.xlarge')}, containers: [{container}]}}}}"
    text = (
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: train, namespace: ml}\n"
        f"spec: {{pytorchReplicaSpecs: {{Master: {{template: {template}}}, "
        f"Worker: {{replicas: 2, template: {template}}}}}}}\n"
    )
    (found,) = mismatches(text)
    assert [pods.role for pods in found.pod_sets] == ["Master", "Worker"]
    assert found.at.path[2] == "Master"
    assert [at.path[2] for at in found.places] == ["Master", "Worker"]
    assert mismatches(text.replace("replicas: 2", "replicas: 0").replace("Master: {", "Master: {replicas: 0, ")) == []


@pytest.mark.parametrize(
    ("selector", "limits", "expected"),
    [
        # strategy single: slices are nvidia.com/gpu (NVIDIA/k8s-device-plugin, docs/gpu-feature-discovery)
        ("nvidia.com/mig.strategy: single", "nvidia.com/mig-1g.5gb: 1", "nvidia.com/gpu"),
        ("nvidia.com/mig.strategy: mixed", "nvidia.com/mig-1g.5gb: 1", None),
        ("nvidia.com/mig.strategy: '${STRATEGY}'", "nvidia.com/mig-1g.5gb: 1", None),
        ("nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "nvidia.com/mig-1g.5gb: 1", "nvidia.com/gpu"),
        ("nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "nvidia.com/gpu: 1", None),
        ("nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB", "nvidia.com/mig-1g.5gb: 1", None),
        ("nvidia.com/mig.config: all-1g.5gb", "nvidia.com/mig-1g.5gb: 1", None),
        ("nvidia.com/mig.config: all-1g.5gb", "nvidia.com/mig-2g.10gb: 1", "nvidia.com/mig-1g.5gb"),
        ("nvidia.com/mig.config: all-balanced", "nvidia.com/mig-2g.10gb: 1", None),
        ("nvidia.com/mig.config: all-disabled", "nvidia.com/mig-2g.10gb: 1", "nvidia.com/gpu"),
        ("cloud.google.com/gke-gpu-partition-size: 1g.5gb", "nvidia.com/mig-1g.5gb: 1", "nvidia.com/gpu"),
        ("cloud.google.com/gke-gpu-partition-size: 1g.5gb", "nvidia.com/gpu: 1", None),
    ],
)
def test_nodes_offer_slices_under_the_names_of_their_strategy(selector: str, limits: str, expected: str | None) -> None:
    found = mismatches(job(f"nodeSelector: {{{selector}}}", limits))
    assert [(each.shape, each.resources, each.at.path) for each in found] == (
        [] if expected is None else [(Shape.PROFILE, (expected,), RESOURCES)]
    )


def test_slices_of_the_single_strategy_are_slices_too() -> None:
    product = "nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB-MIG-1g.5gb}"
    found = mismatches(job(product, "nvidia.com/gpu: 2"))
    assert [(each.shape, each.wanted, each.resources) for each in found] == [(Shape.MIG, 2, ("2 nvidia.com/gpu",))]
    whole = "nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB}"
    assert mismatches(job(whole, "nvidia.com/gpu: 2")) == []


@pytest.mark.parametrize(
    ("device_class", "count", "told"), [("mig.nvidia.com", 2, 1), ("mig.nvidia.com", 1, 0), ("gpu.nvidia.com", 2, 0)]
)
def test_slices_that_claims_give_are_slices_too(device_class: str, count: int, told: int) -> None:
    template = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: slices, namespace: ml}\n"
        f"spec: {{spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: {device_class}, "
        f"count: {count}}}}}]}}}}}}\n"
    )
    found = mismatches(job(claims="resourceClaimTemplateName: slices"), template)
    assert [(each.shape, each.wanted, each.resource) for each in found] == [(Shape.MIG, 2, "mig.nvidia.com")] * told
