"""Launcher and workers that meet by ssh (W 3, 8; W 17.12)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint_rules.workload.mpi_ssh_contract import ssh_faults

JOB = """
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: j}
spec:
  KEYS
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: l, LAUNCHER}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: w, WORKER}]}}}
"""


def causes(worker: str = "", launcher: str = "command: [mpirun, x]", keys: str = "") -> list[str]:
    text = JOB.replace("KEYS", keys).replace("LAUNCHER", launcher).replace("WORKER", worker)
    return [fault.cause for workload in read(text).objects for fault in ssh_faults(workload)]


@pytest.mark.parametrize(
    ("worker", "found"),
    [
        ("", []),
        ("command: [sleep, infinity]", ["server"]),
        ("args: [sleep, infinity]", ["server"]),
        ("command: [bash, -c, 'mkdir -p /run/sshd; sleep infinity']", ["server"]),
        ("command: [python3, train.py]", ["server"]),
        ("command: [/usr/sbin/sshd, -De]", []),
        ("command: [bash, -c, 'mkdir -p /run/sshd && /usr/sbin/sshd -De']", []),
        ("command: [bash, -c, 'service ssh start; sleep infinity']", []),
        ("command: [/entrypoint.sh]", []),
        ("command: [bash, /scripts/worker.sh]", []),
    ],
)
def test_a_command_of_ones_own_must_start_the_server(worker: str, found: list[str]) -> None:
    assert causes(worker) == found


@pytest.mark.parametrize(
    ("worker", "launcher", "found"),
    [
        ("2222", "command: [mpirun, -mca, plm_rsh_args, -p 2222, x]", []),
        ("2222", "command: [mpirun, x]", ["port"]),
        ("2222", "command: [mpirun, -mca, plm_rsh_args, -p 2233, x]", ["port"]),
        ("22", "command: [mpirun, x]", []),
    ],
)
def test_both_are_told_one_port(worker: str, launcher: str, found: list[str]) -> None:
    assert causes(f'command: [/usr/sbin/sshd, -De, -p, "{worker}"]', launcher) == found


@pytest.mark.parametrize(
    ("user", "keys", "found"),
    [
        ("1000", "", ["keys"]),
        ("1000", "sshAuthMountPath: /home/mpiuser/.ssh", []),
        ("0", "sshAuthMountPath: /home/mpiuser/.ssh", ["keys"]),
        ("0", "", []),
        ("'${UID}'", "", []),
    ],
)
def test_keys_are_in_the_home_of_the_user(user: str, keys: str, found: list[str]) -> None:
    assert causes(f"securityContext: {{runAsUser: {user}}}", keys=keys) == found


def test_a_port_that_the_operator_overwrites_is_the_fault_of_the_variable() -> None:  # W 1.3; operator-env-overridden
    lost = "env: [{name: OMPI_MCA_plm_rsh_args, value: -p 2222}], command: [mpirun, x]"
    assert causes('command: [/usr/sbin/sshd, -De, -p, "2222"]', lost) == []
    assert causes('command: [/usr/sbin/sshd, -De, -p, "2233"]', lost) == ["port"]


VOLCANO = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: j}
spec:
  PLUGINS
  tasks:
  - {name: master, replicas: 1, template: {spec: {containers: [{name: c, command: [mpirun, x]}]}}}
  - {name: worker, replicas: 2, template: {spec: {containers: [{name: c, command: [python, x]}]}}}
"""


@pytest.mark.parametrize(
    ("plugins", "found"),
    [
        ("", []),
        ("plugins: {svc: [], pytorch: []}", []),
        ("plugins: {mpi: []}", ["server"]),
        ("plugins: {mpi: null}", ["server"]),
        ("plugins: {mpi: [--worker=other]}", []),
    ],
)
def test_only_the_mpi_plugin_of_volcano_needs_a_server(plugins: str, found: list[str]) -> None:
    workloads = read(VOLCANO.replace("PLUGINS", plugins))
    assert [fault.cause for workload in workloads.objects for fault in ssh_faults(workload)] == found
