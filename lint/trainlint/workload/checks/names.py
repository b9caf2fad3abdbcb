"""Names that operators make for pods and Jobs: longer than allowed, or made twice (W 2, 3, 5, 6, 7, 8, 9)."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Location, Severity
from trainlint.kube.values import is_placeholder
from trainlint.model.known import Undetermined
from trainlint.model.workload import ObjectRef, PodSet, Workload
from trainlint.workload.checks.contract_fault import ContractFault
from trainlint.workload.checks.subdomain_names import last_name
from trainlint.workload.kinds import kind_of
from trainlint.workload.workload_kind import LONGEST_NAME, PodNames

__all__ = ["LIMIT", "CollidingName", "LongMadeName", "LongObjectName", "MadeName", "colliding_names", "long_names"]

LIMIT: Final = 63
"""The most characters of a DNS label, and of the value of a label."""
_SUFFIX: Final = "-xxxxx"
"""What the Job controller adds to the name of a pod."""
_MADE: Final = frozenset({PodNames.CHECKED, PodNames.TASKS, PodNames.UNCHECKED, PodNames.WORKERS})
"""The operator makes the names of pods, and no two of them may be alike."""


class MadeName(Enum):
    """What a made name is for."""

    TASK = auto()
    POD_OF_TASK = auto()
    POD_OF_CHILD_JOB = auto()
    HOST_NAME = auto()
    LAST_WORKER = auto()
    POD = auto()


@fact
class LongObjectName(ContractFault):
    """The name of an object has more characters than its operator allows; ``why`` says what is made from it."""

    owner: ObjectRef
    limit: int
    why: str

    @property
    def length(self) -> int:
        """The number of characters."""
        return len(self.owner.name)


@fact
class LongMadeName(ContractFault):
    """A name that is made from that of an object has more than ``LIMIT`` characters."""

    owner: ObjectRef
    pod_set: PodSet
    made: MadeName
    name: str


@fact
class CollidingName(ContractFault):
    """Two objects make a pod or a Job (``what``) of the same name; ``at`` is the name of the second one."""

    first: ObjectRef
    first_at: Location
    second: ObjectRef
    what: str
    name: str


def long_names(workload: Workload) -> Iterator[LongObjectName | LongMadeName]:
    """The longest of the names that an object makes, where it is longer than allowed; one fault for an object."""
    name = workload.owner.name
    written = workload.field.down("metadata", "name")
    if not written.present or is_placeholder(name):
        return
    kind = kind_of(workload)
    if kind is None:
        return
    limit = kind.name_limit
    if limit < LONGEST_NAME and len(name) > limit:
        yield LongObjectName(written.at, workload.owner, limit, kind.name_why)
        return
    made = [
        (len(text), LongMadeName(written.at, workload.owner, pods, use, text))
        for pods in workload.pod_sets
        for use, text in _made(workload, pods, kind.pod_names)
        if len(text) > LIMIT
    ]
    if made:
        yield max(made, key=lambda each: each[0])[1]


def _made(workload: Workload, pods: PodSet, names: PodNames) -> Iterator[tuple[MadeName, str]]:
    if names is PodNames.TASKS:  # its webhook looks at the names of the pods, which with svc are their host names too
        pods = replace(pods, hostname=f"{workload.owner.name}-{pods.role}-{{}}")
    if not pods.hostname or is_placeholder(pods.hostname.replace("{}", "")) or pods.replicas == 0:
        return
    longest = last_name(pods)
    if names is PodNames.TASKS:
        yield MadeName.TASK, pods.role
        yield MadeName.POD_OF_TASK, longest
    elif names is PodNames.CHILD_JOBS:
        yield MadeName.POD_OF_CHILD_JOB, longest + _SUFFIX
    elif names is PodNames.INDEXED:
        yield MadeName.HOST_NAME, longest
    elif names is PodNames.WORKERS:
        if pods.role == "Worker":
            yield MadeName.LAST_WORKER, longest
    elif names is PodNames.CHECKED:
        yield MadeName.POD, longest


def colliding_names(workloads: Sequence[Workload], brings_both: Callable[[str, str], bool]) -> Iterator[CollidingName]:
    """Two objects that would make a pod or a Job of the same name.

    ``brings_both`` says whether two files are surely deployed together. Where that is not known, objects of one
    directory that stand in different files may be meant for different times: that is a warning. In different
    directories they prove nothing.
    """
    seen: dict[tuple[str, str, str], Workload] = {}
    pairs = set()
    for workload in workloads:
        for what, name in _names(workload):
            first = seen.setdefault((workload.owner.namespace, what, name), workload)
            pair = (first.owner, workload.owner)
            one, other = first.field.document.file, workload.field.document.file
            if first is workload or pair in pairs:
                continue
            sure = brings_both(one, other)
            if not sure and posixpath.dirname(one) != posixpath.dirname(other):
                continue
            pairs.add(pair)
            yield CollidingName(
                workload.field.down("metadata", "name").at,
                first.owner,
                first.field.down("metadata", "name").at,
                workload.owner,
                what,
                name,
                certainty=Certainty.PROVEN if sure else Certainty.LIKELY,
                severity=None if sure else Severity.WARNING,
            )


def _names(workload: Workload) -> Iterator[tuple[str, str]]:
    kind, name = kind_of(workload), workload.owner.name
    if kind is None or is_placeholder(name) or not workload.field.down("metadata", "name").present:
        return
    if kind.job_name:
        yield "Job", kind.job_name.replace("{}", name)
    for pods in workload.pod_sets:
        if not pods.hostname or isinstance(pods.replicas, Undetermined) or pods.replicas == 0:
            continue
        if kind.pod_names is PodNames.CHILD_JOBS:
            for index in range(pods.blocks if isinstance(pods.blocks, int) and pods.blocks < 1000 else 1):
                yield "Job", f"{name}-{pods.role}-{index}"
        elif kind.pod_names in _MADE and (not kind.launcher or pods.role != kind.launcher):
            yield "pod", pods.hostname.replace("{}", "0")
