"""NCCL_SOCKET_IFNAME leaves loopback as the interface that the ranks announce.

The list does not order anything: NCCL takes the first interface that it permits, and lo is always the first. An
exclusion list that forgets lo (`^docker0`) therefore selects lo: every pod tells the others to connect to 127.0.0.1,
and the job hangs in init without an error. `lo` itself works only while all ranks are in one pod.

Silent for ranks of a single pod.

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
              env: [{name: NCCL_SOCKET_IFNAME, value: "^docker0"}]  # expect, repaired
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "^docker0"}]
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "^docker,lo"}]
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "^docker,lo"}]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule


@rule(Severity.ERROR, tells=(Root.LOOPBACK,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and value."""
    for fault in facts.fabric.loopback_interfaces:
        yield fault.finding()
