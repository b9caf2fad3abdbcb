"""A variable that begins with NCCL_ and that no NCCL reads.

NCCL looks for the names that it knows and says nothing about others, so a misspelt or invented one (NCCL_DISABLE_IB,
NCCL_TIMEOUT) does nothing at all. The nearest real name is shown.

Silent for names of the image, of torch, of RCCL and of network plugins (NCCL_VERSION, NCCL_ASYNC_ERROR_HANDLING,
NCCL_FASTRAK_...). A note where nothing near is known, and for names that only older or newer releases read.

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
              env: [{name: NCCL_DISABLE_IB, value: "1"}]  # expect
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
              env: [{name: NCCL_DISABLE_IB, value: "1"}]
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
              env: [{name: NCCL_IB_DISABLE, value: "1"}]
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
              env: [{name: NCCL_IB_DISABLE, value: "1"}]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and name."""
    for fault in facts.fabric.unknown_names():
        yield fault.finding()
