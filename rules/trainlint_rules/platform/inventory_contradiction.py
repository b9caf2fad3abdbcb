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

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.finding import Finding, Severity
from trainlint.inventory.instance_types import InstanceType, instance_type
from trainlint.inventory.node_template import ARCH, INSTANCE_TYPE, REGION, region_of
from trainlint.inventory.tpu import ACCELERATOR_KEY, TPU
from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.model.settings import ZONE
from trainlint.rule import Facts, rule

GPU: Final = "nvidia.com/gpu"
_COUNTS: Final = (
    "nvidia.com/gpu.count",
    "cloud.google.com/gke-accelerator-count",
    "karpenter.k8s.aws/instance-gpu-count",
)
_PRODUCTS: Final = {
    "nvidia.com/gpu.product": ("nvidia.com/",),
    "nvidia.com/gpu.present": ("nvidia.com/",),
    "cloud.google.com/gke-accelerator": ("nvidia.com/", "amd.com/"),
    "amd.com/gpu.product-name": ("amd.com/",),
}
"""Labels that name the GPU of a node, with the domains of the resources that it is offered under."""
_PROVIDERS: Final = ("aws", "azure", "gcp", "oci")
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


def contradictions(pool: Pool, *, claimed: bool = False) -> Iterator[str]:
    """Each in one sentence. ``claimed`` says that devices may be given out by claims, which leave none allocatable."""
    zone, region = pool.labels.get(ZONE, ""), pool.labels.get(REGION, "")
    expected = region_of(zone)
    if expected and region and region != expected:
        yield f"its zone {zone} is in region {expected}, its region label says {region}"
    if pool.allocatable is not None and not _divided(pool):
        yield from _counts(pool, pool.allocatable)
        if not claimed:
            yield from _none(pool, pool.allocatable)
    kind = _type(pool.labels.get(INSTANCE_TYPE, ""))
    if kind is not None:
        yield from _of_type(pool, kind)


def _counts(pool: Pool, allocatable: Mapping[str, object]) -> Iterator[str]:
    """Labels that count GPUs; time-slicing offers each GPU several times over. On TPU nodes GKE counts chips."""
    tpu = ACCELERATOR_KEY in pool.labels
    name, what = (TPU, "TPU chips") if tpu else (GPU, "GPUs")
    amount = _number(allocatable.get(name, "0"))
    for key in _COUNTS:
        said = pool.labels.get(key, "")
        if amount is None or not said.isdecimal():
            continue
        times = pool.labels.get("nvidia.com/gpu.replicas", "1")
        if amount != int(said) * (int(times) if times.isdecimal() and int(times) > 0 else 1):
            yield f"its label {key} says {said} {what}, {amount} {name} are allocatable"


def _none(pool: Pool, allocatable: Mapping[str, object]) -> Iterator[str]:
    """Labels that name a GPU on nodes whose list of resources, a whole one, holds none of that maker."""
    if pool.open_resources or not all(isinstance(allocatable.get(name), str) for name in ("cpu", "memory")):
        return
    for key, makers in _PRODUCTS.items():
        product = pool.labels.get(key, "")
        offered = (amount for name, amount in allocatable.items() if name.startswith(makers))
        if product not in ("", "false") and all(_number(amount) == 0 for amount in offered):
            yield f"its label {key} says {product}, and no {makers[0]}gpu is allocatable"


def _of_type(pool: Pool, kind: InstanceType) -> Iterator[str]:
    arch = pool.labels.get(ARCH, kind.arch)
    if arch != kind.arch:
        yield f"a {kind.name} is {kind.arch}, its label {ARCH} says {arch}"
    allocatable: Mapping[str, object] = pool.allocatable or {}
    for resource, most in (("cpu", kind.cpus), ("memory", kind.memory << 20)):
        amount = _number(allocatable.get(resource, "0"))
        if amount is not None and amount > most:
            size = f"{kind.cpus} CPUs" if resource == "cpu" else f"{kind.memory}Mi of memory"
            yield f"a {kind.name} has {size}, {allocatable[resource]} {resource} are allocatable"
    gpus = _number(allocatable.get(GPU, "0"))
    if gpus and gpus > kind.devices.get(GPU, 0) and not _divided(pool) and not _shared(pool):
        yield f"a {kind.name} has {kind.devices.get(GPU, 0)} GPUs, {gpus} {GPU} are allocatable"


def _divided(pool: Pool) -> bool:
    """Whether GPUs are offered in slices: then the count of whole ones and of what is allocatable differ."""
    slices = any(name.startswith("nvidia.com/mig-") for name in (*(pool.allocatable or ()), *pool.labels))
    return slices or pool.labels.get("nvidia.com/mig.strategy", "none") not in ("", "none")


def _shared(pool: Pool) -> bool:
    """Whether each GPU is offered several times over."""
    return "nvidia.com/gpu.replicas" in pool.labels or pool.labels.get("nvidia.com/gpu.product", "").endswith("-SHARED")


def _type(name: str) -> InstanceType | None:
    return next((found for each in _PROVIDERS if name and (found := instance_type(each, name)) is not None), None)


def _number(text: object) -> int | None:
    if isinstance(text, Undetermined) or not isinstance(text, str):
        return None
    try:
        return int(parse_quantity(text))
    except QuantityError:
        return None
