"""The container that the operator works on is missing: it looks for it by name.

The training operator's webhook refuses a PyTorchJob without a container called `pytorch` in each role (`tensorflow`,
`xgboost`, `paddle`, `jax` for the others), and Kubeflow Trainer a runtime whose trainer has no container `node`. MPIJob
takes the first container, whatever it is called.

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
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1"}]
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        spec:
          containers: [{name: trainer, image: "registry.example/train:1"}]  # expect, repaired
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
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1"}]
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        spec:
          containers:
            - {name: proxy, image: "registry.example/proxy:1"}
            - {name: pytorch, image: "registry.example/train:1"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.workload.checks.containers import missing_main_containers, runtimes_without_container

RUNTIMES = {"TrainingRuntime", "ClusterTrainingRuntime"}


@rule(Severity.ERROR, tells=(Root.CONTAINER_NAME,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for workload in facts.snapshot.workloads.objects:
        for fault in missing_main_containers(workload):
            yield fault.finding()
    for each in facts.snapshot.objects:
        if each.meta.kind in RUNTIMES:
            for fault in runtimes_without_container(each.field):
                yield fault.finding()
