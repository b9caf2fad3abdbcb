"""Settings for RDMA or EFA in pods that ask for no such device.

A container has a network device only if it asks for its resource. With FI_PROVIDER=efa or NCCL_IB_HCA and no device,
the plugin finds nothing, and NCCL falls back to TCP without a word.

Silent for privileged containers, mounted device files, resource claims, the host network, and where InfiniBand is
disabled as well.

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
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: FI_PROVIDER, value: "efa"}]  # expect
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: FI_PROVIDER, value: "efa"}]
              resources: {limits: {nvidia.com/gpu: "1"}}
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
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: FI_PROVIDER, value: "efa"}]
              resources: {limits: {nvidia.com/gpu: "1", vpc.amazonaws.com/efa: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: FI_PROVIDER, value: "efa"}]
              resources: {limits: {nvidia.com/gpu: "1", vpc.amazonaws.com/efa: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for fault in facts.fabric.missing_devices():
        yield fault.finding()
