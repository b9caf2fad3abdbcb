"""What an argument says, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

__all__ = ["ARGUMENT", "Said"]


class Said(Enum):
    """The sentences and titles of an argument; the table below shows the values of each."""

    EXISTS = auto()
    DENIED_EVERYWHERE = auto()
    GOOD_ZONE = auto()
    OTHER_ZONE = auto()
    REFUTED_ANYWHERE = auto()
    FOR_ALL = auto()
    NO_PLACEMENT = auto()
    NOT_YET_KNOWN = auto()
    CUT = auto()
    SPLIT = auto()
    SPLIT_COSTS = auto()
    ALL_GOOD = auto()
    NEVER_SPREAD = auto()
    NOT_KNOWN = auto()
    DENIED_PAIR = auto()
    DEAD_END = auto()
    PROVED = auto()
    REFUTED = auto()
    CONDITIONAL = auto()
    UNKNOWN = auto()
    NEEDED = auto()
    CONNECTIONS = auto()
    NO_CONNECTIONS = auto()
    DECISIONS = auto()
    NOT_ASKED = auto()
    DECIDED = auto()
    NOTHING_TO_DECIDE = auto()
    DIVIDED = auto()
    ALL_INSIDE = auto()
    ALLOWED = auto()
    DENIED = auto()
    UNDECIDED = auto()
    DEPENDS = auto()
    WHOLE = auto()
    ONE_NODE = auto()
    TWO_NODES = auto()
    FROM = auto()
    BETWEEN = auto()
    NODES = auto()
    NO_NODES_KNOWN = auto()
    ROLE = auto()
    UNKNOWN_PODS = auto()
    PODS = auto()
    MAY_USE = auto()
    MAY_NOT_USE = auto()
    PERHAPS = auto()
    NONE = auto()
    UNKNOWN_ZONE = auto()
    POOL = auto()
    IN = auto()
    ALONE = auto()
    MEANING = auto()
    FORCED = auto()
    FORCING = auto()
    GANG = auto()
    QUOTA = auto()
    TOGETHER = auto()
    CLAIM = auto()
    OBJECT = auto()
    DENIAL = auto()
    INVENTORY = auto()
    ASSUMED = auto()
    BASIS = auto()


ARGUMENT: Final[Mapping[Enum, str]] = {
    Said.EXISTS: "Is there one zone in which it runs? {}",
    Said.DENIED_EVERYWHERE: "denied wherever the pods land: {}",
    Said.GOOD_ZONE: "{0}: [{1?}yes|its nodes would do]. {2}; every connection is permitted there",
    Said.OTHER_ZONE: "{0}: [{1?}no|not known]",
    Said.REFUTED_ANYWHERE: "whatever the zone, it is refuted[: {}]",
    Said.FOR_ALL: "Is every placement that the scheduler may choose good? {}",
    Said.NO_PLACEMENT: "what can run nowhere has no good placement at all",
    Said.NOT_YET_KNOWN: "that is not known before it is known whether there is one",
    Said.CUT: "it may choose this one: {}",
    Said.SPLIT: "it may choose this one, over {}: {}",
    Said.SPLIT_COSTS: "every connection is permitted, and collectives between zones are slow and billed",
    Said.ALL_GOOD: (
        "placing one pod at a time, in any order, at every size of the pools, each placement that can be reached is "
        "complete or can be completed, and permits every connection"
    ),
    Said.NEVER_SPREAD: "none of them is spread over several zones: all pods land in {}",
    Said.NOT_KNOWN: "not known: {}",
    Said.DENIED_PAIR: "{0} [{1?}within {2}|from {2} to {3}][ {4}]: {5}",
    Said.DEAD_END: "it may begin with a pod of {}; then pods of {} find no node, though all of them fit in {}",
    Said.PROVED: "Yes: proved",
    Said.REFUTED: "No: refuted",
    Said.CONDITIONAL: "Yes, if the cluster has what its pods need",
    Said.UNKNOWN: "Not known",
    Said.NEEDED: "{}, because {}",
    Said.CONNECTIONS: "Which connections it needs",
    Said.NO_CONNECTIONS: "none",
    Said.DECISIONS: "What policies decide about them",
    Said.NOT_ASKED: "nothing was asked of them",
    Said.DECIDED: "{}: {}",
    Said.NOTHING_TO_DECIDE: "there is no connection to decide about",
    Said.DIVIDED: "[inside {0}, ]every connection between {1} parts of the group is denied: {2}",
    Said.ALL_INSIDE: "all connections of the group are permitted inside {}",
    Said.ALLOWED: "allowed",
    Said.DENIED: "denied",
    Said.UNDECIDED: "not known",
    Said.DEPENDS: "it depends on the zones",
    Said.WHOLE: "{0}[{1?} wherever the pods land]",
    Said.ONE_NODE: "on one node",
    Said.TWO_NODES: "on two nodes",
    Said.FROM: "from {}",
    Said.BETWEEN: "[{0?}within {1}|from {1} to {2}][ {3}]",
    Said.NODES: "Where its pods may run",
    Said.NO_NODES_KNOWN: "on which nodes is not known: no inventory counts for it",
    Said.ROLE: "{0}, {1}[{2?}, used by several groups: it need not share their zone]",
    Said.UNKNOWN_PODS: "an unknown number of pods",
    Said.PODS: "{0} pod[{1?}s]",
    Said.MAY_USE: "may use {}",
    Said.MAY_NOT_USE: "not {}: {}",
    Said.PERHAPS: "perhaps {}; not known: {}",
    Said.NONE: "there are no nodes",
    Said.UNKNOWN_ZONE: "a zone that is not known",
    Said.POOL: "{0}[{1?} (without limit)|{2?} ({2} nodes)]",
    Said.IN: "{} in {}",
    Said.ALONE: (
        "the group is alone on an empty cluster, with the pools at any size between their smallest and their "
        "largest; an elastic group has its smallest number of pods"
    ),
    Said.MEANING: (
        "with nothing but the places of one cause left it is still refuted, and without any one of them it is not; "
        "what is missing stands at the parent of the field"
    ),
    Said.FORCED: "What forces it",
    Said.FORCING: "{0}[{2?}, cause {1} of {2}]: [{3?}this place alone|these {4} places together]",
    Said.GANG: "{} is {}, of {} pods",
    Said.QUOTA: "{} refuses them",
    Said.TOGETHER: "{}",
    Said.CLAIM: "claim {} is {}",
    Said.OBJECT: "{}: {}",
    Said.DENIAL: "{}: {}; {}",
    Said.INVENTORY: (
        "the nodes are those of the inventory {0}; [{1?}it lists every node that there is|there may be other "
        "nodes][: {2}]"
    ),
    Said.ASSUMED: "assumed: {}",
    Said.BASIS: "What this rests on",
}
