"""Why a value in the pods that a workload gets is not known, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["PodGround", "TieGround"]


class PodGround(Enum):
    """Why a number, a name or a variable of pods is not known; beside each the values of its ``Because``."""

    RANKS_OF_CLASS = auto()  # the device class
    RANKS_OF_MODEL = auto()  # the resource
    AMOUNT = auto()  # the resource, its amount
    VOLCANO_CONFIG_MAP = auto()
    VOLCANO_ADDRESSES = auto()
    NO_TIER = auto()
    JOB_NAME = auto()
    OBJECT_NAME = auto()
    PADDLE_MASTER = auto()
    POD_ADDRESS = auto()
    OPERATOR_ADDRESSES = auto()
    TORCH_POLICY = auto()
    JOB_UID = auto()
    POD_FIELD = auto()
    RAY_SECRET = auto()
    RAY_COMMAND = auto()
    RAY_RELEASE = auto()
    RAY_CLUSTER_NAME = auto()
    MADE = auto()
    RAY_UID = auto()
    NO_NUMBER = auto()  # the annotation, its value
    RESTARTS = auto()
    JOBSET_UID = auto()
    PRIORITY = auto()
    DEVICE_CLASSES = auto()
    ALL_DEVICES = auto()
    SHARED_CLAIM = auto()
    NO_CLAIM = auto()  # the claim
    PLACEHOLDER = auto()  # the key, its value
    CPU_QUANTITY = auto()
    PROCESSES = auto()
    REVISION_NAME = auto()
    AUTOSCALED = auto()
    RAY_SUFFIX = auto()
    SLICE_HOSTS = auto()
    TEMPLATE_HASH = auto()
    REVISION_HASH = auto()
    POD_TEMPLATE_HASH = auto()


class TieGround(Enum):
    """What must hold for pods to be tied to one domain or to a gang; beside each the values of its ``Because``."""

    KUBERAY_VOLCANO = auto()
    MPI_GANGS = auto()
    GENERIC_WORKLOAD = auto()
    COSCHEDULING = auto()
    DEFAULT_SCHEDULER = auto()  # the scheduler that reads the group
    WORKLOAD_GATE = auto()
    KUEUE_ADMITS = auto()
    VOLCANO_SCHEDULER = auto()  # the scheduler that the pods name
