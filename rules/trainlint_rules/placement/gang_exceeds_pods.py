"""A gang waits for more pods than will ever exist.

Gang scheduling starts the pods of a group together: none before the minimum is there. A minMember, minAvailable or
minCount above the number of pods that the job makes is never reached, and every pod stays Pending. The gang is the
whole job: a launcher counts as well as its workers. The rule
gang-waits-for-later-pods reports pods that are made later.

Silent where other objects may add members: charts and templates that were not rendered.

```yaml bad
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: train, namespace: ml}
spec:
  minMember: 8  # expect, repaired
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  backoffLimit: 0
  template:
    metadata: {labels: {scheduling.x-k8s.io/pod-group: train}}
    spec:
      restartPolicy: Never
      schedulerName: scheduler-plugins-scheduler
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: train, namespace: ml}
spec:
  minMember: 4
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  backoffLimit: 0
  template:
    metadata: {labels: {scheduling.x-k8s.io/pod-group: train}}
    spec:
      restartPolicy: Never
      schedulerName: scheduler-plugins-scheduler
      containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Certainty, Finding, Fix, Put, Related, Severity
from trainlint.model.root import Root
from trainlint.model.workload import Gang
from trainlint.rule import Facts, rule
from trainlint.wording.because import because_text


@rule(Severity.ERROR, tells=(Root.GANG_SIZE,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per gang."""
    for gang, count in facts.queues.oversized_gangs:
        names = " and ".join(pods.name for pods in gang.pod_sets)
        message = f"{gang.what} is {gang.minimum}, and there are {count} pods in all ({names}): none ever starts"
        remedy = f"set it to at most {count}, or make more pods"
        yield Finding(
            message=message,
            at=gang.at,
            remedy=remedy,
            related=(
                Related(f"demands it: {gang.what}", gang.at, cause=1),
                *(Related(f"belongs to it ({pods.name})", pods.at) for pods in gang.pod_sets),
            ),
            evidence={"minimum": str(gang.minimum), "pods": count},
            assumes=(because_text(gang.doubt),) if gang.doubt else (),
            certainty=Certainty.LIKELY if gang.doubt else Certainty.PROVEN,
            cause=gang.what,
            fixes=partial(_lowered, gang, count),
        )


def _lowered(gang: Gang, count: int) -> Iterator[Fix]:
    yield Fix(f"let the gang wait for {count} pods, which is all there are", (Put(gang.at, count),))
