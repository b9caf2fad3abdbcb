"""Volcano's Job and its plugins (W 8)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import GPU, flows, group, labels, read, role

from trainlint.model.workload import FlowKind

JOB = f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: vj, namespace: lab}}
spec:
  plugins: {{pytorch: ["--master=master", "--worker=worker", "--port=23456"]}}
  tasks:
  - {{name: master, replicas: 1, template: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}
  - {{name: worker, replicas: 2, template: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}
"""


def test_pods_carry_job_and_task_and_the_schedulers_name() -> None:
    worker = role(read(JOB), "worker")
    assert labels(worker) == {
        "volcano.sh/job-name": "vj",
        "volcano.sh/job-namespace": "lab",
        "volcano.sh/task-spec": "worker",
        "volcano.sh/task-index": "*",
        "volcano.sh/queue-name": "default",
    }
    assert worker.spec.scheduler_name == "volcano"
    assert (worker.hostname, worker.spec.subdomain) == ("vj-worker-{}", "vj")


def test_a_framework_plugin_brings_the_service_and_a_policy_that_admits_only_the_job() -> None:
    workloads = read(JOB)
    selector = {"volcano.sh/job-name": "vj", "volcano.sh/job-namespace": "lab"}
    (service,) = workloads.services
    assert (service.ref.name, service.selector, service.publish_not_ready) == ("vj", selector, False)
    (policy,) = workloads.policies
    assert policy["kind"].value == "NetworkPolicy"
    spec = policy["spec"]
    assert spec["policyTypes"].value == ["Ingress"]
    assert spec["podSelector"].value == {"matchLabels": selector}
    assert spec["ingress"].value == [{"from": [{"podSelector": {"matchLabels": selector}}]}]


def test_the_policy_can_be_switched_off() -> None:
    text = JOB.replace("plugins: {", 'plugins: {svc: ["--disable-network-policy=true"], ')
    assert read(text).policies == ()


@pytest.mark.parametrize(
    ("plugins", "expected"),
    [
        ('{pytorch: ["--port=5"]}', {"worker -> master 5"}),
        ("{mpi: []}", {"master -> worker 22", "worker -> master 32768-60999"}),
        ('{mpi: ["--port=2222"]}', {"master -> worker 2222", "worker -> master 32768-60999"}),
    ],
)
def test_ranks_meet_as_the_plugin_says(plugins: str, expected: set[str]) -> None:
    text = JOB.replace('{pytorch: ["--master=master", "--worker=worker", "--port=23456"]}', plugins)
    assert flows(group(read(text)), FlowKind.RENDEZVOUS) == expected


def test_without_a_framework_plugin_the_containers_decide_who_is_a_rank() -> None:
    text = JOB.replace('{pytorch: ["--master=master", "--worker=worker", "--port=23456"]}', "{svc: []}")
    assert flows(group(read(text))) == {
        "master -> worker 32768-60999",
        "worker -> master 32768-60999",
        "worker -> worker 32768-60999",
    }


def test_a_task_without_replicas_has_no_pods() -> None:
    assert role(read(JOB.replace("replicas: 2, ", "")), "worker").replicas == 0


def test_it_is_told_apart_from_the_job_of_batch_v1() -> None:
    assert str(role(read(JOB), "worker").owner) == "Job.batch.volcano.sh lab/vj"


PARAMETERS = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: t}
spec:
  plugins: {svc: []}
  tasks:
    - {name: ps, replicas: 1, template: {spec: {containers: [{name: c, ports: [{containerPort: 2222}], PS}]}}}
    - {name: worker, replicas: 2, template: {spec: {containers: [{name: c, ports: [{containerPort: 2222}], WORKER}]}}}
"""


@pytest.mark.parametrize(
    "told",
    [
        "command: [python, t.py, --ps_hosts=$PS, --worker_hosts=$WORKERS]",
        "command: [sh, -c, 'export TF_CONFIG=$MADE; python t.py']",
    ],
)
def test_a_tensorflow_cluster_of_ones_own(told: str) -> None:  # F7
    found = group(read(PARAMETERS.replace("PS}", f"{told}}}").replace("WORKER}", f"{told}}}")))
    assert flows(found, FlowKind.COLLECTIVE) == {"ps -> worker 2222", "worker -> ps 2222", "worker -> worker 2222"}


def test_parameter_servers_of_paddle() -> None:
    def env(role: str) -> str:
        return f"env: [{{name: PADDLE_TRAINING_ROLE, value: {role}}}, {{name: PADDLE_PORT, value: '30236'}}]"

    text = PARAMETERS.replace("PS}", f"{env('PSERVER')}}}").replace("WORKER}", f"{env('TRAINER')}}}")
    assert flows(group(read(text)), FlowKind.COLLECTIVE) == {"worker -> ps 30236"}


def test_pods_that_only_wait_are_no_unknown_group() -> None:
    text = PARAMETERS.replace("PS}", "command: [sleep, '1']}").replace("WORKER}", "command: [sh, -c, 'echo; sleep 9']}")
    assert (read(text).groups, read(text).unknowns) == ((), ())
    talking = PARAMETERS.replace("PS}", "command: [serve]}").replace("WORKER}", "command: [work]}")
    assert len(read(talking).unknowns) == 1
