"""A job that is meant for a queue, and that the queueing system does not see.

The queue name counts at one place only, and elsewhere nothing warns: Kueue reads the label `kueue.x-k8s.io/queue-name`
of the job itself, not an annotation and not the pod template, in namespaces that its managedJobsNamespaceSelector
matches, for the kinds that its configuration enables; KAI reads the label `kai.scheduler/queue` of pods that name its
scheduler; Volcano reads `spec.queue` of its Job and an annotation of other pods. The Jobs of a CronJob have the labels
of its jobTemplate, not its own. A job that is missed either runs past every quota, or, with `suspend: true`, never.

Pods that name a PodGroup of Git, of Volcano or of the coscheduling plugin, under the default scheduler are placed one
by one, unless a KubeSchedulerConfiguration in Git lets it run the plugin Coscheduling. Pods that name a scheduler which
is a slip of the pen for a known one, or for a profile in Git, stay Pending without an event.

Silent about queueing systems that Git does not mention.

```yaml given
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: any, resources: [{name: cpu, nominalQuota: "64"}]}]
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
  annotations:
    kueue.x-k8s.io/queue-name: team  # expect, repaired
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: ml
spec:
  suspend: true  # expect
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml bad
apiVersion: batch/v1
kind: CronJob
metadata:
  name: nightly
  namespace: ml
  labels:
    kueue.x-k8s.io/queue-name: team  # expect, repaired
spec:
  schedule: "0 2 * * *"
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          containers: [{name: train, image: "registry.example/train:1", resources: {requests: {cpu: "1"}}}]
```

```yaml bad
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: train, namespace: ml}
spec: {minMember: 1}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  backoffLimit: 0
  template:
    metadata:
      labels:
        scheduling.x-k8s.io/pod-group: train  # expect
    spec:
      restartPolicy: Never
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: team}}
spec:
  suspend: true
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: train, image: "registry.example/train:1", resources: {requests: {cpu: "1"}}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Certainty, Finding, Severity
from trainlint.queues.missed_queue import MissedQueue
from trainlint.rule import Facts, rule
from trainlint.wording.because import because_text, related_to, remedy_for
from trainlint.wording.queues import missed_text


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and queueing system."""
    for cause in facts.queues.missed:
        yield _finding(cause)


def _finding(cause: MissedQueue) -> Finding:
    text = missed_text(cause)
    return Finding(
        message=text,
        at=cause.at,
        remedy=remedy_for(cause.why),
        related=related_to(cause.places),
        evidence={"assumes": because_text(cause.assumes)} if cause.assumes else {},
        certainty=Certainty.LIKELY,
        cause=text,
        of_key=cause.of_key,
        fixes=partial(iter, cause.fixes),
    )
