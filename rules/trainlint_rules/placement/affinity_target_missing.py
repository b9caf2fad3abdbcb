"""Required pod affinity to a pod that nobody makes.

A pod with required pod affinity starts only where a pod that its term selects already runs (InterPodAffinity). If no
workload makes such a pod, because a label was renamed or the other job is not deployed, the pod stays Pending for ever.
The first pod may start alone only if it matches its own term.

Silent where something that is not in Git may add pods to the namespace (a HelmRelease, an Argo CD Application, a
template or kustomization that was not rendered).

```yaml bad
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: ml}
spec:
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec: {containers: [{name: store, image: "registry.example/store:1"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: topology.kubernetes.io/zone  # expect
              labelSelector: {matchLabels: {app: storage}}
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: ml}
spec:
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec: {containers: [{name: store, image: "registry.example/store:1"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: topology.kubernetes.io/zone
              labelSelector: {matchLabels: {app: store}}
      containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Certainty, Finding, Fix, Put, Related, Severity
from trainlint.proof.cause import TargetCause
from trainlint.proof.spelling import only_meant
from trainlint.rule import Facts, rule


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object, at the term."""
    for cause in facts.missing_targets:
        near = ", ".join(cause.near)
        yield Finding(
            message=f"the pods of {cause.pod_set.name} stay Pending for ever: they must start near a pod with "
            f"{cause.wanted}, and nothing here makes one",
            at=cause.at,
            remedy=f"pods of the namespace have {near}" if near else "deploy the workload that it must be near",
            related=(Related(f"asks for it ({cause.pod_set.name})", cause.at, cause=1),),
            evidence={"must be near": cause.wanted, "pods have": near or "none of these labels"},
            assumes=(f"all workloads of namespace {cause.pod_set.namespace} are in Git",),
            certainty=Certainty.LIKELY,
            cause=cause.wanted,
            fixes=partial(_corrected, cause),
        )


def _corrected(cause: TargetCause) -> Iterator[Fix]:
    """The label value that differs by a slip of the pen from the only one that pods have."""
    for part in cause.wanted.split(", "):
        key, equals, value = part.partition("=")
        values = [each.removeprefix(f"{key}=") for each in cause.near if each.startswith(f"{key}=")]
        meant = only_meant(value, values)
        if equals and meant:
            at = cause.at.child("labelSelector", "matchLabels", key)
            yield Fix(f"be near pods with {key}: {meant}", (Put(at, meant),))
