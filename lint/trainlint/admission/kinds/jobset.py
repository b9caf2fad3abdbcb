"""JobSet's webhook and CRD (jobset:pkg/webhooks/jobset_webhook.go; W 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from trainlint.admission.flaws import FlawRole, KindFlaw
from trainlint.admission.ground import RefusedPart
from trainlint.admission.kinds.controllers import of_job
from trainlint.admission.kinds.field_values import at_least, one_of
from trainlint.admission.name_syntax import rfc1035_label
from trainlint.admission.plain_values import below, elements, known, mapping, names, nearest, number, text, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.refuser import Refuser

__all__ = ["of_job_set"]

_BY: Final = Because(Refuser.JOBSET)
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
        what = Because(RefusedPart.JOBS_OF, (text(job.get("name")),))
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
        yield Problem(at, Because(KindFlaw.SUBDOMAIN, (subdomain, wrong)), "subdomain", _BY)


def _job_name(job: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    for key, what in (("name", "replicated job"), ("groupName", "group of replicated jobs")):
        given = known(job.get(key))
        # its name stands in the middle of others, so it may begin with a digit
        if given and (wrong := rfc1035_label(given if key == "groupName" else f"x{given}")):
            yield Problem((*at, key), Because(KindFlaw.JOB_NAME, (given, what, wrong)), f"{key} {given}", _BY)


def _depends(job: Mapping[str, Any], at: Path, there: Sequence[str], index: int) -> Iterator[Problem]:
    own = text(job.get("name"))
    if any(is_placeholder(each) for each in there):
        return
    if index == 0 and job.get("dependsOn"):
        yield Problem((*at, "dependsOn"), Because(KindFlaw.FIRST_DEPENDS, (own,)), "first depends", _BY)
        return
    for path, dependency in elements(job.get("dependsOn"), *at, "dependsOn"):
        name = known(dependency.get("name"))
        if name == own:
            yield Problem(
                (*path, "name"), Because(KindFlaw.DEPENDS_ON_ITSELF, (own,)), f"depends on {name}", _BY, unmade=True
            )
        elif name and name not in there[:index]:
            near = "" if name in there else nearest(name, there[:index])
            put = ((*path, "name"), near) if near else None
            yield Problem(
                (*path, "name"),
                Because(KindFlaw.DEPENDS_ON_LATER, (own, name, name in there, tuple(there[:index]), near)),
                f"depends on {name}",
                _BY,
                put=put,
            )


def _repeated(job: Mapping[str, Any], at: Path, before: Sequence[str]) -> Iterator[Problem]:
    """A second replicated job of one name: its Jobs have the names of those that exist, so none is made (js-0157)."""
    name = known(job.get("name"))
    if name and name in before:
        first = (Because(FlawRole.FIRST_OF_NAME), (*_JOBS, before.index(name), "name"))
        yield Problem(
            (*at, "name"), Because(KindFlaw.JOB_TWICE, (name,)), f"twice {name}", _BY, related=(first,), unmade=True
        )


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
    asked = (*where, "metadata", "annotations", _EXCLUSIVE)
    yield Problem(
        (*at, *mode),
        Because(KindFlaw.NO_FIRST_POD, (name, key)),
        f"no pod 0 in {name}",
        _BY,
        Because(RefusedPart.EVERY_POD),
        related=((Because(FlawRole.ANNOTATION, (_EXCLUSIVE,)), asked),),
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
            put = ((*at, index), near) if near else None
            yield Problem(
                (*at, index),
                Because(KindFlaw.NO_TARGET_JOB, (at[1], name, tuple(there), near)),
                f"{at[1]} {name}",
                _BY,
                put=put,
            )


def _coordinator(
    coordinator: Mapping[str, Any], jobs: Sequence[Mapping[str, Any]], there: Sequence[str], *, is_set: bool
) -> Iterator[Problem]:
    at: Path = ("spec", "coordinator")
    name = text(coordinator.get("replicatedJob"))
    if not is_set or is_placeholder(name):
        return
    if name not in there:
        why = Because(KindFlaw.COORDINATOR_JOB, (name, nearest(name, there)))
        named = "replicatedJob" in coordinator
        lacks = "" if named else "replicatedJob"
        yield Problem((*at, "replicatedJob") if named else at, why, "coordinator", _BY, lacks=lacks)
        return
    job = jobs[there.index(name)]
    spec = mapping(below(job, "template", "spec"))
    if text(spec.get("completionMode")) not in {"", "Indexed"} or not written(spec.get("completions")):
        yield Problem((*at, "replicatedJob"), Because(KindFlaw.COORDINATOR_INDEXED, (name,)), "coordinator", _BY)
        return
    replicas = number(job.get("replicas")) if written(job.get("replicas")) else 1
    for key, count in (("jobIndex", replicas), ("podIndex", number(spec.get("completions")))):
        index = number(coordinator.get(key))
        if index is not None and count is not None and not 0 <= index < count:
            yield Problem(
                (*at, key), Because(KindFlaw.COORDINATOR_INDEX, (key, index, name, count)), f"coordinator {key}", _BY
            )


def _rules(item: Any) -> Iterator[Problem]:
    at: Path = ("spec", "failurePolicy", "rules")
    seen: dict[str, Path] = {}
    for path, rule in elements(below(item, *at), *at):
        reasons = rule.get("onJobFailureReasons")
        for index, reason in enumerate(reasons if isinstance(reasons, list) else ()):
            yield from one_of(item, (*path, "onJobFailureReasons", index), _REASONS, _BY) if reason else ()
        name = known(rule.get("name"))
        if name and name in seen:
            yield Problem((*path, "name"), Because(KindFlaw.RULE_TWICE, (name,)), f"rule {name}", _BY)
        seen.setdefault(name or "", path)
    order = below(item, "spec", "startupPolicy", "startupPolicyOrder")
    for path, job in elements(below(item, *_JOBS), *_JOBS):
        if order == "InOrder" and job.get("dependsOn"):
            yield Problem((*path, "dependsOn"), Because(KindFlaw.ORDER_AND_DEPENDS), "order", _BY)
            return
