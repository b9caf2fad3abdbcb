"""NCCL_SOCKET_IFNAME selects no interface that the pod can have.

Names in the list are prefixes (`eth` is eth0), `=` makes them exact, `^` excludes; blanks, quotes and wildcards are
part of a name. A pod on the pod network has lo and eth0, and what its annotations attach; the names of the node's
interfaces (ens5, bond0, ib0) are not in it. Where nothing matches, init fails: "Bootstrap : no socket interface
found".

Silent on the host network and where something that is not in Git may add interfaces; a note where only default
networks of Multus could.

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
              env: [{name: NCCL_SOCKET_IFNAME, value: "ens5"}]  # expect, repaired
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "ens5"}]
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "eth,ens,ib"}]
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "eth,ens,ib"}]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule


@rule(Severity.ERROR, tells=(Root.INTERFACE,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and value."""
    for fault in facts.fabric.missing_interfaces:
        yield fault.finding()
