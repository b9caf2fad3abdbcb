"""A volume is where the pods that mount it cannot be.

A bound PersistentVolume is reached only from the nodes that its node affinity (VolumeBinding) or its zone labels
(VolumeZone) allow, and a StorageClass with allowedTopologies makes volumes only there. If the nodes that the pods may
use by their selectors, tolerations and requests are all elsewhere, or two volumes of one pod are in different zones,
every node fails one filter or another, and the pods stay Pending.

Silent for claims that are not bound yet and whose class waits for the first consumer: their volume is made where the
pod lands. Claims and volumes that are not in Git are unknown.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: gpu, count: 2, zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
  - {name: cpu, count: 2, zone: b, allocatable: {cpu: "16", memory: 64Gi}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: ml}
spec: {accessModes: [ReadOnlyMany], storageClassName: "", volumeName: data, resources: {requests: {storage: 1Ti}}}
```

```yaml bad
apiVersion: v1
kind: PersistentVolume
metadata: {name: data}
spec:
  capacity: {storage: 1Ti}
  accessModes: [ReadOnlyMany]
  csi: {driver: files.example, volumeHandle: one}
  nodeAffinity:
    required:
      nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [b]}]}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {topology.kubernetes.io/zone: a}
      containers: [{name: train, image: "registry.example/train:1"}]
      volumes:
        - name: data  # expect
          persistentVolumeClaim: {claimName: data}
```

```yaml good
apiVersion: v1
kind: PersistentVolume
metadata: {name: data}
spec:
  capacity: {storage: 1Ti}
  accessModes: [ReadOnlyMany]
  csi: {driver: files.example, volumeHandle: one}
  nodeAffinity:
    required:
      nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {topology.kubernetes.io/zone: a}
      containers: [{name: train, image: "registry.example/train:1"}]
      volumes:
        - name: data
          persistentVolumeClaim: {claimName: data}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Related, RelatedPlaces, Severity, besides, certainty_of
from trainlint.model.root import Root
from trainlint.proof.cause import PlacementCause
from trainlint.rule import Facts, rule
from trainlint.wording.because import because_text, texts_of
from trainlint.wording.forcing import forcing


@rule(Severity.ERROR, tells=(Root.VOLUME_ZONE,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object, at the volume."""
    for cause in facts.placement.causes(Root.VOLUME_ZONE):
        yield _finding(cause, facts.snapshot.settings.topology_key, partial(forcing, facts, cause))


def _finding(cause: PlacementCause, key: str, forced: RelatedPlaces) -> Finding:
    pod_set = cause.pod_set
    refusals = list(dict.fromkeys(refusal for miss in cause.misses for refusal in miss.refusals))
    pools = () if cause.anywhere else cause.misses
    nodes = dict.fromkeys(f"{miss.pool.name} ({key}={miss.pool.labels.get(key, 'none')})" for miss in pools)
    reasons = dict.fromkeys(because_text(refusal.reason) for refusal in refusals)
    places = dict.fromkeys(refusal.node_at for refusal in refusals if refusal.node_at is not None)
    where = f"the nodes that they may use are {', '.join(nodes)}" if nodes else "no node is in all of these places"
    return Finding(
        message=f"the pods of {pod_set.name} stay Pending: {'; '.join(reasons)}, and {where}",
        at=next((each.at for each in refusals if each.at is not None), pod_set.spec.at or pod_set.at),
        remedy="let the pods run where the volume is, or use a volume that their nodes reach",
        related=besides(
            forced,
            tuple(Related("says where the volume is", at) for at in places)
            + tuple(Related("a pool that the pods may use", miss.pool.at) for miss in cause.misses if miss.pool.at)
            + tuple(Related(f"the same fault ({other.name})", other.spec.at or other.at) for other in cause.also),
        ),
        evidence={"volumes": "; ".join(reasons), "nodes": ", ".join(nodes) or "none could do"},
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause="; ".join(reasons),
    )
