"""A name that the operator makes for a pod or a Job is too long, or is made twice.

Operators make names from the names of the object, the role and a number: JobSet's pods are called
`JOBSET-JOB-0-1-xxxxx`. Host names, Services and the values of labels have at most 63 characters, so an object whose own
name is valid may be refused all the same, or have no pods. And two objects may make the same name: the second one gets
no pod of its own.

```yaml bad
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: multimodal-instruction-tuning-second-stage, namespace: ml}  # expect
spec:
  replicatedJobs:
    - name: finetune-workers
      template:
        spec:
          parallelism: 2
          completions: 2
          backoffLimit: 0
          template: {spec: {restartPolicy: Never, containers: [{name: train, image: "registry.example/train:1"}]}}
```

```yaml good
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: tuning-second-stage, namespace: ml}
spec:
  replicatedJobs:
    - name: finetune-workers
      template:
        spec:
          parallelism: 2
          completions: 2
          backoffLimit: 0
          template: {spec: {restartPolicy: Never, containers: [{name: train, image: "registry.example/train:1"}]}}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.model.workload import ObjectRef
from trainlint.rule import Facts, rule
from trainlint.workload.checks.names import LIMIT, CollidingName, LongMadeName, LongObjectName, MadeName, long_names

_MADE: Final = {
    MadeName.TASK: ("the name of a task of {object}", "the API server refuses the object"),
    MadeName.POD_OF_TASK: ("a pod of {pods} (and its host name)", "Volcano's webhook refuses the object"),
    MadeName.POD_OF_CHILD_JOB: ("a pod of {pods}", "JobSet's webhook refuses the object"),
    MadeName.HOST_NAME: ("the host name of a pod of {pods}", "no pod is created"),
    MadeName.LAST_WORKER: ("the last pod of {pods}", "the operator refuses the object"),
    MadeName.POD: ("a pod of {pods} (and the label or Service named like it)", "it is not created"),
}
"""What is called by a made name, and what happens where the name is too long."""


@rule(Severity.ERROR, tells=(Root.NAME_LENGTH,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for workload in facts.snapshot.workloads.objects:
        yield from map(finding_of, long_names(workload))
    for each in facts.objects.contract.colliding:
        yield finding_of(each.fault)


def finding_of(fault: LongObjectName | LongMadeName | CollidingName) -> Finding:
    """The finding that reports a name."""
    match fault:
        case LongObjectName(owner=owner, limit=limit, why=why):
            return fault.finding(
                f"{_kind(owner)} {owner.name} has a name of {fault.length} characters; {limit} are allowed, because "
                f"{why or 'longer ones are made from it'}",
                f"shorten it by {fault.length - limit} characters",
                evidence={"length": fault.length, "limit": limit},
            )
        case LongMadeName():
            return _made_name(fault)
        case CollidingName(first=first, second=second, what=what, name=name):
            return fault.finding(
                f"{_kind(second)} {second.name} and {_kind(first)} {first.name} both make a {what} called {name}: the "
                "second one gets none of its own",
                "give one of the two another name",
                ("makes it too", fault.first_at),
                evidence={"name": name},
                cause=name,
            )


def _made_name(fault: LongMadeName) -> Finding:
    what, effect = _MADE[fault.made]
    length = len(fault.name)
    over = length - LIMIT
    return fault.finding(
        f"{what.format(object=fault.owner.name, pods=fault.pod_set.name)} would be called {fault.name}, {length} "
        f"characters; {LIMIT} are allowed, so {effect}",
        f"shorten the name of the object or of the role by {over} character{'s' if over > 1 else ''}",
        evidence={"name": fault.name, "length": length, "limit": LIMIT},
    )


def _kind(owner: ObjectRef) -> str:
    """The kind as it is written, without its API group."""
    return owner.kind.partition(".")[0]
