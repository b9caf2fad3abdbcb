"""The pod sets that Kueue's integrations make of a job: not always those of its operator (S 2.2).

Counts and topology are read as the integrations read them (kubernetes-sigs/kueue:pkg/controller/jobs and
pkg/controller/jobframework/tas.go); annotations count on pod templates, never on the job itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from trainlint.kube.pod import read_pod_spec
from trainlint.kube.values import known_text, read_int, read_text
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container, PodSpec
from trainlint.model.queued import QueuedPods, Slices, TopologyRequest
from trainlint.model.workload import ObjectRef
from trainlint.source.document import Field
from trainlint.workload.expansion import Context
from trainlint.workload.flows import product

__all__ = [
    "Queued",
    "TopologyError",
    "queued_job",
    "queued_job_set",
    "queued_leader_worker_set",
    "queued_pod",
    "queued_ray_cluster",
    "queued_ray_job",
    "queued_roles",
    "queued_stateful_set",
    "topology_of",
]

Queued: TypeAlias = Callable[[Field, ObjectRef, Context], Iterable[QueuedPods] | None]
"""The pod sets that Kueue makes of the object at the cursor; ``None`` where they are unknown.

Raises:
    TopologyError: an annotation about the topology cannot be read.
"""


_PREFIX: Final = "kueue.x-k8s.io/"
_COMPLETION: Final = "batch.kubernetes.io/job-completion-index"
_REPLICA: Final = "training.kubeflow.org/replica-index"
_SUBMITTER: Final = {"cpu": "500m", "memory": "200Mi"}
_AUTOSCALER: Final = {"cpu": "500m", "memory": "512Mi"}
_CLEANUP: Final = {"cpu": "200m", "memory": "256Mi"}
"""What a head with GCS fault tolerance requests at least: the job that cleans Redis up takes its place."""
_MOST_LAYERS: Final = 3


class TopologyError(ValueError):
    """An annotation that cannot be read: Kueue makes no workload of the job."""


def queued_job(item: Field, owner: ObjectRef, context: Context) -> Iterator[QueuedPods]:
    """The pods of a Job."""
    del owner, context
    yield _job(item, "main")


def queued_job_set(item: Field, owner: ObjectRef, context: Context) -> Iterator[QueuedPods]:
    """One for each of its replicated jobs."""
    del owner, context
    yield from _job_set(item["spec"])


def queued_roles(roles_at: str, order: Sequence[str]) -> Queued:
    """One for each role of a job of kubeflow.org, in this order; ``roles_at`` is the field of the map of roles."""
    return lambda item, owner, context: _kubeflow(item["spec"], roles_at, order)


def queued_ray_cluster(item: Field, owner: ObjectRef, context: Context) -> Iterator[QueuedPods]:
    """The head and each group of workers."""
    del owner, context
    yield from _ray(item["spec"])


def queued_ray_job(item: Field, owner: ObjectRef, context: Context) -> Iterable[QueuedPods] | None:
    """Those of its cluster, and the submitter; ``None`` where it uses a cluster that is there."""
    del owner, context
    return None if item.down("spec", "clusterSelector").mapping else _ray_job(item["spec"])


def queued_leader_worker_set(item: Field, owner: ObjectRef, context: Context) -> Iterator[QueuedPods]:
    """The leader and the workers of one group."""
    del owner, context
    yield from _leader_worker_set(item.down("spec", "leaderWorkerTemplate"))


def queued_stateful_set(item: Field, owner: ObjectRef, context: Context) -> Iterator[QueuedPods]:
    """All pods of a StatefulSet."""
    del owner, context
    count = read_int(item.down("spec", "replicas"), 1)
    yield _pods("main", count, item.down("spec", "template"), "apps.kubernetes.io/pod-index")


def queued_pod(item: Field, owner: ObjectRef, context: Context) -> Iterator[QueuedPods]:
    """A Pod by itself."""
    del owner, context
    yield _pods("main", 1, item, f"{_PREFIX}pod-group-pod-index")


def _job(job: Field, name: str) -> QueuedPods:
    found = _pods(name, _at_once(job["spec"]), job.down("spec", "template"), _COMPLETION)
    least = job.down("metadata", "annotations", f"{_PREFIX}job-min-parallelism").scalar or ""
    digits = least[1:] if least[:1] in {"+", "-"} else least
    return replace(found, least=int(least)) if digits.isascii() and digits.isdecimal() else found


def _at_once(spec: Field) -> Known[int]:
    """Pods of a Job at one time: ``parallelism``, and no more than there are completions."""
    parallelism = read_int(spec["parallelism"], 1)
    completions = read_int(spec["completions"]) if spec["completions"].present else parallelism
    if isinstance(parallelism, Undetermined) or isinstance(completions, Undetermined):
        return parallelism if isinstance(parallelism, Undetermined) else completions
    return min(parallelism, completions)


def _job_set(spec: Field) -> Iterator[QueuedPods]:
    for entry in spec["replicatedJobs"].elements():
        replicas = read_int(entry["replicas"], 1)
        job = entry.down("template", "spec")
        count = product(replicas, _at_once(job))
        parts = ("jobset.sigs.k8s.io/job-index", replicas)
        yield _pods(read_text(entry["name"]).lower(), count, job["template"], _COMPLETION, parts)


def _kubeflow(spec: Field, key: str, order: Iterable[str]) -> Iterator[QueuedPods]:
    specs = {name.lower(): value for name, value in spec[key].items()}
    for role in order:
        entry = specs.get(role.lower())
        if entry is not None and entry.mapping is not None:
            yield _pods(role.lower(), read_int(entry["replicas"], 1), entry["template"], _REPLICA)


def _ray(spec: Field, sidecars: Iterable[dict[str, str]] = ()) -> Iterator[QueuedPods]:
    head = _pods("head", 1, spec.down("headGroupSpec", "template"))
    more = list(sidecars)
    if spec["enableInTreeAutoscaling"].value is True:
        written = spec.down("autoscalerOptions", "resources")
        asked = {**_texts(written["limits"]), **_texts(written["requests"])}
        more.append(asked if written.mapping else dict(_AUTOSCALER))
    first = head.spec
    if spec["gcsFaultToleranceOptions"].mapping is not None:
        first = _at_least(first, _CLEANUP)
    containers = (*first.containers, *(Container(requests=dict(each)) for each in more))
    yield replace(head, spec=replace(first, containers=containers))
    for group in spec["workerGroupSpecs"].elements():
        count = product(read_int(group["replicas"]), read_int(group["numOfHosts"], 1))
        yield _pods(read_text(group["groupName"]).lower(), count, group["template"])


def _ray_job(spec: Field) -> Iterator[QueuedPods]:
    mode = read_text(spec["submissionMode"]) or "K8sJobMode"
    yield from _ray(spec["rayClusterSpec"], [_SUBMITTER] if mode == "SidecarMode" else ())
    template = spec["submitterPodTemplate"]
    if mode == "K8sJobMode" and template.mapping is not None:
        yield _pods("submitter", 1, template)
    elif mode == "K8sJobMode":
        yield QueuedPods("submitter", 1, PodSpec(containers=(Container(requests=dict(_SUBMITTER)),)))


def _leader_worker_set(template: Field) -> Iterator[QueuedPods]:
    size, index = read_int(template["size"], 1), "leaderworkerset.sigs.k8s.io/worker-index"
    if template["leaderTemplate"].mapping is None:
        yield _pods("main", size, template["workerTemplate"], index)
        return
    yield _pods("leader", 1, template["leaderTemplate"])
    workers = size if isinstance(size, Undetermined) else size - 1
    yield _pods("worker", workers, template["workerTemplate"], index)


def _pods(
    name: str, count: Known[int], template: Field, index: str = "", parts: tuple[str, Known[int]] | None = None
) -> QueuedPods:
    annotations = template.down("metadata", "annotations")
    request = topology_of(annotations)
    if index or parts is not None:
        request = replace(request or TopologyRequest(), index_label=index)
    if parts is not None and request is not None:
        request = replace(request, subgroup_label=parts[0], subgroups=parts[1])
    return QueuedPods(name, count, read_pod_spec(template["spec"]), request)


def topology_of(annotations: Field) -> TopologyRequest | None:
    """What the annotations of a pod template ask of the topology; ``None`` where they ask for nothing.

    Required wins over preferred, and that over unconstrained. A group name counts with one of the first two only.

    Raises:
        TopologyError: a value cannot be read.
    """
    required = annotations[f"{_PREFIX}podset-required-topology"].scalar
    preferred = annotations[f"{_PREFIX}podset-preferred-topology"].scalar if required is None else None
    free = annotations[f"{_PREFIX}podset-unconstrained-topology"].scalar
    unconstrained = None if required is not None or preferred is not None or free is None else _boolean(free)
    slices, layers = _slices(annotations)
    if required is None and preferred is None and unconstrained is None and not slices:
        return None
    group = annotations[f"{_PREFIX}podset-group-name"].scalar
    if required is None and preferred is None:
        group = None
    return TopologyRequest(required, preferred, unconstrained, slices, layers=layers, group=group)


def _slices(annotations: Field) -> tuple[tuple[Slices, ...], bool]:
    """The slices, and whether they are written as constraints, which win."""
    constraints = annotations[f"{_PREFIX}podset-slice-required-topology-constraints"].scalar
    if constraints is not None:
        return tuple(_layers(constraints)), True
    level = annotations[f"{_PREFIX}podset-slice-required-topology"].scalar
    size = annotations[f"{_PREFIX}podset-slice-size"].scalar
    return ((Slices(level, _number(size)),) if level is not None and size is not None else ()), False


def _layers(text: str) -> Iterator[Slices]:
    try:
        found = json.loads(text)
    except ValueError:
        raise TopologyError("the topology constraints are no JSON") from None
    if not isinstance(found, list) or not 0 < len(found) <= _MOST_LAYERS:
        raise TopologyError("there must be one to three topology constraints")
    for each in found:
        if not isinstance(each, dict) or not isinstance(each.get("size", 0), int):
            raise TopologyError("a topology constraint is a topology with a size")
        yield Slices(str(each.get("topology", "")), each.get("size"))


def _boolean(text: str) -> bool:
    if text in {"1", "t", "T", "true", "TRUE", "True"}:
        return True
    if text in {"0", "f", "F", "false", "FALSE", "False"}:
        return False
    raise TopologyError(f"{text!r} is neither true nor false")


def _number(text: str) -> int:
    digits = text[1:] if text[:1] in {"+", "-"} else text
    if not digits.isdecimal() or not digits.isascii() or abs(int(text)) >= 2**31:
        raise TopologyError(f"{text!r} is no number of pods")
    return int(text)


def _at_least(spec: PodSpec, least: dict[str, str]) -> PodSpec:
    """The spec whose first container requests at least as much."""
    first, *rest = spec.containers or (Container(),)
    own = {**first.limits, **first.requests}
    more = {name: _greater(own[name], amount) if name in own else amount for name, amount in least.items()}
    return replace(spec, containers=(replace(first, requests={**own, **more}), *rest))


def _greater(one: Known[str], other: str) -> Known[str]:
    from trainlint.model.quantity import QuantityError, parse_quantity  # noqa: PLC0415 (seldom needed)

    if isinstance(one, Undetermined):
        return one
    try:
        return one if parse_quantity(one) >= parse_quantity(other) else other
    except QuantityError:
        return other


def _texts(field: Field) -> dict[str, str]:
    return {name: text for name, value in field.items() if isinstance(text := known_text(value), str)}
