"""A scheduling gate in Git that only a controller should set.

A pod with a scheduling gate is not even looked at by the scheduler until something removes the gate. Controllers such
as Kueue add their gates when a pod is created and take them away again; a gate that was copied into a manifest from a
live pod keeps the pods SchedulingGated until it is removed by hand.

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      schedulingGates: [{name: kueue.x-k8s.io/admission}]  # expect, repaired
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Fix, Remove, Severity
from trainlint.model.workload import PodSet
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    seen = set()
    for pod_set in facts.snapshot.workloads.pod_sets:
        gates = ", ".join(pod_set.spec.scheduling_gates)
        if gates and (pod_set.owner, gates) not in seen:
            seen.add((pod_set.owner, gates))
            yield Finding(
                message=f"the pods of {pod_set.name} are not scheduled until something removes the gate {gates}",
                at=(pod_set.spec.at or pod_set.template).child("schedulingGates"),
                remedy="remove schedulingGates: the controller that owns the gate adds it by itself",
                evidence={"gates": gates},
                cause=gates,
                fixes=partial(_without, pod_set),
            )


def _without(pod_set: PodSet) -> Iterator[Fix]:
    at = (pod_set.spec.at or pod_set.template).child("schedulingGates")
    yield Fix(f"take the gate off {pod_set.name}", (Remove(at),))
