"""The training operator's v1 kinds (W 2): pods, labels, Services, variables and flows."""

from __future__ import annotations

import pytest
from tests.workload.manifests import env, flows, group, labels, name_users, read, role

from trainlint.model.workload import FlowKind
from trainlint.wording.because import because_text

PYTORCH = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama, namespace: lab}
spec:
  nprocPerNode: "8"
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {metadata: {labels: {app: llama}}, spec: {containers: [{name: pytorch}]}}}
    Worker: {replicas: 3, template: {spec: {containers: [{name: pytorch}]}}}
"""


def test_pods_carry_the_labels_of_operator_1_6_and_later() -> None:
    workloads = read(PYTORCH)
    assert labels(role(workloads, "Master")) == {
        "app": "llama",
        "training.kubeflow.org/operator-name": "pytorchjob-controller",
        "training.kubeflow.org/job-name": "llama",
        "training.kubeflow.org/replica-type": "master",
        "training.kubeflow.org/replica-index": "*",
        "training.kubeflow.org/job-role": "master",
    }
    assert "training.kubeflow.org/job-role" not in labels(role(workloads, "Worker"))


def test_every_pod_has_a_headless_service_of_its_own_name() -> None:
    workloads = read(PYTORCH)
    services = {service.ref.name: service for service in workloads.services}
    assert set(services) == {"llama-master-0", "llama-worker-0", "llama-worker-1", "llama-worker-2"}
    worker = services["llama-worker-1"]
    assert worker.headless
    assert worker.selector == {
        "training.kubeflow.org/operator-name": "pytorchjob-controller",
        "training.kubeflow.org/job-name": "llama",
        "training.kubeflow.org/replica-type": "worker",
        "training.kubeflow.org/replica-index": "1",
    }
    assert [port.number for port in worker.ports] == [23456]


def test_ranks_meet_at_the_master_and_then_all_talk_to_all() -> None:
    # W 15.F1, 15.F3
    found = group(read(PYTORCH))
    assert found.name == "lab/llama"
    assert flows(found, FlowKind.RENDEZVOUS) == {"Worker -> Master 23456"}
    assert flows(found, FlowKind.COLLECTIVE) == {
        "Master -> Worker 32768-60999",
        "Worker -> Master 32768-60999",
        "Worker -> Worker 32768-60999",
    }
    assert name_users(found) == {"Master", "Worker"}


def test_the_operator_sets_the_rendezvous_and_its_value_comes_last() -> None:
    written = PYTORCH.replace(
        "[{name: pytorch}]}}}\n    Worker", "[{name: pytorch, env: [{name: MASTER_PORT, value: '1'}]}]}}}\n    Worker"
    )
    master = env(role(read(written), "Master"))
    assert (master["MASTER_ADDR"], master["MASTER_PORT"], master["RANK"]) == ("llama-master-0", "23456", "0")
    assert (master["WORLD_SIZE"], master["PET_NNODES"]) == ("32", "4")
    assert env(role(read(written), "Worker"))["PET_NODE_RANK"] == "*"


def test_a_declared_port_of_the_main_container_is_the_master_port() -> None:
    declared = PYTORCH.replace(
        "[{name: pytorch}]", "[{name: pytorch, ports: [{name: pytorchjob-port, containerPort: 7}]}]"
    )
    assert flows(group(read(declared)), FlowKind.RENDEZVOUS) == {"Worker -> Master 7"}


def test_an_elastic_job_meets_at_its_first_worker_and_counts_its_minimum() -> None:
    workloads = read("""
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {name: asr, namespace: lab}
        spec:
          elasticPolicy: {minReplicas: 2, maxReplicas: 8}
          pytorchReplicaSpecs:
            Worker: {replicas: 4, template: {spec: {containers: [{name: pytorch}]}}}
    """)
    worker = role(workloads, "Worker")
    assert (worker.replicas, worker.max_replicas) == (2, 8)
    assert env(worker)["PET_RDZV_ENDPOINT"] == "asr-worker-0:23456"
    assert "MASTER_ADDR" not in env(worker)
    assert flows(group(workloads)) == {"Worker -> Worker 23456", "Worker -> Worker 32768-60999"}


@pytest.mark.parametrize(("nodes", "pods"), [("3", 3), ("2:4", 2), ("9", 4), ("$NODES", 1)])
def test_an_elastic_job_needs_as_many_pods_as_its_torchrun_waits_for(nodes: str, pods: int) -> None:
    """Options win over the PET_NNODES that the operator sets; of replicas there are never more."""
    workloads = read(f"""
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {{name: asr, namespace: lab}}
        spec:
          elasticPolicy: {{minReplicas: 1, maxReplicas: 8}}
          pytorchReplicaSpecs:
            Worker:
              replicas: 4
              template: {{spec: {{containers: [{{name: pytorch, command: [torchrun, "--nnodes={nodes}", t.py]}}]}}}}
    """)
    worker = role(workloads, "Worker")
    assert (worker.replicas, worker.max_replicas) == (pods, 8)


def test_an_elastic_hyperpod_job_counts_its_minimum() -> None:
    workloads = read("""
        apiVersion: sagemaker.amazonaws.com/v1
        kind: HyperPodPyTorchJob
        metadata: {name: tune, namespace: lab}
        spec:
          elasticPolicy: {minReplicas: 2, maxReplicas: 8}
          replicaSpecs: [{name: worker, replicas: 4, template: {spec: {containers: [{name: pytorch}]}}}]
    """)
    worker = role(workloads, "worker")
    assert (worker.replicas, worker.max_replicas) == (2, 4)


def test_an_elastic_job_may_meet_at_a_service_elsewhere() -> None:
    found = group(
        read("""
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {name: asr, namespace: lab}
        spec:
          elasticPolicy: {minReplicas: 2, maxReplicas: 4, rdzvBackend: etcd-v2, rdzvHost: etcd, rdzvPort: 2379}
          pytorchReplicaSpecs:
            Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch}]}}}
        ---
        apiVersion: v1
        kind: Service
        metadata: {name: etcd, namespace: lab}
        spec: {selector: {app: etcd}, ports: [{port: 2379}]}
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: etcd, namespace: lab}
        spec: {template: {metadata: {labels: {app: etcd}}, spec: {containers: [{name: etcd}]}}}
    """)
    )
    assert found.name == "lab/asr+etcd"
    assert flows(found, FlowKind.RENDEZVOUS) == {"Worker -> etcd 2379"}


def test_a_single_pod_is_no_group() -> None:
    text = PYTORCH.replace("Worker: {replicas: 3", "Worker: {replicas: 0")
    assert read(text).groups == ()


def test_a_placeholder_leaves_the_number_open_and_the_group_in_place() -> None:
    workloads = read(PYTORCH.replace("replicas: 3", 'replicas: "${WORKERS}"'))
    assert "${WORKERS}" in because_text(role(workloads, "Worker").replicas.why)  # type: ignore[union-attr]
    assert "Worker -> Master 23456" in flows(group(workloads))


@pytest.mark.parametrize(
    ("kind", "specs", "container", "role_name", "port", "address"),
    [
        ("JAXJob", "jaxReplicaSpecs", "jax", "Worker", 6666, "COORDINATOR_ADDRESS"),
        ("XGBoostJob", "xgbReplicaSpecs", "xgboost", "Master", 9999, "MASTER_ADDR"),
        ("PaddleJob", "paddleReplicaSpecs", "paddle", "Master", 36543, "PADDLE_MASTER"),
    ],
)
def test_the_other_frameworks_meet_at_their_own_ports(
    kind: str, specs: str, container: str, role_name: str, port: int, address: str
) -> None:
    master = f"Master: {{replicas: 1, template: {{spec: {{containers: [{{name: {container}}}]}}}}}}"
    workloads = read(f"""
apiVersion: kubeflow.org/v1
kind: {kind}
metadata: {{name: j, namespace: lab}}
spec:
  {specs}:
    {master if role_name == "Master" else ""}
    Worker: {{replicas: 2, template: {{spec: {{containers: [{{name: {container}}}]}}}}}}
""")
    found = group(workloads)
    assert flows(found, FlowKind.RENDEZVOUS) == {f"Worker -> {role_name} {port}"}
    assert "Worker -> Worker 32768-60999" in flows(found, FlowKind.COLLECTIVE)
    assert env(role(workloads, "Worker"))[address].startswith(f"j-{role_name.lower()}-0")


def test_tensorflow_processes_call_each_other_on_2222_and_the_evaluator_opens_no_connection() -> None:
    # F7
    spec = "template: {spec: {containers: [{name: tensorflow}]}}"
    found = group(
        read(f"""
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {{name: ctr, namespace: lab}}
spec:
  tfReplicaSpecs:
    PS: {{replicas: 1, {spec}}}
    Worker: {{replicas: 2, {spec}}}
    Evaluator: {{replicas: 1, {spec}}}
""")
    )
    assert flows(found) == {"PS -> Worker 2222", "Worker -> PS 2222", "Worker -> Worker 2222"}


def test_the_launcher_of_mpijob_v1_starts_ranks_through_the_api_server() -> None:
    # W 15.F6: no ssh, no Services; the daemons connect back
    spec = "template: {spec: {containers: [{name: mpi}]}}"
    workloads = read(f"""
apiVersion: kubeflow.org/v1
kind: MPIJob
metadata: {{name: sim, namespace: lab}}
spec:
  mpiReplicaSpecs:
    Launcher: {{{spec}}}
    Worker: {{replicas: 2, {spec}}}
""")
    assert workloads.services == ()
    assert labels(role(workloads, "Launcher"))["training.kubeflow.org/job-role"] == "master"
    assert flows(group(workloads)) == {"Worker -> Launcher 32768-60999", "Worker -> Worker 32768-60999"}


def test_servers_of_parameters_do_not_call_each_other() -> None:
    pod = "template: {spec: {containers: [{name: tensorflow}]}}"
    found = group(
        read(
            f"""
            apiVersion: kubeflow.org/v1
            kind: TFJob
            metadata: {{name: tf}}
            spec: {{tfReplicaSpecs: {{PS: {{replicas: 2, {pod}}}, Worker: {{replicas: 2, {pod}}}}}}}
            """
        )
    )
    pairs = {each.rpartition(" ")[0] for each in flows(found) if each.endswith("2222")}
    assert pairs == {"Worker -> PS", "PS -> Worker", "Worker -> Worker"}
