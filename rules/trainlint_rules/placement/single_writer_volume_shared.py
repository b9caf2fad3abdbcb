"""A claim that attaches to one node is mounted by pods that sit on several.

ReadWriteOnce means one node, not one pod, and no scheduler filter looks at it: the pods are scheduled onto several
nodes, the volume attaches to the first, and all others hang in ContainerCreating with a Multi-Attach error while the
GPUs of the first wait. ReadWriteOncePod means one pod: there the scheduler refuses every other pod.

Looked at are the pods of one group, or of one workload: different workloads may run at different times. Silent where
all of them can only be on one node, and without a node inventory. A claim of a volumeClaimTemplate or an ephemeral
volume belongs to one pod.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: gpu, count: 2, zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
```

```yaml bad
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: ml}
spec: {accessModes: [ReadWriteOnce], storageClassName: disks, resources: {requests: {storage: 1Ti}}}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
          volumes:
            - name: data  # expect
              persistentVolumeClaim: {claimName: data}
```

```yaml good
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: ml}
spec: {accessModes: [ReadWriteMany], storageClassName: files, resources: {requests: {storage: 1Ti}}}
---
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
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes:
            - {name: shm, emptyDir: {medium: Memory}}
            - name: data
              persistentVolumeClaim: {claimName: data}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.checks.shared_claims import SharingCause
from trainlint.finding import Finding, Related, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule


@rule(Severity.ERROR, tells=(Root.SHARED_CLAIM,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per group and claim, at the first volume that mounts it."""
    for cause in facts.placement.shared_claims:
        yield _finding(cause)


def _finding(cause: SharingCause) -> Finding:
    claim, first = cause.claim, cause.pod_sets[0]
    names = ", ".join(pod_set.name for pod_set in cause.pod_sets)
    if cause.mode == "ReadWriteOncePod":
        why = "only one pod may use it, the others stay Pending"
    elif cause.certain:
        why = "it attaches to one node, and they do not fit on one: the others hang in ContainerCreating"
    else:
        why = "it attaches to one node, and the scheduler may place them on several: those hang in ContainerCreating"
    related = [Related("the claim", claim.at.child("spec", "accessModes"))] if claim.at else []
    related += [Related(f"mounts it too ({each.name})", each.spec.at or each.at) for each in cause.pod_sets[1:]]
    return Finding(
        message=f"claim {claim.name} is {cause.mode} and the {cause.pods} pods of {names} mount it: {why}",
        at=cause.at,
        remedy="use a claim that is ReadWriteMany or ReadOnlyMany, or one for each pod",
        related=tuple(related),
        evidence={"claim": f"{claim.namespace}/{claim.name}", "access modes": ", ".join(sorted(claim.access_modes))},
        cause=f"{first.owner} {claim.name}",
    )
