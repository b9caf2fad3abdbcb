"""All pods of the group do not fit together, even on the empty cluster at its largest size.

Each pod fits on some node, but not all of them at once: several resources count at the same time, on each node by
itself, and what is left on many nodes does not add up to a place for one more pod. Part of the group starts and waits,
with its GPUs idle, for the pods that never will.

Elastic groups are judged at their minimum, pools at their maximum. Silent where one pod alone already fits nowhere.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: gpu, count: 2, zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completions: 4
  parallelism: 4
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train  # expect
          image: registry.example/train:1
          resources: {limits: {nvidia.com/gpu: "5"}}
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completions: 4
  parallelism: 4
  template:
    spec:
      restartPolicy: Never
      volumes: [{name: shm, emptyDir: {medium: Memory}}]
      containers:
        - name: train
          image: registry.example/train:1
          resources: {limits: {nvidia.com/gpu: "4"}}
          volumeMounts: [{name: shm, mountPath: /dev/shm}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Related, RelatedPlaces, Severity, besides, certainty_of
from trainlint.model.pool import Pool
from trainlint.model.root import Root
from trainlint.proof.cause import CapacityCause, ResourceAmount
from trainlint.rule import Facts, rule
from trainlint.wording.because import texts_of
from trainlint.wording.capacity import amount_text, scarce
from trainlint.wording.forcing import forcing


@rule(Severity.ERROR, tells=(Root.CAPACITY,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per group, at the container that asks for what runs out first."""
    for cause in facts.groups.causes(CapacityCause):
        if cause.root is Root.CAPACITY:
            yield _finding(cause, partial(forcing, facts, cause))


def _finding(cause: CapacityCause, forced: RelatedPlaces) -> Finding:
    pod_set = cause.pod_set
    rest = "beside the other pods of the group" if cause.shared else f"there is room for {cause.possible}"
    limits = "; ".join(f"{_source(pool)}: {pool.bound} stops it after {_nodes(pool)}" for pool in cause.bounds)
    return Finding(
        message=f"the pods of {pod_set.name} never all start: {_pods(cause)} not fit on the nodes that they may use "
        f"({rest})" + (f". {limits}" if limits else ""),
        at=cause.at,
        remedy="raise the limit, or lower the number of pods or what each asks for"
        if limits
        else "lower the number of pods or what each asks for, or let them use more nodes",
        related=besides(
            forced,
            (
                *(Related(f"limits pool {_source(pool)}", pool.bound_at) for pool in cause.bounds if pool.bound_at),
                Related(f"how many there are ({cause.needed})", pod_set.at),
            ),
        ),
        evidence={"pods": cause.needed, "each": _one(cause), "room for": cause.possible}
        | ({"limits": limits} if limits else {}),
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=pod_set.name,
    )


def _pods(cause: CapacityCause) -> str:
    return f"one pod of {_one(cause)} does" if cause.needed == 1 else f"{cause.needed} pods of {scarce(cause)} do"


def _one(cause: CapacityCause) -> str:
    return amount_text(cause.what) if isinstance(cause.what, ResourceAmount) else scarce(cause)


def _source(pool: Pool) -> str:
    return pool.budget or pool.name


def _nodes(pool: Pool) -> str:
    return "no node at all" if pool.maximum == 0 else "1 node" if pool.maximum == 1 else f"{pool.maximum} nodes"
