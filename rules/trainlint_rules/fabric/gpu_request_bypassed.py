"""NVIDIA_VISIBLE_DEVICES set by hand on a pod that asks for no GPU.

The container runtime gives the pod the GPUs that the variable names, past the device plugin and the scheduler: they
count every one of them as free, and give the same GPUs to others.

Silent for `void`, `none` and the empty value, which hide GPUs, for DaemonSets, and where the pod asks for GPUs.

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]  # expect
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for fault in facts.fabric.bypassed_requests():
        yield fault.finding()
