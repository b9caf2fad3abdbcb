"""Debugging of NCCL or torch that was left in a manifest.

NCCL_DEBUG=TRACE and all subsystems at INFO log every operation of every rank; TORCH_DISTRIBUTED_DEBUG=DETAIL makes
torch compare each collective over all ranks before it runs. Both slow training down and fill the log.

Silent for NCCL_DEBUG=INFO or WARN, which people keep on to see which network NCCL took.

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
              env: [{name: NCCL_DEBUG, value: "TRACE"}]  # expect, repaired
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
              env: [{name: NCCL_DEBUG, value: "TRACE"}]
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
              env: [{name: NCCL_DEBUG, value: "INFO"}]
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
              env: [{name: NCCL_DEBUG, value: "INFO"}]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fabric.debug import read_debug_level
from trainlint.fabric.fault import NetworkFault, merged, place_of
from trainlint.fabric.fixes import drop, write
from trainlint.fabric.process import settings_of
from trainlint.finding import Finding, Severity
from trainlint.launch.environment import Carrier
from trainlint.model.workload import PodSet
from trainlint.rule import Facts, rule

_TALKATIVE: Final = frozenset({"INFO", "TRACE", "ABORT"})


@rule(Severity.NOTE)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and variable."""
    for fault in merged(fault for each in facts.fabric.pod_sets for fault in left_debugging(each)):
        yield fault.finding()


def left_debugging(pod_set: PodSet) -> Iterator[NetworkFault]:
    """What makes NCCL and torch log every operation."""
    for container in pod_set.spec.containers:
        settings = settings_of(container)
        values = {name: each.value for name, each in settings.items() if isinstance(each.value, str)}
        level = read_debug_level(values.get("NCCL_DEBUG", "").strip())
        subsystems = {word.strip().upper() for word in values.get("NCCL_DEBUG_SUBSYS", "").split(",")}
        found = {}
        if level == "TRACE":
            found["NCCL_DEBUG"] = "NCCL logs every call"
        elif level in _TALKATIVE and "ALL" in subsystems:
            found["NCCL_DEBUG_SUBSYS"] = "NCCL logs what each of its subsystems does, for every operation"
        if values.get("TORCH_DISTRIBUTED_DEBUG", "").upper() == "DETAIL":
            found["TORCH_DISTRIBUTED_DEBUG"] = "torch compares every collective over all ranks before it runs"
        for name, effect in found.items():
            variable = settings[name]
            if variable.carrier is not Carrier.OPERATOR:
                yield NetworkFault(
                    pod_set,
                    f"{name}={variable.value} was left in the manifest of {pod_set.name}: {effect}, and training slows "
                    "down",
                    place_of(variable),
                    f"remove {name}, or write NCCL_DEBUG=WARN" if name == "NCCL_DEBUG" else f"remove {name}",
                    name,
                    evidence={"variable": name, "value": str(variable.value)},
                    fixes=write(variable, "WARN") if name == "NCCL_DEBUG" else drop(variable),
                )
