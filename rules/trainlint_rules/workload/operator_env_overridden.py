"""The manifest sets a variable that the operator sets to something else.

Operators append their variables to those of the container, and of two entries with one name the kubelet keeps the last:
the line in Git does nothing, whatever it says. (LeaderWorkerSet replaces the value, Trainer's webhook refuses it.) The
other way round, a JOB_COMPLETION_INDEX in the manifest wins over that of the Job controller, and every pod takes itself
for the same one.

Silent where both say the same.

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template: {spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}}
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              env:
                - {name: MASTER_PORT, value: "29500"}  # expect
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template: {spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}}
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              env:
                - {name: MASTER_PORT, value: "23456"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule
from trainlint.workload.checks.overridden import overridden_variables


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and variable."""
    for workload in facts.snapshot.workloads.objects:
        for fault in overridden_variables(workload):
            yield fault.finding()
