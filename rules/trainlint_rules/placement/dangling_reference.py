"""A pod or a job names an object that must exist and does not.

Without its PriorityClass, RuntimeClass or ServiceAccount the API server refuses every pod; without its claim
(PersistentVolumeClaim, ResourceClaim or template) a pod stays Pending for ever; without its runtime a TrainJob makes no
pods at all. Names are case-sensitive, and everything but classes and cluster runtimes is looked up in the namespace of
the pods.

An absence proves something only where Git holds everything of the kind: this rule speaks where the configuration says
so (`closed` of a cluster in trainlint.yaml), or where the snapshot holds at least one object of the kind (in the
namespace) and nothing adds others (a Helm release, an Argo CD application, a chart that was not rendered). Silent for
what every cluster has: the priority classes system-cluster-critical and system-node-critical, the service account
default, the runtimes that Kubeflow Trainer installs.

```yaml given
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: training}
value: 1000
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      priorityClassName: traning  # expect
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      priorityClassName: training
      containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Certainty, Finding, Fix, Put, Related, Severity
from trainlint.proof.references import ReferenceCause
from trainlint.proof.spelling import misspelt
from trainlint.rule import Facts, rule


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and name."""
    for cause in facts.dangling_references:
        yield _finding(cause)


def _finding(cause: ReferenceCause) -> Finding:
    target = cause.target
    where = f" in namespace {target.namespace}" if target.namespace else ""
    return Finding(
        message=f"{cause.owner} refers to {target.kind} {target.name}, and there is none of that name{where}",
        at=cause.at,
        remedy=f"did you mean {cause.near}?" if cause.near else f"add the {target.kind}, or drop the reference",
        related=tuple(Related("the same name", at) for at in cause.also),
        evidence={"refers to": str(target), "nearest name": cause.near or "none"},
        assumes=() if cause.certain else (f"every {target.kind}{where or ' of the cluster'} is in Git",),
        certainty=Certainty.PROVEN if cause.certain else Certainty.LIKELY,
        cause=str(target),
        fixes=lambda: _nearest(cause),
    )


def _nearest(cause: ReferenceCause) -> Iterator[Fix]:
    """The name that differs by a slip of the pen only."""
    if misspelt(cause.target.name, cause.near):
        edits = tuple(Put(at, cause.near) for at in (cause.at, *cause.also))
        yield Fix(f"refer to {cause.target.kind} {cause.near}", edits)
