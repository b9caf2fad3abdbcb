"""A container with an RDMA device that cannot lock memory.

RDMA registers memory, which must be locked. The usual memlock limit of a container is 64 KiB, and Kubernetes has no
field for it: the container needs IPC_LOCK (or privileges, or a runtime that was configured otherwise). Capabilities
that are added are not in effect for users other than root.

Silent for privileged containers, for EFA, and on CoreWeave (labels of coreweave.cloud), whose nodes set no limit.

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
    """One finding per object."""
    for fault in facts.fabric.unlocked_memory():
        yield fault.finding()
