"""What operators make of manifests: pods, Services and other objects, as plain manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from trainlint.operators.apps import run_deployment, run_stateful_set
from trainlint.operators.batch import run_job
from trainlint.operators.cluster import MadeObjects, OperatorOptions, taken
from trainlint.operators.disaggregatedset import run_disaggregated_set
from trainlint.operators.jobset import run_job_set
from trainlint.operators.kubeflow_v1 import JOBS, run_v1_job
from trainlint.operators.lws import run_leader_worker_set
from trainlint.operators.manifest import Manifest, copied, meta, name_of, text
from trainlint.operators.mpi_v1 import run_mpi_v1_job
from trainlint.operators.mpi_v2 import run_mpi_job
from trainlint.operators.ray import run_ray_cluster, run_ray_job, run_ray_service
from trainlint.operators.trainer import run_train_job
from trainlint.operators.volcano import run_volcano_job

__all__ = ["OPERATORS", "run_operators"]

Operator = Callable[[MadeObjects, Manifest], None]

OPERATORS: Final[Mapping[tuple[str, str], Operator]] = {
    **{("kubeflow.org/v1", kind): run_v1_job for kind in JOBS},
    ("kubeflow.org/v1", "MPIJob"): run_mpi_v1_job,
    ("disaggregatedset.x-k8s.io/v1", "DisaggregatedSet"): run_disaggregated_set,
    ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"): run_leader_worker_set,
    ("kubeflow.org/v2beta1", "MPIJob"): run_mpi_job,
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"): run_train_job,
    ("batch.volcano.sh/v1alpha1", "Job"): run_volcano_job,
    ("ray.io/v1", "RayCluster"): run_ray_cluster,
    ("ray.io/v1", "RayJob"): run_ray_job,
    ("ray.io/v1", "RayService"): run_ray_service,
    ("batch/v1", "Job"): run_job,
    ("apps/v1", "StatefulSet"): run_stateful_set,
    ("apps/v1", "Deployment"): run_deployment,
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): run_job_set,
}
"""By API version and kind."""
_USUAL: Final = OperatorOptions()


def run_operators(
    manifests: Iterable[Manifest], options: OperatorOptions = _USUAL, takes: Callable[[Manifest], bool] = taken
) -> MadeObjects:
    """What comes of manifests that the API server takes. What comes later in a job's life is brought about:
    pods are ready, and jobs that others wait for complete. A ``*`` in a text stands for what the cluster decides.
    """
    given = [copied(each) for each in manifests]
    for each in given:
        meta(each)["name"] = name_of(each)
    cluster = MadeObjects(options, takes, given)
    for each in given:
        operator = OPERATORS.get((text(each.get("apiVersion")), text(each.get("kind"))))
        if operator is not None:
            operator(cluster, each)
    return cluster
