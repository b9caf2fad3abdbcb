"""GLOO_SOCKET_IFNAME names no interface of the pod, often because it uses NCCL's grammar.

Gloo takes exact names, separated by commas: no prefix, no `^`, no `=`, no blanks. Every name must exist. A value
copied from NCCL_SOCKET_IFNAME makes the first Gloo group raise "Unable to find address for". Training with NCCL
creates Gloo groups as well: for checkpoints, in vLLM, in DeepSpeed.

Silent about names that may exist: on the host network, or where something that is not in Git may add interfaces.

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
              env: [{name: GLOO_SOCKET_IFNAME, value: "^lo"}]  # expect, repaired
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
              env: [{name: GLOO_SOCKET_IFNAME, value: "^lo"}]
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
              env: [{name: GLOO_SOCKET_IFNAME, value: "eth0"}]
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
              env: [{name: GLOO_SOCKET_IFNAME, value: "eth0"}]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.fabric.checks.interfaces import GlooFault
from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.wording.network_faults import network_text


@rule(Severity.ERROR, tells=(Root.GLOO_INTERFACE,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and value."""
    for fault in facts.fabric.gloo_names:
        yield _finding(fault)


def _finding(fault: GlooFault) -> Finding:
    what = fault.what
    return fault.finding(
        network_text(what),
        f"write the exact name: {fault.exact}" if fault.exact else "write the exact name of an interface",
        *fault.places,
        evidence={"value": what.value, "item": what.item, "interfaces": ", ".join(what.interfaces)},
    )
