"""JobSet's webhook and CRD (jobset:pkg/webhooks/jobset_webhook.go; W 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from trainlint.admission.kinds.controllers import of_job
from trainlint.admission.kinds.words import at_least, one_of
from trainlint.admission.plain import below, elements, known, mapping, names, nearest, number, text, written
from trainlint.admission.problem import Problem
from trainlint.admission.syntax import rfc1035_label
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder

__all__ = ["of_job_set"]

_BY: Final = "JobSet's webhook"
_EXCLUSIVE: Final = "alpha.jobset.sigs.k8s.io/exclusive-topology"
_NODE_SELECTOR: Final = "alpha.jobset.sigs.k8s.io/node-selector"
_JOBS: Final[Path] = ("spec", "replicatedJobs")
_ACTIONS: Final = (
    "FailJobSet",
    "RestartJobSet",
    "RestartJobSetAndIgnoreMaxRestarts",
    "RestartJob",
    "RestartJobAndIgnoreMaxRestarts",
)
_REASONS: Final = (
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
)


def of_job_set(meta: Meta, item: Any) -> Iterator[Problem]:
    """What is refused of a JobSet, and of the Jobs that are made of it."""
    if (meta.api_group, meta.kind) != ("jobset.x-k8s.io", "JobSet"):
        return
    yield from _words(item)
    jobs = [each for _, each in elements(below(item, *_JOBS))]
    there = names(below(item, *_JOBS))
    for (at, job), index in zip(elements(below(item, *_JOBS), *_JOBS), range(len(jobs)), strict=True):
        yield from _job_name(job, at)
        yield from _depends(job, at, there, index)
        yield from _repeated(job, at, there[:index])
        yield from _without_first(item, job, at)
        yield from at_least(item, (*at, "replicas"), 0)
        inner = mapping(below(job, "template", "spec"))
        what = f"the Jobs of {text(job.get('name'))}"
        yield from of_job(inner, (*at, "template", "spec"), mode="Indexed", what=what)
    if any(is_placeholder(each) for each in there):
        return
    for path, targets in _targets(item):
        yield from _unknown(targets, path, there)
    coordinator = below(item, "spec", "coordinator")
    yield from _coordinator(mapping(coordinator), jobs, there, is_set=coordinator is not None)
    yield from _rules(item)


def _words(item: Any) -> Iterator[Problem]:
    yield from one_of(item, ("spec", "startupPolicy", "startupPolicyOrder"), ("AnyOrder", "InOrder"))
    yield from one_of(item, ("spec", "successPolicy", "operator"), ("All", "Any"))
    for at, _ in elements(below(item, "spec", "failurePolicy", "rules"), "spec", "failurePolicy", "rules"):
        yield from one_of(item, (*at, "action"), _ACTIONS)
    for at, job in elements(below(item, *_JOBS), *_JOBS):
        for path, _ in elements(job.get("dependsOn"), *at, "dependsOn"):
            yield from one_of(item, (*path, "status"), ("Ready", "Complete"))
    subdomain = known(below(item, "spec", "network", "subdomain"))
    if subdomain and (wrong := rfc1035_label(subdomain)):
        at = ("spec", "network", "subdomain")
        yield Problem(at, f"{subdomain} is no subdomain: {wrong}", "correct it", "subdomain", _BY)


def _job_name(job: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    for key, what in (("name", "replicated job"), ("groupName", "group of replicated jobs")):
        given = known(job.get(key))
        # its name stands in the middle of others, so it may begin with a digit
        if given and (wrong := rfc1035_label(given if key == "groupName" else f"x{given}")):
            why = f"{given} is no name of a {what}: {wrong}"
            yield Problem((*at, key), why, "correct the name", f"{key} {given}", _BY)


def _depends(job: Mapping[str, Any], at: Path, there: Sequence[str], index: int) -> Iterator[Problem]:
    own = text(job.get("name"))
    if any(is_placeholder(each) for each in there):
        return
    if index == 0 and job.get("dependsOn"):
        why = f"{own} is the first replicated job, which depends on none"
        yield Problem((*at, "dependsOn"), why, "remove dependsOn, or move the job down", "first depends", _BY)
        return
    for path, dependency in elements(job.get("dependsOn"), *at, "dependsOn"):
        name = known(dependency.get("name"))
        if name == own:
            why = f"{own} depends on itself, so that it never starts"
            yield Problem((*path, "name"), why, "name another replicated job", f"depends on {name}", _BY, unmade=True)
        elif name and name not in there[:index]:
            near = nearest(name, there[:index])
            reason = "which stands after it" if name in there else "and there is none of this name"
            why = f"{own} depends on {name}, {reason}: before it there is {', '.join(there[:index])}"
            remedy = f"did you mean {near}?" if near and name not in there else "name a job that stands before it"
            put = ((*path, "name"), near) if near and name not in there else None
            yield Problem((*path, "name"), why, remedy, f"depends on {name}", _BY, put=put)


def _repeated(job: Mapping[str, Any], at: Path, before: Sequence[str]) -> Iterator[Problem]:
    """A second replicated job of one name: its Jobs have the names of those that exist, so none is made (js-0157)."""
    name = known(job.get("name"))
    if name and name in before:
        why = f"there is a replicated job {name} before it, whose Jobs have the names of this one's: it gets no pods"
        first = ("the first of this name", (*_JOBS, before.index(name), "name"))
        yield Problem((*at, "name"), why, "rename one of the two", f"twice {name}", _BY, related=(first,), unmade=True)


def _without_first(item: Any, job: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """Each child Job keeps a domain for itself, where its pod 0 is; a NonIndexed Job has none (js-0078, js-0088)."""
    mode: Path = ("template", "spec", "completionMode")
    if below(job, *mode) != "NonIndexed":
        return
    holders: tuple[Path, ...] = ((), (*at, "template"), (*at, "template", "spec", "template"))
    annotations = {path: mapping(below(item, *path, "metadata", "annotations")) for path in holders}
    where = next((path for path, written in annotations.items() if _EXCLUSIVE in written), None)
    if where is None or any(_NODE_SELECTOR in written for written in annotations.values()):
        return
    key = known(annotations[where][_EXCLUSIVE]) or "a topology"
    name = known(job.get("name")) or "the replicated job"
    why = f"{name} has {key} for itself, which is where its pod 0 is, and a NonIndexed Job has no pod 0"
    asked = (*where, "metadata", "annotations", _EXCLUSIVE)
    yield Problem(
        (*at, *mode),
        why,
        "write completionMode Indexed, and set completions",
        f"no pod 0 in {name}",
        _BY,
        "every pod",
        related=((_EXCLUSIVE, asked),),
    )


def _targets(item: Any) -> Iterator[tuple[Path, Any]]:
    success: Path = ("spec", "successPolicy", "targetReplicatedJobs")
    yield success, below(item, *success)
    for at, rule in elements(below(item, "spec", "failurePolicy", "rules"), "spec", "failurePolicy", "rules"):
        yield (*at, "targetReplicatedJobs"), rule.get("targetReplicatedJobs")


def _unknown(targets: Any, at: Path, there: Sequence[str]) -> Iterator[Problem]:
    for index, each in enumerate(targets if isinstance(targets, list) else ()):
        name = known(each)
        if name and name not in there:
            near = nearest(name, there)
            why = f"{at[1]} names the replicated job {name}, and there is none: there is {', '.join(there)}"
            remedy = f"did you mean {near}?" if near else "name one that is there"
            put = ((*at, index), near) if near else None
            yield Problem((*at, index), why, remedy, f"{at[1]} {name}", _BY, put=put)


def _coordinator(
    coordinator: Mapping[str, Any], jobs: Sequence[Mapping[str, Any]], there: Sequence[str], *, is_set: bool
) -> Iterator[Problem]:
    at: Path = ("spec", "coordinator")
    name = text(coordinator.get("replicatedJob"))
    if not is_set or is_placeholder(name):
        return
    if name not in there:
        near = nearest(name, there)
        why = f"the coordinator is in the replicated job {name or 'of no name'}, and there is none of this name"
        remedy = f"did you mean {near}?" if near else "name one that is there"
        yield Problem((*at, "replicatedJob"), why, remedy, "coordinator", _BY)
        return
    job = jobs[there.index(name)]
    spec = mapping(below(job, "template", "spec"))
    if text(spec.get("completionMode")) not in {"", "Indexed"} or not written(spec.get("completions")):
        why = f"the coordinator is a pod of {name}, whose Job must be Indexed and have completions"
        yield Problem((*at, "replicatedJob"), why, f"set completions of {name}", "coordinator", _BY)
        return
    replicas = number(job.get("replicas")) if written(job.get("replicas")) else 1
    for key, count in (("jobIndex", replicas), ("podIndex", number(spec.get("completions")))):
        index = number(coordinator.get(key))
        if index is not None and count is not None and not 0 <= index < count:
            why = f"{key} of the coordinator is {index}, and {name} has {count}, counted from 0"
            yield Problem((*at, key), why, f"write a number below {count}", f"coordinator {key}", _BY)


def _rules(item: Any) -> Iterator[Problem]:
    at: Path = ("spec", "failurePolicy", "rules")
    seen: dict[str, Path] = {}
    for path, rule in elements(below(item, *at), *at):
        reasons = rule.get("onJobFailureReasons")
        for index, reason in enumerate(reasons if isinstance(reasons, list) else ()):
            yield from one_of(item, (*path, "onJobFailureReasons", index), _REASONS, _BY) if reason else ()
        name = known(rule.get("name"))
        if name and name in seen:
            why = f"two rules of failurePolicy are called {name}"
            yield Problem((*path, "name"), why, "rename one of the two", f"rule {name}", _BY)
        seen.setdefault(name or "", path)
    order = below(item, "spec", "startupPolicy", "startupPolicyOrder")
    for path, job in elements(below(item, *_JOBS), *_JOBS):
        if order == "InOrder" and job.get("dependsOn"):
            why = "startupPolicyOrder InOrder and dependsOn exclude each other"
            yield Problem((*path, "dependsOn"), why, "keep one of the two", "order", _BY)
            return
