"""Which kinds make pods, and which of them are known but not expanded."""

from __future__ import annotations

from typing import Final

from trainlint.model.api_kind import ApiKind, declared, names
from trainlint.workload import apps, batch, claims, core, gangs, ray, ray_job, wrappers
from trainlint.workload.disaggregatedset import expand_disaggregated_role
from trainlint.workload.expansion import Expander
from trainlint.workload.hyperpod import expand_hyperpod
from trainlint.workload.jobset import expand_job_set
from trainlint.workload.kubeflow_v1 import V1_KINDS, expand_v1
from trainlint.workload.leaderworkerset import expand_leader_worker_set
from trainlint.workload.mpijob import expand_mpi_job
from trainlint.workload.trainer import expand_train_job
from trainlint.workload.volcano import expand_volcano_cron_job, expand_volcano_job

__all__ = [
    "CLUSTER_KINDS",
    "EXPANDERS",
    "KINDS",
    "REFERENCED_KINDS",
    "TRAINING_GROUPS",
    "WORKLOAD_KINDS",
    "expander_for",
    "is_training",
]

EXPANDERS: Final[dict[tuple[str, str], Expander]] = {
    ("", "Pod"): core.expand_pod,
    ("", "ReplicationController"): apps.expand_replica_set,
    ("apps", "Deployment"): apps.expand_deployment,
    ("apps", "ReplicaSet"): apps.expand_replica_set,
    ("apps", "StatefulSet"): apps.expand_stateful_set,
    ("batch", "Job"): batch.expand_job,
    ("batch", "CronJob"): batch.expand_cron_job,
    **{("kubeflow.org/v1", kind): expand_v1 for kind in V1_KINDS},
    ("kubeflow.org/v2beta1", "MPIJob"): expand_mpi_job,
    ("trainer.kubeflow.org", "TrainJob"): expand_train_job,
    ("jobset.x-k8s.io", "JobSet"): expand_job_set,
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): expand_leader_worker_set,
    ("disaggregatedset.x-k8s.io", "DisaggregatedSet"): expand_disaggregated_role,
    ("ray.io", "RayCluster"): ray.expand_ray_cluster,
    ("ray.io", "RayJob"): ray_job.expand_ray_job,
    ("ray.io", "RayService"): ray.expand_ray_service,
    ("ray.io", "RayCronJob"): ray_job.expand_ray_cron_job,
    ("batch.volcano.sh", "Job"): expand_volcano_job,
    ("batch.volcano.sh", "CronJob"): expand_volcano_cron_job,
    ("sagemaker.amazonaws.com", "HyperPodPyTorchJob"): expand_hyperpod,
    ("sagemaker.amazonaws.com", "HyperPodPytorchJob"): expand_hyperpod,
}
"""By API group, or by group and version where versions differ, and kind."""

TRAINING_GROUPS: Final[dict[str, frozenset[str]]] = {
    "kubeflow.org": frozenset({"PyTorchJob", "TFJob", "XGBoostJob", "MXJob", "PaddleJob", "JAXJob", "MPIJob"}),
    "trainer.kubeflow.org": frozenset({"TrainJob"}),
    "jobset.x-k8s.io": frozenset({"JobSet"}),
    "leaderworkerset.x-k8s.io": frozenset({"LeaderWorkerSet"}),
    "disaggregatedset.x-k8s.io": frozenset({"DisaggregatedSet"}),
    "ray.io": frozenset({"RayCluster", "RayJob", "RayService", "RayCronJob"}),
    "batch.volcano.sh": frozenset({"Job", "CronJob", "JobFlow", "JobTemplate"}),
    "sagemaker.amazonaws.com": frozenset({"HyperPodPyTorchJob", "HyperPodPytorchJob"}),
    "workload.codeflare.dev": frozenset({"AppWrapper"}),
    "mcad.ibm.com": frozenset({"AppWrapper"}),
    "grove.io": frozenset({"PodCliqueSet", "PodGangSet"}),
    "nvidia.com": frozenset({"DynamoGraphDeployment"}),
    "slinky.slurm.net": frozenset({"NodeSet"}),
    "kubernetes.dask.org": frozenset({"DaskCluster", "DaskJob"}),
    "elastic.iml.github.io": frozenset({"ElasticJob"}),
    "training.kubedl.io": frozenset({"PyTorchJob", "TFJob", "XGBoostJob", "MPIJob", "ElasticDLJob"}),
}
"""API groups of training kinds, whatever the version: what is not expanded is unknown, never ignored."""

_REFERENCED: Final = (
    *claims.KINDS,
    *gangs.KINDS,
    *declared("", namespaced="ConfigMap Service"),
    *declared("trainer.kubeflow.org", namespaced="TrainingRuntime", cluster="ClusterTrainingRuntime"),
)
REFERENCED_KINDS: Final = names(_REFERENCED)

_MAKERS: Final = {(key.partition("/")[0] if "/" in key else key, kind) for key, kind in EXPANDERS} | {
    (group, kind) for group, kinds in TRAINING_GROUPS.items() for kind in kinds
} - {(each.group, each.name) for each in wrappers.KINDS}
KINDS: Final = (*_REFERENCED, *wrappers.KINDS, *(ApiKind(*each, namespaced=True) for each in sorted(_MAKERS)))
"""Every kind of object that ``read_workloads`` looks at."""
WORKLOAD_KINDS: Final = names(KINDS)
CLUSTER_KINDS: Final = names(each for each in KINDS if not each.namespaced)


def expander_for(api_version: str, kind: str) -> Expander | None:
    """The expander of a kind in an API version."""
    group = api_version.rpartition("/")[0]
    return EXPANDERS.get((api_version, kind)) or EXPANDERS.get((group, kind))


def is_training(api_version: str, kind: str) -> bool:
    """Whether the kind is a known training kind, in whatever version."""
    return kind in TRAINING_GROUPS.get(api_version.rpartition("/")[0], frozenset())
