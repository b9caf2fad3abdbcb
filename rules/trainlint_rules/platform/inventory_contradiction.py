"""Labels and capacity of a pool contradict each other.

Everything that is proved about a group rests on the inventory. A label that counts eight GPUs on nodes that offer four,
the label of a GPU product on nodes without a GPU, a zone in another region than the region label says, an instance type
with fewer CPUs than are allocatable: one of the two is wrong, and pods that select nodes by the label do not get what
they expect.

Silent where GPUs are cut into MIG slices or shared, which changes what is allocatable and not what there is, and where
claims give out devices (then nodes without a device plugin are right to offer none).

```yaml bad
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - name: gpu  # expect
    count: 2
    zone: a
    labels: {nvidia.com/gpu.count: "8"}
    taints: [{key: dedicated, value: gpu, effect: NoSchedule}]
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "4"}
```

```yaml good
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - name: gpu
    count: 2
    zone: a
    labels: {nvidia.com/gpu.count: "8"}
    taints: [{key: dedicated, value: gpu, effect: NoSchedule}]
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.finding import Finding, Severity
from trainlint.inventory.contradictions import contradictions
from trainlint.rule import Facts, rule

CLAIMS: Final = frozenset({"DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"})
"""Kinds that show that devices are given out by claims."""


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per pool; pools that follow from one template share it."""
    seen = set()
    claimed = any(each.meta.kind in CLAIMS for each in facts.snapshot.objects)
    for pool in (pool for inventory in facts.snapshot.inventories for pool in inventory.pools):
        found = "; ".join(contradictions(pool, claimed=claimed))
        if found and pool.at is not None and pool.at not in seen:
            seen.add(pool.at)
            yield Finding(
                message=f"pool {pool.name} contradicts itself: {found}",
                at=pool.at,
                remedy="correct the label, or what is allocatable",
                evidence={"pool": pool.name},
                cause=found,
            )
