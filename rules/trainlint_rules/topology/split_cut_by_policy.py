"""The scheduler may choose a placement in which a needed flow is denied.

Scheduler and network policy are each right alone. The scheduler may put a role into a zone (or onto a node) from which
the policy does not let it reach its peers: every pod is Running, nothing restarts, and the GPUs wait for a connection
that never opens. The finding shows such a placement, the flows that are cut in it, and the entries that decide.

Placements that required affinity, selectors, volumes or exclusive topology rule out are not looked at. A good placement
exists: pin the group to it.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: gpu-a, count: 2, zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
  - {name: gpu-b, count: 2, zone: b, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
---
apiVersion: policy.example/v1
kind: Comment
about: Cilium 1.18.5 still keeps the zone label that Kubernetes copies onto pods; both are set in trainlint.yaml
```

```yaml settings
clusters:
  - {name: example, kubernetes: "1.36", cni: {name: cilium, version: "1.18.5"}}
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
        metadata: {labels: {app: train}}
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}]
---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: walls, namespace: ml}
specs:
  - endpointSelector: {matchLabels: {app: train, topology.kubernetes.io/zone: a}}
    ingress: [{fromEndpoints: [{matchLabels: {app: train, topology.kubernetes.io/zone: a}}]}]
  - endpointSelector: {matchLabels: {app: train, topology.kubernetes.io/zone: b}}
    ingress: [{fromEndpoints: [{matchLabels: {app: train, topology.kubernetes.io/zone: b}}]}]
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
        metadata: {labels: {app: train}}
        spec:
          nodeSelector: {topology.kubernetes.io/zone: a}
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: wall, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: train, topology.kubernetes.io/zone: a}}
  ingress: [{fromEndpoints: [{matchLabels: {app: train, topology.kubernetes.io/zone: a}}]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
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
from trainlint.proof.cause import CutCause
from trainlint.proof.group import GroupProof
from trainlint.proof.notation import flow_text
from trainlint.repairs.group_fixes import group_fixes
from trainlint.rule import Facts, rule
from trainlint.wording.because import texts_of
from trainlint.wording.denials import denied_sentence, nodes_of_pair, places_of
from trainlint.wording.forcing import forcing
from trainlint.wording.nearest import nearest_places


@rule(Severity.ERROR, tells=(Root.CUT,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per group."""
    for proof in facts.proofs:
        for cause in proof.causes:
            if isinstance(cause, CutCause):
                yield _finding(facts, proof, cause, partial(forcing, facts, cause))


def _finding(facts: Facts, proof: GroupProof, cause: CutCause, forced: RelatedPlaces) -> Finding:
    group = proof.group
    first = cause.pairs[0]
    members = {first.flow.source} | ({first.flow.target} if first.flow.target is not None else set())
    free = [group.members[member] for member in sorted(members, reverse=True)]
    cut = {
        " ".join(filter(None, (pair.source_zone, "->", pair.target_zone, nodes_of_pair(pair)))): (
            f"{flow_text(group, pair.flow)} is denied: {denied_sentence(pair.verdict)}"
        )
        for pair in cause.pairs
    }
    places: dict[Location, str] = {at: role for pair in cause.pairs for role, at in places_of(pair.verdict)}
    predicate = (
        f"may start and hang: the scheduler may choose a placement in which "
        f"{flow_text(group, first.flow)} is denied (from {first.source_zone} to {first.target_zone})"
    )
    return Finding(
        message=f"group {group.name} {predicate}",
        predicate=predicate,
        groups=(group.name,),
        at=free[0].template,
        remedy=f"keep the whole group in one zone that does ({', '.join(proof.viable_zones)}), by a nodeSelector on "
        f"{proof.topology_key} or required pod affinity, or let the policy permit the flow",
        related=one_after_the_other(
            (Related(f"who needs it: {first.flow.why}", first.flow.at),),
            nearest_places(facts, proof, first.flow, first.verdict, (first.source_zone, first.target_zone)),
            or_else(forced, [Related(role, at) for at, role in places.items()]),
        ),
        evidence=cut,
        counterexample=cause.where,
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=group.name,
        fixes=lambda: group_fixes(facts, proof),
    )
