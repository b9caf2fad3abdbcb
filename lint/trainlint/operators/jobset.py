"""JobSet: its webhooks' defaults, its controller, and its webhook of pods (W 5)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from trainlint.operators.batch import COMPLETION_INDEX, job_pods
from trainlint.operators.cluster import MadeObjects
from trainlint.operators.manifest import (
    ANY,
    Manifest,
    annotations_of,
    below,
    copied,
    count,
    every_container,
    items,
    mapping,
    meta,
    name_of,
    namespace_of,
    object_of,
    own_of,
    text,
)

__all__ = ["COORDINATOR", "MANAGER", "PREFIX", "PRIORITY", "coordinator_host", "job_key", "job_labels", "run_job_set"]

PREFIX: Final = "jobset.sigs.k8s.io/"
COORDINATOR: Final = f"{PREFIX}coordinator"
PRIORITY: Final = f"{PREFIX}priority"
MANAGER: Final = f"{PREFIX}jobset-controller"
EXCLUSIVE: Final = f"alpha.{PREFIX}exclusive-topology"
BY_SELECTOR: Final = f"alpha.{PREFIX}node-selector"
_NAMESPACED_JOB: Final = f"alpha.{PREFIX}namespaced-job"
_NO_SCHEDULE: Final = f"alpha.{PREFIX}no-schedule"
_IN_PLACE: Final = "InPlaceRestart"
_Text = TypeVar("_Text")


def run_job_set(cluster: MadeObjects, job_set: Manifest) -> None:
    """The Service, the Jobs in the order that they wait for each other, and their pods."""
    spec = _defaulted(mapping(job_set.get("spec")))
    if text(spec.get("managedBy")) not in {"", MANAGER}:
        return
    if below(spec, "failurePolicy", "restartStrategy") == _IN_PLACE and not cluster.options.gates.get(_IN_PLACE):
        cluster.refuse(
            job_set,
            "spec.failurePolicy.restartStrategy",
            f"restartStrategy {_IN_PLACE} needs the feature gate {_IN_PLACE}",
        )
        return
    item = {**job_set, "spec": spec}
    if spec["network"]["enableDNSHostnames"] and not cluster.create(_service(item)):
        return
    ready: dict[str, bool] = {}
    in_order = below(spec, "startupPolicy", "startupPolicyOrder") == "InOrder" and spec.get("suspend") is not True
    for entry in items(spec.get("replicatedJobs")):
        if not all(ready.get(text(each.get("name"))) for each in items(entry.get("dependsOn"))):
            continue
        jobs = [_job(item, entry, index) for index in range(entry["replicas"])]
        jobs = [each for each in jobs if cluster.find("Job", name_of(each), namespace_of(each)) is None]
        made = [each for each in jobs if cluster.create(each)]
        if len(made) < len(jobs):
            _run(cluster, made)
            return
        started = _run(cluster, made) and spec.get("suspend") is not True
        ready[text(entry.get("name"))] = started
        if in_order and not started:
            return


def _run(cluster: MadeObjects, jobs: list[Manifest]) -> bool:
    """Make the pods of Jobs; ``True`` where all of them came to be."""
    return all([cluster.create_pods(pods) for pods in map(_admitted, jobs)] + [True])


def _defaulted(spec: Manifest) -> Manifest:
    spec = copied(spec)
    for entry in items(spec.get("replicatedJobs")):
        entry["replicas"] = count(entry.get("replicas"), 1)
        entry["groupName"] = text(entry.get("groupName")) or "default"
        job = own_of(own_of(entry, "template"), "spec")
        job["completionMode"] = job.get("completionMode") or "Indexed"
        pod = own_of(own_of(job, "template"), "spec")
        pod["restartPolicy"] = pod.get("restartPolicy") or "OnFailure"
    network = own_of(spec, "network")
    for key in ("enableDNSHostnames", "publishNotReadyAddresses"):
        network[key] = network.get(key) is not False
    return spec


def _subdomain(job_set: Manifest) -> str:
    return text(below(job_set, "spec", "network", "subdomain")) or name_of(job_set)


def _service(job_set: Manifest) -> Manifest:
    spec = {
        "clusterIP": "None",
        "selector": {f"{PREFIX}jobset-name": name_of(job_set)},
        "publishNotReadyAddresses": job_set["spec"]["network"]["publishNotReadyAddresses"],
    }
    return object_of("v1", "Service", _subdomain(job_set), namespace_of(job_set), spec=spec)


def _job(job_set: Manifest, entry: Manifest, index: int) -> Manifest:
    spec = job_set["spec"]
    job: Manifest = copied(entry["template"])
    template = own_of(own_of(job, "spec"), "template")
    name = f"{name_of(job_set)}-{text(entry.get('name'))}-{index}"
    for each in (job, template):
        metadata = own_of(each, "metadata")
        own_of(metadata, "labels").update(_labels(job_set, entry, index, name))
        own_of(metadata, "annotations").update(_annotations(job_set, entry, index, name))
    meta(job).update(name=name, namespace=namespace_of(job_set))
    pod = template["spec"]
    if spec["network"]["enableDNSHostnames"]:
        pod["subdomain"] = _subdomain(job_set)
    if EXCLUSIVE in annotations_of(job) and BY_SELECTOR in annotations_of(job):
        own_of(pod, "nodeSelector")[_NAMESPACED_JOB] = f"{namespace_of(job_set)}_{name}"
        toleration = {"key": _NO_SCHEDULE, "operator": "Exists", "effect": "NoSchedule"}
        pod["tolerations"] = [*items(pod.get("tolerations")), toleration]
    job["spec"]["suspend"] = spec.get("suspend") is True
    _add_claims(job_set, pod)
    return {"apiVersion": "batch/v1", "kind": "Job", **job}


def _add_claims(job_set: Manifest, pod: Manifest) -> None:
    mounted = {mount.get("name") for each in every_container(pod) for mount in items(each.get("volumeMounts"))}
    for policy in items(job_set["spec"].get("volumeClaimPolicies")):
        for template in items(policy.get("templates")):
            name = name_of(template)
            if name in mounted:
                claim = {"claimName": f"{name}-{name_of(job_set)}"}
                pod["volumes"] = [*items(pod.get("volumes")), {"name": name, "persistentVolumeClaim": claim}]


def _labels(job_set: Manifest, entry: Manifest, index: int, job_name: str) -> dict[str, str]:
    entries = items(job_set["spec"].get("replicatedJobs"))
    group = [each for each in entries if each["groupName"] == entry["groupName"]]
    found = job_labels(
        job_set=(name_of(job_set), ANY, "0"),
        role=(text(entry.get("name")), entry["groupName"]),
        key=ANY if ANY in f"{namespace_of(job_set)}/{job_name}" else job_key(namespace_of(job_set), job_name),
        counts=(str(entry["replicas"]), str(_all(entries)), str(_all(group))),
        indices=(str(index), str(_before(entry, entries) + index), str(_before(entry, group) + index)),
    )
    coordinator = job_set["spec"].get("coordinator")
    if isinstance(coordinator, dict):
        role, job, pod = (coordinator.get(each) for each in ("replicatedJob", "jobIndex", "podIndex"))
        place = (text(role), str(count(job, 0)), str(count(pod, 0)))
        found[COORDINATOR] = coordinator_host(name_of(job_set), place, _subdomain(job_set))
    return found


def job_labels(
    *,
    job_set: tuple[_Text, _Text, _Text],
    role: tuple[_Text, _Text],
    key: _Text,
    counts: tuple[_Text, _Text, _Text],
    indices: tuple[_Text, _Text, _Text],
) -> dict[str, _Text]:
    """The labels of a Job and of its pods, but for the coordinator: from the name, the uid and the restarts of the
    JobSet; the name and the group of the role; the Jobs of the role, of all roles and of the group; the number of the
    Job among these three.
    """
    values = {
        "jobset-name": job_set[0],
        "jobset-uid": job_set[1],
        "restart-attempt": job_set[2],
        "replicatedjob-name": role[0],
        "group-name": role[1],
        "replicatedjob-replicas": counts[0],
        "global-replicas": counts[1],
        "group-replicas": counts[2],
        "job-index": indices[0],
        "job-global-index": indices[1],
        "job-group-index": indices[2],
        "job-key": key,
    }
    return {f"{PREFIX}{name}": value for name, value in values.items()}


def job_key(namespace: str, job_name: str) -> str:
    """The hash by which the pods of a Job find each other."""
    return hashlib.sha1(f"{namespace}/{job_name}".encode(), usedforsecurity=False).hexdigest()


def coordinator_host(job_set: str, pod: tuple[str, str, str], subdomain: str) -> str:
    """The host name of the coordinator, of its role and the numbers of its Job and pod."""
    return f"{job_set}-{'-'.join(pod)}.{subdomain}"


def _all(entries: list[Manifest]) -> int:
    """The Jobs of some entries."""
    return sum(each["replicas"] for each in entries)


def _before(entry: Manifest, entries: list[Manifest]) -> int:
    """The Jobs of the entries before the first of this name."""
    total = 0
    for each in entries:
        if each.get("name") == entry.get("name"):
            break
        total += each["replicas"]
    return total


def _annotations(job_set: Manifest, entry: Manifest, index: int, job_name: str) -> dict[str, Any]:
    found: dict[str, Any] = {**_labels(job_set, entry, index, job_name)}
    for source in (annotations_of(job_set), annotations_of(mapping(entry.get("template")))):
        if EXCLUSIVE in source:
            found |= {key: source[key] for key in (EXCLUSIVE, BY_SELECTOR) if key in source}
    return found


def _admitted(job: Manifest) -> list[Manifest]:
    """The pods of a child Job, as JobSet's webhook of pods leaves them; none where it always refuses them."""
    pods = job_pods(job)
    return [each for each in pods if _placed(each, led=any(map(_leads, pods)))]


def _leads(pod: Manifest) -> bool:
    return annotations_of(pod).get(COMPLETION_INDEX) == "0"


def _placed(pod: Manifest, *, led: bool) -> bool:
    annotations, spec = annotations_of(pod), pod["spec"]
    if BY_SELECTOR in annotations:
        return True
    labels = pod["metadata"]["labels"]
    labels[PRIORITY] = ANY if text(spec.get("priorityClassName")) else "0"
    if EXCLUSIVE not in annotations:
        return True
    topology = annotations[EXCLUSIVE]
    if _leads(pod):
        _keep_apart(spec, labels, topology)
        return True
    own_of(spec, "nodeSelector")[topology] = ANY
    return led


def _keep_apart(spec: Manifest, labels: Mapping[str, Any], topology: str) -> None:
    key = f"{PREFIX}job-key"
    own = {"key": key, "operator": "In", "values": [labels[key]]}
    others = [
        {"key": key, "operator": "Exists"},
        {"key": key, "operator": "NotIn", "values": [labels[key]]},
        {"key": PRIORITY, "operator": "In", "values": [labels[PRIORITY]]},
    ]
    affinity = own_of(spec, "affinity")
    for kind, expressions in (("podAffinity", [own]), ("podAntiAffinity", others)):
        terms = own_of(affinity, kind)
        required = "requiredDuringSchedulingIgnoredDuringExecution"
        term = {
            "labelSelector": {"matchExpressions": expressions},
            "topologyKey": topology,
            "namespaceSelector": {},
        }
        terms[required] = [*items(terms.get(required)), term]
