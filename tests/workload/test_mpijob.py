"""MPIJob v2beta1 (W 3)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import flows, group, labels, name_users, read, role

from trainlint.model.workload import FlowKind

JOB = """
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: sim, namespace: hpc}
spec:
  mpiReplicaSpecs:
    Launcher: {replicas: 1, template: {spec: {containers: [{name: l, command: [mpirun, -np, "16", x]}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: w}]}}}
"""


def test_pods_carry_a_role_and_no_replica_type() -> None:
    workloads = read(JOB)
    assert labels(role(workloads, "Worker")) == {
        "training.kubeflow.org/operator-name": "mpi-operator",
        "training.kubeflow.org/job-name": "sim",
        "training.kubeflow.org/job-role": "worker",
        "training.kubeflow.org/replica-index": "*",
    }
    launcher = labels(role(workloads, "Launcher"))
    assert launcher["training.kubeflow.org/job-role"] == "launcher"
    assert launcher["batch.kubernetes.io/job-name"] == "sim-launcher"
    assert not any(key.endswith("replica-type") for key in launcher)


def test_one_headless_service_names_all_pods() -> None:
    workloads = read(JOB)
    (service,) = workloads.services
    assert (service.ref.name, service.headless, service.publish_not_ready) == ("sim", True, False)
    assert service.selector == {
        "training.kubeflow.org/operator-name": "mpi-operator",
        "training.kubeflow.org/job-name": "sim",
    }
    assert {pods.spec.subdomain for pods in workloads.pod_sets} == {"sim"}


def test_ssh_goes_out_daemons_connect_back_and_workers_talk_to_each_other() -> None:
    # W 15.F5, 15.F5b
    found = group(read(JOB))
    assert flows(found, FlowKind.RENDEZVOUS) == {"Launcher -> Worker 22", "Worker -> Launcher 32768-60999"}
    assert flows(found, FlowKind.COLLECTIVE) == {"Worker -> Worker 32768-60999"}
    assert name_users(found) == {"Launcher"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('command: [mpirun, -np, "16", x]', 'command: [mpirun, -mca, plm_rsh_args, "-p 2222", x]'),
        ('command: [mpirun, -np, "16", x]', 'env: [{name: PRTE_MCA_plm_ssh_args, value: "-o X=1 -p 2222"}]'),
        ('command: [mpirun, -np, "16", x]', "command: [sh, -c, \"export OMPI_MCA_plm_rsh_args='-p 2222'; mpirun x\"]"),
        ("{name: w}", "{name: w, command: [/usr/sbin/sshd, -De, -p, '2222']}"),
    ],
)
def test_ssh_uses_the_port_that_is_written(old: str, new: str) -> None:
    assert "Launcher -> Worker 2222" in flows(group(read(JOB.replace(old, new))))


@pytest.mark.parametrize(
    ("implementation", "name", "port"),
    [
        ("OpenMPI", "OMPI_MCA_plm_rsh_args", 22),
        ("Intel", "OMPI_MCA_plm_rsh_args", 2222),  # only the arguments of its own launcher are overwritten
        ("Intel", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", 22),
        ("MPICH", "HYDRA_LAUNCH_EXTRA_ARGS", 22),
    ],
)
def test_the_operator_appends_its_ssh_arguments_after_those_of_the_user(
    implementation: str, name: str, port: int
) -> None:  # W 1.3: the kubelet keeps the last entry
    text = JOB.replace('command: [mpirun, -np, "16", x]', f'env: [{{name: {name}, value: "-p 2222"}}]')
    text = text.replace("spec:\n  mpi", f"spec:\n  mpiImplementation: {implementation}\n  mpi", 1)
    assert f"Launcher -> Worker {port}" in flows(group(read(text)))


def test_a_launcher_that_is_a_worker_is_a_rank() -> None:
    found = group(read(JOB.replace("spec:\n  mpi", "spec:\n  runLauncherAsWorker: true\n  mpi")))
    assert "Launcher -> Worker 32768-60999" in flows(found, FlowKind.COLLECTIVE)


def test_workers_without_replicas_are_none() -> None:
    assert read(JOB.replace("replicas: 2, ", "")).groups == ()
