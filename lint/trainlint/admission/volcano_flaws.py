"""What Volcano's and KAI's webhooks refuse of their own objects."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["VolcanoFlaw"]


class VolcanoFlaw(Enum):
    """What the webhooks of Volcano and KAI refuse of jobs, Queues and PodGroups; beside each are its values."""

    NO_EVENT = auto()
    EVENT = auto()  # the event, those that are taken
    ACTION = auto()  # the action, empty for none, those that are taken
    EVENT_TWICE = auto()  # the event
    ANY_EVENT = auto()
    EXIT_CODE_TWICE = auto()  # the code
    MOUNT_TWICE = auto()  # the path
    CLAIM_TWICE = auto()
    LEAST_OF_PARTITIONS = auto()  # the partitions, pods of each, both multiplied, minAvailable
    TIER_TWICE = auto()
    NEGATIVE_AMOUNT = auto()  # the resource, the list, the amount
    ABOVE = auto()  # the resource, the smaller list, its amount, the larger list, its amount
    NO_DESERVED = auto()  # the resource, the amount that is guaranteed
    OWN_PARENT = auto()
    CHILD_ABOVE = auto()  # the resource, the capability, the queue above, its capability
    # deserved or guarantee, the resource, the children that have it, what each has, their parent, what it has (empty:
    # nothing is written)
    CHILDREN_ABOVE = auto()
    TOO_DEEP = auto()  # the depth of the queue, the deepest that is allowed
    PARENT_HAS = auto()
    SIBLING_HAS = auto()
    HIERARCHY_LENGTHS = auto()  # the hierarchy, the weights
    HIERARCHY_WEIGHT = auto()  # the weight
    NO_RESOURCES = auto()
    SUBGROUP_TWICE = auto()  # the subgroup
    SUBGROUP_PARENT = auto()  # the subgroup, its parent
    SUBGROUP_CIRCLE = auto()  # the subgroups
