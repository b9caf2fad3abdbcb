"""What is wrong with Jobs, schedules and rollouts, and what would end it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.admission.flaws import JobFlaw

__all__ = ["JOBS"]

JOBS: Final[Mapping[Enum, tuple[str, str]]] = {
    JobFlaw.ABOVE_COMPLETIONS: ("{0} is {1}, and there are {2} completions", "lower it to {2}"),
    JobFlaw.HIGH_COMPLETIONS: (
        "backoffLimitPerIndex with more than {0} completions needs maxFailedIndexes",
        "set maxFailedIndexes to at most {1}",
    ),
    JobFlaw.FAIL_INDEX: ("the action FailIndex needs backoffLimitPerIndex", "set it, or take the action FailJob"),
    JobFlaw.ONE_CONDITION: (
        (
            "a rule of podFailurePolicy has [{0?}both onExitCodes and onPodConditions|neither onExitCodes nor "
            "onPodConditions], and needs one of them"
        ),
        "[{0?}make two rules of it|write one of them]",
    ),
    JobFlaw.NO_SUCH_CONTAINER: (
        "a rule is for the container {0}, and the pod has none of this name",
        "name one of {1}",
    ),
    JobFlaw.EXIT_ZERO: ("a rule with the operator In names exit code 0, which is no failure", "leave 0 out"),
    JobFlaw.EXIT_ORDER: ("the exit codes of a rule are not in ascending order, each once", "sort them"),
    JobFlaw.SUCCESS_RULE: (
        "a rule of successPolicy has neither succeededCount nor succeededIndexes",
        "write one of them",
    ),
    JobFlaw.INDEXES: ("succeededIndexes {0} lists no indexes below {1} in ascending order", 'write it as "0,2-4"'),
    JobFlaw.SCHEDULE: ("the schedule {0} has not five fields", 'write it as "30 4 * * *"'),
    JobFlaw.PROGRESS: (
        "progressDeadlineSeconds is {0}, and must be more than minReadySeconds, which is {1}",
        "raise it",
    ),
}
