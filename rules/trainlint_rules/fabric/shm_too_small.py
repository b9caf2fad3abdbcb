"""Several GPUs, or data workers, and no memory-backed /dev/shm.

A container's /dev/shm is 64 MiB unless a volume is mounted there. NCCL's shared segments between the GPUs of a pod
and the batches that data workers hand over do not fit: "Error while creating shared memory segment", or a bus error.

Silent with hostIPC, with a volume other than a disk emptyDir at /dev/shm, for Ray, whose operator mounts one, and for
containers that only sleep.

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
            - name: pytorch  # expect, repaired
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "8"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "8"}}
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
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "8"}}
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
              resources: {limits: {nvidia.com/gpu: "8"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fabric.device import amount
from trainlint.fabric.fault import NetworkFault, merged
from trainlint.fabric.fixes import shared_memory
from trainlint.finding import Certainty, Finding, Severity
from trainlint.launch.command import commands
from trainlint.launch.silent_commands import idles
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet
from trainlint.rule import Facts, rule
from trainlint.workload.kinds import shown_kind

_SHM: Final = "/dev/shm"  # noqa: S108 (a path in the container)
_GPU: Final = lazy_pattern(r"^(?:nvidia\.com/(?:gpu(?:\.shared)?$|mig-)|amd\.com/gpu$)")
_SHARE: Final = lazy_pattern(r"^nvidia\.com/gpu(?:cores|mem|mem-percentage)$")
"""What HAMi offers of a GPU: a pod that asks for these has parts of GPUs, on which no collective runs."""
_WORKERS: Final = frozenset({"num-workers", "dataloader-num-workers", "data-workers", "num-data-workers", "workers"})
_IDLE: Final = frozenset({"sleep", "echo", "true", "nvidia-smi", "tail", "date", "hostname", "env"})
_ALONE: Final = lazy_pattern(r"gpu[-_]burn(?:$|[-_:@])")
"""Programs and images that load each GPU by itself: nothing is shared between them."""
_MIG: Final = lazy_pattern(r"nvidia\.com/mig-")
_POSITIVE: Final = lazy_pattern(r"0*[1-9][0-9]*")


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for fault in merged(fault for each in facts.fabric.pod_sets for fault in small_shared_memory(each)):
        yield fault.finding()


def small_shared_memory(pod_set: PodSet) -> Iterator[NetworkFault]:
    """Containers with several GPUs, or with data workers, whose /dev/shm is the runtime's 64 MiB."""
    spec, kind = pod_set.spec, shown_kind(pod_set.owner)
    mounted = kind is not None and kind.mounts_shared_memory
    if spec.host_ipc or "volumes" in spec.undetermined or mounted:
        return
    volumes = {each.name: each for each in spec.volumes}
    for container in spec.containers:
        gpus = _gpus(container)
        workers = _data_workers(container) if gpus else ""
        if (gpus < 2 and not workers) or _idles(container):
            continue
        mount = next((each for each in container.mounts if each.path.rstrip("/") == _SHM), None)
        volume = volumes.get(mount.volume) if mount is not None else None
        if mount is not None and (volume is None or volume.kind != "emptyDir" or volume.medium == "Memory"):
            continue
        what = f"{gpus} GPUs" if gpus > 1 else f"data workers ({workers})"
        lies = "lies on disk" if mount is not None else "is the runtime's default of 64 MiB"
        yield NetworkFault(
            pod_set,
            f"{_SHM} of the container {container.name} of {pod_set.name} {lies}, and it has {what}: NCCL's shared "
            "segments and data workers run out of it (No space left on device, bus error)",
            (volume.at if volume is not None else None) or container.at or pod_set.at,
            f"mount an emptyDir with medium: Memory at {_SHM}",
            "shm",
            evidence={"gpus": gpus},
            certainty=Certainty.LIKELY,
            fixes=shared_memory(pod_set, container, volume),
        )


def _idles(container: Container) -> bool:
    """Whether the container does nothing but wait and talk, or burn GPUs: an example, a test, or a holder of GPUs."""
    if idles(container) or _ALONE.match(container.image.rpartition("/")[2]):
        return True
    programs = {command.program for command in commands(container) if command.words}
    return bool(programs) and all(program in _IDLE or _ALONE.match(program) for program in programs)


def _gpus(container: Container) -> int:
    """How many GPUs the process of a container uses: of several MIG slices one."""
    found = 0
    resources = dict.fromkeys((*container.limits, *container.requests))
    if any(_SHARE.match(resource) for resource in resources):
        return 0
    for resource in resources:
        if _GPU.match(resource):
            count = amount(container.limits.get(resource, container.requests.get(resource, "0")))
            found += count if isinstance(count, int) else 0
    return min(found, 1) if all(_MIG.match(each) for each in resources if _GPU.match(each)) else found


def _data_workers(container: Container) -> str:
    for command in commands(container):
        for option in command.options():
            if option.name in _WORKERS and option.value and _POSITIVE.fullmatch(option.value):
                return f"--{option.name}={option.value}"
    return ""
