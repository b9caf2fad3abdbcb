"""RayCluster, RayJob, RayService (kuberay:ray-operator/controllers/ray/utils/validation.go; W 7), and Kueue's part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from trainlint.admission.kinds.words import at_least, one_of
from trainlint.admission.plain import below, elements, known, mapping, names, number, text, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load
from trainlint.workload.ray_job import RAY_CLUSTERS

__all__ = ["KUEUE", "of_ray"]

KUEUE: Final = "Kueue's webhook"

_BY: Final = "KubeRay"
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
        why = f"runtimeEnvYAML is no YAML: {error}"
        yield Problem(("spec", "runtimeEnvYAML"), why, "correct the text", "runtime environment", _BY)


def _cluster(cluster: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    groups = list(elements(cluster.get("workerGroupSpecs"), *at, "workerGroupSpecs"))
    for path, group in (((*at, "headGroupSpec"), mapping(cluster.get("headGroupSpec"))), *groups):
        name = text(group.get("groupName")) or "the head"
        start = mapping(group.get("rayStartParams"))
        given = [key for key in _START if start.get(key) not in (None, "")]
        if given and mapping(group.get("resources")):
            why = f"{name} has resources and rayStartParams.{given[0]}, and one of the two is allowed"
            yield Problem((*path, "resources"), why, "keep one of the two", f"resources {name}", _BY)
        if "labels" in start:
            why = f"rayStartParams.labels of {name} is not supported"
            remedy = "write labels beside rayStartParams"
            yield Problem((*path, "rayStartParams", "labels"), why, remedy, f"labels {name}", _BY)
    yield from _repeated(groups)
    for path, _ in groups:
        for problem in at_least(cluster, (*path[len(at) :], "numOfHosts"), 0, _BY):
            yield replace(problem, at=(*at, *problem.at))
    for path, group in groups:
        name = text(group.get("groupName"))
        if not is_placeholder(name) and ("_" in name or len(name) > _LABEL):
            wrong = (
                f"has {len(name)} characters, and {_LABEL} are allowed" if len(name) > _LABEL else "has an underscore"
            )
            why = f"the name of worker group {name} {wrong}: its pods and a label of theirs are named after it"
            remedy = "choose a name of lower case letters and dashes"
            yield Problem((*path, "groupName"), why, remedy, f"group {name}", what="every worker")
        for key in ("minReplicas", "maxReplicas"):
            count = number(group.get(key))
            if count is not None and count < 0:
                why = f"{key} of {name} is {count}, and must not be negative"
                yield Problem((*path, key), why, "write 0 or more", f"{key} {name}", _BY)


def _repeated(groups: Sequence[tuple[Path, Mapping[str, Any]]]) -> Iterator[Problem]:
    """A second worker group of one name: KubeRay counts pods by the name, and the first has enough (ray-0144)."""
    first: dict[str, Path] = {}
    for path, group in groups:
        name = known(group.get("groupName"))
        if name and name in first:
            why = f"a worker group before it is called {name} too, and KubeRay counts the pods of both by the name"
            before = ("the first of this name", (*first[name], "groupName"))
            cause = f"twice {name}"
            yield Problem(
                (*path, "groupName"), why, "rename one of the two", cause, _BY, related=(before,), unmade=True
            )
        first.setdefault(name or "", path)


def _autoscaler(cluster: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    for problem in one_of(cluster, ("autoscalerOptions", "version"), ("v1", "v2")):
        yield replace(problem, at=(*at, *problem.at))
    idle = number(below(cluster, "autoscalerOptions", "idleTimeoutSeconds"))
    if idle is not None and idle < 0:
        why = f"idleTimeoutSeconds is {idle}, and must not be negative"
        yield Problem((*at, "autoscalerOptions", "idleTimeoutSeconds"), why, "write 0 or more", "idle timeout", _BY)
    if cluster.get("enableInTreeAutoscaling") is not True:
        return
    groups = list(elements(cluster.get("workerGroupSpecs"), *at, "workerGroupSpecs"))
    for path, group in groups:
        if group.get("suspend") is True:
            why = f"worker group {text(group.get('groupName'))} is suspended, and the autoscaler is on"
            yield Problem((*path, "suspend"), why, "switch one of the two off", "suspended group", _BY)
    if below(cluster, "autoscalerOptions", "version") != "v2":
        return
    for path, group in (((*at, "headGroupSpec"), mapping(cluster.get("headGroupSpec"))), *groups):
        restart = text(below(group, "template", "spec", "restartPolicy"))
        if restart and restart != "Never" and not is_placeholder(restart):
            why = f"restartPolicy is {restart}, and with version v2 of the autoscaler it must be Never, or not written"
            place = (*path, "template", "spec", "restartPolicy")
            yield Problem(place, why, "remove restartPolicy", "restart of autoscaler v2", _BY)


def _policies(cluster: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """Rules for a direction that the mode does not restrict, and for groups that are not there."""
    policy = mapping(cluster.get("networkPolicy"))
    free = {"DenyAllEgress": "ingressRules", "DenyAllIngress": "egressRules"}.get(text(policy.get("mode")), "")
    place = (*at, "networkPolicy")
    listed = list(elements(policy.get("workerGroups"), *place, "workerGroups"))
    holders = [((*place, key), mapping(policy.get(key))) for key in ("head", "worker")] + listed
    for path, rules in holders:
        if free and rules.get(free):
            why = f"{free} stand in networkPolicy, and its mode {policy['mode']} does not restrict that direction"
            yield Problem((*path, free), why, "remove them, or change the mode", f"{free}", _BY)
    groups = names(cluster.get("workerGroupSpecs"), "groupName")
    for path, rules in listed:
        name = known(rules.get("groupName"))
        if name and name not in groups and not any(is_placeholder(each) for each in groups):
            why = f"networkPolicy names the worker group {name}, and there is {', '.join(groups) or 'none'}"
            yield Problem((*path, "groupName"), why, "name a group that is there", f"group {name}", _BY)


def _store(cluster: Mapping[str, Any], at: Path, annotations: Mapping[str, Any]) -> Iterator[Problem]:
    """Where the head keeps its state."""
    is_set = written(cluster.get("gcsFaultToleranceOptions"))
    head = mapping(below(cluster, "headGroupSpec", "template", "spec", "containers", 0))
    env = {text(each.get("name")) for _, each in elements(head.get("env"))}
    place = (*at, "headGroupSpec", "template", "spec", "containers", 0, "env")
    enabled = is_set or text(annotations.get(_FT)).lower() == "true"
    if annotations.get(_FT) not in (None, "") and is_set:
        why = f"the annotation {_FT} and gcsFaultToleranceOptions are both set"
        yield Problem((*at, "gcsFaultToleranceOptions"), why, "remove the annotation", "fault tolerance", _BY)
    if not enabled and "RAY_REDIS_ADDRESS" in env:
        why = "the head has RAY_REDIS_ADDRESS, which needs gcsFaultToleranceOptions"
        yield Problem(place, why, "write redisAddress of gcsFaultToleranceOptions instead", "redis address", _BY)
    if is_set:
        for name, key in (("RAY_REDIS_ADDRESS", "redisAddress"), ("REDIS_PASSWORD", "redisPassword")):
            if name in env:
                why = f"the head has {name}, and gcsFaultToleranceOptions is set"
                yield Problem(place, why, f"write gcsFaultToleranceOptions.{key} instead", name, _BY)


def _job(spec: Mapping[str, Any], cluster: Mapping[str, Any]) -> Iterator[Problem]:
    ends = spec.get("shutdownAfterJobFinishes")
    if not (ends is None or isinstance(ends, bool)):
        return  # a placeholder
    if not ends:
        yield from _kept(spec)
    selector = mapping(spec.get("clusterSelector"))
    if not cluster and not selector and not written(spec.get("rayClusterSpec")):
        yield Problem(("spec",), "it has neither rayClusterSpec nor clusterSelector", "add one of them", "cluster", _BY)
    if selector and spec.get("suspend") is True:
        why = "suspend stops the cluster of the job, and clusterSelector names one that is not its own"
        yield Problem(("spec", "suspend"), why, "remove suspend, or write rayClusterSpec", "selected cluster", _BY)
    mode = text(spec.get("submissionMode"))
    if mode == "SidecarMode" and written(spec.get("submitterPodTemplate")):
        why = "in SidecarMode there is no submitter pod, and submitterPodTemplate is set"
        yield Problem(("spec", "submitterPodTemplate"), why, "remove it", "submitter template", _BY)
    if mode == "SidecarMode" and written(spec.get("submitterConfig")):
        why = "in SidecarMode there is no submitter Job, and submitterConfig is set"
        yield Problem(("spec", "submitterConfig"), why, "remove it", "submitter config", _BY)
    if mode == "SidecarMode" and selector:
        why = "SidecarMode adds a container to the head of its own cluster, and clusterSelector names another one"
        yield Problem(("spec", "clusterSelector"), why, "use another submissionMode", "sidecar", _BY)
    if mode == "InteractiveMode" and number(spec.get("backoffLimit")) not in (None, 0):
        why = "backoffLimit must be 0 or left out in InteractiveMode"
        yield Problem(("spec", "backoffLimit"), why, "remove it", "backoffLimit", _BY)
    yield from at_least({"spec": spec}, ("spec", "backoffLimit"), 0, _BY)
    yield from at_least({"spec": spec}, ("spec", "activeDeadlineSeconds"), 1, _BY)


def _kept(spec: Mapping[str, Any]) -> Iterator[Problem]:
    """What goes only with shutdownAfterJobFinishes; an own deletion strategy is another way to end the cluster."""
    fix = (("spec", "shutdownAfterJobFinishes"), True)
    if spec.get("suspend") is True:
        why = "suspend is true and shutdownAfterJobFinishes is not: a job that keeps its cluster cannot be suspended"
        yield Problem(("spec", "suspend"), why, "set shutdownAfterJobFinishes: true", "suspend", _BY, put=fix)
    seconds = number(spec.get("ttlSecondsAfterFinished"))
    if seconds and not written(spec.get("deletionStrategy")):
        why = f"ttlSecondsAfterFinished is {seconds}, and without shutdownAfterJobFinishes the cluster never ends"
        place = ("spec", "ttlSecondsAfterFinished")
        yield Problem(place, why, "set shutdownAfterJobFinishes: true", "ttl", _BY, put=fix)


def _queued(meta: Meta, spec: Mapping[str, Any]) -> Iterator[Problem]:
    """What Kueue's webhook refuses of a RayJob with a queue (kueue:pkg/controller/jobs/rayjob)."""
    queue = meta.labels.get(_QUEUE, "")
    if not queue:
        return
    by, assumes = KUEUE, ("Kueue manages RayJobs here, as it does unless its configuration says otherwise",)
    if spec.get("shutdownAfterJobFinishes") in (None, False) and spec.get("suspend") is not True:
        why = (
            f"the RayJob is queued in {queue} and does not end its cluster (shutdownAfterJobFinishes is not true), so "
        )
        why += "that its quota would never be free again"
        fix = (("spec", "shutdownAfterJobFinishes"), True)
        remedy = "set shutdownAfterJobFinishes: true"
        yield Problem(("spec",), why, remedy, "queued cluster", by, assumes=assumes, put=fix)
    if mapping(spec.get("clusterSelector")):
        why = f"the RayJob is queued in {queue} and runs on a cluster that is already there (clusterSelector)"
        place = ("spec", "clusterSelector")
        yield Problem(place, why, "write rayClusterSpec, or remove the queue", "queued selector", by, assumes=assumes)


def _service(item: Any) -> Iterator[Problem]:
    words = ("NewClusterWithIncrementalUpgrade", "NewCluster", "None")
    yield from one_of(item, ("spec", "upgradeStrategy", "type"), words, _BY)
    at: Path = ("spec", "rayClusterConfig", "headGroupSpec", "headService", "metadata", "name")
    if text(below(item, *at)):
        why = "the head Service of a RayService is named by KubeRay, and headService gives it a name"
        yield Problem(at, why, "remove the name", "head service", _BY)
