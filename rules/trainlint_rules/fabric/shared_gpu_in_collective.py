"""A rank's pod asks for several slices of what may be one GPU.

With time slicing or MPS the device plugin offers each GPU several times under its usual name. A pod that asks for two
may get two slices of one GPU; its two ranks then find each other on the same device, and NCCL refuses ("Duplicate GPU
detected").

Where failRequestsGreaterThanOne is set (MPS: unless it is set to false), the device plugin refuses such a request, and
the kubelet fails the pod (UnexpectedAdmissionError). A ResourceClaim with a sharing strategy (GpuConfig of NVIDIA's DRA
driver) that several pods of a group name gives all of them the same GPUs; a claim template gives each its own.

Silent where the pods can only land on nodes that share nothing, for pods that ask for one, and where slices have a
name of their own unless that name is asked for.

```yaml given
apiVersion: v1
kind: ConfigMap
metadata: {name: nvidia-device-plugin, namespace: kube-system}
data:
  config.yaml: |
    version: v1
    sharing:
      timeSlicing:
        resources: [{name: nvidia.com/gpu, replicas: 4}]
```

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
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "2"}}  # expect
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "2"}}
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
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from trainlint.fabric.device import requested
from trainlint.fabric.fault import NetworkFault, merged
from trainlint.fabric.sharing import GpuSharing, claim_sharing
from trainlint.finding import Finding, Severity
from trainlint.launch.markers import markers
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pool import Pool
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.rule import Facts, rule
from trainlint.snapshot.objects import ApiObject

_GPU: Final = lazy_pattern(r"^nvidia\.com/(?:gpu(?:\.shared)?$|mig-)")


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and resource."""
    fabric = facts.fabric
    for fault in merged(
        fault
        for each in _members(facts)
        for fault in (
            *shared_gpus(each, fabric.sharing, fabric.pools_of(each)),
            *shared_claims(each, facts.snapshot.by_ref),
        )
    ):
        yield fault.finding()


def _members(facts: Facts) -> Iterable[PodSet]:
    """The pod sets with pods that are members of a group, or hold ranks of a job of one pod."""
    members = [member for group in facts.snapshot.workloads.groups for member in group.members]
    members += [rank.pod_set for rank, spans in facts.fabric.ranks if not spans and any(markers(rank.container))]
    return {id(each): each for each in members if each.replicas != 0}.values()


def shared_gpus(pod_set: PodSet, sharing: GpuSharing, pools: tuple[Pool, ...] | None) -> Iterator[NetworkFault]:
    """A container that asks for several slices of what may be one GPU; ``pools`` are where its pods may land."""
    for container in pod_set.spec.containers:
        for resource, count, at in requested(container):
            if not _GPU.match(resource) or not isinstance(count, int) or count < 2:
                continue
            found = sharing.of(resource, pools)
            if found is None:
                continue
            effect = (
                "it refuses a request above one, and the pods fail at once (UnexpectedAdmissionError)"
                if found.refused
                else "the two may be slices of one GPU, on which two ranks of a communicator cannot be"
            )
            yield NetworkFault(
                pod_set,
                f"{pod_set.name} asks for {count} {resource}, and {found.why}: {effect}",
                at or container.at or pod_set.at,
                f"ask for one {resource} in each pod, or select nodes that share no GPUs",
                resource,
                ((found.role, found.at),) if found.at is not None else (),
                {"resource": resource, "requested": count},
            )


def shared_claims(pod_set: PodSet, objects: Mapping[ObjectRef, ApiObject]) -> Iterator[NetworkFault]:
    """A ResourceClaim with a sharing strategy that several pods of a set use."""
    count = pod_set.replicas
    for claim in pod_set.spec.resource_claims if isinstance(count, int) and count > 1 else ():
        written = objects.get(ObjectRef("ResourceClaim", pod_set.namespace, claim.claim)) if claim.claim else None
        found = claim_sharing(written.field) if written is not None else None
        if found is not None:
            strategy, at = found
            yield NetworkFault(
                pod_set,
                f"all {count} pods of {pod_set.name} use the ResourceClaim {claim.claim}, which shares its GPUs "
                f"({strategy}): they get the same GPUs, on which two ranks of a communicator cannot be",
                claim.at or pod_set.at,
                "name a ResourceClaimTemplate, which makes a claim for each pod",
                f"claim {claim.claim}",
                (("shares the GPUs", at),),
                {"claim": claim.claim, "strategy": strategy, "pods": str(count)},
            )
