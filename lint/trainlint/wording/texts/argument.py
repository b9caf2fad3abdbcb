"""What an argument says, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

__all__ = ["ARGUMENT", "Phrase"]


class Phrase(Enum):
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
    CROWDED = auto()
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
    QUEUE = auto()
    ADMITTED = auto()
    NEVER_ADMITTED = auto()
    ADMITTED_IF = auto()
    GOES_INTO = auto()
    LEADS_TO = auto()
    IN_COHORT = auto()
    BELOW_QUEUE = auto()
    NOT_IN_GIT = auto()
    HANDED_ON = auto()
    ASKS = auto()
    FLAVOR_HAS = auto()
    FLAVOR_REFUSES = auto()
    NOT_COVERED = auto()
    GANG_ASKS = auto()
    QUEUE_HAS = auto()
    NO_LIMIT = auto()
    LIMIT_UNKNOWN = auto()
    KEPT_FOR = auto()
    VERDICT = auto()
    GETS = auto()
    CHECKS = auto()
    UNSEEN = auto()


ARGUMENT: Final[Mapping[Enum, str]] = {
    Phrase.EXISTS: "Is there one zone in which it runs? {}",
    Phrase.DENIED_EVERYWHERE: "denied wherever the pods land: {}",
    Phrase.GOOD_ZONE: "{0}: [{1?}yes|its nodes would do]. {2}; every connection is permitted there",
    Phrase.OTHER_ZONE: "{0}: [{1?}no|not known]",
    Phrase.REFUTED_ANYWHERE: "whatever the zone, it is refuted[: {}]",
    Phrase.FOR_ALL: "Is every placement that the scheduler may choose good? {}",
    Phrase.NO_PLACEMENT: "what can run nowhere has no good placement at all",
    Phrase.NOT_YET_KNOWN: "that is not known before it is known whether there is one",
    Phrase.CUT: "it may choose this one: {}",
    Phrase.SPLIT: "it may choose this one, over {}: {}",
    Phrase.SPLIT_COSTS: "every connection is permitted, and collectives between zones are slow and billed",
    Phrase.ALL_GOOD: (
        "placing one pod at a time, in any order, at every size of the pools, each placement that can be reached is "
        "complete or can be completed, and permits every connection"
    ),
    Phrase.NEVER_SPREAD: "none of them is spread over several zones: all pods land in {}",
    Phrase.NOT_KNOWN: "not known: {}",
    Phrase.DENIED_PAIR: "{0} [{1?}within {2}|from {2} to {3}][ {4}]: {5}",
    Phrase.DEAD_END: "it may begin with a pod of {}; then pods of {} find no node, though all of them fit in {}",
    Phrase.CROWDED: (
        "with pods of {}, an order that fills the nodes there unevenly leaves no room for the last pods of {}"
    ),
    Phrase.PROVED: "Yes: proved",
    Phrase.REFUTED: "No: refuted",
    Phrase.CONDITIONAL: "Yes, if the cluster has what its pods need",
    Phrase.UNKNOWN: "Not known",
    Phrase.NEEDED: "{}, because {}",
    Phrase.CONNECTIONS: "Which connections it needs",
    Phrase.NO_CONNECTIONS: "none",
    Phrase.DECISIONS: "What policies decide about them",
    Phrase.NOT_ASKED: "nothing was asked of them",
    Phrase.DECIDED: "{}: {}",
    Phrase.NOTHING_TO_DECIDE: "there is no connection to decide about",
    Phrase.DIVIDED: "[inside {0}, ]every connection between {1} parts of the group is denied: {2}",
    Phrase.ALL_INSIDE: "all connections of the group are permitted inside {}",
    Phrase.ALLOWED: "allowed",
    Phrase.DENIED: "denied",
    Phrase.UNDECIDED: "not known",
    Phrase.DEPENDS: "it depends on the zones",
    Phrase.WHOLE: "{0}[{1?} wherever the pods land]",
    Phrase.ONE_NODE: "on one node",
    Phrase.TWO_NODES: "on two nodes",
    Phrase.FROM: "from {}",
    Phrase.BETWEEN: "[{0?}within {1}|from {1} to {2}][ {3}]",
    Phrase.NODES: "Where its pods may run",
    Phrase.NO_NODES_KNOWN: "on which nodes is not known: no inventory counts for it",
    Phrase.ROLE: "{0}, {1}[{2?}, used by several groups: it need not share their zone]",
    Phrase.UNKNOWN_PODS: "an unknown number of pods",
    Phrase.PODS: "{0} pod[{1?}s]",
    Phrase.MAY_USE: "may use {}",
    Phrase.MAY_NOT_USE: "not {}: {}",
    Phrase.PERHAPS: "perhaps {}; not known: {}",
    Phrase.NONE: "there are no nodes",
    Phrase.UNKNOWN_ZONE: "a zone that is not known",
    Phrase.POOL: "{0}[{1?} (without limit)|{2?} ({2} nodes)]",
    Phrase.IN: "{} in {}",
    Phrase.ALONE: (
        "the group is alone on an empty cluster, with the pools at any size between their smallest and their "
        "largest; an elastic group has its smallest number of pods"
    ),
    Phrase.MEANING: (
        "with nothing but the places of one cause left it is still refuted, and without any one of them it is not; "
        "what is missing stands at the parent of the field"
    ),
    Phrase.FORCED: "What forces it",
    Phrase.FORCING: "{0}[{2?}, cause {1} of {2}]: [{3?}this place alone|these {4} places together]",
    Phrase.GANG: "{} is {}, of {} pods",
    Phrase.QUOTA: "{} refuses them",
    Phrase.TOGETHER: "{}",
    Phrase.CLAIM: "claim {} is {}",
    Phrase.OBJECT: "{}: {}",
    Phrase.DENIAL: "{}: {}; {}",
    Phrase.INVENTORY: (
        "the nodes are those of the inventory {0}; [{1?}it lists every node that there is|there may be other "
        "nodes][: {2}]"
    ),
    Phrase.ASSUMED: "assumed: {}",
    Phrase.BASIS: "What this rests on",
    Phrase.QUEUE: "Does its queue let it in? {}",
    Phrase.ADMITTED: "Yes: admitted",
    Phrase.NEVER_ADMITTED: "No: never",
    Phrase.ADMITTED_IF: "Conditional",
    Phrase.GOES_INTO: "{0} goes into the {1} [{2}|that it does not name][{3?}, the default]",
    Phrase.LEADS_TO: "it leads to the ClusterQueue {}",
    Phrase.IN_COHORT: "the {} {} is in the cohort {}",
    Phrase.BELOW_QUEUE: "the queue {} is below {}",
    Phrase.NOT_IN_GIT: "the {} {} is not in Git",
    Phrase.HANDED_ON: "MultiKueue hands it on[ to {}]: quotas of the worker clusters count",
    Phrase.ASKS: "{0} pod[{1?}s] of {2} request {3} {4}",
    Phrase.FLAVOR_HAS: (
        "flavor {0}: quota {1}[{2?}, with what its cohort lends {3}][{4?}; what its cohort lends is not known]: "
        "[{5?}enough|not enough]"
    ),
    Phrase.FLAVOR_REFUSES: "flavor {} does not take them: {}",
    Phrase.NOT_COVERED: "no resource group of the ClusterQueue {} covers it",
    Phrase.GANG_ASKS: "[{0?}the {1} pods that start together need|one pod needs] at least {2} {3}",
    Phrase.QUEUE_HAS: "queue {0}: {1} {2}: [{3?}enough|not enough]",
    Phrase.NO_LIMIT: "queue {0}: no {1} of {2}, so no limit",
    Phrase.KEPT_FOR: (
        "queue {0}: {1} of its capability of {2} {3} is guaranteed to {4} and kept free, {5} is left: "
        "[{6?}enough|not enough]"
    ),
    Phrase.LIMIT_UNKNOWN: "queue {}: its {} is not known",
    Phrase.VERDICT: "[{0?}never|likely never] let in: {1}",
    Phrase.GETS: "{} gets the flavor {}",
    Phrase.CHECKS: "quota is reserved for it; it then waits for the admission check[{0?}s] {1}",
    Phrase.UNSEEN: "{} does not see it: {}",
}
