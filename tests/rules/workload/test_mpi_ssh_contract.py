"""Launcher and workers that meet by ssh (W 3, 8; W 17.12)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.finding import Certainty
from trainlint.workload.checks.fault import Fault
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


POD = ("spec", "mpiReplicaSpecs")
OF_WORKER = (*POD, "Worker", "template", "spec", "containers", 0)
OF_LAUNCHER = (*POD, "Launcher", "template", "spec", "containers", 0)


def only(worker: str = "", launcher: str = "command: [mpirun, x]", keys: str = "") -> Fault:
    text = JOB.replace("KEYS", keys).replace("LAUNCHER", launcher).replace("WORKER", worker)
    (fault,) = (fault for workload in read(text).objects for fault in ssh_faults(workload))
    assert fault.certainty is Certainty.LIKELY
    return fault


@pytest.mark.parametrize(
    ("worker", "key", "said"),
    [
        ("command: [sleep, infinity]", "command", "sleep infinity"),
        ("args: [sleep, infinity]", "args", "sleep infinity"),
        ("command: [sleep], args: [infinity]", "command", "sleep infinity"),
        (f"command: [sleep, {'1' * 34}]", "command", f"sleep {'1' * 34}"),
        (f"command: [sleep, {'1' * 35}]", "command", f"sleep {'1' * 33}…"),
    ],
)
def test_a_worker_without_a_server_says_what_it_runs(worker: str, key: str, said: str) -> None:
    fault = only(worker)
    assert (fault.at.path, fault.related) == ((*OF_WORKER, key), ())
    assert fault.evidence == {"container": "w", "command": said}
    assert fault.remedy == "remove command and args"


@pytest.mark.parametrize(
    ("launcher", "told"), [("command: [mpirun, x]", 22), ("command: [mpirun, -mca, plm_rsh_args, -p 2233, x]", 2233)]
)
@pytest.mark.parametrize("key", ["command", "args"])
def test_ports_that_differ_are_both_told(launcher: str, told: int, key: str) -> None:
    worker = f'{key}: [/usr/sbin/sshd, -De, -p, "2222"]'
    fault = only(worker, launcher)
    assert (fault.cause, fault.at.path) == ("port", (*OF_WORKER, key))
    assert fault.evidence == {"sshd": 2222, "ssh": told}
    assert [(role, at.path) for role, at in fault.related] == [("connects to another port", OF_LAUNCHER)]
    assert "-p 2222" in fault.remedy


@pytest.mark.parametrize(
    ("worker", "keys", "user", "path"),
    [
        ("securityContext: {runAsUser: 1000}", "", 1000, "/root/.ssh"),
        ("securityContext: {runAsUser: 0}", "sshAuthMountPath: /home/mpiuser/.ssh", 0, "/home/mpiuser/.ssh"),
        ("securityContext: {runAsUser: 1000}", "sshAuthMountPath: /root", 1000, "/root"),
        ("securityContext: {runAsUser: 0}", "sshAuthMountPath: /rooted/.ssh", 0, "/rooted/.ssh"),
    ],
)
def test_a_user_without_the_keys_is_told_with_their_place(worker: str, keys: str, user: int, path: str) -> None:
    fault = only(worker, keys=keys)
    assert (fault.cause, fault.at.path) == ("keys", ("spec", "sshAuthMountPath"))
    assert fault.evidence == {"user": user, "sshAuthMountPath": path}
    assert [at.path for _, at in fault.related] == [(*POD, "Worker", "template", "spec")]


def test_the_user_of_the_pod_counts_where_the_container_names_none() -> None:
    text = JOB.replace("KEYS", "").replace("LAUNCHER", "command: [mpirun, x]").replace(", WORKER", "")
    of_pod = text.replace("{containers: [{name: w", "{securityContext: {runAsUser: 7}, containers: [{name: w")
    assert [each.cause for workload in read(of_pod).objects for each in ssh_faults(workload)] == ["keys"]
    both = of_pod.replace("{name: w", "{securityContext: {runAsUser: 0}, name: w")
    assert [each.cause for workload in read(both).objects for each in ssh_faults(workload)] == []


@pytest.mark.parametrize(
    "change", [("Launcher", "Other"), ("Worker:", "Other:"), ("kubeflow.org/v2beta1", "kubeflow.org/v1")]
)
def test_other_jobs_have_no_launcher_that_logs_in(change: tuple[str, str]) -> None:
    text = (
        JOB.replace("KEYS", "").replace("LAUNCHER", "command: [mpirun, x]").replace("WORKER", "command: [sleep, '1']")
    )
    assert [each.cause for workload in read(text).objects for each in ssh_faults(workload)] == ["server"]
    assert [each for workload in read(text.replace(*change)).objects for each in ssh_faults(workload)] == []
