"""Jobs, CronJobs, Deployments, StatefulSets (kubernetes:pkg/apis/{batch,apps}/validation; W 9, 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw, FieldPlace
from trainlint.admission.fields import refused
from trainlint.admission.flaws import FlawRole, JobFlaw, KindFlaw
from trainlint.admission.kinds.field_values import at_least, one_of
from trainlint.admission.kinds.job_policies import of_failure_rules, of_indexes, of_success_rules
from trainlint.admission.plain_values import below, known, mapping, number, text, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because

__all__ = ["of_controllers", "of_job"]

_CRON_FIELDS: Final = 5
_NONE: Final = (0, "0%")
_ALL: Final = 100
_DOMAIN_PATH: Final = lazy_pattern(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?/\S+")
_OWN_LABELS: Final = (
    "job-name",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "batch.kubernetes.io/controller-uid",
)
_NOT_NEGATIVE: Final = (
    *("parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished"),
    *("backoffLimitPerIndex", "maxFailedIndexes"),
)
_INDEXED_ONLY: Final = ("backoffLimitPerIndex", "maxFailedIndexes", "successPolicy")


def of_controllers(meta: Meta, item: Any) -> Iterator[Problem]:
    """What is refused of an object of Kubernetes' own kinds, apart from its pods."""
    match meta.api_group, meta.kind:
        case "batch", "Job":
            yield from of_job(mapping(below(item, "spec")), ("spec",))
            yield from _own_labels(mapping(below(item, "spec")), meta.name)
        case "batch", "CronJob":
            yield from _cron(mapping(below(item, "spec")), item)
            yield from of_job(mapping(below(item, "spec", "jobTemplate", "spec")), ("spec", "jobTemplate", "spec"))
        case "apps", "Deployment" | "ReplicaSet" | "StatefulSet":
            for key in ("replicas", "minReadySeconds", "revisionHistoryLimit"):
                yield from at_least(item, ("spec", key), 0)
            yield from at_least(item, ("spec", "ordinals", "start"), 0)
            yield from at_least(item, ("spec", "updateStrategy", "rollingUpdate", "partition"), 0)
            yield from _progress(mapping(below(item, "spec")))
            yield from _rollout(mapping(below(item, "spec")), meta.kind)
            yield from _selector(mapping(below(item, "spec")))
            yield from one_of(item, ("spec", "podManagementPolicy"), ("OrderedReady", "Parallel"))
            strategy = "updateStrategy" if meta.kind == "StatefulSet" else "strategy"
            kinds = ("RollingUpdate", "OnDelete") if meta.kind == "StatefulSet" else ("RollingUpdate", "Recreate")
            yield from one_of(item, ("spec", strategy, "type"), kinds)


def _cron(spec: Mapping[str, Any], item: Any) -> Iterator[Problem]:
    yield from one_of(item, ("spec", "concurrencyPolicy"), ("Allow", "Forbid", "Replace"))
    for key in ("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        yield from at_least(item, ("spec", key), 0)
    schedule = known(spec.get("schedule"))
    if schedule and not schedule.startswith("@") and len(schedule.split()) != _CRON_FIELDS:
        yield Problem(("spec", "schedule"), Because(JobFlaw.SCHEDULE, (schedule[:60],)), "schedule")


def _progress(spec: Mapping[str, Any]) -> Iterator[Problem]:
    """A deadline that passes before a pod can be ready."""
    deadline, ready = number(spec.get("progressDeadlineSeconds")), number(spec.get("minReadySeconds")) or 0
    if deadline is not None and deadline <= ready:
        why = Because(JobFlaw.PROGRESS, (deadline, ready))
        yield Problem(("spec", "progressDeadlineSeconds"), why, "progress")


def _rollout(spec: Mapping[str, Any], kind: str) -> Iterator[Problem]:
    """How pods are replaced, and a deadline that pods which never end must not have."""
    key, whole = ("updateStrategy", "OnDelete") if kind == "StatefulSet" else ("strategy", "Recreate")
    strategy, at = mapping(spec.get(key)), ("spec", key)
    rolling, place = mapping(strategy.get("rollingUpdate")), (*at, "rollingUpdate")
    if strategy.get("type") == whole and strategy.get("rollingUpdate") is not None:
        yield refused(place, FieldFlaw.EXCLUDES, f"type: {whole}", where="rollingUpdate")
    elif kind == "Deployment":
        if all(rolling.get(each) in _NONE for each in ("maxSurge", "maxUnavailable")):
            values = ("maxSurge: 0",)
            yield refused((*place, "maxUnavailable"), FieldFlaw.EXCLUDES, *values, where="maxUnavailable: 0")
        share = known(rolling.get("maxUnavailable")) or ""
        if share.endswith("%") and share[:-1].isdecimal() and int(share[:-1]) > _ALL:
            yield refused((*place, "maxUnavailable"), FieldFlaw.RANGE, share, "0%", f"{_ALL}%", where="maxUnavailable")
    if written(below(spec, "template", "spec", "activeDeadlineSeconds")):
        where = ("spec", "template", "spec", "activeDeadlineSeconds")
        yield refused(where, FieldFlaw.BELONGS, FieldPlace.ENDING, where=where[-1])


def of_job(spec: Mapping[str, Any], at: Path, *, mode: str = "", what: Because | None = None) -> Iterator[Problem]:
    """What is refused of a Job's spec. ``mode`` is the completion mode where none is written, ``what`` the Jobs that
    an operator makes of it.
    """
    for problem in _job(spec, mode):
        related = tuple((role, (*at, *path)) for role, path in problem.related)
        yield replace(problem, at=(*at, *problem.at), what=what, related=related)


def _job(spec: Mapping[str, Any], mode: str) -> Iterator[Problem]:
    yield from one_of(spec, ("completionMode",), ("NonIndexed", "Indexed"))
    yield from one_of(spec, ("podReplacementPolicy",), ("TerminatingOrFailed", "Failed"))
    for key in _NOT_NEGATIVE:
        yield from at_least(spec, (key,), 0)
    written_mode = text(spec.get("completionMode")) or mode or "NonIndexed"
    indexed = written_mode == "Indexed" or is_placeholder(written_mode)
    if written_mode == "Indexed" and not written(spec.get("completions")) and written(spec.get("parallelism")):
        count = spec["parallelism"]
        why = Because(KindFlaw.INDEXED_WITHOUT_COMPLETIONS, (count,))
        yield Problem((), why, "completions", lacks="completions")
    for key in _INDEXED_ONLY:
        if not indexed and written(spec.get(key)):
            yield Problem((key,), Because(KindFlaw.INDEXED_ONLY, (key,)), key)
    if written(spec.get("maxFailedIndexes")) and not written(spec.get("backoffLimitPerIndex")):
        counted = ((Because(FlawRole.NEEDS_IT), ("maxFailedIndexes",)),)
        yield Problem((), Because(KindFlaw.FAILED_INDEXES), "per index", lacks="backoffLimitPerIndex", related=counted)
    if written_mode == "Indexed":
        yield from of_indexes(spec)
        yield from of_success_rules(spec)
    yield from of_failure_rules(spec)
    yield from _failure_policy(spec)
    manager = known(spec.get("managedBy"))
    if manager and _DOMAIN_PATH.fullmatch(manager) is None:
        yield Problem(("managedBy",), Because(KindFlaw.MANAGED_BY, (manager,)), "managedBy")
    if spec.get("manualSelector") is True:
        yield from _chosen(mapping(below(spec, "selector", "matchLabels")), spec, ("selector", "matchLabels"))
    elif written(spec.get("selector")):
        yield Problem(("selector",), Because(KindFlaw.JOB_SELECTOR), "selector")


def _own_labels(spec: Mapping[str, Any], name: str) -> Iterator[Problem]:
    """Labels of the pod template that the API server writes itself, written with other values."""
    if spec.get("manualSelector") is True:
        return
    labels = mapping(below(spec, "template", "metadata", "labels"))
    for key in _OWN_LABELS:
        value = known(labels.get(key))
        if value is not None and not (key.endswith("job-name") and value == name):
            path = ("spec", "template", "metadata", "labels", key)
            yield Problem(path, Because(KindFlaw.OWN_LABEL, (key, value)), f"own label {key}")


def _failure_policy(spec: Mapping[str, Any]) -> Iterator[Problem]:
    if not mapping(spec.get("podFailurePolicy")):
        return
    restart = known(below(spec, "template", "spec", "restartPolicy"))
    if restart and restart != "Never":
        yield Problem(
            ("template", "spec", "restartPolicy"),
            Because(KindFlaw.FAILURE_POLICY_RESTART, (restart,)),
            "restart of failure policy",
        )
    replacement = known(spec.get("podReplacementPolicy"))
    if replacement and replacement != "Failed":
        yield Problem(
            ("podReplacementPolicy",),
            Because(KindFlaw.FAILURE_POLICY_REPLACEMENT, (replacement,)),
            "replacement of failure policy",
        )


def _selector(spec: Mapping[str, Any]) -> Iterator[Problem]:
    selector, labels = spec.get("selector"), mapping(below(spec, "template", "metadata", "labels"))
    if not selector:
        if selector is None and labels:
            yield Problem(("spec",), Because(KindFlaw.NO_SELECTOR), "selector", lacks="selector")
        return
    yield from _chosen(mapping(mapping(selector).get("matchLabels")), spec, ("spec", "selector", "matchLabels"))


def _chosen(wanted: Mapping[str, Any], spec: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """What a selector asks for that the labels of the pod template do not have."""
    labels = mapping(below(spec, "template", "metadata", "labels"))
    for key, value in wanted.items():
        pair = (str(value), str(labels.get(key, "")))
        if any(is_placeholder(each) for each in (key, *pair, *labels)):
            continue
        if pair[0] != pair[1]:
            why = Because(KindFlaw.SELECTOR_DIFFERS, (key, value, labels.get(key), key in labels))
            yield Problem((*at, key), why, f"selector {key}")
