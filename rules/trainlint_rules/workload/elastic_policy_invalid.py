"""The elastic range of a job contradicts itself, its replicas or its rendezvous.

torchrun starts when at least the minimum of nodes has joined and lets in no more than the maximum. With fewer workers
than the minimum, and no metrics for an autoscaler, the agents wait until they time out; workers above the maximum
never join. A minimum above the maximum is refused, and so is an etcd backend that no server is named for.

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  elasticPolicy:
    rdzvBackend: c10d
    minReplicas: 4  # expect
    maxReplicas: 8
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", command: [torchrun, train.py]}]
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  elasticPolicy:
    rdzvBackend: c10d
    minReplicas: 2
    maxReplicas: 8
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", command: [torchrun, train.py]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule


@rule(Severity.ERROR, tells=(Root.ELASTIC_POLICY,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and contradiction."""
    for each in facts.objects.contract.elastic:
        yield each.fault.finding()
