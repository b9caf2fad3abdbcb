"""HyperPodPyTorchJob (W 13): roles, and the sizes of an elastic job."""

from __future__ import annotations

import pytest
from tests.workload.manifests import GPU, group, labels, read, role

JOB = f"""
apiVersion: sagemaker.amazonaws.com/v1
kind: HyperPodPyTorchJob
metadata: {{name: h, namespace: ml}}
spec:
  elasticPolicy: {{POLICY}}
  replicaSpecs:
  - {{name: pods, SIZE, template: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}
  - {{replicas: 1, template: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}
  - {{name: none, replicas: 1}}
"""


def job(size: str, policy: str = "") -> str:
    return JOB.replace("SIZE", size).replace("POLICY", policy)


@pytest.mark.parametrize(
    ("size", "policy", "replicas", "most"),
    [
        ("replicas: 4", "", 4, None),
        ("replicas: 4, maxReplicas: 8", "", 4, 8),
        ("replicas: 4, maxReplicas: 0", "", 4, None),
        ("replicas: 4, maxReplicas: 8", "minReplicas: 2", 2, 8),
        ("replicas: 4, maxReplicas: 3", "minReplicas: 2", 2, 4),
        ("replicas: 4", "minReplicas: 2", 2, 4),
        ("replicas: 4", "minReplicas: 4", 4, None),
        ("replicas: 4", "minReplicas: 0", 4, None),
        ("maxReplicas: 2", "", 0, 2),
    ],
)
def test_an_elastic_job_trains_with_the_smallest_number_too(
    size: str, policy: str, replicas: int, most: int | None
) -> None:
    pods = role(read(job(size, policy)), "pods")
    assert (pods.replicas, pods.max_replicas) == (replicas, most)


def test_each_replica_spec_with_pods_is_a_role_of_ranks() -> None:
    found = read(job("replicas: 4"))
    assert [pods.role for pods in found.pod_sets] == ["pods", "role1"]
    assert labels(role(found, "pods"))["HPJob"] == "h"
    assert group(found).collective
