"""A rank's pod asks for several slices of what may be one GPU.

With time slicing or MPS the device plugin offers each GPU several times under its usual name. A pod that asks for two
may get two slices of one GPU; its two ranks then find each other on the same device, and NCCL refuses ("Duplicate GPU
detected").

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

from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.fabric.device import requested
from trainlint.fabric.fault import NetworkFault, merged
from trainlint.fabric.sharing import GpuSharing
from trainlint.finding import Finding, Severity
from trainlint.launch.markers import markers
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pool import Pool
from trainlint.model.workload import PodSet
from trainlint.rule import Facts, rule

_GPU: Final = lazy_pattern(r"^nvidia\.com/(?:gpu(?:\.shared)?$|mig-)")


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and resource."""
    fabric = facts.fabric
    for fault in merged(
        fault for each in _members(facts) for fault in shared_gpus(each, fabric.sharing, fabric.pools_of(each))
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
            yield NetworkFault(
                pod_set,
                f"{pod_set.name} asks for {count} {resource}, and {found.why}: the two may be slices of one GPU, on "
                "which two ranks of a communicator cannot be",
                at or container.at or pod_set.at,
                f"ask for one {resource} in each pod, or select nodes that share no GPUs",
                resource,
                ((found.role, found.at),) if found.at is not None else (),
                {"resource": resource, "requested": count},
            )
