"""What the documentation of each kind says of it, against what is declared: a slip in a declaration is found here.

Sources: kubernetes.io (workloads), Kueue's integrations (pkg/controller/jobs: plain pods, Deployment, StatefulSet and
LeaderWorkerSet are admitted pod by pod; the field ``suspend`` of the others), KubeRay (util.go: MaxRayClusterNameLength
53, MaxRayJobNameLength 47; /dev/shm), Volcano and the MPI operators (DNS policy of pods on the host network).
"""

from __future__ import annotations

import pytest

from trainlint.workload.kinds import WORKLOADS
from trainlint.workload.workload_kind import LONGEST_NAME, WorkloadKind

KUBEFLOW = {"PyTorchJob v1", "TFJob v1", "XGBoostJob v1", "PaddleJob v1", "JAXJob v1"}
MPI = {"MPIJob v1", "MPIJob v2beta1"}
RAY = {"RayCluster", "RayJob", "RayService", "RayCronJob"}
VOLCANO = {"Job.batch.volcano.sh", "CronJob.batch.volcano.sh"}
SETS = {"JobSet", "LeaderWorkerSet", "DisaggregatedSet", "TrainJob"}
HYPERPOD = {"HyperPodPyTorchJob", "HyperPodPytorchJob"}
PLAIN = {"Pod", "ReplicationController", "Deployment", "ReplicaSet", "StatefulSet", "Job", "CronJob"}

TRAINING = KUBEFLOW | MPI | RAY | VOLCANO | SETS | HYPERPOD
BY_PODS = {"Pod", "Deployment", "StatefulSet", "LeaderWorkerSet"}
INTERCHANGEABLE = {"Pod", "ReplicationController", "Deployment", "ReplicaSet"}
LONGEST = {"Job": 63, "CronJob": 52, "TrainJob": 63, "RayCluster": 53, "RayService": 47, "RayJob": 47}
LONGEST["Job.batch.volcano.sh"] = 63
RUN_POLICY, OWN = ("spec", "runPolicy", "suspend"), ("spec", "suspend")
SUSPEND = dict.fromkeys(KUBEFLOW | MPI, RUN_POLICY) | dict.fromkeys(
    ("Job", "JobSet", "TrainJob", "RayCluster", "RayJob"), OWN
)
ROLES = {
    "PyTorchJob v1": ("spec", "pytorchReplicaSpecs"),
    "TFJob v1": ("spec", "tfReplicaSpecs"),
    "XGBoostJob v1": ("spec", "xgbReplicaSpecs"),
    "PaddleJob v1": ("spec", "paddleReplicaSpecs"),
    "JAXJob v1": ("spec", "jaxReplicaSpecs"),
    "MPIJob v1": ("spec", "mpiReplicaSpecs"),
    "MPIJob v2beta1": ("spec", "mpiReplicaSpecs"),
    "RayCluster": ("spec",),
    "RayService": ("spec", "rayClusterConfig"),
    "RayJob": ("spec", "rayClusterSpec"),
    "RayCronJob": ("spec", "jobTemplate", "rayClusterSpec"),
}
MAIN = {"PyTorchJob": "pytorch", "TFJob": "tensorflow", "XGBoostJob": "xgboost", "PaddleJob": "paddle", "JAXJob": "jax"}


def name(kind: WorkloadKind) -> str:
    return f"{kind.shown} {kind.version}".strip()


@pytest.mark.parametrize("kind", WORKLOADS, ids=name)
def test_a_kind_is_declared_as_it_is_documented(kind: WorkloadKind) -> None:
    own = name(kind)
    assert own in TRAINING | PLAIN
    assert kind.training is (own in TRAINING)
    assert kind.by_pods is (own in BY_PODS)
    assert kind.interchangeable is (own in INTERCHANGEABLE)
    assert kind.mounts_shared_memory is (own in RAY)
    assert kind.sets_dns_policy is (own in MPI | VOLCANO)
    assert kind.name_limit == LONGEST.get(own, LONGEST_NAME) <= 253
    assert kind.suspend == SUSPEND.get(own, ())
    assert kind.roles == ROLES.get(own, ())
    assert kind.main_container == MAIN.get(kind.name, "")
    assert (kind.queued is not None) >= bool(kind.suspend)
