"""Why a job never leaves its queue, or why its queueing system does not see it, with the roles of places, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["MissedGround", "QueueGround", "QueueRole"]


class QueueGround(Enum):
    """Why a job is never let in; what stands beside each are the values of its ``Because``.

    A near name is one that was probably meant, and empty where there is none.
    """

    # of Kueue
    LOCAL_STOPPED = auto()  # the stopPolicy of the LocalQueue
    NO_CLUSTER_QUEUE = auto()  # the ClusterQueue, the near name
    NO_LOCAL_QUEUE = auto()  # the LocalQueue, the namespace, the near name, all names there
    OTHER_NAMESPACE = auto()  # the LocalQueue, its namespace, that of the job, the one that is meant
    INACTIVE = auto()  # the ClusterQueue, why it is not active, the near name
    NO_SELECTOR = auto()  # the ClusterQueue
    NOT_SELECTED = auto()  # the ClusterQueue, the namespace
    UNCOVERED = auto()  # the pod set, the resource, the ClusterQueue
    BEYOND_QUOTA = auto()  # what the pods ask for together, the ClusterQueue, the most that it gives
    NO_FLAVOR = auto()  # the pod set, for each flavor why not
    FLAVOR = auto()  # the flavor, why it does not take the pods
    NO_COMBINATION = auto()  # the ClusterQueue, the codes of all cycles
    NOT_FOUND = auto()  # flavors that hold the job together, the codes of all cycles
    NO_NAME = auto()  # the LocalQueue that it may name
    # of MultiKueue
    NO_WORKER = auto()  # for each worker cluster why not
    NO_REMOTE = auto()  # the worker cluster
    OWN_COPY = auto()  # the worker cluster, the object
    NO_QUEUE_THERE = auto()  # the worker cluster, the LocalQueue, the namespace
    REFUSED_THERE = auto()  # the worker cluster, why
    # of Volcano and KAI
    ROOT = auto()
    CLOSED = auto()  # the queue, its state
    NO_QUEUE = auto()  # the queue, the system, the near name, names that are there
    PARENT = auto()  # the queue, names of its children, whether it has several
    NO_PARENT = auto()  # the queue, its parent, the near name
    # the pods that start together (0: single pods), what they need, the resource, what the limit is called, the queue
    # that has it, the queue below it that the job names (empty: itself), the limit, whether it binds as a quota
    TOO_SMALL = auto()
    # the pods that start together (0: single pods), what they need, the resource, the queue that shares what it has,
    # what that is, what is guaranteed to its other children, their names
    GUARANTEED = auto()
    # of the coscheduling plugin
    BEYOND_NODES = auto()  # what minResources asks for, the resource, what all nodes have


class MissedGround(Enum):
    """Why a queueing system does not see a job or its queue; beside each are the values of its ``Because``."""

    # of Kueue
    KIND_LEFT_OUT = auto()  # the kinds that its configuration enables, those that are meant for a queue
    NAMESPACE_LEFT_OUT = auto()  # the namespace, the keys of the selector
    DEFAULT_LEFT_OUT = auto()  # the namespace, the keys of the selector, the LocalQueue that takes all of it
    ANNOTATION = auto()  # the key
    MISSPELT = auto()  # the key, the right one
    ON_TEMPLATE = auto()  # the key, the kind of the job
    ON_MAKER = auto()  # the key, the kind of what makes the jobs
    SUSPENDED = auto()  # the key, the LocalQueue that it may name
    SINCE = auto()  # the release of Kueue that this rests on
    # of KAI
    KAI_SCHEDULER = auto()  # the key, the queue, the names of the pods, the scheduler
    KAI_ANNOTATION = auto()  # the key, the queue
    KAI_MISSPELT = auto()  # the key, the right one
    # of Volcano
    VOLCANO_SCHEDULER = auto()  # the key, the queue
    VOLCANO_LABEL = auto()  # the key
    VOLCANO_JOB = auto()  # labels or annotations, the queue
    # of PodGroups
    NO_SCHEDULER = auto()  # the scheduler that is named, the one that is meant
    POD_GROUP_SCHEDULER = auto()  # the PodGroup, the names of the pods, a scheduler that reads it
    WITHOUT_PLUGIN = auto()


class QueueRole(Enum):
    """What a place is to a cause; beside each are the values of its ``Because``."""

    NAMES_QUEUE = auto()
    REASON = auto()
    CLUSTER_QUEUE = auto()
    LOCAL_QUEUE = auto()
    QUOTA = auto()
    FLAVOR = auto()
    COPY = auto()
    HANDS_ON = auto()
    SUSPENDS = auto()
    CLOSED = auto()
    OTHER_QUEUE = auto()
    CHILD = auto()
    NAMES_PARENT = auto()
    LIMIT = auto()
    GUARANTEE = auto()
    OTHER_SCHEDULER = auto()  # the scheduler that is not named, the pod set
    LEFT_OUT = auto()
    MANAGED_KINDS = auto()
    NAMESPACE_SELECTOR = auto()
    NAMESPACE = auto()
