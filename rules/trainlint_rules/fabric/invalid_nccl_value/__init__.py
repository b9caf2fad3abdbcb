"""A value that NCCL or one of its neighbours reads as something else, or refuses.

Numbers are read up to the first letter: `true` and `yes` are 0 (from 2.32 on the default), `1M` is 1, `010` is 8. So
NCCL_IB_DISABLE=true leaves InfiniBand on. Levels, families, debug levels and subsystems are words in exact spelling,
and others are mostly ignored without a word. In interface lists `^` and `=` count only at the very start.

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
              env: [{name: NCCL_IB_DISABLE, value: "true"}]  # expect, repaired
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
              env: [{name: NCCL_IB_DISABLE, value: "true"}]
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

from trainlint.fabric.checks.interfaces import GLOO, NCCL
from trainlint.fabric.facts import Fabric
from trainlint.fabric.fault import NetworkFault, merged
from trainlint.fabric.image import nccl_releases
from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule
from trainlint_rules.fabric.invalid_nccl_value.open_mpi import inexact_interfaces, interface_lists
from trainlint_rules.fabric.invalid_nccl_value.values import invalid_values


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and value."""
    for fault in merged(_faults(facts.fabric)):
        yield fault.finding()


def _faults(fabric: Fabric) -> Iterator[NetworkFault]:
    """One fault for each value; none for interface lists of which another rule speaks."""
    lists = (*fabric.missing_interfaces, *fabric.loopback_interfaces)
    spoken = {(NCCL, fault.judged.value) for fault in lists}
    spoken |= {(GLOO, fault.what.value) for fault in fabric.gloo_names}
    for pod_set in fabric.pod_sets:
        yield from invalid_values(pod_set, nccl_releases(pod_set), frozenset(spoken))
    for pod_set in fabric.pod_sets:
        yield from interface_lists(pod_set)
    for rank, _ in fabric.ranks:
        yield from inexact_interfaces(rank, fabric.interfaces(rank.pod_set))
