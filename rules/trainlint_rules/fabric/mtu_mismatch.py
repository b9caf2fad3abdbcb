"""MTUs differ along one path: between attachments of one network, or above the node's port.

Two attachments in one layer-2 network with MTU 9000 and 1500, or an attachment above the MTU of the port that carries
it: small frames pass, so that the rendezvous works, and large ones are lost, so that the first collective hangs.

Silent where one of the two does not say its MTU.

```yaml given
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: ranks, namespace: ml}
spec:
  config: |
    {"cniVersion": "1.0.0", "type": "macvlan", "master": "bond1", "mtu": 1500,
     "ipam": {"type": "whereabouts", "range": "192.168.70.0/24"}}
---
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: jumbo, namespace: ml}
spec:
  config: |  # expect
    {"cniVersion": "1.0.0", "type": "macvlan", "master": "bond1", "mtu": 9000,
     "ipam": {"type": "whereabouts", "range": "192.168.70.0/24"}}
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
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: jumbo}
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: ranks}
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
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
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: ranks}
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: ranks}
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per communicator."""
    for fault in facts.fabric.mtus():
        yield fault.finding()
