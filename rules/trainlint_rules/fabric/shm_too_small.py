"""Several GPUs, or data workers, and no memory-backed /dev/shm.

A container's /dev/shm is 64 MiB unless a volume is mounted there. NCCL's shared segments between the GPUs of a pod
and the batches that data workers hand over do not fit: "Error while creating shared memory segment", or a bus error.

Silent with hostIPC, with a volume other than a disk emptyDir at /dev/shm, for Ray, whose operator mounts one, and for
containers that only sleep.

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch  # expect
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "8"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
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
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "8"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "8"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for fault in facts.fabric.small_shared_memory():
        yield fault.finding()
