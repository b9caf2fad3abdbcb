"""Who refuses, and what of an object."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.admission.ground import RefusedPart
from trainlint.model.refuser import Refuser

__all__ = ["REFUSALS"]

REFUSALS: Final[Mapping[Enum, str]] = {
    Refuser.API_SERVER: "the API server",
    Refuser.TRAIN_JOB_RULE: "the API server (a rule of TrainJob's CRD)",
    Refuser.ADMISSION_POLICY: "ValidatingAdmissionPolicy {}",
    Refuser.KUBELET: "the kubelet",
    Refuser.JOBSET: "JobSet's webhook",
    Refuser.KAI: "KAI's webhook",
    Refuser.KUBERAY: "KubeRay",
    Refuser.KUEUE: "Kueue's webhook",
    Refuser.LEADER_WORKER_SET: "LeaderWorkerSet's webhook",
    Refuser.MPI_OPERATOR: "the MPI operator",
    Refuser.TRAINER: "Trainer's webhook",
    Refuser.TRAINING_OPERATOR: "the training operator",
    Refuser.TRAINING_WEBHOOK: "the training operator's webhook",
    Refuser.VOLCANO: "Volcano's webhook",
    RefusedPart.EVERY_POD: "every pod",
    RefusedPart.EVERY_POD_OF: "every pod of {}",
    RefusedPart.EVERY_MADE: "every {}",
    RefusedPart.EVERY_WORKER: "every worker",
    RefusedPart.EVERY_WORKER_SET: "every StatefulSet of workers",
    RefusedPart.JOBS_OF: "the Jobs of {}",
    RefusedPart.START_OF_PODS: "to start every pod",
}
