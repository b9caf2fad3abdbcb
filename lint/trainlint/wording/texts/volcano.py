"""What the webhooks of Volcano and KAI refuse, and what would end it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.admission.volcano_flaws import VolcanoFlaw

__all__ = ["VOLCANO"]

VOLCANO: Final[Mapping[Enum, str | tuple[str, str]]] = {
    VolcanoFlaw.PARENT_HAS: "is what the queue above it has",
    VolcanoFlaw.SIBLING_HAS: "is what another child has",
    VolcanoFlaw.NO_EVENT: ("a policy has neither an event nor an exitCode", "say what it is for"),
    VolcanoFlaw.EVENT: ("a policy is for the event {0}, which Volcano keeps for itself", "use one of {1}"),
    VolcanoFlaw.ACTION: ("a policy has [the action {0}, which is none for users|no action]", "use one of {1}"),
    VolcanoFlaw.EVENT_TWICE: ("two policies are for the event {0}", "remove one of them"),
    VolcanoFlaw.ANY_EVENT: ("a policy is for all events (*), and there are others beside it", "keep the policy for *"),
    VolcanoFlaw.EXIT_CODE_TWICE: ("two policies are for the exit code {0}", "remove one of them"),
    VolcanoFlaw.MOUNT_TWICE: ("two volumes of the job have the mountPath {0}", "mount one of them elsewhere"),
    VolcanoFlaw.CLAIM_TWICE: (
        "a volume of the job has volumeClaim and volumeClaimName, and one of the two is allowed",
        "keep volumeClaimName for a claim that is there, volumeClaim for a new one",
    ),
    VolcanoFlaw.LEAST_OF_PARTITIONS: (
        "minPartitions is {0}, of {1} pods each, which is {2}, and minAvailable is {3}",
        "let minAvailable be minPartitions times partitionSize",
    ),
    VolcanoFlaw.TIER_TWICE: (
        "networkTopology has highestTierAllowed and highestTierName, and one of the two is allowed",
        "keep one of them",
    ),
    VolcanoFlaw.NEGATIVE_AMOUNT: ("{1} of {0} is {2}, and no amount is below 0", "correct the amount"),
    VolcanoFlaw.ABOVE: (
        "{1} of {0} is {2}, above {3} ({4}): guarantee, deserved and capability must not shrink",
        "raise {3} to {2}, or lower {1}",
    ),
    VolcanoFlaw.NO_DESERVED: (
        "{1} of {0} is guaranteed, and deserved says nothing of it",
        "write deserved of {0}, at least {1}",
    ),
    VolcanoFlaw.OWN_PARENT: ("the queue is its own parent", "name another parent, or none"),
    VolcanoFlaw.CHILD_ABOVE: (
        "capability of {0} is {1}, above that of the queue {2} ({3}), which is above it in the tree",
        "lower it to {3}, or raise that of {2}",
    ),
    VolcanoFlaw.CHILDREN_ABOVE: (
        "the queues {2} have {3} of {1} as {0}, together more than their parent {4} has ([{5}|none is written])",
        "raise {0} of {1} of the queue {4}, or lower that of its children",
    ),
    VolcanoFlaw.TOO_DEEP: (
        "the queue lies {0} levels below the root, and {1} are allowed",
        "take a level out, or raise --max-queue-depth of the webhook",
    ),
    VolcanoFlaw.HIERARCHY_LENGTHS: (
        "the hierarchy {0} and its weights {1} have not the same number of parts",
        "write one weight for each part",
    ),
    VolcanoFlaw.HIERARCHY_WEIGHT: ("the weight {0} of the hierarchy is no number above 0", "correct it"),
    VolcanoFlaw.NO_RESOURCES: ("the queue has no resources", "write spec.resources: quota and limit (-1: no limit)"),
    VolcanoFlaw.SUBGROUP_TWICE: ("two subgroups are called {0}", "rename one of the two"),
    VolcanoFlaw.SUBGROUP_PARENT: ("the parent of the subgroup {0}, {1}, is not there", "name a subgroup that is there"),
    VolcanoFlaw.SUBGROUP_CIRCLE: ("the subgroups {0} are below each other in a circle", "take one of the parents out"),
}
