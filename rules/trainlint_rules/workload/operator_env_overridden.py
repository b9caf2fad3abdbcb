"""The manifest sets a variable that the operator sets to something else.

Operators append their variables to those of the container, and of two entries with one name the kubelet keeps the last:
the line in Git does nothing, whatever it says. (LeaderWorkerSet replaces the value, Trainer's webhook refuses it.) The
other way round, a JOB_COMPLETION_INDEX in the manifest wins over that of the Job controller, and every pod takes itself
for the same one.

Silent where both say the same.

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
      template: {spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}}
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              env:
                - {name: MASTER_PORT, value: "29500"}  # expect, repaired
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
      template: {spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}}
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              env:
                - {name: MASTER_PORT, value: "23456"}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Finding, Fix, Location, Remove, Safety, Severity
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container, EnvVar
from trainlint.model.workload import PER_POD, PodSet, Workload
from trainlint.rule import Facts, rule
from trainlint.workload.checks.fault import Fault
from trainlint.workload.flows import maybe_many

_INDEX: Final = "JOB_COMPLETION_INDEX"
_RESERVED: Final = ("PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT")


@fact
class _Clash:
    """A variable that both set: what the user wrote and what the operator says."""

    variable: str
    written: Known[str]
    other: Known[str]
    at: Location
    pods: PodSet


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and variable."""
    for workload in facts.snapshot.workloads.objects:
        for fault in overridden_variables(workload):
            yield fault.finding()


def overridden_variables(workload: Workload) -> Iterator[Fault]:
    """One fault for each variable of an object that its operator sets to something else."""
    found: dict[str, list[_Clash]] = {}
    for pods in workload.pod_sets:
        for container in pods.spec.containers:
            for clash in _clashes(workload, pods, container):
                found.setdefault(clash.variable, []).append(clash)
    for name, clashes in found.items():
        yield _fault(workload, name, clashes)


def _clashes(workload: Workload, pods: PodSet, container: Container) -> Iterator[_Clash]:
    injected = {entry.name: entry.value for entry in container.env if entry.injected}
    own = container.at.path if container.at is not None else ()
    written = {
        entry.name: entry
        for entry in container.env
        if not entry.injected and entry.at is not None and entry.at.path[: len(own)] == own
    }
    if workload.owner.kind in {"Job", "CronJob", "JobSet"} and "{}" in pods.hostname and maybe_many(pods):
        injected.setdefault(_INDEX, PER_POD)
    for name, entry in written.items():
        if name in injected and _differs(entry, injected[name], pods):
            yield _Clash(name, entry.value, injected[name], entry.at or pods.at, pods)


def _differs(entry: EnvVar, other: Known[str], pods: PodSet) -> bool:
    """Whether the two values surely differ for some pod."""
    value = entry.value
    if isinstance(value, Undetermined):
        return False
    if "$(" in value or (entry.name == "PYTHONUNBUFFERED" and value):  # any text means the same to Python
        return False
    if isinstance(other, Undetermined):
        return maybe_many(pods) if other == PER_POD else entry.name == "TF_CONFIG"
    return value != other


def _fault(workload: Workload, name: str, clashes: list[_Clash]) -> Fault:
    first, *others = clashes
    kind = workload.owner.kind.partition(".")[0]
    other = f"its own {first.other}" if isinstance(first.other, str) else "a value of its own for each pod"
    if isinstance(first.other, Undetermined) and first.other != PER_POD:
        other = "its own value"
    related = tuple((f"sets it too ({each.pods.name})", each.at) for each in others)
    evidence = {"written": str(first.written), "operator": first.other if isinstance(first.other, str) else "per pod"}
    if kind == "TrainJob" and name in _RESERVED:
        return Fault(
            f"{name} belongs to the operator of {kind}: its webhook refuses {workload.owner.name}, which sets it to "
            f"{first.written}",
            first.at,
            f"remove {name}; numNodes and numProcPerNode say the same",
            related,
            evidence,
            name,
            fixes=_without(name, clashes, Safety.UNSAFE),
        )
    if name == _INDEX:
        return Fault(
            f"{first.pods.name} sets {name} to {first.written} in every pod, and this wins over the index that the Job "
            "controller gives to each: all pods take themselves for the same one",
            first.at,
            f"remove {name}",
            related,
            evidence,
            name,
            fixes=_without(name, clashes, Safety.UNSAFE),
        )
    return Fault(
        f"{first.pods.name} sets {name} to {first.written}, and the operator of {kind} sets {name} to {other} after "
        "it: the last one counts, so this line does nothing",
        first.at,
        f"remove {name}, or write what the operator sets",
        related,
        evidence,
        name,
        Certainty.PROVEN if isinstance(first.other, str) or first.other == PER_POD else Certainty.LIKELY,
        fixes=_without(name, clashes, Safety.SAFE if _does_nothing(clashes) else Safety.UNSAFE),
    )


def _does_nothing(clashes: list[_Clash]) -> bool:
    """Whether it is certain of every line that the operator's value comes after it."""
    return all(isinstance(each.other, str) or each.other == PER_POD for each in clashes)


def _without(name: str, clashes: list[_Clash], safety: Safety) -> tuple[Fix, ...]:
    return (Fix(f"remove {name}", tuple(dict.fromkeys(Remove(each.at) for each in clashes)), safety),)
