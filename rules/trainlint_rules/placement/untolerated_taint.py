"""Every node that would fit carries a taint that the pods do not tolerate.

A NoSchedule or NoExecute taint keeps every pod away that does not tolerate exactly it: key, value and effect
(TaintToleration). GPU pools are usually tainted, so a coordinator, launcher or worker without the toleration stays
Pending, and the pods that did start wait for it with their GPUs idle. Each taint must be tolerated by itself:
the same key with two effects is two taints. A toleration without an operator compares values; `operator: Exists` does
not look at them.

Silent where the admission plugin ExtendedResourceToleration adds the toleration (GKE, EKS, AKS, OKE, or `admission:` in
trainlint.yaml): it does so for NoSchedule taints that are named like a resource which the pod requests. Where neither
trainlint.yaml nor the manifests show the platform, such a taint is a warning. Silent also for taints that controllers
take away again, and for PreferNoSchedule, which never filters.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - name: gpu
    count: 2
    zone: a
    taints: [{key: dedicated, value: gpu, effect: NoSchedule}]
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
  - {name: cpu, count: 2, zone: a, allocatable: {cpu: "16", memory: 64Gi}}
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      tolerations:  # expect, repaired
        - {key: dedicated, value: training, effect: NoSchedule}
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
      tolerations: [{key: dedicated, value: gpu, effect: NoSchedule}]
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
from dataclasses import replace
from functools import partial
from typing import Final

from trainlint.finding import Certainty, Finding, Fix, Related, RelatedPlaces, Severity, besides, certainty_of
from trainlint.fix.snippet import Style, flow
from trainlint.model.root import Root
from trainlint.proof.cause import PlacementCause
from trainlint.repairs.group_fixes import tolerate, tolerations
from trainlint.rule import Facts, rule
from trainlint.scheduling.taint_toleration import describe, untolerated
from trainlint.wording.because import texts_of
from trainlint.wording.forcing import forcing

PLUGIN: Final = "the admission plugin ExtendedResourceToleration"
OFF: Final = (
    f"{PLUGIN} is off, as Kubernetes has it; GKE, EKS, AKS and OKE switch it on. No manifest shows the platform: "
    "profile in trainlint.yaml states it"
)


@rule(Severity.ERROR, tells=(Root.TAINTS,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for cause in facts.placement.causes(Root.TAINTS):
        yield _finding(facts, cause, partial(forcing, facts, cause))
    for cause in facts.placement.perhaps_untolerated:
        found = _finding(facts, cause, ())
        yield replace(
            found,
            assumes=(*found.assumes, OFF),
            certainty=Certainty.LIKELY,
            severity=Severity.WARNING,
            message=f"{found.message}, unless {PLUGIN} adds the toleration",
            fixes=partial(_tolerating, cause),
        )


def _tolerating(cause: PlacementCause) -> Iterator[Fix]:
    """The tolerations that the plugin would add: written down they change nothing where it does."""
    for taints in dict.fromkeys(tuple(untolerated(miss.pool.taints, cause.pod.spec)) for miss in cause.misses):
        fix = tolerate((cause.pod_set, *cause.also), taints)
        if fix is not None:
            yield fix


def _finding(facts: Facts, cause: PlacementCause, forced: RelatedPlaces) -> Finding:
    pod_set = cause.pod_set
    taints = {taint: miss.pool for miss in cause.misses for taint in untolerated(miss.pool.taints, cause.pod.spec)}
    missing = ", ".join(dict.fromkeys(describe(taint) for taint in taints))
    pools = ", ".join(dict.fromkeys(miss.pool.name for miss in cause.misses))
    first = next(iter(taints))
    value = {"value": first.value} if first.value else {"operator": "Exists"}
    entry = flow({"key": first.key, **value, "effect": first.effect}, Style())
    return Finding(
        message=f"the pods of {pod_set.name} stay Pending: every node that fits carries a taint that they do "
        f"not tolerate ({missing})",
        at=(pod_set.spec.at or pod_set.template).child("tolerations"),
        remedy=f"add to tolerations: {entry}, or let them run elsewhere",
        related=besides(
            forced,
            tuple(
                Related(f"carries the taint {describe(taint)} (pool {pool.name})", taint.at)
                for taint, pool in taints.items()
                if taint.at is not None
            )
            + tuple(Related(f"the same fault ({other.name})", other.spec.at or other.at) for other in cause.also),
        ),
        evidence={"taints": missing, "pools": pools},
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=missing,
        fixes=lambda: tolerations(facts, (pod_set, *cause.also)),
    )
