"""What lies at the root of a refusal, a refutation or a doubt. Each rule says which of these it tells (decision 1)."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["Root"]


class Root(Enum):
    """One kind of root. The rules that tell it are found by ``trainlint.rule.told_by``."""

    # where pods may be placed
    NODE_SELECTION = auto()
    TAINTS = auto()
    NODE_SIZE = auto()
    VOLUME_ZONE = auto()
    DEVICES = auto()
    FLAVOR = auto()
    CAPACITY = auto()
    HOST_PORT = auto()
    ANTI_AFFINITY = auto()
    SPREAD = auto()
    AFFINITY_CYCLE = auto()
    AFFINITY_TARGET = auto()
    EXCLUSIVE_TOPOLOGY = auto()
    GANG_SIZE = auto()
    QUOTA = auto()
    KUEUE = auto()
    SCHEDULER_QUEUE = auto()
    REFERENCE = auto()
    SHARED_CLAIM = auto()
    # how the pods of a group lie to each other
    ZONES = auto()
    CUT = auto()
    SPLIT = auto()
    DEAD_END = auto()
    SPREAD_OF_GROUP = auto()
    # which connections are permitted
    CONNECTION = auto()
    PORTS = auto()
    DNS = auto()
    POLICY_SUBJECT = auto()
    CONTROL_PLANE = auto()
    # what the API server, webhooks and operators refuse
    OBJECT = auto()
    FIELD = auto()
    UNQUOTED = auto()
    NAME_LENGTH = auto()
    CONTAINER_NAME = auto()
    ELASTIC_POLICY = auto()
    EXTENDED_RESOURCE = auto()
    # what keeps pods that run from training
    EMPTIED_VARIABLE = auto()
    RENDEZVOUS = auto()
    HOST_NAMES = auto()
    PROCESS_COUNT = auto()
    INTERFACE = auto()
    LOOPBACK = auto()
    NETWORKS = auto()
    HOST_NETWORK_DNS = auto()
    ATTACHMENT = auto()
    VERSIONS = auto()
    GLOO_INTERFACE = auto()
    RDMA = auto()
