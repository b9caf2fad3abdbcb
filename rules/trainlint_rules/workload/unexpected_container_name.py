"""No container has the name by which the operator looks for the one that it works on.

The training operator's webhook refuses a PyTorchJob without a container called `pytorch` in each role (`tensorflow`,
`xgboost`, `paddle`, `jax` for the others), and Kubeflow Trainer a runtime whose trainer has no container `node`. MPIJob
takes the first container, whatever it is called.

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
          containers: [{name: pytorch, image: "registry.example/train:1"}]
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        spec:
          containers: [{name: trainer, image: "registry.example/train:1"}]  # expect, repaired
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
          containers: [{name: pytorch, image: "registry.example/train:1"}]
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        spec:
          containers:
            - {name: proxy, image: "registry.example/proxy:1"}
            - {name: pytorch, image: "registry.example/train:1"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Fix, Put, Related, Safety, Severity
from trainlint.kube.values import read_text
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.workload.checks.containers import (
    MissingContainer,
    RoleContainers,
    missing_main_containers,
    runtimes_without_container,
)

RUNTIMES = {"TrainingRuntime", "ClusterTrainingRuntime"}


@rule(Severity.ERROR, tells=(Root.CONTAINER_NAME,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for workload in facts.snapshot.workloads.objects:
        yield from map(finding_of, missing_main_containers(workload))
    for each in facts.snapshot.objects:
        if each.meta.kind in RUNTIMES:
            yield from map(finding_of, runtimes_without_container(each.field))


def finding_of(fault: MissingContainer) -> Finding:
    """The finding that reports roles without the container that their operator works on."""
    first, *others = fault.roles
    operator = f"the step {fault.step} of a training runtime" if fault.step else fault.kind
    return Finding(
        message=f"the operator of {operator} works on a container called {fault.name}, and {first.role} has only "
        f"{_names(first)}: the object is refused",
        at=first.at,
        remedy=f"call the container that trains {fault.name}",
        related=tuple(Related(f"has none either ({each.role})", each.at) for each in others),
        evidence={"role": first.role, "containers": _names(first), "needed": fault.name},
        cause=fault.name,
        fixes=lambda: _fixes(fault),
    )


def _names(role: RoleContainers) -> str:
    return ", ".join(read_text(each["name"]) or "one without a name" for each in role.containers)


def _fixes(fault: MissingContainer) -> tuple[Fix, ...]:
    """The only container of each role gets the name: as it is now, the object is refused."""
    if any(len(each.containers) != 1 for each in fault.roles):
        return ()
    edits = tuple(Put(each.containers[0]["name"].at, fault.name) for each in fault.roles)
    roles = ", ".join(each.role for each in fault.roles)
    return (Fix(f"call the container {fault.name} ({roles})", edits, Safety.SAFE),)
