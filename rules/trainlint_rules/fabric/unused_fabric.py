"""Ranks that take whole nodes and do not ask for the EFA or RDMA devices that all of these nodes offer.

A container has a network device only if it asks for its resource. Ranks that hold every GPU of their nodes share them
with no other job, so devices that they do not ask for stay idle, and NCCL exchanges gradients over TCP. A claim on an
NVLink channel (ComputeDomain) helps within one NVLink domain and brings no device for the traffic between domains.

Silent where a setting switches the fabric off, where the pods may reach devices without asking (privileged, the host
network, claims, a network of Multus with a device of its own), where ranks take a part of a node, and where some node
that they may use offers no device or is not described.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: cluster}
pools:
  - name: h100
    count: 2
    zone: us-east-2a
    allocatable: {cpu: "180", memory: 1900Gi, nvidia.com/gpu: "8", vpc.amazonaws.com/efa: "32"}
```

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
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, --nproc-per-node=8, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "8"}}  # expect
    Worker:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, --nproc-per-node=8, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
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
              command: [torchrun, --nproc-per-node=8, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "8", vpc.amazonaws.com/efa: "32"}}
    Worker:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, --nproc-per-node=8, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "8", vpc.amazonaws.com/efa: "32"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.NOTE)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for fault in facts.fabric.unused_devices():
        yield fault.finding()
