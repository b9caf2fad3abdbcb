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

from trainlint.fabric.checks.interfaces import NCCL, LoopbackInterface
from trainlint.fabric.name_list import NameList
from trainlint.fabric.variable_places import variable_places
from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule


@rule(Severity.ERROR, tells=(Root.LOOPBACK,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and value."""
    for fault in facts.fabric.loopback_interfaces:
        yield _finding(fault)


def _finding(fault: LoopbackInterface) -> Finding:
    judged = fault.judged
    excludes = NameList.parse(judged.value).exclude
    why = "the exclusion leaves lo, which is always the first interface" if excludes else "it selects lo"
    return fault.finding(
        f"NCCL of {fault.pod_set.name} listens on lo ({NCCL}={judged.value}: {why}): each pod offers 127.0.0.1 to the "
        "others, and the job hangs in init",
        f"exclude lo as well: {judged.value},lo" if fault.forgotten else "name the pod's interface, as eth0",
        *variable_places(judged.rank, judged.variable),
        evidence={"value": judged.value, "chosen": "lo"},
    )
