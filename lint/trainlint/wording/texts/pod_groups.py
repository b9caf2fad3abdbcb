"""What is refused of PodGroups and Workloads, and what would end it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.admission.pod_group_flaws import PodGroupFlaw

__all__ = ["POD_GROUPS"]

POD_GROUPS: Final[Mapping[Enum, tuple[str, str]]] = {
    PodGroupFlaw.NO_GROUPS: ("the Workload has no {0}", "write at least one"),
    PodGroupFlaw.TOO_MANY_GROUPS: ("the Workload has {0} pod groups, and {1} are allowed", "split it into several"),
    PodGroupFlaw.GROUP_TWICE: ("two pod groups are called {0}", "rename one of the two"),
    PodGroupFlaw.GROUP_NAME: ("{0} is no name of a pod group: {1}", "correct the name"),
    PodGroupFlaw.NO_POLICY: ("the pod group has no policy", "write gang with a minCount, or basic: {{}}"),
    PodGroupFlaw.BOTH_POLICIES: ("the pod group has two policies, gang and basic", "keep one of them"),
    PodGroupFlaw.LEAST: ("minCount of the gang is [{0}|not written], and 1 is the least", "write at least 1"),
    PodGroupFlaw.MIN_MEMBER: ("minMember is {0}, and 1 is the least", "write at least 1, or leave it out"),
    PodGroupFlaw.SEVERAL_TOPOLOGIES: ("the pod group has {0} topology constraints, and 1 is allowed", "keep one"),
    PodGroupFlaw.NOT_SERVED: (
        "{0} of {1} is not served by Kubernetes {2}[, which has {3}]",
        "[write it as {3}|take it out: this release has no gangs of its own]",
    ),
    PodGroupFlaw.FIELD_RELEASE: (
        "{0} is a field of Kubernetes {1}, and the cluster has {2}",
        "[name the group by {3}|take it out: this release has no gangs of its own]",
    ),
}
