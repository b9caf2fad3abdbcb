"""A LimitRange or a ResourceQuota refuses the pods, or fewer pods than the group needs fit under the quota.

The API server refuses such pods when the controller creates them: there is no Pending pod to look at, only FailedCreate
events on the owner. If the quota holds some pods of a group and not all, those that were made run and wait for the
others with their GPUs idle. Helper pods (masters, launchers, submitters) count as well, and so does the overhead of a
RuntimeClass. A quota on cpu or memory refuses every container that does not set them, unless a LimitRange of the
namespace gives defaults; and such a default limit below what a container requests makes the pod invalid.

A pod set outside every group is judged pod by pod: its pods may run one after the other.

```yaml given
apiVersion: v1
kind: ResourceQuota
metadata: {name: gpus, namespace: ml}
spec: {hard: {requests.nvidia.com/gpu: "16"}}
```

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 3
      template:
        spec:
          containers:
            - name: pytorch  # expect
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
    Worker:
      restartPolicy: Never
      replicas: 2
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Related, Severity
from trainlint.model.root import Root
from trainlint.queues.quota import QuotaCause
from trainlint.rule import Facts, rule
from trainlint.wording.because import because_text
from trainlint.wording.quotas import refuser


@rule(Severity.ERROR, tells=(Root.QUOTA,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per group and quota, or per object and fault of its pods."""
    for cause in facts.queues.over_quota:
        yield _finding(cause)


def _finding(cause: QuotaCause) -> Finding:
    names = ", ".join(pod_set.name for pod_set in cause.pod_sets)
    by, reason = refuser(cause), because_text(cause.reason) if cause.reason else ""
    if cause.overruns:
        totals = "; ".join(f"{each.entry}: {each.asked} needed, {each.allowed} allowed" for each in cause.overruns)
        message = f"{by} never admits all pods of {names}: {totals}"
        remedy = "raise the quota, or ask for less"
    else:
        totals = reason
        message = f"{by} refuses the pods of {names}: {reason}"
        remedy = "set what is missing in the pod template, or change the limits"
    return Finding(
        message=message,
        at=cause.at,
        remedy=remedy,
        related=tuple(Related("refuses them", at, cause=number) for number, at in enumerate(cause.places, 1))
        + tuple(Related("the same fault", at) for at in cause.also)
        + tuple(Related(f"also counted ({each.name})", each.at) for each in cause.pod_sets[1:] if cause.overruns),
        evidence={"pods": names, "limit": totals},
        cause=f"{by} {cause.pod_sets[0].owner} {reason}",
    )
