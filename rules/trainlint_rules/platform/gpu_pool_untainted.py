"""A GPU pool without a taint: any pod may take its CPUs and memory.

GPUs are useless without CPUs and memory on the same node. Where nothing keeps other pods away, the scheduler fills GPU
nodes with whatever is next, and a training pod that asks for eight GPUs and most of the memory waits although all eight
are free. A NoSchedule taint keeps everything away that does not tolerate it; where the admission plugin
ExtendedResourceToleration runs, pods that ask for the GPU resource tolerate a taint of that name by themselves.

Silent where every pool has GPUs, and for pools with any NoSchedule or NoExecute taint, whatever its key.

```yaml bad
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - name: gpu  # expect
    count: 2
    zone: a
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
  - {name: cpu, count: 2, zone: a, allocatable: {cpu: "16", memory: 64Gi}}
```

```yaml good
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - name: gpu
    count: 2
    zone: a
    taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
  - {name: cpu, count: 2, zone: a, allocatable: {cpu: "16", memory: 64Gi}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.checks.gpu_nodes import device_name, taint_key, untainted
from trainlint.finding import Finding, Related, Severity
from trainlint.rule import Facts, rule


@rule(Severity.NOTE)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per inventory."""
    for inventory in facts.snapshot.inventories:
        pools = untainted(inventory)
        first = next((pool for pool in pools if pool.at is not None), None)
        if first is None or first.at is None:
            continue
        names = ", ".join(pool.name for pool in pools)
        keys = dict.fromkeys(taint_key(pool) for pool in pools)
        devices = " and ".join(dict.fromkeys(map(device_name, keys)))
        taints = ", ".join(f"{key}=present:NoSchedule" for key in keys)
        yield Finding(
            message=f"{devices} nodes without a taint ({names}): any pod may take their CPUs and memory and leave the "
            f"{devices}s idle",
            at=first.at,
            remedy=f"taint them ({taints}), and let the pods that ask for {' and '.join(keys)} tolerate it",
            related=tuple(Related("has none either", pool.at) for pool in pools if pool.at and pool is not first),
            evidence={"pools": names},
            cause=inventory.name,
        )
