"""No zone takes the whole group.

A training group makes progress only when all its pods run and may talk to each other, and ranks that exchange data all
the time belong in one zone. This rule has looked at every zone of the inventory: whether each role has a node there
(taints, selectors, requests), whether all replicas fit together, and whether every flow that the group needs is
permitted between pods there. It says what is missing in each zone, the closest miss first. Then every pod that can
start is Running, nothing restarts, and the GPUs wait.

It is a warning where the group does run if it is spread over several zones: billed, and slow where ranks exchange data.
Without a node inventory it speaks where the group's own selectors rule every zone out. It is silent where a placement
rule names a role that can never be scheduled at all.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - name: gpu
    count: 2
    zone: a
    taints: [{key: gpu, effect: NoSchedule}]
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
  - {name: cpu, count: 2, zone: b, allocatable: {cpu: "16", memory: 64Gi}}
```

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:  # expect, repaired
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {requests: {cpu: "2"}}}]
    Worker:
      replicas: 2
      template:
        spec:
          tolerations: [{key: gpu, operator: Exists}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      restartPolicy: Never
      replicas: 1
      template:
        spec:
          nodeSelector: {topology.kubernetes.io/zone: a}
          tolerations: [{key: gpu, operator: Exists}]
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {requests: {cpu: "2"}}}]
    Worker:
      restartPolicy: Never
      replicas: 2
      template:
        spec:
          tolerations: [{key: gpu, operator: Exists}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from trainlint.finding import (
    Finding,
    Location,
    Related,
    RelatedPlaces,
    Severity,
    certainty_of,
    one_after_the_other,
    or_else,
)
from trainlint.model.root import Root
from trainlint.proof.cause import ZoneCause
from trainlint.proof.group import GroupProof
from trainlint.proof.zone_reason import DeniedFlow, ZoneReason
from trainlint.repairs.group_fixes import group_fixes
from trainlint.rule import Facts, rule
from trainlint.wording.because import because_text, texts_of
from trainlint.wording.forcing import forcing
from trainlint.wording.nearest import nearest_places
from trainlint.wording.zones import keeps_out, places_of_reason, reason_text, remedy_text


@rule(Severity.ERROR, tells=(Root.ZONES,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per group."""
    for proof in facts.proofs:
        for cause in proof.causes:
            if isinstance(cause, ZoneCause):
                yield _finding(facts, proof, cause, partial(forcing, facts, cause))


def _finding(facts: Facts, proof: GroupProof, cause: ZoneCause, forced: RelatedPlaces) -> Finding:
    group = proof.group
    zones = {zone: reasons for zone, reasons in cause.reasons.items() if reasons}
    nearest, first = next((zone, reasons[0]) for zone, reasons in zones.items())
    remedies = dict.fromkeys(text for reason in zones[nearest] if (text := remedy_text(reason, group)))
    cost = "slow and billed" if group.collective else "and its traffic between them is billed"
    if cause.across:
        predicate = f"runs only across zones, {cost}: no single zone takes all its pods"
    elif cause.undecided:
        predicate = f"runs at best across zones, {cost}: no single zone takes all its pods"
    else:
        predicate = "can never run: no zone takes all its pods and lets them talk to each other"
    return Finding(
        message=f"group {group.name} {predicate}",
        predicate=predicate,
        groups=(group.name,),
        at=first.at,
        remedy=f"{nearest} is the closest: {' and '.join(remedies) or 'change what is listed for it'}",
        related=one_after_the_other(
            _nearest(facts, proof, nearest, zones[nearest]),
            or_else(
                forced,
                tuple(
                    Related(role, at)
                    for reasons in zones.values()
                    for reason in reasons
                    for role, at in _places(reason, first)
                ),
            ),
        ),
        evidence={
            **{zone: "; ".join(reason_text(reason, group) for reason in reasons) for zone, reasons in zones.items()},
            **({"not known": because_text(cause.undecided)} if cause.undecided else {}),
        },
        counterexample=cause.across,
        severity=Severity.WARNING if cause.across or cause.undecided else None,
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=group.name,
        fixes=lambda: group_fixes(facts, proof),
    )


def _nearest(facts: Facts, proof: GroupProof, zone: str, reasons: Sequence[ZoneReason]) -> RelatedPlaces:
    """The entry that nearly admits a connection that is denied in the closest zone."""
    for each in reasons:
        if isinstance(each.what, DeniedFlow):
            return nearest_places(facts, proof, each.what.flow, each.what.verdict, (zone, zone))
    return ()


def _places(reason: ZoneReason, first: ZoneReason) -> Iterator[tuple[str, Location]]:
    if reason is not first:
        yield keeps_out(reason), reason.at
    yield from places_of_reason(reason)
