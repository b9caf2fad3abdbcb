"""A volume in memory may grow beyond the memory limit of a container that mounts it.

Pages of an emptyDir with `medium: Memory` count for the container that writes them. If sizeLimit is above the
container's memory limit, the container is killed (OOMKilled) before the volume is full.

Silent without a memory limit, without a size limit, and for containers that do not mount the volume.

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
          volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 128Gi}}]  # expect
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "1", memory: 64Gi}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 128Gi}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "1", memory: 64Gi}}
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
          volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 32Gi}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "1", memory: 64Gi}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 32Gi}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "1", memory: 64Gi}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and volume."""
    for fault in facts.fabric.large_memory_volumes():
        yield fault.finding()
