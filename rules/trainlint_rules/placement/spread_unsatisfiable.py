"""A hard spread constraint that cannot hold for all replicas.

A pod may join a domain only while that domain is at most maxSkew ahead of the emptiest one that counts
(PodTopologySpread). Domains count by their labels, also those of nodes whose taint the pods do not tolerate, unless the
constraint says nodeTaintsPolicy: Honor. A tainted control plane or GPU node that can never hold a pod pins the minimum
at zero, so every other domain takes maxSkew pods and the rest stays Pending.

Also with minDomains above the number of domains. Silent for ScheduleAnyway.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: gpu, count: 2, zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
  - name: control-plane
    count: 1
    zone: a
    taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]
    allocatable: {cpu: "4", memory: 16Gi}
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completions: 4
  parallelism: 4
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname  # expect, repaired
          whenUnsatisfiable: DoNotSchedule
          labelSelector: {matchLabels: {app: train}}
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completions: 4
  parallelism: 4
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: DoNotSchedule
          nodeTaintsPolicy: Honor
          labelSelector: {matchLabels: {app: train}}
      containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Fix, Put, Related, RelatedPlaces, Severity, besides, certainty_of
from trainlint.model.root import Root
from trainlint.proof.cause import CapacityCause
from trainlint.rule import Facts, rule
from trainlint.wording.because import texts_of
from trainlint.wording.capacity import scarce
from trainlint.wording.forcing import forcing


@rule(Severity.ERROR, tells=(Root.SPREAD,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object, at the constraint."""
    for cause in facts.groups.causes(CapacityCause):
        if cause.root is Root.SPREAD:
            yield _finding(cause, partial(forcing, facts, cause))


def _finding(cause: CapacityCause, forced: RelatedPlaces) -> Finding:
    names = ", ".join((cause.pod_set.name, *(each.name for each in cause.also)))
    empty = ", ".join(cause.empty)
    why = f"{empty} counts as a domain and takes none of them" if empty else ""
    if cause.min_domains is not None:
        why = f"minDomains is {cause.min_domains}, and there are fewer domains"
    return Finding(
        message=f"pods of {names} stay Pending: the spread over {scarce(cause)} lets {cause.possible} of "
        f"{cause.needed} start, because {why}",
        at=cause.at.child("minDomains" if cause.min_domains is not None else "topologyKey"),
        remedy=_remedy(cause, empty),
        related=besides(forced, tuple(Related("counts as a domain and takes no pod", at) for at in cause.places)),
        evidence={"pods": cause.needed, "may start": cause.possible, "domains without a pod": empty or "none"},
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=scarce(cause),
        fixes=lambda: _honest(cause),
    )


def _remedy(cause: CapacityCause, empty: str) -> str:
    if cause.min_domains is not None:
        return "lower minDomains, or let the pods use more domains"
    if cause.tainted:
        return "set nodeTaintsPolicy: Honor, so that nodes whose taint they do not tolerate do not count"
    return f"select only nodes that can take the pods (nodeSelector), so that {empty} does not count, or raise maxSkew"


def _honest(cause: CapacityCause) -> Iterator[Fix]:
    """Nodes whose taint the pods do not tolerate do not count as empty ones."""
    if cause.tainted:
        title = f"let only nodes that {cause.pod_set.name} may use count as domains"
        yield Fix(title, (Put(cause.at.child("nodeTaintsPolicy"), "Honor"),))
