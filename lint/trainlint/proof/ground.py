"""What is not known about a group, or worth a note about its placements, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["ClosureGround", "NoteGround", "ProofGround"]


class ProofGround(Enum):
    """What must be known before a group is proved; what stands beside each are the values of its ``Because``."""

    # of the group itself
    REPLICAS = auto()  # the pod set, why it is not known
    CONNECTION = auto()  # what policies leave open, in their words
    SAME_NODE = auto()  # the pod sets of both ends, the connection, whether one node is permitted
    STAYS_ON_NODE = auto()  # the connection
    ACROSS_ZONES = auto()
    PLACED_BY = auto()  # what places the pods, the pod set
    TIED_VOLUME = auto()  # the claim
    NAMESPACE_POLICIES = auto()  # the group, a namespace
    NAMESPACE_QUOTAS = auto()  # the group, a namespace
    # of nodes and placements
    NO_INVENTORY = auto()
    SEVERAL_INVENTORIES = auto()  # how many, their names
    OTHER_NODES = auto()  # why the inventory is not complete; empty where it says so itself
    KUBELETS = auto()
    BUDGET = auto()  # what limits several pools together
    ROOM = auto()
    DOMAINS = auto()  # the topology key
    ALL_DOMAINS = auto()
    KINDS_OF_NODES = auto()
    WAYS = auto()  # how many are looked at
    HOST_NAMES = auto()
    FITS_IN = auto()  # the zone
    REACHABLE = auto()
    EVERY_ORDER = auto()
    FOLLOW = auto()
    NO_LABEL = auto()  # the topology key
    MEETINGS = auto()
    NEAR_NONE = auto()  # the pod set
    SELECTS = auto()  # the pod set with the affinity, that which it may select
    TOO_MANY_PLACEMENTS = auto()  # the constraint
    OTHER_SIZES = auto()  # the constraint
    AFFINITY = auto()  # the pod set, the topology key
    SPREAD = auto()  # the pod set, the topology key
    PICKED_DOMAINS = auto()  # what picks them
    GANG_ORDER = auto()  # who starts all pods or none
    HOSTS = auto()  # what puts the pods on them
    VALUE = auto()  # why a value is not known
    # of units that are placed together
    TOO_MANY_UNITS = auto()  # the pod set, how many are placed at most
    NO_UNIT_SIZE = auto()  # what holds the pods together
    TWO_KINDS_OF_PARTS = auto()  # the pod set
    TOO_MANY_PARTS = auto()  # how many, the pod set
    # of what stands around the group
    HANDED_ON = auto()  # the worker clusters
    KUSTOMIZATION = auto()  # its directory
    TOO_MANY_CONNECTIONS = auto()  # how many, of how many zones (0: one), whether policies tell them apart
    TOO_MANY_GROUPS = auto()  # how many were proved before
    DOUBTED_GANG = auto()  # the pod set, what must hold for its gang to count
    REFERENCE = auto()  # the object, the pod set that refers to it, the key that it wants of it
    LEFT_OUT = auto()  # the object, its files, how many more there are, whether it is one
    CHANGED = auto()  # what changes its pods
    LET_IN = auto()  # what may refuse its pods
    # of faults that may keep it from training
    TAKEN = auto()  # who takes the object or not, the object, why not
    FIELD = auto()  # the object, the field that its kind does not have
    CLOSED_OPERATOR = auto()  # the object
    STARTED = auto()  # the object, why it is not
    ALTHOUGH = auto()  # the fault
    EMPTIED = auto()  # who replaces, what it replaces, the object
    CUT_OFF = auto()  # who calls, the target, the port
    MESH_OBJECT = auto()  # the object
    AMBIENT_MESH = auto()  # the namespace
    MESH_DENIAL = auto()  # who calls, the target, the port


class NoteGround(Enum):
    """What is worth a note about placements; what stands beside each are the values of its ``Because``."""

    DEAD_END = auto()  # where the pods are that leave no room
    UNLUCKY_ORDER = auto()
    MUST_GROW = auto()  # the pools
    FITS_IN_SOME = auto()  # how many clusters are described, in how many it can run, their names


class ClosureGround(Enum):
    """Why described nodes are all that take a pod; what stands beside each are the values of its ``Because``."""

    NODE_POOLS = auto()
    LABEL = auto()  # the key
    DEVICE = auto()  # the resource
    MEANT_DEVICE = auto()  # the resource that is meant
