"""Some order of placement leaves pods Pending, although a complete placement exists.

The scheduler places one pod at a time and never takes one back. Where pods must follow the first one into its zone
(required pod affinity, exclusive topology) and that first one may land in a zone that cannot take the rest, the rest
stays Pending while another zone stands empty. Whether it happens is chance: the same manifest works one day and hangs
the next.

Silent where a gang scheduler places the whole group at once, and where the dead end is only a matter of packing.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: big, count: 4, zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
  - {name: small, count: 2, zone: b, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
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
          affinity:
            podAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                - topologyKey: topology.kubernetes.io/zone  # expect, repaired
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
          affinity:
            podAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                - topologyKey: topology.kubernetes.io/zone
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

from trainlint.finding import Finding, Related, RelatedPlaces, Severity, besides
from trainlint.model.root import Root
from trainlint.proof.cause import StrandedCause
from trainlint.proof.group import GroupProof
from trainlint.repairs.group_fixes import group_fixes
from trainlint.rule import Facts, rule
from trainlint.wording.forcing import forcing


@rule(Severity.ERROR, tells=(Root.DEAD_END,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per group."""
    for proof in facts.proofs:
        for cause in proof.causes:
            if isinstance(cause, StrandedCause):
                yield _finding(facts, proof, cause, partial(forcing, facts, cause))


def _finding(facts: Facts, proof: GroupProof, cause: StrandedCause, forced: RelatedPlaces) -> Finding:
    placed = ", ".join(f"{name} in {zone}" for name, zones in cause.placed.items() for zone in zones)
    good = " or ".join(cause.good)
    if cause.stranding and cause.roomy:
        placed, good = f"{next(iter(cause.placed))} in {', '.join(cause.stranding)}", ", ".join(cause.roomy)
    waiting = ", ".join(each.name for each in cause.waiting)
    zones = ", ".join(sorted({zone for by_zone in cause.placed.values() for zone in by_zone}))
    # what comes first may be a pod of others, which those of the group must be near
    first = [each for each in proof.group.members if each.name == next(iter(cause.placed))][:1]
    predicate = (
        f"may hang: if the scheduler puts the first pod of {placed}, pods of "
        f"{waiting} find no node, though all fit in {good}"
    )
    evidence = {"placed first": placed, "then waits": waiting, "all fit in": good}
    if cause.crowded:
        first, evidence = [], {"must stay in": zones, "then waits": waiting}
        predicate = (
            f"may hang: pods of {waiting} must stay in {zones}, and an order of placement that fills the nodes there "
            "unevenly leaves no room for the last of them"
        )
    return Finding(
        message=f"group {proof.group.name} {predicate}",
        predicate=predicate,
        groups=(proof.group.name,),
        at=cause.at,
        remedy=_remedy(cause),
        related=besides(
            forced,
            [Related(f"what may land in the wrong place ({each.name})", each.spec.at or each.at) for each in first],
        ),
        evidence=evidence,
        counterexample=cause.placed,
        cause=proof.group.name,
        fixes=lambda: group_fixes(facts, proof),
    )


def _remedy(cause: StrandedCause) -> str:
    """What keeps the first pod away from where the rest cannot follow; never a zone that all of them share."""
    if cause.crowded:
        return (
            "let a gang scheduler place the group as one, or keep the smaller pods off the nodes that the larger "
            "ones need"
        )
    if cause.stranding and cause.roomy:
        names = ", ".join(cause.stranding)
        return (
            f"keep the pods out of {names}: require {cause.key} NotIn [{names}] of the nodes, or make the parts smaller"
        )
    zones = {zone for zones in cause.placed.values() for zone in zones}
    if zones <= set(cause.good):
        return "keep the first pod off the nodes that cannot hold the rest: select by a label that only the others have"
    return f"keep the first pod out of the zones that cannot hold the rest: pin the group to {' or '.join(cause.good)}"
