"""Who refuses objects."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["Refuser"]


class Refuser(Enum):
    """The API server, a webhook, an operator or a kubelet."""

    API_SERVER = auto()
    TRAIN_JOB_RULE = auto()
    ADMISSION_POLICY = auto()  # its name
    KUBELET = auto()
    JOBSET = auto()
    KAI = auto()
    KUBERAY = auto()
    KUEUE = auto()
    LEADER_WORKER_SET = auto()
    MPI_OPERATOR = auto()
    TRAINER = auto()
    TRAINING_OPERATOR = auto()
    TRAINING_WEBHOOK = auto()
    VOLCANO = auto()
