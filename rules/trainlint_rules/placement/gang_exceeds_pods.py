"""A gang waits for more pods than will ever exist.

Gang scheduling starts the pods of a group together: none before the minimum is there. A minMember, minAvailable or
minCount above the number of pods that the job makes is never reached, and every pod stays Pending. The gang is the
whole job: a launcher counts as well as its workers. With a podGroupPolicy in the runtime of a TrainJob it counts the
initializers too, and pods that are made only when others have ended or are ready (dependsOn) never come.

Silent where other objects may add members: charts and templates that were not rendered.

```yaml bad
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: train, namespace: ml}
spec:
  minMember: 8  # expect
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
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml bad
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: gang, namespace: ml}
spec:
  podGroupPolicy: {coscheduling: {scheduleTimeoutSeconds: 120}}
  mlPolicy: {numNodes: 2, torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: dataset-initializer
          template:
            spec: {template: {spec: {containers: [{name: dataset-initializer, image: "registry.example/fetch:1"}]}}}
        - name: node
          dependsOn: [{name: dataset-initializer, status: Complete}]
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {backoffLimit: 0, template: {spec: {containers: [{name: node, image: "registry.example/train:1"}]}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train, namespace: ml}
spec:
  runtimeRef: {kind: TrainingRuntime, name: gang}  # expect
  trainer: {numNodes: 2}
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
      containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Certainty, Finding, Fix, Put, Related, Severity
from trainlint.model.workload import Gang
from trainlint.rule import Facts, rule


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per gang."""
    for gang, count in facts.oversized_gangs:
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
            certainty=Certainty.LIKELY if gang.doubt else Certainty.PROVEN,
            cause=gang.what,
            fixes=partial(_lowered, gang, count),
        )


def _lowered(gang: Gang, count: int) -> Iterator[Fix]:
    yield Fix(f"let the gang wait for {count} pods, which is all there are", (Put(gang.at, count),))
