"""The job's queue of Volcano or KAI is not there, takes no jobs, or is too small for the gang.

Volcano's webhook refuses a job whose queue does not exist, is not open or has queues below it, and its scheduler starts
no gang that needs more at once than the queue's capability. KAI refuses nothing: its scheduler passes over pods whose
queue, or its parent, does not exist or has queues below it, and over gangs above the limit of the queue or of one above
it; they stay Pending without an event that says why. With hierarchical queues of Volcano, what is guaranteed to other
queues below one parent is kept free for them, so that less of the parent's capability is left for the gang. The
coscheduling plugin has no queues: it refuses all pods of a PodGroup whose `minResources` all nodes together lack.

Silent where Git holds no queue of Volcano or KAI, and about `minResources` where not all nodes are known. A queue that
is not in Git may exist all the same, so its absence is only likely. Volcano's `default` and KAI's `default-queue` are
made by their installation.

```yaml given
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: team}
spec: {weight: 1, capability: {nvidia.com/gpu: "2"}}
```

```yaml bad
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  minAvailable: 3
  schedulerName: volcano
  queue: team  # expect
  policies: [{event: PodFailed, action: RestartJob}, {event: PodEvicted, action: RestartJob}]
  tasks:
    - name: rank
      replicas: 3
      template:
        spec:
          restartPolicy: Never
          containers: [{name: rank, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "1"}}}]
```

```yaml bad
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: research}
spec: {resources: {gpu: {quota: 8, limit: 8, overQuotaWeight: 1}}}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: ml
  labels:
    kai.scheduler/queue: reserch  # expect, repaired
spec:
  backoffLimit: 0
  template:
    spec:
      schedulerName: kai-scheduler
      restartPolicy: Never
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  minAvailable: 2
  schedulerName: volcano
  queue: team
  policies: [{event: PodFailed, action: RestartJob}, {event: PodEvicted, action: RestartJob}]
  tasks:
    - name: rank
      replicas: 2
      template:
        spec:
          restartPolicy: Never
          containers: [{name: rank, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "1"}}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Certainty, Finding, Severity
from trainlint.model.root import Root
from trainlint.queues.queue_refusals import QueueRefusal
from trainlint.rule import Facts, rule
from trainlint.wording.because import because_text, related_to, remedy_for
from trainlint.wording.queues import never_started


@rule(Severity.ERROR, tells=(Root.SCHEDULER_QUEUE,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object, where it names its queue."""
    for cause in facts.queues.refusals:
        yield _finding(cause)


def _finding(cause: QueueRefusal) -> Finding:
    evidence = {"queue": cause.queue}
    if cause.doubt:
        evidence["assumes"] = because_text(cause.doubt)
    return Finding(
        message=never_started(cause),
        at=cause.at,
        remedy=remedy_for(cause.why),
        related=related_to(cause.places),
        evidence=evidence,
        certainty=Certainty.PROVEN if cause.certain else Certainty.LIKELY,
        cause=f"{cause.queue} {because_text(cause.why)}",
        fixes=partial(iter, cause.fixes),
    )
