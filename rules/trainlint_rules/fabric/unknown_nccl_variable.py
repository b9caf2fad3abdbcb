"""A variable that begins with NCCL_ and that no NCCL reads.

NCCL looks for the names that it knows and says nothing about others, so a misspelt or invented one (NCCL_DISABLE_IB,
NCCL_TIMEOUT) does nothing at all. The nearest real name is shown.

Silent for names of the image, of torch, of RCCL and of network plugins (NCCL_VERSION, NCCL_ASYNC_ERROR_HANDLING,
NCCL_FASTRAK_...). A note where nothing near is known, and for names that only older or newer releases read.

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
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: NCCL_DISABLE_IB, value: "1"}]  # expect, repaired
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
              env: [{name: NCCL_DISABLE_IB, value: "1"}]
              resources: {limits: {nvidia.com/gpu: "1"}}
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
              env: [{name: NCCL_IB_DISABLE, value: "1"}]
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
              env: [{name: NCCL_IB_DISABLE, value: "1"}]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.fabric.fault import NetworkFault, merged, place_of
from trainlint.fabric.fixes import rename
from trainlint.fabric.image import nccl_releases
from trainlint.fabric.process import settings_of
from trainlint.fabric.release import Release, write_release
from trainlint.fabric.variables import PREFIX, first_release, is_read, known_names, last_release, mistaken_for
from trainlint.finding import Certainty, Finding, Severity
from trainlint.kube.names import distance
from trainlint.launch.environment import Carrier, Variable
from trainlint.model.workload import PodSet
from trainlint.rule import Facts, rule

_FARTHEST = 2
_OTHER = frozenset({"NCCL_SOCKET_TIMEOUT", "NCCL_SOCKET_TIMEOUT_MS", "NCCL_CHECKS_DISABLE", "NCCL_IB_ENABLE_RDMA"})
"""Names whose nearest one takes values of another meaning."""


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and name."""
    for fault in merged(fault for each in facts.fabric.pod_sets for fault in unknown_names(each, nccl_releases(each))):
        yield fault.finding()


def unknown_names(pod_set: PodSet, releases: Iterable[Release | None]) -> Iterator[NetworkFault]:
    """The variables that the manifest sets and NCCL does not read; ``releases`` are those of the containers' images."""
    for container, release in zip(pod_set.spec.containers, releases, strict=True):
        for variable in settings_of(container).values():
            if not variable.name.startswith(PREFIX) or variable.carrier is Carrier.OPERATOR:
                continue
            if is_read(variable.name):
                if (early := _too_early(pod_set, variable, release)) is not None:
                    yield early
                continue
            yield _fault(pod_set, variable, release)


def _fault(pod_set: PodSet, variable: Variable, release: Release | None) -> NetworkFault:
    name = variable.name
    meant, last = mistaken_for(name), last_release(name)
    near = meant if meant is not None else nearest_name(name)
    certain = last is None or (release is not None and release > last)
    if last is not None:
        text = f"NCCL has not read {name} since {write_release(last)}"
        remedy = f"remove {name}{f', or write {near}' if near else ''}"
    elif meant == "":
        text = f"no NCCL reads {name}, and it has no such setting"
        remedy = "set the limit where the framework takes it, as init_process_group(timeout=...) in torch"
    elif near:
        text = f"no NCCL reads {name}; {near} is the nearest name that it reads"
        remedy = (
            f"write {near}, and mind that its value may mean the opposite" if _opposite(name, near) else f"write {near}"
        )
    else:
        text = f"no NCCL that is known (up to 2.32) reads {name}"
        remedy = f"remove {name}, or find out who reads it"
    warns = certain and (meant is not None or bool(near) or last is not None)
    return NetworkFault(
        pod_set,
        f"{text}: NCCL says nothing about it, and the setting has no effect ({pod_set.name})",
        place_of(variable),
        remedy,
        name,
        evidence={"variable": name, **({"nearest": near} if near else {})},
        severity=None if warns else Severity.NOTE,
        certainty=Certainty.LIKELY,
        fixes=rename(variable, near) if last is None and _means_the_same(name, near) else (),
    )


def _too_early(pod_set: PodSet, variable: Variable, release: Release | None) -> NetworkFault | None:
    first = first_release(variable.name)
    if release is None or first is None or release >= first:
        return None
    return NetworkFault(
        pod_set,
        f"{variable.name} is read since NCCL {write_release(first)}; the image of {pod_set.name} has "
        f"{write_release(release)}",
        place_of(variable),
        f"remove {variable.name}, or take a newer image",
        variable.name,
        severity=Severity.NOTE,
        certainty=Certainty.LIKELY,
    )


def nearest_name(name: str) -> str:
    """The name that was probably meant: the same words in another order, or at most two letters off; empty if none."""
    words = sorted(name.split("_"))
    known = known_names()
    for other in sorted(known):
        if sorted(other.split("_")) == words:
            return other
    candidates = ((distance(name, other), other) for other in known if abs(len(other) - len(name)) <= _FARTHEST)
    off, nearest = min(candidates, default=(_FARTHEST + 1, ""))
    return nearest if off <= _FARTHEST else ""


def _means_the_same(name: str, near: str) -> bool:
    return bool(near) and not _opposite(name, near) and name not in _OTHER


def _opposite(name: str, near: str) -> bool:
    return ("ENABLE" in name) != ("ENABLE" in near)
