"""The group may be spread over several zones: permitted, but slow and billed.

Nothing in the manifests keeps the ranks together, and more than one zone has room for them, so the scheduler may spread
a group that exchanges data all the time. Every collective then waits for the slowest link, and traffic between zones is
billed. Preferred pod affinity does not help: a preference only scores, it never filters.

Silent where the inventory has one zone, for groups whose flows are only calls (no ranks), and where it is meant:
annotation `trainlint.io/cross-zone: allowed` on the object, or `cross_zone: allowed` on the group in trainlint.yaml.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: gpu-a, count: 2, zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
  - {name: gpu-b, count: 2, zone: b, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
```

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:  # expect, repaired
        spec:
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
      replicas: 2
      template:
        spec:
          nodeSelector: {topology.kubernetes.io/zone: a}
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
from trainlint.proof.cause import SplitCause
from trainlint.proof.group import GroupProof
from trainlint.repairs.group_fixes import group_fixes
from trainlint.rule import Facts, rule
from trainlint.wording.forcing import forcing


@rule(Severity.WARNING, tells=(Root.SPLIT,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per group."""
    for proof in facts.proofs:
        for cause in proof.causes:
            if isinstance(cause, SplitCause):
                yield _finding(facts, proof, cause, partial(forcing, facts, cause))


def _finding(facts: Facts, proof: GroupProof, cause: SplitCause, forced: RelatedPlaces) -> Finding:
    name = next(name for name, zones in cause.where.items() if len(zones) > 1 or zones)
    spread = max(cause.where, key=lambda each: len(cause.where[each]))
    member = next(each for each in proof.group.members if each.name in {spread, name})
    predicate = (
        f"may be spread over {', '.join(cause.zones)}: collectives across zones are slow, and the traffic is billed"
    )
    zones = f" ({' or '.join(proof.viable_zones)})" if proof.viable_zones else ""
    return Finding(
        message=f"group {proof.group.name} {predicate}",
        predicate=predicate,
        groups=(proof.group.name,),
        at=member.template,
        remedy=f"pin all its pods to one zone{zones} by a nodeSelector on "
        f"{proof.topology_key}, or by required pod affinity to each other; if it is meant, annotate the object with "
        "trainlint.io/cross-zone: allowed",
        related=forced,
        evidence={"zones with room for all": ", ".join(proof.viable_zones)} if proof.viable_zones else {},
        counterexample=cause.where,
        cause=proof.group.name,
        fixes=lambda: group_fixes(facts, proof),
    )
