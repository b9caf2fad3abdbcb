"""A fixed device name or GID index in pods that each get whichever virtual function is free.

A virtual function is called mlx5_2 in one pod and mlx5_7 in the next. NCCL_IB_HCA with a number in it matches in some
pods only; in the others NCCL has no device and takes TCP. The right GID index depends on the function, too; NCCL
finds it by itself since 2.21.

Silent on the host network, where all pods see the node's own adapters, and for prefixes such as mlx5.

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
              env: [{name: NCCL_IB_HCA, value: "=mlx5_4"}]  # expect
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", nvidia.com/rdma-vf: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: NCCL_IB_HCA, value: "=mlx5_4"}]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", nvidia.com/rdma-vf: "1"}}
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
              env: [{name: NCCL_IB_HCA, value: "mlx5"}]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", nvidia.com/rdma-vf: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: NCCL_IB_HCA, value: "mlx5"}]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", nvidia.com/rdma-vf: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.NOTE)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and variable."""
    for fault in facts.fabric.fixed_indices():
        yield fault.finding()
