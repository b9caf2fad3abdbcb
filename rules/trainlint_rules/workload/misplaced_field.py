"""A field that the kind does not have at this place, or a misspelt one.

The API server refuses a field that it does not know, or drops it without a word (custom resources, kubectl with
`--validate=false`, many pipelines): `ttlSecondsAfterFinished` directly under the spec of a PyTorchJob does nothing,
because it belongs in `runPolicy`. A pod template in the wrong place makes no pods at all.

Silent for labels, annotations and other free-form places, for kinds that trainlint does not know, and for objects that
are only a part of one (patches), unless a name is one letter off.

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  ttlSecondsAfterFinished: 86400  # expect, repaired
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Worker:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          tolerationz: [{key: nvidia.com/gpu, operator: Exists}]  # expect, repaired
          containers: [{name: pytorch, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running, ttlSecondsAfterFinished: 86400}
  pytorchReplicaSpecs:
    Worker:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          tolerations: [{key: nvidia.com/gpu, operator: Exists}]
          containers: [{name: pytorch, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.workload.checks.fields import misplaced_fields


@rule(Severity.ERROR, tells=(Root.FIELD,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and field."""
    objects = ((each.meta, each.field) for each in facts.snapshot.objects)
    for fault in misplaced_fields(facts.snapshot.workloads, objects, facts.snapshot.settings):
        yield fault.finding()
