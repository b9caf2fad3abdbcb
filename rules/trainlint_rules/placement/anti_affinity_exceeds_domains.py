"""Required anti-affinity asks for more hosts or zones than there are.

A pod with required anti-affinity against its own label lets no second one into its domain (InterPodAffinity). With more
replicas than domains the rest stays Pending, although resources are free.

Nodes that lack the topology key bind no pods: then the term does nothing.

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
  completions: 3
  parallelism: 3
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: kubernetes.io/hostname  # expect
              labelSelector: {matchLabels: {app: train}}
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completions: 2
  parallelism: 2
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: kubernetes.io/hostname
              labelSelector: {matchLabels: {app: train}}
      containers: [{name: train, image: "registry.example/train:1"}]
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


@rule(Severity.ERROR, tells=(Root.ANTI_AFFINITY,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object, at the term."""
    for cause in facts.groups.causes(CapacityCause):
        if cause.root is Root.ANTI_AFFINITY:
            yield _finding(cause, partial(forcing, facts, cause))


def _finding(cause: CapacityCause, forced: RelatedPlaces) -> Finding:
    pod_sets = (cause.pod_set, *cause.also)
    names = ", ".join(each.name for each in pod_sets)
    return Finding(
        message=f"pods of {names} stay Pending: required anti-affinity gives each of the {cause.needed} pods a "
        f"{scarce(cause)} of its own, and the nodes that they may use have {cause.possible}",
        at=cause.at,
        remedy=f"run at most {cause.possible} of them, let them use more nodes, or prefer the anti-affinity only",
        related=besides(forced, tuple(Related(f"how many there are ({each.name})", each.at) for each in pod_sets)),
        evidence={"pods": cause.needed, scarce(cause): cause.possible},
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=scarce(cause),
    )
