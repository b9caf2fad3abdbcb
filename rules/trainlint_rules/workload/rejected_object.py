"""The API server, a webhook or the operator refuses the object, or what is made of it.

The object merges, `kubectl apply` may even take it, and nothing runs: a PyTorchJob is accepted, and the API server
refuses the pods that its operator makes of it; a JobSet is accepted, and its Jobs are not. The only trace is an event.

Names, required fields, mounts without a volume, two mounts at one path, restart policies that the owner of the pods
does not take, requests above limits, huge pages, resource claims, tolerations and affinity terms that are malformed,
values of another type, and what the validation of each operator adds: references inside a JobSet that name nothing,
roles of kubeflow.org with no replicas, a RayJob that is suspended and keeps its cluster, subgroups that do not divide.
The message names who refuses it. No group is proved while one of its objects is refused.

Of pods all that Kubernetes 1.36 validates is checked: ports of the host that are taken twice, sources of variables and
volumes, probes and hooks, security contexts, sysctls, host aliases, DNS, resources of the pod as a whole, and what only
some releases refuse by the release of the cluster. So are Services, PersistentVolumeClaims, ConfigMaps, Secrets,
ResourceQuotas, LimitRanges and PriorityClasses, which the groups rely on.

The ValidatingAdmissionPolicies of the repository are evaluated for the objects and pods of the same cluster, as their
bindings say, with variables, conditions, parameters and `failurePolicy`. What an expression asks that Git does not say,
such as who creates the object, is unknown, and so is a policy without a binding that would refuse something.

The CRDs of operators add enumerations, patterns, bounds and rules in CEL: of jobs, and of the queues and flavors of
Kueue. Volcano's Queues are compared along their tree: a capability above that of a queue above, children that deserve
or are guaranteed more than their parent has. PodGroups and Workloads of Kubernetes itself need one policy and a release
that serves their version. What only newer releases refuse is likely, unless Git says which release is installed.

Where the repository holds the CRD of a kind whose objects are read, that counts: its types, enumerations, patterns,
bounds, lists without duplicates and rules of the version that the object names, and which fields it keeps, those of
pods too. A CRD that cannot be read, or two that differ, are told and judge nothing.

Silent for placeholders and for what may be a patch of an object. What only some releases of an operator refuse is
likely, and says so. Devices without a limit, names that are too long, containers that operators look for by name and
elastic ranges have rules of their own.

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: scratch, emptyDir: {}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              volumeMounts:
                - name: scrach  # expect
                  mountPath: /scratch
              resources:
                limits: {cpu: "8"}
                requests:
                  cpu: "16"  # expect
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: scratch, emptyDir: {}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              volumeMounts:
                - name: scratch
                  mountPath: /scratch
              resources:
                limits: {cpu: "16"}
                requests:
                  cpu: "16"
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.checks.refusals import RefusedObject
from trainlint.finding import Certainty, Finding, Fix, Put, Safety, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.wording.because import because_text, related_to, remedy_for, texts_of


@rule(Severity.ERROR, tells=(Root.OBJECT,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and fault."""
    for refusal in facts.objects.refusals:
        if not refusal.problem.unknown:
            yield _finding(refusal)


def _finding(refusal: RefusedObject) -> Finding:
    problem, owner = refusal.problem, refusal.owner
    what = f"{because_text(problem.what)} of {owner}" if problem.what else str(owner)
    by = because_text(problem.by)
    said = f": {by} refuses {what}" if not problem.unmade else f" ({owner})"
    return Finding(
        message=f"{because_text(problem.why)}{said}",
        at=refusal.at,
        remedy=remedy_for(problem.why),
        related=(
            *related_to((role, refusal.item.down(*path).at) for role, path in problem.related),
            *related_to((*refusal.elsewhere, *problem.elsewhere)),
        ),
        evidence={"refused by": by, **problem.evidence},
        assumes=texts_of(problem.assumes),
        certainty=Certainty.LIKELY if problem.assumes else Certainty.PROVEN,
        cause=problem.cause,
        fixes=lambda: _fixes(refusal),
    )


def _fixes(refusal: RefusedObject) -> Iterator[Fix]:
    """The value that fixes it. As it is now it is refused, so this cannot change what already works."""
    if refusal.problem.put is not None:
        path, value = refusal.problem.put
        title = f"write {value}" if isinstance(value, str) else f"set {path[-1]}: {str(value).lower()}"
        yield Fix(title, (Put(refusal.item.down(*path).at, value),), Safety.SAFE)
