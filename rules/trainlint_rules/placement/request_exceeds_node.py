"""One pod asks for more than any node that it may use has.

The scheduler compares a pod's requests with what one node can give to pods (status.allocatable: the machine's size less
what kubelet and system keep), on each node by itself; the sum over nodes does not matter (NodeResourcesFit). Init
containers run before the others and count by their maximum, sidecars count for as long as they run, a missing request
takes the limit's value. A pod that asks for all CPUs printed on the price list never fits.

Silent for pools whose allocatable resources are not known.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: gpu, count: 2, zone: a, allocatable: {cpu: 191450m, memory: 1900Gi, nvidia.com/gpu: "8"}}
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          resources: {limits: {cpu: "192", nvidia.com/gpu: "8"}}  # expect
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      volumes: [{name: shm, emptyDir: {medium: Memory}}]
      containers:
        - name: train
          image: registry.example/train:1
          resources: {limits: {cpu: "190", nvidia.com/gpu: "8"}}
          volumeMounts: [{name: shm, mountPath: /dev/shm}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Related, Severity, besides
from trainlint.model.pool import Pool
from trainlint.proof.cause import PlacementCause
from trainlint.rule import Facts, rule
from trainlint.scheduling.node import node_of
from trainlint.scheduling.node_resources_fit import Shortage, shortages
from trainlint.scheduling.quantity import readable
from trainlint.scheduling.requests import Requests


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object, at the container that settles the amount."""
    for cause in facts.placement_causes("request-exceeds-node"):
        yield _finding(cause, facts.forcing(cause))


def _finding(cause: PlacementCause, forced: tuple[Related, ...]) -> Finding:
    pod_set = cause.pod_set
    requests = cause.pod.requests
    short = [(each, miss.pool) for miss in cause.misses for each in _short(requests, miss.pool)]
    worst, pool = max(short, key=lambda pair: pair[0].allocatable / max(pair[0].requested, 1))
    asked, largest = readable(worst.resource, worst.requested), readable(worst.resource, worst.allocatable)
    container = requests.decided_by.get(worst.resource)
    return Finding(
        message=f"the pods of {pod_set.name} stay Pending for ever: one asks for {asked} {worst.resource}, and the "
        f"largest node that it may use has {largest}",
        at=container.child("resources") if container else pod_set.spec.at or pod_set.template,
        remedy=f"ask for at most {largest} {worst.resource} (less what DaemonSets use), or add larger nodes",
        related=besides(
            forced,
            tuple(Related(f"the largest node (pool {pool.name})", pool.at) for _ in range(1) if pool.at is not None)
            + tuple(Related(f"the same fault ({other.name})", other.spec.at or other.at) for other in cause.also),
        ),
        evidence={
            "resource": worst.resource,
            "requested": asked,
            "nodes": ", ".join(
                dict.fromkeys(
                    f"{each.name}: {readable(one.resource, one.allocatable)} {one.resource}" for one, each in short
                )
            ),
        },
        cause=worst.resource,
    )


def _short(requests: Requests, pool: Pool) -> Iterator[Shortage]:
    node = node_of(pool)
    for each in shortages(requests, node, {}):
        if isinstance(each, Shortage):
            yield each
    if node.allocatable is not None and node.allocatable.get("pods", 0) == 0:
        yield Shortage("pods", 1, 0, 0)
