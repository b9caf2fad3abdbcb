"""No node has the devices that the pods claim.

A ResourceClaim asks for devices of a class (DeviceClass), by selectors (CEL), in a number, with constraints between
them (dynamic resource allocation, stable since Kubernetes 1.34). The scheduler's allocator tries the devices that
drivers publish for each node (ResourceSlices); where no node that the pods may use has enough of them that are
accepted, the pods stay Pending. A selector that fails on one device (it reads an attribute which that device lacks) is
an error: then the pod waits although other nodes have what it asks for.

Pods that name one ResourceClaim share its devices: where these are local to a node, all of the pods have to be on that
node, and wait where it has no room for them. A ResourceClaimTemplate makes a claim for each pod.

Silent where no ResourceSlices and no devices of an Inventory are known: then the claims are among the needs of the
group. A class that is not among the manifests is a need as well, but for those of NVIDIA's chart.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - name: gpu
    count: 2
    zone: a
    allocatable: {cpu: "64", memory: 500Gi}
    devices:
      - driver: gpu.nvidia.com
        name: gpu-{i}
        count: 4
        attributes: {type: gpu, productName: NVIDIA H100 80GB HBM3}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      resourceClaims:
        - name: gpus
          resourceClaimTemplateName: gpus
      containers:
        - name: train
          image: registry.example/train:1
          resources: {claims: [{name: gpus}]}
```

```yaml bad
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpus, namespace: ml}
spec:
  spec:
    devices:
      requests:
        - name: gpu
          exactly: {deviceClassName: gpu.nvidia.com, count: 8}  # expect
```

```yaml good
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpus, namespace: ml}
spec:
  spec:
    devices:
      requests:
        - name: gpu
          exactly: {deviceClassName: gpu.nvidia.com, count: 4}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Location, Related, RelatedPlaces, Severity, besides, certainty_of
from trainlint.model.because import Because
from trainlint.model.devices import DeviceWish
from trainlint.model.pod import PodResourceClaim
from trainlint.model.root import Root
from trainlint.proof.cause import PlacementCause
from trainlint.proof.ideal.device_needs import device_needs
from trainlint.rule import Facts, rule
from trainlint.scheduling.devices.earlier import counts_more
from trainlint.scheduling.devices.one_node import offered
from trainlint.scheduling.refusal import Ground
from trainlint.snapshot.ground import SnapshotGround
from trainlint.wording.because import because_text, texts_of
from trainlint.wording.forcing import forcing
from trainlint.wording.needs import device_words


@rule(Severity.ERROR, tells=(Root.DEVICES,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object, at the request that cannot be met."""
    for cause in facts.placement.causes(Root.DEVICES):
        yield _finding(cause, partial(forcing, facts, cause), (*cause.assumes, *_version(facts, cause)))


def _version(facts: Facts, cause: PlacementCause) -> Iterator[Because]:
    """The version that is taken for the cluster's, where it is not stated and an earlier one may grant the claim."""
    settings = facts.snapshot.settings
    devices = (miss.pool.devices for miss in cause.misses if miss.pool.devices is not None)
    if not settings.kubernetes_stated and any(map(counts_more, devices)):
        yield Because(SnapshotGround.KUBERNETES_VERSION, (settings.kubernetes,))


def _finding(cause: PlacementCause, forced: RelatedPlaces, assumes: tuple[Because, ...]) -> Finding:
    pod_set = cause.pod_set
    reasons = dict.fromkeys(because_text(each.reason) for miss in cause.misses for each in miss.refusals)
    asked = "; ".join(map(device_words, device_needs(pod_set)))
    wish, most = _short(cause)
    shared = _shared(cause)
    at = wish.at if wish is not None else shared or _place(pod_set.spec.resource_claims[0])
    has = f"the most that a node has is {most}" if wish is not None else "; ".join(reasons)
    return Finding(
        message=f"the pods of {pod_set.name} stay Pending: each claims {asked}, and {has}",
        at=at or pod_set.spec.at or pod_set.at,
        remedy=_remedy(wish, most, shared=shared is not None),
        related=besides(
            forced,
            tuple(Related("uses the claim", each.at) for each in pod_set.spec.resource_claims if each.at is not None)
            + tuple(
                Related(f"the devices of pool {each.pool.name}", each.pool.at) for each in cause.misses if each.pool.at
            )
            + tuple(Related(f"the same fault ({other.name})", other.spec.at or other.at) for other in cause.also),
        ),
        evidence={"claims": asked, "nodes": "; ".join(reasons)},
        assumes=texts_of(assumes),
        certainty=certainty_of(assumes),
        cause=asked,
    )


def _place(claim: PodResourceClaim) -> Location | None:
    return claim.devices.at if claim.devices is not None else claim.at


def _shared(cause: PlacementCause) -> Location | None:
    """Where the pods name the claim that they share, if that is why no node takes them."""
    found = [each for miss in cause.misses for each in miss.refusals if each.reason.ground is Ground.SHARED_CLAIM]
    return found[0].at if found else None


def _short(cause: PlacementCause) -> tuple[DeviceWish | None, int]:
    """The first request of which every node has too few devices by itself, and the most that a node has."""
    claims = cause.pod_set.spec.resource_claims
    nodes = [miss.pool.devices for miss in cause.misses if miss.pool.devices is not None]
    for claim in claims:
        for request in claim.devices.requests if claim.devices is not None else ():
            if request.alternatives:
                continue
            for wish in request.wishes:
                most = max((offered(wish, claim, each) for each in nodes), default=0)
                if isinstance(wish.count, int) and most < wish.count:
                    return wish, most
    return None, 0


def _remedy(wish: DeviceWish | None, most: int, *, shared: bool) -> str:
    if wish is None and shared:
        return "name a ResourceClaimTemplate (resourceClaimTemplateName), which makes a claim for each pod"
    if wish is None:
        return "ask for devices that one node has, or add nodes that have them"
    if most:
        return f"ask for at most {most} devices of class {wish.device_class}, or add nodes with more of them"
    return f"select devices of class {wish.device_class} that a node has, or add nodes that have such devices"
