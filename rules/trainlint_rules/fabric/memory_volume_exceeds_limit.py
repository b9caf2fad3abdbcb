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

from trainlint.fabric.fault import NetworkFault, merged
from trainlint.finding import Finding, Severity
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container, Volume
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.model.workload import PodSet
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and volume."""
    for fault in merged(fault for each in facts.fabric.pod_sets for fault in large_volumes(each)):
        yield fault.finding()


def large_volumes(pod_set: PodSet) -> Iterator[NetworkFault]:
    """Memory-backed volumes that may grow beyond the memory limit of a container that mounts them."""
    for volume in pod_set.spec.volumes:
        size = _bytes(volume.size_limit)
        if volume.kind != "emptyDir" or volume.medium != "Memory" or size is None:
            continue
        for container in pod_set.spec.containers:
            limit = container.limits.get("memory")
            most = _bytes(limit) if limit is not None else None
            mounted = any(mount.volume == volume.name for mount in container.mounts)
            if mounted and most is not None and size > most:
                yield _too_large(pod_set, volume, container, str(limit))
                break


def _bytes(quantity: Known[str]) -> int | None:
    if isinstance(quantity, Undetermined) or not quantity:
        return None
    try:
        return int(parse_quantity(quantity))
    except QuantityError:
        return None


def _too_large(pod_set: PodSet, volume: Volume, container: Container, limit: str) -> NetworkFault:
    at = container.resources_at.child("limits", "memory") if container.resources_at else pod_set.at
    return NetworkFault(
        pod_set,
        f"the volume {volume.name} of {pod_set.name} may take {volume.size_limit} of memory, and its pages count for "
        f"the container {container.name}, whose limit is {limit}: it is killed before the volume is full",
        volume.at or pod_set.at,
        f"set sizeLimit below {limit}, with room for the program, or raise the memory limit",
        volume.name,
        ((f"limits memory to {limit}", at),),
        {"size": str(volume.size_limit), "limit": limit},
    )
