"""Ranks of one communicator listen in different networks.

Each rank announces the address of the interface that it chose, and all others connect to it. Names may differ between
roles; networks may not: a rank on an attachment without a gateway cannot be reached by a pod that is not attached.

Judged by networks: `eth` and `eth0` are one, and so are two attachments with the same addresses. Silent for roles
without ranks, on the host network, and where the interfaces are not fully known.

```yaml given
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: ranks, namespace: ml}
spec:
  config: |
    {"cniVersion": "1.0.0", "type": "macvlan", "master": "bond1",
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
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: NCCL_SOCKET_IFNAME, value: "eth0"}]  # expect
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "net1"}]
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "net1"}]
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "net"}]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.fabric.checks.different_networks import DifferentNetworks, InterfaceChoice
from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule


@rule(Severity.ERROR, tells=(Root.NETWORKS,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per communicator."""
    for fault in facts.fabric.different_networks:
        yield _finding(fault)


def _finding(fault: DifferentNetworks) -> Finding:
    first, second = fault.first, fault.second
    one, other = first.rank.pod_set.name, second.rank.pod_set.name
    return fault.finding(
        f"the ranks of {fault.group} listen in different networks: {_listens(first)}, {_listens(second)}: they cannot "
        "connect to what the others announce",
        "let all roles listen in one network that all of them are attached to",
        (f"listens on {second.name} ({other})", second.at),
        evidence={one: first.name, other: second.name},
    )


def _listens(choice: InterfaceChoice) -> str:
    return f"{choice.rank.pod_set.name} on {choice.name} ({choice.network.name})"
