"""A required topology is set on the roles of a group one by one: each is placed alone, the group is not.

Kueue finds a domain for each pod set (and each slice) by itself, JobSet gives each child Job one that it keeps the
others out of, Volcano places the parts of one task, and every PodGroup has a domain of its own. Master and workers that
are each "required" to be in one rack may stand in two.

Silent for Kueue's podset-group-name with exactly two pod sets, one of them of one pod, for the replicas of one
replicated job and for the subgroups of a LeaderWorkerSet.

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: train}}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        metadata:
          annotations:
            kueue.x-k8s.io/podset-required-topology: example.com/rack  # expect
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}]
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        metadata:
          annotations:
            kueue.x-k8s.io/podset-required-topology: example.com/rack
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}]
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: train}}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        metadata:
          annotations:
            kueue.x-k8s.io/podset-required-topology: example.com/rack
            kueue.x-k8s.io/podset-group-name: ranks
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        metadata:
          annotations:
            kueue.x-k8s.io/podset-required-topology: example.com/rack
            kueue.x-k8s.io/podset-group-name: ranks
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule
from trainlint.workload.checks.apart import placed_apart


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object of a group."""
    for group in facts.snapshot.workloads.groups:
        for fault in placed_apart(group):
            yield fault.finding()
