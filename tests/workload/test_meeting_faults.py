"""Ranks that look for each other at different places (W 15.F1, 15.F2; W 17.7)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.workload.checks.rendezvous import meeting_faults
from trainlint.workload.communicators import communicators
from trainlint.workload.services import directory_of
from trainlint_rules.workload.rendezvous_mismatch import finding_of

SETS = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: j}
spec:
  replicatedJobs:
    - name: driver
      template: {spec: {template: {spec: {containers: [{name: c, command: [torchrun, --nnodes=3, FIRST, x.py]}]}}}}
    - name: worker
      template:
        spec:
          parallelism: 2
          completions: 2
          template: {spec: {containers: [{name: c, command: [torchrun, --nnodes=3, SECOND, x.py]}]}}
"""
HOST = "j-driver-0-0.j"


def causes(text: str) -> list[str]:
    workloads = read(text)
    directory = directory_of(workloads)
    found = communicators(workloads.groups)
    return [finding_of(fault).cause for ranks in found for fault in meeting_faults(ranks, directory, frozenset())]


def sets(first: str, second: str) -> list[str]:
    return causes(SETS.replace("FIRST", first).replace("SECOND", second))


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (f"--master-addr={HOST}, --master-port=29500", f"--master-addr={HOST}, --master-port=29500", []),
        (f"--master-addr={HOST}, --master-port=29500", f"--master-addr={HOST}, --master-port=29501", ["port"]),
        (f"--master-addr={HOST}", f"--master-addr={HOST}, --master-port=29501", ["port"]),  # 29500 is the default
        ("--master-addr=localhost, --master-port=29500", f"--master-addr={HOST}, --master-port=29500", []),
        ("--master-addr=127.0.0.1, --master-port=1", f"--master-addr={HOST}, --master-port=2", ["port"]),
        (f"--master-addr={HOST}, --master-port=$PORT", f"--master-addr={HOST}, --master-port=29501", []),
        (
            f"--rdzv-backend=c10d, '--rdzv-endpoint={HOST}:29400', --rdzv-id=a",
            f"--rdzv-backend=c10d, '--rdzv-endpoint={HOST}:29400', --rdzv-id=b",
            ["job"],
        ),
        (
            f"--rdzv-backend=c10d, '--rdzv-endpoint={HOST}', --rdzv-id=a",
            f"--rdzv-backend=c10d, '--rdzv-endpoint={HOST}:29400', --rdzv-id=a",
            [],
        ),
    ],
)
def test_all_roles_meet_at_one_place(first: str, second: str, found: list[str]) -> None:
    assert sets(first, second) == found


def pytorch(command: str, master: bool) -> str:
    roles = "Master: {replicas: 1, TEMPLATE}, " if master else ""
    template = f"template: {{spec: {{containers: [{{name: pytorch, command: [{command}]}}]}}}}"
    spec = f"pytorchReplicaSpecs: {{{roles}Worker: {{replicas: 2, TEMPLATE}}}}".replace("TEMPLATE", template)
    return f"{{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {{name: j}}, spec: {{{spec}}}}}"


@pytest.mark.parametrize(
    ("command", "master", "found"),
    [
        ("torchrun, --nnodes=2, x.py", False, ["alone"]),  # no Master: the operator gives no address
        ("torchrun, --nnodes=3, x.py", True, []),
        ("torchrun, --nnodes=2, --master-addr=localhost, x.py", False, ["alone"]),
        ("torchrun, --nnodes=2, --master-addr=j-worker-0, x.py", False, []),
        ("torchrun, --nnodes=2, --master-addr=$HEAD, x.py", False, []),
        ("torchrun, --nnodes=2, $ARGUMENTS, x.py", False, []),
        ("torchrun, --standalone, --nnodes=2, x.py", False, []),
        ("hyperpodrun, --nnodes=2, x.py", False, []),
        ("torchrun, --nnodes=3, --master-addr=k-master-0, x.py", True, ["stranger"]),
    ],
)
def test_a_variable_or_option_names_the_place(command: str, master: bool, found: list[str]) -> None:
    assert causes(pytorch(command, master)) == found


@pytest.mark.parametrize(
    ("service", "found"),
    [
        ("{clusterIP: None, selector: {app: j}}", []),
        ("{selector: {app: j}, ports: [{port: 29500}]}", []),
        ("{selector: {app: j}, ports: [{port: 23456}]}", ["service"]),
        ("{selector: {app: j}, ports: [{port: 29500, targetPort: 8080}]}", ["service"]),
    ],
)
def test_a_service_leads_to_the_port_of_rank_0(service: str, found: list[str]) -> None:
    text = f"""
    {{apiVersion: v1, kind: Service, metadata: {{name: meet}}, spec: {service}}}
    ---
    apiVersion: v1
    kind: Pod
    metadata: {{name: first, labels: {{app: j}}}}
    spec: {{containers: [{{name: c, command: [torchrun, --nnodes=2, --master-addr=meet, --node-rank=0, x.py]}}]}}
    ---
    apiVersion: v1
    kind: Pod
    metadata: {{name: second}}
    spec:
      containers:
        - name: c
          command: [torchrun, --nnodes=2, --master-addr=meet, --node-rank=1, x.py]
          resources: {{limits: {{nvidia.com/gpu: 8}}}}
    """
    assert causes(text) == found


def test_ray_nodes_join_where_the_head_listens() -> None:
    text = """
    apiVersion: leaderworkerset.x-k8s.io/v1
    kind: LeaderWorkerSet
    metadata: {name: j}
    spec:
      leaderWorkerTemplate:
        size: 2
        leaderTemplate:
          spec:
            containers:
              - name: c
                command: [bash, -c, "ray start --head --port=6380; sleep 1"]
                resources: {limits: {nvidia.com/gpu: 8}}
        workerTemplate:
          spec:
            containers:
              - name: c
                command: [bash, -c, "ray start --address=$(LWS_LEADER_ADDRESS):PORT --block"]
                resources: {limits: {nvidia.com/gpu: 8}}
    """
    assert causes(text.replace("PORT", "6380")) == []
    assert causes(text.replace("PORT", "6379")) == ["port"]


@pytest.mark.parametrize(
    ("service", "found"),
    [
        ("ports: [{port: 80, targetPort: 2379}]", []),
        ("ports: [{port: 2379, targetPort: client}]", []),
        ("ports: [{port: 2379}]", ["service"]),  # the Service has no port 80
    ],
)
def test_a_store_beside_the_ranks_may_listen_wherever_its_service_leads(service: str, found: list[str]) -> None:
    text = f"""
    {{apiVersion: v1, kind: Service, metadata: {{name: etcd}}, spec: {{selector: {{app: etcd}}, {service}}}}}
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata: {{name: etcd}}
    spec:
      template:
        metadata: {{labels: {{app: etcd}}}}
        spec: {{containers: [{{name: etcd, ports: [{{name: client, containerPort: 2380}}]}}]}}
    ---
    apiVersion: batch/v1
    kind: Job
    metadata: {{name: j}}
    spec:
      completions: 2
      parallelism: 2
      completionMode: Indexed
      template:
        spec:
          containers:
          - name: c
            command: [torchrun, --nnodes=2, --rdzv-backend=etcd-v2, "--rdzv-endpoint=etcd:80", x.py]
            resources: {{limits: {{nvidia.com/gpu: 1}}}}
    """
    if "2379, targetPort: client" in service:
        text = text.replace("etcd:80", "etcd:2379")
    assert causes(text) == found
