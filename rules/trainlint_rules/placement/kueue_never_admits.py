"""Kueue never admits the job, or admits it onto nodes that do not exist.

A job with a queue stays suspended until its ClusterQueue admits it, and nothing runs and nothing fails meanwhile. What
makes admission impossible: no LocalQueue of that name in the namespace, a LocalQueue without its ClusterQueue, a
ClusterQueue whose namespaceSelector is missing (it then selects no namespace; `{}` selects all) or does not match, a
queue that is stopped or waits for an object that is not there, a requested resource that no resource group covers, more
than the quota and what the cohort lends, flavors none of which takes the pods, or no queue at all where Kueue is told
to manage jobs without one (manageJobsWithoutQueueName). And admission is not scheduling:
Kueue adds the flavor's labels to the nodeSelector without looking whether a node carries them.

Silent where the snapshot holds nothing of Kueue. A queue or flavor that is not in Git may exist all the same, so its
absence is only likely, and only where others of the kind are in Git.

```yaml given
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: gpu}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors: [{name: gpu, resources: [{name: nvidia.com/gpu, nominalQuota: "2"}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: ml}
spec: {clusterQueue: team}
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: ml
  labels:
    kueue.x-k8s.io/queue-name: team  # expect
spec:
  parallelism: 3
  completions: 3
  completionMode: Indexed
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: rank, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "1"}}}]
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: team}}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: rank, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "1"}}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.finding import Certainty, Finding, Location, Related, Severity
from trainlint.model.because import Because
from trainlint.model.root import Root
from trainlint.model.workload import ObjectRef
from trainlint.proof.cause import PlacementCause
from trainlint.queues.kueue_refusals import QueueCause
from trainlint.rule import Facts, rule
from trainlint.scheduling.taint_toleration import PLUGIN as TAINTS
from trainlint.wording.because import because_text, related_to, remedy_for


@rule(Severity.ERROR, tells=(Root.FLAVOR, Root.KUEUE))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object; one for all objects of a queue where the fault is the queue's own."""
    shared: dict[tuple[Location, Because | ObjectRef], list[QueueCause]] = {}
    for cause in facts.repository.never_admitted:
        key = (cause.at, cause.why if cause.root else cause.owner)
        shared.setdefault(key, []).append(cause)
    for causes in shared.values():
        yield _never_admitted(causes)
    owners = {cause.owner for cause in facts.repository.never_admitted}
    for placed in facts.placement.causes(Root.FLAVOR):
        if placed.pod_set.owner not in owners:
            yield _admitted_onto_nothing(placed, facts)


def _never_admitted(causes: Sequence[QueueCause]) -> Finding:
    cause = causes[0]
    queue = f" (queue {cause.queue})" if cause.queue else ""
    owners = [str(each.owner) for each in causes]
    more = f" and {len(owners) - 3} more" if len(owners) > 3 else ""
    places = dict.fromkeys(place for each in causes for place in each.places)
    reason = because_text(cause.why)
    return Finding(
        message=f"Kueue never admits {', '.join(owners[:3])}{more}{queue}: {reason}",
        at=cause.at,
        remedy=remedy_for(cause.why),
        related=related_to(places),
        evidence={"queue": cause.queue or "none"},
        certainty=Certainty.PROVEN if cause.certain else Certainty.LIKELY,
        severity=Severity.WARNING if cause.stuck else None,
        cause=f"{cause.queue} {reason}",
        fixes=lambda: cause.fixes,
    )


def _admitted_onto_nothing(cause: PlacementCause, facts: Facts) -> Finding:
    """Every node that the flavor stands for refuses the pods: for what the flavor selects, or for its taint."""
    pod_set = cause.pod_set
    closest = cause.misses[0]
    reasons = "; ".join(dict.fromkeys(because_text(each.reason) for each in closest.refusals))
    flavors = [each for choice in facts.queues.queueing.choices(pod_set) or () for each in choice]
    added = ", ".join(
        dict.fromkeys(f"{each.key}={each.values[0]}" for flavor in flavors for each in flavor.node_labels)
    )
    names = ", ".join(dict.fromkeys(flavor.name for flavor in flavors))
    related = [Related(f"adds {added or 'nothing'} to the pods", each.at) for each in flavors if each.at is not None]
    related += [Related("decides it", each.at) for each in closest.refusals if each.at is not None]
    tainted = {each.plugin for each in closest.refusals} == {TAINTS}
    if tainted:
        message = (
            f"Kueue admits {pod_set.name} onto nodes that refuse it: the flavor {names} sends it to nodes with "
            f"{added}, and {reasons} (pool {closest.pool.name})"
        )
        remedy = (
            "tolerate that taint in the pods or in the flavor, or give the ClusterQueue a flavor for pods that need no "
            "such nodes"
        )
    else:
        message = (
            f"Kueue admits {pod_set.name} onto nodes that do not exist: with what the flavor {names} adds ({added}), "
            f"no node takes a pod (the closest is pool {closest.pool.name}: {reasons})"
        )
        remedy = "let the flavor's nodeLabels be labels that the nodes carry"
    return Finding(
        message=message,
        at=pod_set.spec.at or pod_set.at,
        remedy=remedy,
        related=tuple(dict.fromkeys(related)),
        evidence={"queue": pod_set.queue, "closest pool": closest.pool.name},
        cause=f"{pod_set.queue} {reasons}",
    )
