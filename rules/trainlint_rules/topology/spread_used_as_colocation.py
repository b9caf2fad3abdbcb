"""A topology spread constraint over zones on the pods of a group: it spreads, it never keeps them together.

`topologySpreadConstraints` with `whenUnsatisfiable: DoNotSchedule` on the zone key asks for pods to be evenly
distributed over the eligible zones. People write it on coordinator and workers to "keep them together". With one
eligible zone it does nothing; with two or more it drives the group apart. Pods are kept together by a node selector on
the zone or by required pod affinity.

Silent for constraints on the host name, for ScheduleAnyway, and for pods outside groups.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: gpu-a, count: 4, zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
  - {name: gpu-b, count: 4, zone: b, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
```

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        metadata: {labels: {app: train}}
        spec:
          topologySpreadConstraints:
            - maxSkew: 1
              topologyKey: topology.kubernetes.io/zone  # expect, repaired
              whenUnsatisfiable: DoNotSchedule
              labelSelector: {matchLabels: {app: train}}
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}]
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Worker:
      restartPolicy: Never
      replicas: 4
      template:
        metadata: {labels: {app: train}}
        spec:
          nodeSelector: {topology.kubernetes.io/zone: a}
          topologySpreadConstraints:
            - maxSkew: 1
              topologyKey: kubernetes.io/hostname
              whenUnsatisfiable: DoNotSchedule
              labelSelector: {matchLabels: {app: train}}
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, RelatedPlaces, Severity
from trainlint.model.root import Root
from trainlint.proof.cause import SpreadCause
from trainlint.proof.group import GroupProof
from trainlint.repairs.group_fixes import dropped_spread
from trainlint.rule import Facts, rule
from trainlint.wording.forcing import forcing


@rule(Severity.WARNING, tells=(Root.SPREAD_OF_GROUP,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for proof in facts.proofs:
        seen = set()
        for cause in proof.causes:
            if isinstance(cause, SpreadCause) and cause.pod_set.owner not in seen:
                seen.add(cause.pod_set.owner)
                yield _finding(proof, cause, partial(forcing, facts, cause))


def _finding(proof: GroupProof, cause: SpreadCause, forced: RelatedPlaces) -> Finding:
    zones = ", ".join(cause.eligible)
    if cause.forces_split:
        effect = f"it forces the group apart: at most {cause.max_skew} of its pods may be in one of {zones} while "
        effect += "another is empty"
    elif cause.limits:
        effect = f"it drives them apart: {cause.pod_set.name} cannot join {cause.max_skew} or more pods of the group "
        effect += f"in one of {zones} while another is empty"
    elif len(cause.eligible) == 1:
        effect = f"it does nothing: {zones} is the only eligible zone"
    else:
        effect = f"it does nothing: maxSkew {cause.max_skew} lets all pods into one of {zones}"
    return Finding(
        message=f"this spread constraint does not keep {cause.pod_set.name} with its group "
        f"{proof.group.name}: {effect}",
        at=cause.at.child("topologyKey"),
        remedy=f"remove it; a nodeSelector on {proof.topology_key} or required pod affinity keeps a group together",
        related=forced,
        evidence={"eligible zones": zones, "maxSkew": cause.max_skew},
        cause=cause.pod_set.name,
        fixes=lambda: dropped_spread(cause),
    )
