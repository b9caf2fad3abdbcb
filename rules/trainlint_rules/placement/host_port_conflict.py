"""More pods want one host port than there are nodes to give it away.

A host port can be taken once on each node (NodePorts). With hostNetwork every declared containerPort becomes a host
port when the pod is created, although the template shows none, so two workers with containerPort 29500 never share a
node, however many GPUs it has left. The rest stays Pending.

Ports of ordinary init containers do not count.

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
    spec:  # expect
      hostNetwork: true
      restartPolicy: Never
      containers:
        - {name: train, image: "registry.example/train:1", ports: [{containerPort: 29500}]}
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
      hostNetwork: true
      restartPolicy: Never
      containers:
        - {name: train, image: "registry.example/train:1"}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Related, RelatedPlaces, Severity, besides, certainty_of
from trainlint.model.root import Root
from trainlint.proof.cause import CapacityCause
from trainlint.rule import Facts, rule
from trainlint.wording.because import texts_of
from trainlint.wording.capacity import scarce
from trainlint.wording.forcing import forcing


@rule(Severity.ERROR, tells=(Root.HOST_PORT,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and port."""
    for cause in facts.groups.causes(CapacityCause):
        if cause.root is Root.HOST_PORT:
            yield _finding(cause, partial(forcing, facts, cause))


def _finding(cause: CapacityCause, forced: RelatedPlaces) -> Finding:
    pod_set = cause.pod_set
    why = "; hostNetwork makes every containerPort a host port" if pod_set.spec.host_network else ""
    return Finding(
        message=f"pods of {pod_set.name} stay Pending: {cause.needed} of them want {scarce(cause)}, and each of "
        f"the {cause.possible} nodes that they may use gives it away once{why}",
        at=cause.at,
        remedy=f"run at most {cause.possible} of them, give them no fixed port, or leave the port undeclared",
        related=besides(
            forced, tuple(Related(f"wants it too ({each.name})", each.spec.at or each.at) for each in cause.also)
        ),
        evidence={"port": scarce(cause), "pods": cause.needed, "nodes": cause.possible},
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=scarce(cause),
    )
