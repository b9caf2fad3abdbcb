"""Pods that start all or nothing (S 2.1, 2.3; W 2, 8, 11)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.queues.late_members import late_members
from trainlint.workload.gangs import oversized

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: ml}
spec:
  parallelism: PODS
  template:
    metadata: {METADATA}
    spec: {SPEC containers: [{name: c}]}
"""
GROUPS = {
    "scheduling.x-k8s.io/v1alpha1": ("minMember: 4", "labels: {scheduling.x-k8s.io/pod-group: g}", ""),
    "scheduling.volcano.sh/v1beta1": ("minMember: 4", "annotations: {scheduling.k8s.io/group-name: g}", ""),
    "scheduling.run.ai/v2alpha2": ("minMember: 4", "annotations: {pod-group-name: g}", ""),
    "scheduling.k8s.io/v1beta1": ("schedulingPolicy: {gang: {minCount: 4}}", "", "schedulingGroup: {podGroupName: g},"),
}


def gangs(text: str, opened: bool = False) -> list[tuple[object, int]]:
    return [(gang.minimum, count) for gang, count in oversized(read(text).gangs, lambda namespace: opened)]


def group(version: str, pods: str, namespace: str = "ml") -> str:
    spec, metadata, reference = GROUPS[version]
    head = f"{{apiVersion: {version}, kind: PodGroup, metadata: {{name: g, namespace: {namespace}}}, spec: {{{spec}}}}}"
    job = JOB.replace("METADATA", metadata).replace("SPEC", reference).replace("PODS", pods)
    return f"{head}\n---{job}"


@pytest.mark.parametrize("version", GROUPS)
def test_a_pod_group_waits_for_its_minimum(version: str) -> None:
    assert gangs(group(version, "3")) == [(4, 3)]
    assert gangs(group(version, "4")) == []
    assert gangs(group(version, "'${N}'")) == []
    assert gangs(group(version, "3", namespace="other")) == []  # then the gang's pods come from elsewhere
    assert gangs(group(version, "3"), opened=True) == []


def test_a_workload_counts_the_pods_that_refer_to_it() -> None:  # S 2.1, Kubernetes 1.35
    head = """
    apiVersion: scheduling.k8s.io/v1alpha1
    kind: Workload
    metadata: {name: w, namespace: ml}
    spec: {podGroups: [{name: g, policy: {gang: {minCount: 4}}}]}
    ---"""
    job = JOB.replace("METADATA", "").replace("SPEC", "workloadRef: {name: w, podGroup: g},")
    assert gangs(head + job.replace("PODS", "3").replace("\n", "\n    ")) == [(4, 3)]
    assert gangs(head + job.replace("PODS", "4").replace("\n", "\n    ")) == []


@pytest.mark.parametrize(
    ("whole", "task", "found"), [("5", "2", []), ("6", "2", [(6, 5)]), ("5", "5", [(5, 4)]), ("'${N}'", "2", [])]
)
def test_volcano_counts_all_tasks_for_the_job_and_each_for_itself(
    whole: str, task: str, found: list[tuple[int, int]]
) -> None:
    text = f"""
    apiVersion: batch.volcano.sh/v1alpha1
    kind: Job
    metadata: {{name: v}}
    spec:
      minAvailable: {whole}
      tasks:
        - {{name: launcher, replicas: 1, template: {{spec: {{containers: [{{name: c}}]}}}}}}
        - {{name: worker, replicas: 4, minAvailable: {task}, template: {{spec: {{containers: [{{name: c}}]}}}}}}
    """
    assert gangs(text, opened=True) == found


def test_the_largest_size_of_an_elastic_job_counts() -> None:
    text = """
    apiVersion: kubeflow.org/v1
    kind: PyTorchJob
    metadata: {name: p}
    spec:
      runPolicy: {schedulingPolicy: {minAvailable: 8}}
      elasticPolicy: {minReplicas: 2, maxReplicas: MOST}
      pytorchReplicaSpecs: {Worker: {replicas: 4, template: {spec: {containers: [{name: pytorch}]}}}}
    """
    assert gangs(text.replace("MOST", "8")) == []
    assert gangs(text.replace("MOST", "6")) == [(8, 6)]


def test_pods_say_themselves_how_many_there_must_be() -> None:  # W 11, S 2.3 (Koordinator)
    pod = """
    apiVersion: v1
    kind: Pod
    metadata:
      name: NAME
      labels: {kueue.x-k8s.io/pod-group-name: g}
      annotations: {kueue.x-k8s.io/pod-group-total-count: "3"}
    spec: {containers: [{name: c}]}
    """
    assert gangs("---".join(pod.replace("NAME", name) for name in "ab")) == [(3, 2)]
    assert gangs("---".join(pod.replace("NAME", name) for name in "abc")) == []
    name, least = ("gang.scheduling.koordinator.sh/" + part for part in ("name", "min-available"))
    metadata = f'annotations: {{{name}: g, {least}: "4"}}'
    job = JOB.replace("METADATA", metadata).replace("SPEC", "").replace("PODS", "3")
    assert gangs(job) == [(4, 3)]


RUNTIME = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: r, namespace: ml}
spec:
  podGroupPolicy: {POLICY}
  mlPolicy: {numNodes: 2, torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: dataset-initializer
          template: {spec: {template: {spec: {SCHEDULER containers: [{name: dataset-initializer}]}}}}
        - name: node
          DEPENDS
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {SCHEDULER containers: [{name: node}]}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: t, namespace: ml}
spec: {runtimeRef: {kind: TrainingRuntime, name: r}, trainer: {}}
"""


def runtime(policy: str, depends: str, scheduler: str = "schedulerName: volcano,") -> str:
    return RUNTIME.replace("POLICY", policy).replace("DEPENDS", depends).replace("SCHEDULER", scheduler)


LATER = "dependsOn: [{name: dataset-initializer, status: Complete}]"


@pytest.mark.parametrize(
    ("policy", "depends", "found"),
    [
        ("coscheduling: {scheduleTimeoutSeconds: 60}", LATER, [(3, 1)]),  # W 4: minMember counts the initializers too
        ("volcano: {networkTopology: {mode: hard, highestTierAllowed: 1}}", LATER, [(3, 1)]),
        ("coscheduling: {scheduleTimeoutSeconds: 60}", "", []),  # all are made at once
        ("", LATER, []),
    ],
)
def test_the_gang_of_a_train_job_waits_for_pods_that_wait_for_it(
    policy: str, depends: str, found: list[tuple[int, int]]
) -> None:
    workloads = read(runtime(policy, depends))
    late = late_members(workloads.gangs, workloads.objects)
    assert [(each.gang.minimum, each.count) for each in late] == found


def test_the_volcano_policy_of_a_runtime_keeps_the_pods_in_one_hypernode() -> None:  # W 4
    policy = "volcano: {networkTopology: {mode: hard, highestTierAllowed: 2}}"
    workloads = read(runtime(policy, ""))
    assert {(each.together.tier, each.together.unit) if each.together else None for each in workloads.pod_sets} == {
        ("2", "")
    }
    assert {each.annotations.get("scheduling.k8s.io/group-name") for each in workloads.pod_sets} == {"t"}


def test_another_scheduler_reads_no_pod_group_of_volcano() -> None:  # S 2.3
    policy = "volcano: {networkTopology: {mode: hard, highestTierAllowed: 2}}"
    workloads = read(runtime(policy, LATER, scheduler=""))
    assert {each.together for each in workloads.pod_sets} == {None}
    assert list(oversized(workloads.gangs, lambda _: "")) == []


def test_a_pod_group_of_volcano_may_count_task_by_task() -> None:  # S 2.3: minTaskMember
    group = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: g, namespace: ml}\n"
    spec = "spec: {minMember: 2, minTaskMember: {worker: 3}}\n---\n"
    job = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: p, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {metadata: {annotations: {scheduling.k8s.io/group-name: g}}, spec: {containers: [{name: pytorch}]}}
"""
    found = [gang.what for gang, _ in oversized(read(group + spec + job).gangs, lambda _: "")]
    assert found == ["minTaskMember of the task worker of the PodGroup g"]
