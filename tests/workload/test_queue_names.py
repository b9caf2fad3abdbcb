"""For which queue of Volcano or KAI pods are (S 2.3), and how many pods KAI and operators start together.

Sources: volcano-sh/volcano docs (queue.md, annotations of PodGroups), kubeflow training-operator and mpi-operator
(schedulingPolicy, --gang-scheduling), ray-project/kuberay (batchscheduler/volcano), NVIDIA/KAI-Scheduler (podgrouper).
"""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.model.known import Undetermined
from trainlint.workload.operator_gangs import gang_scheduler
from trainlint.workload.queue_names import queue_name

POD = "spec: {SCHEDULER containers: [{name: pytorch}]}"
TORCH = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: j, METADATA}
spec: {POLICY pytorchReplicaSpecs: {Worker: {replicas: 2, template: {metadata: {TEMPLATE}, POD}}}}
"""
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: j, METADATA}
spec: {parallelism: 2, template: {metadata: {TEMPLATE}, POD}}
"""
RAY = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: j, METADATA}
spec: {headGroupSpec: {template: {POD}}}
"""
VOLCANO = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: j}
spec: {POLICY tasks: [{name: a, replicas: 2, template: {POD}}]}
"""
NONE: dict[str, str | None] = {}
BY_VOLCANO: dict[str, str | None] = {"kubeflow.org/v1": "volcano"}


def queue(
    text: str,
    scheduler: str = "",
    metadata: str = "",
    template: str = "",
    policy: str = "",
    schedulers: dict[str, str | None] = NONE,
) -> tuple[str, str, bool, bool] | None:
    """System and name of the queue, whether it is written, and whether that rests on a doubt."""
    pod = POD.replace("SCHEDULER", f"schedulerName: {scheduler}," if scheduler else "")
    text = text.replace("POD", pod).replace("METADATA", metadata).replace("TEMPLATE", template)
    (workload,) = read(text.replace("POLICY", policy)).objects
    found = queue_name(workload, schedulers)
    if found is None:
        return None
    name = "?" if isinstance(found.name, Undetermined) else found.name
    return found.system, name, found.written, found.doubt is not None


V, K = "scheduling.volcano.sh", "scheduling.run.ai"
QUEUE = "annotations: {scheduling.volcano.sh/queue-name: gpu}"
GROUPED = "annotations: {scheduling.volcano.sh/queue-name: gpu, scheduling.k8s.io/group-name: g}"
POLICY = "runPolicy: {schedulingPolicy: {queue: gpu}},"


def test_jobs_of_volcano_name_their_queue() -> None:
    named, default = queue(VOLCANO, policy="queue: gpu,"), queue(VOLCANO)
    assert named is not None
    assert default is not None
    assert named[1:] == ("gpu", True, False)
    assert default[1:] == ("default", False, False)
    assert queue(VOLCANO, "other", policy="queue: gpu,") == named  # whatever schedules the pods
    assert queue(VOLCANO, policy="queue: '${Q}',") == (named[0], "?", True, False)


@pytest.mark.parametrize(
    ("metadata", "template", "found"),
    [
        ("", "", ("default-queue", False)),
        ("labels: {kai.scheduler/queue: gpu}", "", ("gpu", True)),
        ("", "labels: {kai.scheduler/queue: gpu}", ("gpu", True)),
        ("labels: {kai.scheduler/queue: one}", "labels: {kai.scheduler/queue: two}", ("one", True)),
        ("labels: {project: p}", "", ("p", True)),
        ("", "labels: {project: p}", ("p", True)),
        ("labels: {project: p}", "labels: {kai.scheduler/queue: gpu}", ("gpu", True)),
        ("labels: {kai.scheduler/queue: '${Q}'}", "", ("?", True)),
    ],
)
@pytest.mark.parametrize("kind", [JOB, TORCH])
def test_pods_of_kai_name_their_queue_by_a_label(
    kind: str, metadata: str, template: str, found: tuple[str, bool]
) -> None:
    seen = queue(kind, "kai-scheduler", metadata, template)
    assert seen is not None
    assert seen[1:3] == found
    assert seen[0] != (queue(VOLCANO) or ("",))[0]


@pytest.mark.parametrize(
    ("scheduler", "metadata", "policy", "schedulers", "found"),
    [
        # the operator makes PodGroups for Volcano
        ("", "", "", BY_VOLCANO, ("default", False, False)),
        ("", "", POLICY, BY_VOLCANO, ("gpu", True, False)),
        ("", QUEUE, "", BY_VOLCANO, ("gpu", True, False)),
        ("", QUEUE.replace("gpu", "other"), POLICY, BY_VOLCANO, ("gpu", True, False)),
        # the operator is not in Git, and the pods name Volcano: it is doubtful
        ("volcano", "", POLICY, NONE, ("gpu", True, True)),
        ("volcano", "", "", NONE, ("default", False, True)),
        ("", "", POLICY, NONE, None),
        # the operator makes none, or for another scheduler
        ("", "", POLICY, {"kubeflow.org/v1": ""}, None),
        ("", "", POLICY, {"kubeflow.org/v1": "scheduler-plugins-scheduler"}, None),
        ("volcano", QUEUE, POLICY.replace("gpu", "other"), {"kubeflow.org/v1": ""}, ("gpu", True, False)),
        # Volcano under another name of its own
        ("volcano-scheduler", "", POLICY, NONE, ("gpu", True, True)),
        ("other", "", POLICY, NONE, None),
    ],
)
def test_jobs_of_kubeflow_name_their_queue(
    scheduler: str,
    metadata: str,
    policy: str,
    schedulers: dict[str, str | None],
    found: tuple[str, bool, bool] | None,
) -> None:
    seen = queue(TORCH, scheduler, metadata, policy=policy, schedulers=schedulers)
    assert (None if seen is None else seen[1:]) == found


@pytest.mark.parametrize(
    ("scheduler", "metadata", "template", "found"),
    [
        ("volcano", "", "", ("default", False)),
        ("volcano", "", QUEUE, ("gpu", True)),
        ("volcano", QUEUE, "", ("gpu", True)),
        ("volcano", QUEUE.replace("gpu", "outer"), QUEUE, ("gpu", True)),
        ("volcano", QUEUE.replace("gpu", "outer"), QUEUE.replace("gpu", "'${Q}'"), ("outer", True)),
        ("volcano", "", GROUPED, None),  # the PodGroup says it
        ("", "", QUEUE, None),
        ("other", "", QUEUE, None),
    ],
)
def test_other_pods_of_volcano_are_annotated(
    scheduler: str, metadata: str, template: str, found: tuple[str, bool] | None
) -> None:
    seen = queue(JOB, scheduler, metadata, template)
    assert (None if seen is None else seen[1:3]) == found


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ("ray.io/scheduler-name: volcano, volcano.sh/queue-name: gpu", ("gpu", True)),
        ("ray.io/scheduler-name: volcano", ("default", False)),
        ("ray.io/scheduler-name: yunikorn, volcano.sh/queue-name: gpu", None),
        ("volcano.sh/queue-name: gpu", None),
    ],
)
def test_clusters_of_ray_name_their_queue_by_a_label(labels: str, found: tuple[str, bool] | None) -> None:
    seen = queue(RAY, metadata=f"labels: {{{labels}}}")
    assert (None if seen is None else seen[1:3]) == found


OPERATOR = """
apiVersion: apps/v1
kind: KIND
metadata: {name: operator}
spec:
  template:
    spec: {containers: [{name: side, image: proxy}, {name: c, image: IMAGE, command: [x], args: [ARGS]}]}
"""


@pytest.mark.parametrize(
    ("arguments", "scheduler"),
    [
        ("--gang-scheduling=volcano", "volcano"),
        ("-gang-scheduling=volcano", "volcano"),
        ("--gang-scheduling, volcano", "volcano"),
        ("--gang-scheduling", ""),
        ("--other=volcano", ""),
        ("gang-scheduling=volcano", ""),
        ("", ""),
        ("--a=b, --gang-scheduling=volcano, --c=d", "volcano"),
    ],
)
def test_an_operator_is_told_the_scheduler_of_its_gangs(arguments: str, scheduler: str) -> None:
    text = OPERATOR.replace("ARGS", arguments).replace("IMAGE", "mpioperator/mpi-operator:1")
    workloads = read(text.replace("KIND", "Deployment")).objects
    assert gang_scheduler(workloads, "mpi-operator", "gang-scheduling") == scheduler
    assert gang_scheduler(workloads, "training-operator", "gang-scheduling") is None
    assert gang_scheduler(read(text.replace("KIND", "DaemonSet")).objects, "mpi-operator", "gang-scheduling") is None


KAI = "template: {spec: {schedulerName: kai-scheduler, containers: [{name: c}]}}"
GANGS = [
    ("PyTorchJob", "pytorchReplicaSpecs: {Master: {KAI}, Worker: {replicas: 3, KAI}}", 4),
    ("PyTorchJob", "elasticPolicy: {minReplicas: 2}, pytorchReplicaSpecs: {Worker: {replicas: 3, KAI}}", 2),
    (
        "PyTorchJob",
        (
            "runPolicy: {schedulingPolicy: {minAvailable: 1}}, elasticPolicy: {minReplicas: 2}, "
            "pytorchReplicaSpecs: {Worker: {replicas: 3, KAI}}"
        ),
        1,
    ),
    (
        "PyTorchJob",
        "launcherCreationPolicy: WaitForWorkersReady, pytorchReplicaSpecs: {Master: {KAI}, Worker: {replicas: 3, KAI}}",
        3,
    ),
    ("TFJob", "tfReplicaSpecs: {PS: {KAI}, Worker: {replicas: 3, KAI}}", 4),
    ("MPIJob", "mpiReplicaSpecs: {Launcher: {KAI}, Worker: {replicas: 3, KAI}}", 4),
    (
        "MPIJob",
        "launcherCreationPolicy: WaitForWorkersReady, mpiReplicaSpecs: {Launcher: {KAI}, Worker: {replicas: 3, KAI}}",
        3,
    ),
    ("JobSet", "replicatedJobs: [{name: a, replicas: 2, template: {spec: {parallelism: 2, KAI}}}]", 4),
    (
        "JobSet",
        (
            "startupPolicy: {startupPolicyOrder: InOrder}, "
            "replicatedJobs: [{name: a, replicas: 2, template: {spec: {parallelism: 2, KAI}}}]"
        ),
        4,
    ),
    (
        "JobSet",
        (
            "startupPolicy: {startupPolicyOrder: AnyOrder}, "
            "replicatedJobs: [{name: a, replicas: 2, template: {spec: {parallelism: 2, KAI}}}]"
        ),
        4,
    ),
    (
        "RayCluster",
        "headGroupSpec: {KAI}, workerGroupSpecs: [{groupName: a, replicas: 4, minReplicas: 2, numOfHosts: 3, KAI}]",
        7,
    ),
    ("RayCluster", "headGroupSpec: {KAI}, workerGroupSpecs: [{groupName: a, replicas: 4, minReplicas: 0, KAI}]", 5),
]
VERSIONS = {
    "PyTorchJob": "kubeflow.org/v1",
    "TFJob": "kubeflow.org/v1",
    "MPIJob": "kubeflow.org/v2beta1",
    "JobSet": "jobset.x-k8s.io/v1alpha2",
    "RayCluster": "ray.io/v1",
}


@pytest.mark.parametrize(("kind", "spec", "minimum"), GANGS)
def test_kai_starts_as_many_pods_as_its_pod_grouper_says(kind: str, spec: str, minimum: int | None) -> None:
    text = f"apiVersion: {VERSIONS[kind]}\nkind: {kind}\nmetadata: {{name: j}}\nspec: {{{spec.replace('KAI', KAI)}}}\n"
    found = [gang.minimum for gang in read(text).gangs if "KAI" in gang.what]
    assert found == ([] if minimum is None else [minimum])
    other = text.replace("schedulerName: kai-scheduler", "schedulerName: default-scheduler", 1)
    assert [gang for gang in read(other).gangs if "KAI" in gang.what] == []
