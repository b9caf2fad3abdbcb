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
from typing import Final

from trainlint.fabric.fault import NetworkFault, merged, place_of
from trainlint.fabric.process import settings_of
from trainlint.finding import Finding, Severity
from trainlint.launch.environment import Carrier
from trainlint.model.workload import PodSet
from trainlint.rule import Facts, rule
from trainlint.workload.accelerators import accelerators_of

_VISIBLE: Final = "NVIDIA_VISIBLE_DEVICES"
_NOTHING: Final = frozenset({"", "void", "none"})


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for fault in merged(fault for each in facts.fabric.pod_sets for fault in bypassed_requests(each)):
        yield fault.finding()


def bypassed_requests(pod_set: PodSet) -> Iterator[NetworkFault]:
    """NVIDIA_VISIBLE_DEVICES by hand in pods that ask for no GPU; DaemonSets manage the GPUs themselves."""
    if pod_set.owner.kind == "DaemonSet" or accelerators_of(pod_set.spec) or pod_set.spec.resource_claims:
        return
    for container in pod_set.spec.containers:
        variable = settings_of(container).get(_VISIBLE)
        if variable is None or variable.carrier not in {Carrier.MANIFEST, Carrier.FILE}:
            continue
        value = variable.value
        if not isinstance(value, str) or value.strip().lower() in _NOTHING:
            continue
        which = "every GPU of the node" if value.strip().lower() == "all" else f"the GPUs {value}"
        yield NetworkFault(
            pod_set,
            f"{_VISIBLE}={value} gives {pod_set.name} {which}, but its pods ask for none: the device plugin does not "
            "know, and hands the same GPUs to others",
            place_of(variable),
            "request nvidia.com/gpu in the container's limits and remove the variable",
            _VISIBLE,
            evidence={"variable": _VISIBLE, "value": value},
        )
