"""A gang counts pods that are made only after others of the same gang are Ready or have ended.

No pod of a gang starts before its minimum of pods exists. If some of them are made only when others run
(launcherCreationPolicy WaitForWorkersReady of an MPIJob, dependsOn or startupPolicyOrder InOrder of a JobSet,
startupPolicy LeaderReady of a LeaderWorkerSet, dependsOn of a Volcano task, the initializers of a TrainJob, the
submitter of a RayJob, a StatefulSet with podManagementPolicy OrderedReady, which is the default), each side waits for
the other: all pods stay Pending, and no event says why.

Silent where the minimum is reached without the later pods, and where these do not belong to the gang.

```yaml bad
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: train, namespace: ml}
spec:
  minMember: 3
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: ml}
spec:
  replicatedJobs:
    - name: worker
      template:
        spec:
          parallelism: 2
          completions: 2
          backoffLimit: 0
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: train}}
            spec:
              restartPolicy: Never
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: worker, image: "registry.example/train:1"}]
    - name: launcher
      dependsOn:
        - {name: worker, status: Ready}  # expect, repaired
      template:
        spec:
          backoffLimit: 0
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: train}}
            spec:
              restartPolicy: Never
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: launcher, image: "registry.example/train:1"}]
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
  minMember: 2
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: ml}
spec:
  replicatedJobs:
    - name: worker
      template:
        spec:
          parallelism: 2
          completions: 2
          backoffLimit: 0
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: train}}
            spec:
              restartPolicy: Never
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: worker, image: "registry.example/train:1"}]
    - name: launcher
      dependsOn: [{name: worker, status: Ready}]
      template:
        spec:
          backoffLimit: 0
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: train}}
            spec:
              restartPolicy: Never
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: launcher, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Certainty, Finding, Fix, Put, Related, Severity
from trainlint.queues.late_members import LateMembers
from trainlint.rule import Facts, rule
from trainlint.wording.because import because_text


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per gang, at the field that makes the first of the later pods wait."""
    for cause in facts.queues.late_members:
        yield _finding(cause)


def _finding(cause: LateMembers) -> Finding:
    gang, (pods, wait) = cause.gang, cause.late[0]
    later = " and ".join(each.name for each, _ in cause.late)
    awaited = " and ".join(each.name for each in cause.awaited)
    made = f"so {later} is made only after {awaited}"
    without, at_once = f"without {later}", f"let {later} be made at once"
    if cause.in_order:
        made = f"so each pod of {later} is made only after the one before it is Ready"
        without, at_once = "before the first is Ready", "set podManagementPolicy: Parallel"
    there = f"{without} there {_are(cause.count)}"
    message = f"{wait.why}, {made}; but {gang.what} is {gang.minimum}, and {there}: none ever starts"
    return Finding(
        message=message,
        at=wait.at,
        remedy=f"let the gang wait for at most {_pods(cause.count)}, or {at_once}",
        related=(
            Related(f"demands {gang.minimum} pods: {gang.what}", gang.at),
            *(Related(f"is made first ({each.name})", each.at) for each in cause.early),
            *(Related(f"is made later ({each.name})", each.at) for each, _ in cause.late),
        ),
        evidence={"minimum": str(gang.minimum), "pods before": cause.count}
        | ({"assumes": because_text(gang.doubt)} if gang.doubt else {}),
        certainty=Certainty.LIKELY if gang.doubt else Certainty.PROVEN,
        cause=f"{gang.what} {pods.name}",
        fixes=partial(_lowered, cause),
    )


def _lowered(cause: LateMembers) -> Iterator[Fix]:
    """The written minimum becomes the number of pods that are made first; a computed one stands nowhere. Pods that are
    made in order are made at once instead.
    """
    if cause.in_order:
        pods, wait = cause.late[0]
        yield Fix(f"let all pods of {pods.name} be made at once", (Put(wait.at, "Parallel", ("replicas",)),))
        return
    if cause.gang.at.path[-1:] in {("minAvailable",), ("minCount",), ("minMember",)}:
        title = f"let the gang wait for {_pods(cause.count)}: no more are made at first"
        yield Fix(title, (Put(cause.gang.at, cause.count),))


def _pods(count: int) -> str:
    return "1 pod" if count == 1 else f"{count} pods"


def _are(count: int) -> str:
    return f"is {_pods(count)}" if count == 1 else f"are {_pods(count)}"
