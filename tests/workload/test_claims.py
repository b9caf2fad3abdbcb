"""Devices of resource claims: what makes ranks, what is not known (resource.k8s.io in its versions)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.model.known import Undetermined
from trainlint.workload.accelerators import accelerator_count, accelerators_of, is_accelerator

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: tune, namespace: nlp}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template:
    spec:
      resourceClaims: [{name: gpu, CLAIM}]
      containers: [{name: rank, resources: {claims: [USED]}}]
---
"""
TEMPLATE = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one, namespace: nlp}
spec: {spec: {devices: {requests: [REQUESTS]}}}
---
"""
CLAIM = """
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: one, namespace: nlp}
spec: {devices: {requests: [{name: a, deviceClassName: gpu.nvidia.com, count: 2}]}}
---
"""
CLASS = """
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: fast}
spec: {SPEC}
"""
BY_TEMPLATE = "resourceClaimTemplateName: one"


def job(claim: str = BY_TEMPLATE, used: str = "{name: gpu}") -> str:
    return JOB.replace("CLAIM", claim).replace("USED", used)


def wants(requests: str) -> str:
    return TEMPLATE.replace("REQUESTS", requests)


@pytest.mark.parametrize(
    ("requests", "used", "groups", "count"),
    [
        ("{name: a, exactly: {deviceClassName: gpu.nvidia.com}}", "{name: gpu}", 1, 1),
        ("{name: a, exactly: {deviceClassName: gpu.nvidia.com, count: 4}}", "{name: gpu}", 1, 4),
        ("{name: a, deviceClassName: gpu.nvidia.com}", "{name: gpu}", 1, 1),  # v1beta1
        ("{name: a, exactly: {deviceClassName: dra.net}}", "{name: gpu}", 0, None),
        ("{name: a, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}}", "{name: gpu}", 1, None),
        ("{name: a, exactly: {deviceClassName: gpu.nvidia.com, adminAccess: true}}", "{name: gpu}", 0, 0),
        (
            "{name: a, exactly: {deviceClassName: gpu.nvidia.com}}, {name: b, exactly: {deviceClassName: dra.net}}",
            "{name: gpu, request: a}",
            1,
            1,
        ),
        (
            "{firstAvailable: [{deviceClassName: gpu.nvidia.com}, {deviceClassName: mig.nvidia.com, count: 2}]}",
            "{name: gpu}",
            1,
            None,
        ),
    ],
)
def test_a_claim_on_a_class_of_gpus_makes_ranks(requests: str, used: str, groups: int, count: int | None) -> None:
    found = read(job(used=used) + wants(requests))
    (pods,) = found.pod_sets
    devices = accelerator_count(pods.spec.containers[0])
    assert len(found.groups) == groups
    assert devices == count or (count is None and isinstance(devices, Undetermined))


def test_pods_that_name_one_claim_share_its_devices() -> None:
    (pods,) = read(job("resourceClaimName: one") + CLAIM).pod_sets
    assert accelerators_of(pods.spec) == "gpu.nvidia.com"
    assert isinstance(accelerator_count(pods.spec.containers[0]), Undetermined)


@pytest.mark.parametrize(
    ("spec", "groups"),
    [
        ("""selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com'"}}]""", 1),
        ("""selectors: [{cel: {expression: "device.driver == 'dra.net'"}}]""", 0),
        ("extendedResourceName: nvidia.com/gpu", 1),
        ("extendedResourceName: example.com/nic", 0),
    ],
)
def test_a_class_says_by_its_driver_what_it_gives(spec: str, groups: int) -> None:
    text = job() + wants("{name: a, exactly: {deviceClassName: fast}}") + CLASS.replace("SPEC", spec)
    assert len(read(text).groups) == groups


@pytest.mark.parametrize("text", [job(), job() + wants("{name: a, exactly: {deviceClassName: fast}}")])
def test_what_no_document_defines_is_unknown_and_not_no(text: str) -> None:
    found = read(text)
    assert found.groups == ()
    assert [each.subject for each in found.unknowns] == ["Job nlp/tune"]


def test_a_channel_of_a_compute_domain_is_no_accelerator() -> None:
    domain = """
apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: {name: d, namespace: nlp}
spec: {numNodes: 2, channel: {resourceClaimTemplate: {name: one}}}
"""
    found = read(job() + domain)
    assert found.groups == ()
    assert found.unknowns == ()


def test_a_class_asked_for_as_an_extended_resource() -> None:
    assert is_accelerator("deviceclass.resource.kubernetes.io/gpu.nvidia.com")
    assert not is_accelerator("deviceclass.resource.kubernetes.io/dra.net")
