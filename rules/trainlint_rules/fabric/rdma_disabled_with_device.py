"""The pods hold an RDMA or EFA device, and a setting keeps NCCL from using it.

NCCL_IB_DISABLE=1 switches InfiniBand and RoCE off, NCCL_NET=Socket every fabric, FI_PROVIDER=tcp or sockets EFA. NCCL
falls back to TCP without a word: the job runs, several times slower, and the devices that it holds stay idle.

Silent for NCCL_IB_DISABLE=1 with EFA, whose plugin is another transport, and without a device.

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
              env: [{name: NCCL_IB_DISABLE, value: "1"}]  # expect
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", rdma/ib: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: NCCL_IB_DISABLE, value: "1"}]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", rdma/ib: "1"}}
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
              env: [{name: NCCL_IB_DISABLE, value: "0"}]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", rdma/ib: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: NCCL_IB_DISABLE, value: "0"}]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", rdma/ib: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and variable."""
    for fault in facts.fabric.disabled():
        yield fault.finding()
