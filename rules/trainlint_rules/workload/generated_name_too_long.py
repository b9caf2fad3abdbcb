"""A name that the operator makes for a pod or a Job is too long, or is made twice.

Operators make names from the names of the object, the role and a number: JobSet's pods are called
`JOBSET-JOB-0-1-xxxxx`. Host names, Services and the values of labels have at most 63 characters, so an object whose own
name is valid may be refused all the same, or have no pods. And two objects may make the same name: the second one gets
no pod of its own.

```yaml bad
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: multimodal-instruction-tuning-second-stage, namespace: ml}  # expect
spec:
  replicatedJobs:
    - name: finetune-workers
      template:
        spec:
          parallelism: 2
          completions: 2
          backoffLimit: 0
          template: {spec: {restartPolicy: Never, containers: [{name: train, image: "registry.example/train:1"}]}}
```

```yaml good
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: tuning-second-stage, namespace: ml}
spec:
  replicatedJobs:
    - name: finetune-workers
      template:
        spec:
          parallelism: 2
          completions: 2
          backoffLimit: 0
          template: {spec: {restartPolicy: Never, containers: [{name: train, image: "registry.example/train:1"}]}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.workload.checks.names import long_names


@rule(Severity.ERROR, tells=(Root.NAME_LENGTH,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for workload in facts.snapshot.workloads.objects:
        for fault in long_names(workload):
            yield fault.finding()
    for each in facts.objects.contract.colliding:
        yield each.fault.finding()
