"""Names that operators make for pods and Jobs: longer than allowed, or made twice (W 2, 3, 5, 6, 7, 8, 9)."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Severity
from trainlint.kube.values import is_placeholder
from trainlint.model.known import Undetermined
from trainlint.model.workload import PodSet, Workload
from trainlint.workload.checks.fault import Fault
from trainlint.workload.checks.inside import last_name
from trainlint.workload.kinds import kind_of
from trainlint.workload.workload_kind import LONGEST_NAME, PodNames

__all__ = ["colliding_names", "long_names"]

_LIMIT: Final = 63
"""Of a DNS label and of the value of a label."""
_SUFFIX: Final = "-xxxxx"
"""What the Job controller adds to the name of a pod."""
_MADE: Final = frozenset({PodNames.CHECKED, PodNames.TASKS, PodNames.UNCHECKED, PodNames.WORKERS})
"""The operator makes the names of pods, and no two of them may be alike."""


@fact
class _Made:
    """A name that is made: what it is for."""

    text: str
    what: str
    why: str


def long_names(workload: Workload) -> Iterator[Fault]:
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
        yield Fault(
            f"{_kind(workload)} {name} has a name of {len(name)} characters; {limit} are allowed, because "
            f"{kind.name_why or 'longer ones are made from it'}",
            written.at,
            f"shorten it by {len(name) - limit} characters",
            evidence={"length": len(name), "limit": limit},
        )
        return
    made = [
        each for pods in workload.pod_sets for each in _made(workload, pods, kind.pod_names) if len(each.text) > _LIMIT
    ]
    if made:
        longest = max(made, key=lambda each: len(each.text))
        over = len(longest.text) - _LIMIT
        yield Fault(
            f"{longest.what} would be called {longest.text}, {len(longest.text)} characters; {_LIMIT} are allowed, so "
            f"{longest.why}",
            written.at,
            f"shorten the name of the object or of the role by {over} character{'s' if over > 1 else ''}",
            evidence={"name": longest.text, "length": len(longest.text), "limit": _LIMIT},
        )


def _made(workload: Workload, pods: PodSet, names: PodNames) -> Iterator[_Made]:
    if names is PodNames.TASKS:  # its webhook looks at the names of the pods, which with svc are their host names too
        pods = replace(pods, hostname=f"{workload.owner.name}-{pods.role}-{{}}")
    if not pods.hostname or is_placeholder(pods.hostname.replace("{}", "")) or pods.replicas == 0:
        return
    longest = last_name(pods)
    if names is PodNames.TASKS:
        if len(pods.role) > _LIMIT:
            yield _Made(pods.role, f"the name of a task of {workload.owner.name}", "the API server refuses the object")
        yield _Made(longest, f"a pod of {pods.name} (and its host name)", "Volcano's webhook refuses the object")
    elif names is PodNames.CHILD_JOBS:
        yield _Made(longest + _SUFFIX, f"a pod of {pods.name}", "JobSet's webhook refuses the object")
    elif names is PodNames.INDEXED:
        yield _Made(longest, f"the host name of a pod of {pods.name}", "no pod is created")
    elif names is PodNames.WORKERS:
        if pods.role == "Worker":
            yield _Made(longest, f"the last pod of {pods.name}", "the operator refuses the object")
    elif names is PodNames.CHECKED:
        yield _Made(longest, f"a pod of {pods.name} (and the label or Service named like it)", "it is not created")


def colliding_names(workloads: Sequence[Workload], brings_both: Callable[[str, str], bool]) -> Iterator[Fault]:
    """Two objects that would make a pod or a Job of the same name.

    ``brings_both`` says whether two files are surely deployed together. Where that is not known, objects of one
    directory that stand in different files may be meant for different times: that is a warning. In different
    directories they prove nothing.
    """
    seen: dict[tuple[str, str, str], tuple[Workload, PodSet | None]] = {}
    said = set()
    for workload in workloads:
        for what, name, pods in _names(workload):
            key = (workload.owner.namespace, what, name)
            first = seen.setdefault(key, (workload, pods))[0]
            pair = (first.owner, workload.owner)
            one, other = first.field.document.file, workload.field.document.file
            if first is workload or pair in said:
                continue
            sure = brings_both(one, other)
            if not sure and posixpath.dirname(one) != posixpath.dirname(other):
                continue
            said.add(pair)
            yield Fault(
                f"{_kind(workload)} {workload.owner.name} and {_kind(first)} {first.owner.name} both make a "
                f"{what} called {name}: the second one gets none of its own",
                workload.field.down("metadata", "name").at,
                "give one of the two another name",
                (("makes it too", first.field.down("metadata", "name").at),),
                {"name": name},
                name,
                Certainty.PROVEN if sure else Certainty.LIKELY,
                None if sure else Severity.WARNING,
            )


def _kind(workload: Workload) -> str:
    """The kind as it is written, without its API group."""
    return workload.owner.kind.partition(".")[0]


def _names(workload: Workload) -> Iterator[tuple[str, str, PodSet | None]]:
    kind, name = kind_of(workload), workload.owner.name
    if kind is None or is_placeholder(name) or not workload.field.down("metadata", "name").present:
        return
    if kind.job_name:
        yield "Job", kind.job_name.replace("{}", name), None
    for pods in workload.pod_sets:
        if not pods.hostname or isinstance(pods.replicas, Undetermined) or pods.replicas == 0:
            continue
        if kind.pod_names is PodNames.CHILD_JOBS:
            for index in range(pods.blocks if isinstance(pods.blocks, int) and pods.blocks < 1000 else 1):
                yield "Job", f"{name}-{pods.role}-{index}", pods
        elif kind.pod_names in _MADE and (not kind.launcher or pods.role != kind.launcher):
            yield "pod", pods.hostname.replace("{}", "0"), pods
