"""Required pod affinity that can never hold.

A required pod affinity lets a pod only where a pod that it selects already runs (InterPodAffinity); the first pod of
all may start alone only if it matches its own term. So two roles that each require the other never start, and a role
that requires the domain of another stays Pending if that other one can only run in domains where it cannot run
itself. What was meant to keep the group together keeps it from starting, with no event but "didn't match pod affinity
rules".

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - name: gpu
    count: 4
    zone: a
    taints: [{key: gpu, effect: NoSchedule}]
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
  - {name: cpu, count: 2, zone: b, allocatable: {cpu: "16", memory: 64Gi}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: ml}
spec:
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers: [{name: store, image: "registry.example/store:1", resources: {requests: {cpu: "1"}}}]
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      tolerations: [{key: gpu, operator: Exists}]
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: topology.kubernetes.io/zone  # expect
              labelSelector: {matchLabels: {app: store}}
      containers:
        - name: train
          image: registry.example/train:1
          resources: {limits: {nvidia.com/gpu: "8"}}
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      tolerations: [{key: gpu, operator: Exists}]
      volumes: [{name: shm, emptyDir: {medium: Memory}}]
      containers:
        - name: train
          image: registry.example/train:1
          resources: {limits: {nvidia.com/gpu: "8"}}
          volumeMounts: [{name: shm, mountPath: /dev/shm}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Related, RelatedPlaces, Severity, besides, certainty_of
from trainlint.model.root import Root
from trainlint.proof.cause import DeadlockCause
from trainlint.repairs.group_fixes import deadlock_fixes
from trainlint.rule import Facts, rule
from trainlint.wording.because import texts_of
from trainlint.wording.forcing import forcing


@rule(Severity.ERROR, tells=(Root.AFFINITY_CYCLE,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object, at the affinity term."""
    for cause in facts.groups.causes(DeadlockCause):
        yield _finding(facts, cause, partial(forcing, facts, cause))


def _finding(facts: Facts, cause: DeadlockCause, forced: RelatedPlaces) -> Finding:
    own, other = cause.pod_set, cause.target
    here, there = ", ".join(cause.own_zones), ", ".join(cause.target_zones)
    if cause.mutual:
        message = f"the pods of {own.name} and {other.name} stay Pending: each must start next to the other"
        remedy = "drop the required pod affinity of one of them, or let its term also select its own pods"
    else:
        message = (
            f"the pods of {own.name} stay Pending: they must run where {other.name} runs (only in "
            f"{there}), and they can only run in {here}"
        )
        remedy = f"let {other.name} run where {own.name} can (in {here}): toleration, node selector, requests"
    return Finding(
        message=message,
        at=cause.at,
        remedy=remedy,
        related=besides(
            forced,
            (
                Related(f"what they must be near: {other.name}, only in {there}", other.spec.at or other.at),
                Related(f"what cannot be scheduled: {own.name}, only in {here}", own.spec.at or own.at),
            ),
        ),
        evidence={own.name: here, other.name: there},
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=f"{own.name} -> {other.name}",
        fixes=lambda: deadlock_fixes(facts, cause),
    )
