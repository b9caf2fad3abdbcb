"""Pods that are made only when others of their object are there, and gangs that wait for them (W 3 to 6, 8)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.queues.late_members import late_members
from trainlint.wording.because import because_text
from trainlint.workload.gangs import oversized

MPI = """
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: m, namespace: hpc}
spec:
  launcherCreationPolicy: POLICY
  runPolicy: {RUN}
  mpiReplicaSpecs:
    Launcher: {replicas: 1, template: {spec: {SCHEDULER containers: [{name: l}]}}}
    Worker: {replicas: 4, template: {spec: {SCHEDULER containers: [{name: w}]}}}
"""
OPERATOR = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: mpi-operator, namespace: mpi-operator}
spec:
  selector: {matchLabels: {app: mpi-operator}}
  template:
    metadata: {labels: {app: mpi-operator}}
    spec: {containers: [{name: c, image: "mpioperator/mpi-operator:0.6.0", args: ARGS}]}
---
"""
JOB_SET = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: j, namespace: hpc}
spec:
  ORDER
  replicatedJobs:
    - {name: a, template: {spec: {parallelism: 2, template: {METADATA spec: {SCHEDULER containers: [{name: c}]}}}}}
    - name: b
      DEPENDS
      template: {spec: {parallelism: 3, template: {METADATA spec: {SCHEDULER containers: [{name: c}]}}}}
"""
GROUP = """
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: g, namespace: hpc}
spec: {minMember: LEAST}
---
"""
LABEL = "metadata: {labels: {scheduling.x-k8s.io/pod-group: g}}, "


def late(text: str) -> list[tuple[object, int, list[str]]]:
    found = read(text)
    return [
        (each.gang.minimum, each.count, [pods.role for pods, _ in each.late])
        for each in late_members(found.gangs, found.objects)
    ]


def mpi(policy: str, run: str = "", scheduler: str = "") -> str:
    return MPI.replace("POLICY", policy).replace("RUN", run).replace("SCHEDULER", scheduler)


@pytest.mark.parametrize(
    ("args", "run", "policy", "found"),
    [
        ("[--gang-scheduling=volcano]", "", "WaitForWorkersReady", [(5, 4, ["Launcher"])]),
        ("[--gang-scheduling, volcano]", "", "WaitForWorkersReady", [(5, 4, ["Launcher"])]),
        ("[--gang-scheduling=volcano]", "", "AtStartup", []),
        ("[--gang-scheduling=volcano]", "schedulingPolicy: {minAvailable: 4}", "WaitForWorkersReady", []),
        (
            "[--gang-scheduling=sched]",
            "schedulingPolicy: {minAvailable: 5}",
            "WaitForWorkersReady",
            [(5, 4, ["Launcher"])],
        ),
        ("[-v=2]", "schedulingPolicy: {minAvailable: 5}", "WaitForWorkersReady", []),  # it makes no PodGroup
    ],
)
def test_the_gang_of_an_mpi_job_is_what_its_operator_makes(
    args: str, run: str, policy: str, found: list[tuple[int, int, list[str]]]
) -> None:  # kubeflow/mpi-operator:pkg/controller/podgroup.go, calculateMinAvailable
    assert late(OPERATOR.replace("ARGS", args) + mpi(policy, run)) == found


def test_without_the_operator_in_git_only_a_written_minimum_makes_a_gang_and_that_is_an_assumption() -> None:
    assert late(mpi("WaitForWorkersReady")) == []
    found = read(mpi("WaitForWorkersReady", "schedulingPolicy: {minAvailable: 5}"))
    (cause,) = late_members(found.gangs, found.objects)
    assert "--gang-scheduling" in because_text(cause.gang.doubt)


def test_kai_counts_no_launcher_that_is_made_later() -> None:  # KAI: plugins/kubeflow/mpi, handleDelayedLauncherPolicy
    kai = "schedulerName: kai-scheduler,"
    assert late(mpi("WaitForWorkersReady", scheduler=kai)) == []
    assert [gang.minimum for gang in read(mpi("WaitForWorkersReady", scheduler=kai)).gangs] == [4]
    assert [gang.minimum for gang in read(mpi("AtStartup", scheduler=kai)).gangs] == [5]


def job_set(order: str = "", depends: str = "", metadata: str = "", scheduler: str = "") -> str:
    text = JOB_SET.replace("ORDER", order).replace("DEPENDS", depends).replace("METADATA", metadata)
    return text.replace("SCHEDULER", scheduler)


@pytest.mark.parametrize("order", ["startupPolicy: {startupPolicyOrder: InOrder}", ""])
@pytest.mark.parametrize("depends", ["dependsOn: [{name: a, status: Complete}]", ""])
@pytest.mark.parametrize(("least", "stuck"), [(2, False), (3, True), (5, True)])
def test_the_replicated_jobs_of_a_job_set_may_wait_for_each_other(
    order: str, depends: str, least: int, stuck: bool
) -> None:
    text = GROUP.replace("LEAST", str(least)) + job_set(order, depends, LABEL)
    assert late(text) == ([(least, 2, ["b"])] if stuck and (order or depends) else [])


def test_more_pods_than_there_are_is_another_fault() -> None:
    found = read(GROUP.replace("LEAST", "6") + job_set("startupPolicy: {startupPolicyOrder: InOrder}", "", LABEL))
    assert list(late_members(found.gangs, found.objects)) == []
    assert [count for _, count in oversized(found.gangs, lambda _: "")] == [5]


def test_later_pods_outside_of_the_gang_do_not_matter_and_earlier_ones_outside_of_it_come() -> None:
    inside = job_set("", "dependsOn: [{name: a, status: Ready}]", "")
    first, second = inside.split("- name: b")
    label = "template: {" + LABEL + "spec: {"
    only_a = GROUP.replace("LEAST", "2") + first.replace("template: { spec: {", label) + "- name: b" + second
    only_b = GROUP.replace("LEAST", "3") + first + "- name: b" + second.replace("template: { spec: {", label)
    assert "labels" in only_a
    assert "labels" in only_b
    assert late(only_a) == []
    assert late(only_b) == []


def test_kai_groups_a_job_set_in_order_by_its_replicated_jobs_and_any_other_as_one() -> None:
    kai = "schedulerName: kai-scheduler,"  # KAI: plugins/jobset; JobSet's webhook makes AnyOrder the default
    assert late(job_set("startupPolicy: {startupPolicyOrder: InOrder}", "", "", kai)) == []
    assert late(job_set("", "dependsOn: [{name: a, status: Ready}]", "", kai)) == [(5, 2, ["b"])]


VOLCANO = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: v, namespace: hpc}
spec:
  minAvailable: LEAST
  tasks:
    - {name: a, replicas: 2, template: {spec: {containers: [{name: c}]}}}
    - {name: b, replicas: 1, template: {spec: {containers: [{name: c}]}}}
    - {name: m, replicas: 1, dependsOn: {name: NAMES}, template: {spec: {containers: [{name: c}]}}}
"""


@pytest.mark.parametrize(("least", "names", "found"), [("4", "[a]", [(4, 3, ["m"])]), ("3", "[a]", [])])
def test_a_task_of_volcano_waits_for_the_tasks_that_it_names(
    least: str, names: str, found: list[tuple[int, int, list[str]]]
) -> None:
    assert late(VOLCANO.replace("LEAST", least).replace("NAMES", names)) == found


LWS = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: l, namespace: hpc}
spec:
  replicas: 1
  startupPolicy: POLICY
  leaderWorkerTemplate:
    size: 3
    workerTemplate: {metadata: {labels: {scheduling.x-k8s.io/pod-group: g}}, spec: {containers: [{name: c}]}}
"""


@pytest.mark.parametrize(("policy", "found"), [("LeaderReady", [(3, 1, ["worker"])]), ("LeaderCreated", [])])
def test_the_workers_of_a_leader_that_must_be_ready_come_later(
    policy: str, found: list[tuple[int, int, list[str]]]
) -> None:
    assert late(GROUP.replace("LEAST", "3") + LWS.replace("POLICY", policy)) == found
