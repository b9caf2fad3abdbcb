"""NCCL_SOCKET_IFNAME selects no interface that the pod can have.

Names in the list are prefixes (`eth` is eth0), `=` makes them exact, `^` excludes; blanks, quotes and wildcards are
part of a name. A pod on the pod network has lo and eth0, and what its annotations attach; the names of the node's
interfaces (ens5, bond0, ib0) are not in it. Where nothing matches, init fails: "Bootstrap : no socket interface
found".

Silent on the host network and where something that is not in Git may add interfaces; a note where only default
networks of Multus could.

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
              env: [{name: NCCL_SOCKET_IFNAME, value: "ens5"}]  # expect, repaired
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "ens5"}]
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "eth,ens,ib"}]
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
              env: [{name: NCCL_SOCKET_IFNAME, value: "eth,ens,ib"}]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.fabric.checks.interfaces import NCCL, IsolatedInterface, MissingInterface, NoMatch
from trainlint.fabric.variable_places import variable_places
from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule


@rule(Severity.ERROR, tells=(Root.INTERFACE,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and value."""
    for fault in facts.fabric.missing_interfaces:
        yield _missing(fault) if isinstance(fault, MissingInterface) else _isolated(fault)


def _missing(fault: MissingInterface) -> Finding:
    judged, hints = fault.judged, fault.hints
    interfaces = ", ".join(judged.interfaces.names)
    return fault.finding(
        f"{NCCL}={judged.value} selects no interface of {fault.pod_set.name} ({_why(fault)}): NCCL finds no interface "
        "and fails in init",
        _remedy(fault),
        *variable_places(judged.rank, judged.variable),
        *((f"does nothing here: {name}", at) for name, at in hints.items()),
        evidence={"value": judged.value, "interfaces": interfaces},
    )


def _why(fault: MissingInterface) -> str:
    judged = fault.judged
    match fault.why:
        case NoMatch.TOO_LONG:
            return "a name has at most 15 characters"
        case NoMatch.OTHER_GRAMMAR:
            return "blanks, quotes and wildcards are part of a name for NCCL"
        case NoMatch.ABSENT:
            doubt = ""
            if fault.doubtful:
                multus = f"only default networks of Multus could add {judged.maybe[0]}" if judged.maybe else ""
                doubt = f"; {multus or 'others may exist'}"
            return f"its pods have {', '.join(judged.interfaces.names)}{doubt}"


def _remedy(fault: MissingInterface) -> str:
    if fault.hints:
        return f"move the annotation {next(iter(fault.hints))} to the metadata of the pod template"
    if fault.judged.usable:
        return f"write {fault.judged.usable[0]}, or ^lo,docker to take whatever the pod has"
    return "name an interface that the pods have"


def _isolated(fault: IsolatedInterface) -> Finding:
    judged, pod_set = fault.judged, fault.pod_set
    first, usable = judged.selected[0], judged.usable
    return fault.finding(
        f"{NCCL}={judged.value} selects {first} in {pod_set.name}, which reaches no other pod: {pod_set.namespace} has "
        f"a primary network of its own, on {', '.join(usable)}",
        f"write {usable[0]}" if usable else "name the interface of the primary network",
        *variable_places(judged.rank, judged.variable),
        evidence={"value": judged.value, "chosen": first},
    )
