"""RayCluster, RayJob, RayService (kuberay:ray-operator/controllers/ray/utils/validation.go; W 7), and Kueue's part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from trainlint.admission.flaws import FlawRole, KindFlaw
from trainlint.admission.ground import AdmissionGround, RefusedPart
from trainlint.admission.kinds.field_values import at_least, one_of
from trainlint.admission.plain_values import below, elements, known, mapping, names, number, text, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.refuser import Refuser
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load
from trainlint.workload.ray_job import RAY_CLUSTERS

__all__ = ["KUEUE", "of_ray"]

KUEUE: Final = Because(Refuser.KUEUE)

_BY: Final = Because(Refuser.KUBERAY)
_QUEUE: Final = "kueue.x-k8s.io/queue-name"
_LABEL: Final = 63
_START: Final = ("num-cpus", "num-gpus", "memory", "resources")
_FT: Final = "ray.io/ft-enabled"


def of_ray(meta: Meta, item: Any) -> Iterator[Problem]:
    """What KubeRay refuses of its objects: it makes no cluster then, and says so in an event."""
    at = RAY_CLUSTERS.get(meta.kind) if meta.api_group == "ray.io" else None
    if at is None:
        return
    cluster = mapping(below(item, *at))
    yield from one_of(item, ("spec", "managedBy"), ("ray.io/kuberay-operator", "kueue.x-k8s.io/multikueue"))
    modes = ("DenyAll", "DenyAllIngress", "DenyAllEgress")
    yield from one_of(item, (*at, "networkPolicy", "mode"), modes)
    if cluster:
        yield from _policies(cluster, at)
        yield from _cluster(cluster, at)
        yield from _autoscaler(cluster, at)
        yield from _store(cluster, at, mapping(below(item, "metadata", "annotations")))
    if meta.kind == "RayJob":
        yield from _job(mapping(below(item, "spec")), cluster)
        yield from _environment(mapping(below(item, "spec")))
        yield from _queued(meta, mapping(below(item, "spec")))
    if meta.kind == "RayService":
        yield from _service(item)


def _environment(job: Mapping[str, Any]) -> Iterator[Problem]:
    """A runtime environment that is no YAML, which the submitter would have to pass on."""
    given = known(job.get("runtimeEnvYAML"))
    if given is None:
        return
    try:
        load(given)
    except (YamlError, TooDeepError) as error:
        yield Problem(
            ("spec", "runtimeEnvYAML"), Because(KindFlaw.RUNTIME_ENVIRONMENT, (str(error),)), "runtime environment", _BY
        )


def _cluster(cluster: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    groups = list(elements(cluster.get("workerGroupSpecs"), *at, "workerGroupSpecs"))
    for path, group in (((*at, "headGroupSpec"), mapping(cluster.get("headGroupSpec"))), *groups):
        name = text(group.get("groupName")) or "the head"
        start = mapping(group.get("rayStartParams"))
        given = [key for key in _START if start.get(key) not in (None, "")]
        if given and mapping(group.get("resources")):
            yield Problem(
                (*path, "resources"), Because(KindFlaw.RESOURCES_TWICE, (name, given[0])), f"resources {name}", _BY
            )
        if "labels" in start:
            yield Problem(
                (*path, "rayStartParams", "labels"), Because(KindFlaw.START_LABELS, (name,)), f"labels {name}", _BY
            )
    yield from _repeated(groups)
    for path, _ in groups:
        for problem in at_least(cluster, (*path[len(at) :], "numOfHosts"), 0, _BY):
            yield replace(problem, at=(*at, *problem.at))
    for path, group in groups:
        name = text(group.get("groupName"))
        if not is_placeholder(name) and ("_" in name or len(name) > _LABEL):
            yield Problem(
                (*path, "groupName"),
                Because(KindFlaw.GROUP_NAME, (name, len(name), _LABEL, len(name) > _LABEL)),
                f"group {name}",
                what=Because(RefusedPart.EVERY_WORKER),
            )
        for key in ("minReplicas", "maxReplicas"):
            count = number(group.get(key))
            if count is not None and count < 0:
                yield Problem((*path, key), Because(KindFlaw.NEGATIVE, (key, name, count)), f"{key} {name}", _BY)


def _repeated(groups: Sequence[tuple[Path, Mapping[str, Any]]]) -> Iterator[Problem]:
    """A second worker group of one name: KubeRay counts pods by the name, and the first has enough (ray-0144)."""
    first: dict[str, Path] = {}
    for path, group in groups:
        name = known(group.get("groupName"))
        if name and name in first:
            before = (Because(FlawRole.FIRST_OF_NAME), (*first[name], "groupName"))
            cause = f"twice {name}"
            yield Problem(
                (*path, "groupName"), Because(KindFlaw.GROUP_TWICE, (name,)), cause, _BY, related=(before,), unmade=True
            )
        first.setdefault(name or "", path)


def _autoscaler(cluster: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    for problem in one_of(cluster, ("autoscalerOptions", "version"), ("v1", "v2")):
        yield replace(problem, at=(*at, *problem.at))
    idle = number(below(cluster, "autoscalerOptions", "idleTimeoutSeconds"))
    if idle is not None and idle < 0:
        yield Problem(
            (*at, "autoscalerOptions", "idleTimeoutSeconds"),
            Because(KindFlaw.IDLE_TIMEOUT, (idle,)),
            "idle timeout",
            _BY,
        )
    if cluster.get("enableInTreeAutoscaling") is not True:
        return
    groups = list(elements(cluster.get("workerGroupSpecs"), *at, "workerGroupSpecs"))
    for path, group in groups:
        if group.get("suspend") is True:
            yield Problem(
                (*path, "suspend"),
                Because(KindFlaw.SUSPENDED_GROUP, (text(group.get("groupName")),)),
                "suspended group",
                _BY,
            )
    if below(cluster, "autoscalerOptions", "version") != "v2":
        return
    for path, group in (((*at, "headGroupSpec"), mapping(cluster.get("headGroupSpec"))), *groups):
        restart = text(below(group, "template", "spec", "restartPolicy"))
        if restart and restart != "Never" and not is_placeholder(restart):
            place = (*path, "template", "spec", "restartPolicy")
            yield Problem(place, Because(KindFlaw.AUTOSCALER_RESTART, (restart,)), "restart of autoscaler v2", _BY)


def _policies(cluster: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """Rules for a direction that the mode does not restrict, and for groups that are not there."""
    policy = mapping(cluster.get("networkPolicy"))
    free = {"DenyAllEgress": "ingressRules", "DenyAllIngress": "egressRules"}.get(text(policy.get("mode")), "")
    place = (*at, "networkPolicy")
    listed = list(elements(policy.get("workerGroups"), *place, "workerGroups"))
    holders = [((*place, key), mapping(policy.get(key))) for key in ("head", "worker")] + listed
    for path, rules in holders:
        if free and rules.get(free):
            yield Problem((*path, free), Because(KindFlaw.FREE_DIRECTION, (free, policy["mode"])), f"{free}", _BY)
    groups = names(cluster.get("workerGroupSpecs"), "groupName")
    for path, rules in listed:
        name = known(rules.get("groupName"))
        if name and name not in groups and not any(is_placeholder(each) for each in groups):
            yield Problem(
                (*path, "groupName"), Because(KindFlaw.NO_WORKER_GROUP, (name, tuple(groups))), f"group {name}", _BY
            )


def _store(cluster: Mapping[str, Any], at: Path, annotations: Mapping[str, Any]) -> Iterator[Problem]:
    """Where the head keeps its state."""
    is_set = written(cluster.get("gcsFaultToleranceOptions"))
    head = mapping(below(cluster, "headGroupSpec", "template", "spec", "containers", 0))
    env = {text(each.get("name")) for _, each in elements(head.get("env"))}
    place = (*at, "headGroupSpec", "template", "spec", "containers", 0, "env")
    enabled = is_set or text(annotations.get(_FT)).lower() == "true"
    if annotations.get(_FT) not in (None, "") and is_set:
        yield Problem(
            (*at, "gcsFaultToleranceOptions"), Because(KindFlaw.FAULT_TOLERANCE_TWICE, (_FT,)), "fault tolerance", _BY
        )
    if not enabled and "RAY_REDIS_ADDRESS" in env:
        yield Problem(place, Because(KindFlaw.REDIS_ADDRESS), "redis address", _BY)
    if is_set:
        for name, key in (("RAY_REDIS_ADDRESS", "redisAddress"), ("REDIS_PASSWORD", "redisPassword")):
            if name in env:
                yield Problem(place, Because(KindFlaw.REDIS_VARIABLE, (name, key)), name, _BY)


def _job(spec: Mapping[str, Any], cluster: Mapping[str, Any]) -> Iterator[Problem]:
    ends = spec.get("shutdownAfterJobFinishes")
    if not (ends is None or isinstance(ends, bool)):
        return  # a placeholder
    if not ends:
        yield from _kept(spec)
    selector = mapping(spec.get("clusterSelector"))
    if not cluster and not selector and not written(spec.get("rayClusterSpec")):
        yield Problem(("spec",), Because(KindFlaw.NO_CLUSTER), "cluster", _BY)
    if selector and spec.get("suspend") is True:
        yield Problem(("spec", "suspend"), Because(KindFlaw.SUSPENDED_SELECTION), "selected cluster", _BY)
    mode = text(spec.get("submissionMode"))
    if mode == "SidecarMode" and written(spec.get("submitterPodTemplate")):
        yield Problem(("spec", "submitterPodTemplate"), Because(KindFlaw.SIDECAR_TEMPLATE), "submitter template", _BY)
    if mode == "SidecarMode" and written(spec.get("submitterConfig")):
        yield Problem(("spec", "submitterConfig"), Because(KindFlaw.SIDECAR_CONFIG), "submitter config", _BY)
    if mode == "SidecarMode" and selector:
        yield Problem(("spec", "clusterSelector"), Because(KindFlaw.SIDECAR_SELECTION), "sidecar", _BY)
    if mode == "InteractiveMode" and number(spec.get("backoffLimit")) not in (None, 0):
        yield Problem(("spec", "backoffLimit"), Because(KindFlaw.INTERACTIVE_BACKOFF), "backoffLimit", _BY)
    yield from at_least({"spec": spec}, ("spec", "backoffLimit"), 0, _BY)
    yield from at_least({"spec": spec}, ("spec", "activeDeadlineSeconds"), 1, _BY)


def _kept(spec: Mapping[str, Any]) -> Iterator[Problem]:
    """What goes only with shutdownAfterJobFinishes; an own deletion strategy is another way to end the cluster."""
    fix = (("spec", "shutdownAfterJobFinishes"), True)
    if spec.get("suspend") is True:
        yield Problem(("spec", "suspend"), Because(KindFlaw.SUSPENDED_KEPT), "suspend", _BY, put=fix)
    seconds = number(spec.get("ttlSecondsAfterFinished"))
    if seconds and not written(spec.get("deletionStrategy")):
        place = ("spec", "ttlSecondsAfterFinished")
        yield Problem(place, Because(KindFlaw.KEPT_TTL, (seconds,)), "ttl", _BY, put=fix)


def _queued(meta: Meta, spec: Mapping[str, Any]) -> Iterator[Problem]:
    """What Kueue's webhook refuses of a RayJob with a queue (kueue:pkg/controller/jobs/rayjob)."""
    queue = meta.labels.get(_QUEUE, "")
    if not queue:
        return
    by, assumes = KUEUE, (Because(AdmissionGround.MANAGED_RAY_JOBS),)
    if spec.get("shutdownAfterJobFinishes") in (None, False) and spec.get("suspend") is not True:
        fix = (("spec", "shutdownAfterJobFinishes"), True)
        yield Problem(
            ("spec",), Because(KindFlaw.QUEUED_KEPT, (queue,)), "queued cluster", by, assumes=assumes, put=fix
        )
    if mapping(spec.get("clusterSelector")):
        place = ("spec", "clusterSelector")
        yield Problem(place, Because(KindFlaw.QUEUED_SELECTION, (queue,)), "queued selector", by, assumes=assumes)


def _service(item: Any) -> Iterator[Problem]:
    words = ("NewClusterWithIncrementalUpgrade", "NewCluster", "None")
    yield from one_of(item, ("spec", "upgradeStrategy", "type"), words, _BY)
    at: Path = ("spec", "rayClusterConfig", "headGroupSpec", "headService", "metadata", "name")
    if text(below(item, *at)):
        yield Problem(at, Because(KindFlaw.HEAD_SERVICE_NAME), "head service", _BY)
