"""Job, CronJob, Deployment, StatefulSet, ReplicaSet, Pod (W 9, W 10)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import GPU, env, flows, group, labels, read, role

from trainlint.model.known import Undetermined

JOB = f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: fit, namespace: lab}}
spec:
  completionMode: Indexed
  completions: 4
  parallelism: 4
  template: {{spec: {{containers: [{{name: c, command: [python, x], {GPU}}}]}}}}
"""


@pytest.mark.parametrize(
    ("spec", "pods"),
    [
        ("{}", 1),
        ("{parallelism: 3}", 3),
        ("{parallelism: 3, completions: 2}", 2),
        ("{parallelism: 2, completions: 8}", 2),
        ("{completions: 8}", 1),
        ("{parallelism: 0, completions: 8}", 0),
    ],
)
def test_pods_at_a_time_are_the_smaller_of_parallelism_and_completions(spec: str, pods: int) -> None:
    template = "template: {spec: {containers: [{name: c}]}}"
    text = f"{{apiVersion: batch/v1, kind: Job, metadata: {{name: j}}, spec: {{{template}, {spec[1:-1]}}}}}"
    assert read(text).pod_sets[0].replicas == pods


@pytest.mark.parametrize(
    "text",
    [
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: j}, spec: {replicas: -1, TEMPLATE}}",
        "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {parallelism: -3, completions: -9, TEMPLATE}}",
        "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: j}, spec: {replicas: -2147483649, TEMPLATE}}",
    ],
)
def test_of_a_negative_number_no_pod_is_made(text: str) -> None:
    template = "template: {spec: {containers: [{name: pytorch}]}}"
    assert [each.replicas for each in read(text.replace("TEMPLATE", template)).pod_sets] == [0]


def test_an_indexed_job_numbers_its_pods_and_labels_them() -> None:
    pods = role(read(JOB), "fit")
    assert pods.hostname == "fit-{}"
    assert labels(pods) == {
        "batch.kubernetes.io/job-name": "fit",
        "job-name": "fit",
        "batch.kubernetes.io/controller-uid": "?",
        "controller-uid": "?",
        "batch.kubernetes.io/job-completion-index": "*",
    }
    assert env(pods)["JOB_COMPLETION_INDEX"] == "*"


def test_the_name_of_a_cron_jobs_job_is_made_in_the_cluster() -> None:
    pods = role(
        read("""
            apiVersion: batch/v1
            kind: CronJob
            metadata: {name: nightly, namespace: lab}
            spec: {jobTemplate: {spec: {template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c}]}}}}}
        """),
        "nightly",
    )
    assert labels(pods)["job-name"] == "?"
    assert labels(pods)["a"] == "b"


def test_indexed_pods_on_accelerators_that_run_together_are_ranks() -> None:
    assert flows(group(read(JOB))) == {"fit -> fit 32768-60999"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("completions: 4", "completions: 8", id="not all at once"),
        pytest.param("completionMode: Indexed", "completionMode: NonIndexed", id="not numbered"),
        pytest.param(f", {GPU}", "", id="no accelerator and no launcher"),
        pytest.param("[python, x]", "[torchrun, --standalone, x]", id="each pod trains alone"),
        pytest.param("[python, x]", "[torchrun, --nnodes=1, x]", id="each pod is its only node"),
    ],
)
def test_other_pods_of_a_job_are_not_proved_to_be_ranks(old: str, new: str) -> None:
    assert read(JOB.replace(old, new)).groups == ()


def test_a_launcher_of_several_nodes_makes_ranks_of_any_job() -> None:
    text = JOB.replace("completionMode: Indexed\n  completions: 4", "").replace(
        "[python, x]", "[torchrun, --nnodes=4, x]"
    )
    assert flows(group(read(text))) == {"fit -> fit 32768-60999"}


STATEFUL = f"""
apiVersion: v1
kind: Service
metadata: {{name: net, namespace: lab}}
spec: {{clusterIP: None, selector: {{app: s}}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: s, namespace: lab}}
spec:
  serviceName: net
  replicas: 3
  template:
    metadata: {{labels: {{app: s}}}}
    spec: {{containers: [{{name: c, command: [torchrun, --nnodes=3, "--rdzv-endpoint=s-0.net:29400", x], {GPU}}}]}}
"""


def test_a_stateful_set_meets_under_the_name_of_its_first_pod() -> None:
    workloads = read(STATEFUL)
    pods = role(workloads, "s")
    assert (pods.hostname, pods.spec.subdomain) == ("s-{}", "net")
    assert labels(pods) == {
        "app": "s",
        "statefulset.kubernetes.io/pod-name": "*",
        "apps.kubernetes.io/pod-index": "*",
        "controller-revision-hash": "?",
    }
    assert flows(group(workloads)) == {"s -> s 29400", "s -> s 32768-60999"}


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "ReplicaSet"])
def test_replicas_of_a_server_are_not_ranks(kind: str) -> None:
    workloads = read(f"""
apiVersion: apps/v1
kind: {kind}
metadata: {{name: serve, namespace: lab}}
spec:
  replicas: 4
  template:
    spec:
      containers:
      - {{name: c, command: [vllm, serve, m], env: [{{name: NCCL_DEBUG, value: INFO}}], {GPU}}}
""")
    assert role(workloads, "serve").replicas == 4
    assert workloads.groups == ()


def test_a_deployment_has_one_pod_by_default_and_an_unknown_hash() -> None:
    pods = role(
        read("""
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: hub}
            spec: {template: {metadata: {labels: {v: 1.5, b: true}}, spec: {containers: [{name: c}]}}}
        """),
        "hub",
    )
    assert pods.replicas == 1
    assert labels(pods) == {"v": "1.5", "b": "true", "pod-template-hash": "?"}


def test_a_daemon_set_is_no_pod_set() -> None:
    template = "template: {spec: {containers: [{name: c}]}}"
    text = f"{{apiVersion: apps/v1, kind: DaemonSet, metadata: {{name: d}}, spec: {{{template}}}}}"
    assert read(text).pod_sets == ()


def test_a_partial_object_makes_no_pods() -> None:
    text = (
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: {spec: {nodeSelector: {a: b}}}}}"
    )
    assert read(text).pod_sets == ()


def test_an_object_without_a_namespace_is_in_default_by_assumption() -> None:
    workloads = read("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}")
    assert workloads.pod_sets[0].namespace == "default"
    assert isinstance(role(read(JOB), "fit").labels["controller-uid"], Undetermined)
