"""Pods that ask for no GPU tolerate the taint that keeps the GPU nodes free.

The taint of a GPU pool is there so that only pods with GPUs use its CPUs and memory. A cache, a dashboard or a
controller that tolerates it, often by `operator: Exists` without a key, may be put there, and what it takes is missing
when a training pod wants the whole node.

Silent for DaemonSets, which belong on every node, for members of training groups (a coordinator may have to stand next
to its workers), and for pods that nodeSelector or affinity keep away.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - name: gpu
    count: 2
    zone: a
    taints: [{key: dedicated, value: gpu, effect: NoSchedule}]
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
  - {name: cpu, count: 2, zone: a, allocatable: {cpu: "16", memory: 64Gi}}
```

```yaml bad
apiVersion: apps/v1
kind: Deployment
metadata: {name: cache, namespace: ml}
spec:
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec:
      tolerations: [{operator: Exists}]  # expect
      containers: [{name: cache, image: "registry.example/cache:1", resources: {requests: {cpu: "4", memory: 8Gi}}}]
```

```yaml good
apiVersion: apps/v1
kind: Deployment
metadata: {name: cache, namespace: ml}
spec:
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec:
      containers: [{name: cache, image: "registry.example/cache:1", resources: {requests: {cpu: "4", memory: 8Gi}}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from trainlint.checks.gpu_nodes import Intruder, intruders
from trainlint.finding import Finding, Fix, Related, Remove, Severity
from trainlint.rule import Facts, rule
from trainlint.scheduling.taint_toleration import describe, tolerates


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per pod set."""
    workloads = facts.snapshot.workloads
    grouped = {id(member) for group in workloads.groups for member in group.members}
    for each in intruders(workloads.pod_sets, grouped, facts.verdicts.of):
        pod_set = each.pod_set
        taints = ", ".join(dict.fromkeys(map(describe, each.taints)))
        pools = ", ".join(dict.fromkeys(pool.name for pool in each.pools))
        yield Finding(
            message=f"the pods of {pod_set.name} ask for no GPU and tolerate the taint {taints}: they may take CPUs "
            f"and memory of GPU nodes ({pools})",
            at=(pod_set.spec.at or pod_set.template).child("tolerations"),
            remedy="take the toleration away, or keep the pods off these nodes with a nodeSelector",
            related=tuple(Related("keeps others away", taint.at) for taint in each.taints if taint.at is not None),
            evidence={"taints": taints, "pools": pools},
            cause=taints,
            fixes=partial(_intolerant, each),
        )


def _intolerant(intruder: Intruder) -> Iterator[Fix]:
    """Without the tolerations that name one of the taints; one for every taint may be there for others."""
    tolerations = intruder.pod_set.spec.tolerations
    found = [each for each in tolerations if each.key and any(tolerates(each, taint) for taint in intruder.taints)]
    places = [each.at for each in found if each.at is not None]
    if places and len(places) == len(found):
        if len(places) == len(tolerations):
            places = [replace(places[0], path=places[0].path[:-1])]
        yield Fix(f"let {intruder.pod_set.name} not tolerate the taint", tuple(map(Remove, places)))
