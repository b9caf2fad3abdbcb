"""Objects whose name the API server makes (records js-0160, vc-0202, kf1-0338)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.model.known import Undetermined

POD = "template: {metadata: {labels: {app: run-a}}, spec: {containers: [{name: pytorch}]}}"
JOB_SET = f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{generateName: run-, namespace: ml}}
spec: {{replicatedJobs: [{{name: w, template: {{spec: {{parallelism: 2, completions: 2, {POD}}}}}}}]}}
"""
VOLCANO = f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{generateName: run-, namespace: ml}}
spec: {{plugins: {{pytorch: []}}, tasks: [{{name: master, replicas: 1, {POD}}}, {{name: worker, replicas: 2, {POD}}}]}}
"""
PYTORCH = f"""
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{generateName: run-, namespace: ml}}
spec: {{pytorchReplicaSpecs: {{Master: {{replicas: 1, {POD}}}, Worker: {{replicas: 2, {POD}}}}}}}
"""


@pytest.mark.parametrize("text", [JOB_SET, VOLCANO, PYTORCH])
def test_nothing_that_is_made_of_the_name_is_known(text: str) -> None:
    workloads = read(text)
    assert workloads.pod_sets
    assert workloads.services == ()
    assert workloads.policies == ()
    for pods in workloads.pod_sets:
        assert pods.labels["app"] == "run-a"  # the user's own
        assert (pods.hostname, pods.spec.subdomain) == ("", "")
        values = [*pods.labels.values(), *(entry.value for each in pods.spec.containers for entry in each.env)]
        assert any(isinstance(value, Undetermined) for value in values)
        assert not any("run-" in value for value in values if isinstance(value, str) and value != "run-a")
