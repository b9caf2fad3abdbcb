"""Required pod affinity to a pod that no workload makes, or anti-affinity that keeps no pod apart.

A pod with required pod affinity starts only where a pod that its term selects already runs (InterPodAffinity). If no
workload makes such a pod, because a label was renamed or the other job is not deployed, the pod stays Pending.
The first pod may start alone only if it matches its own term.

Required anti-affinity that selects no pod, while the pods have the same labels with other values, was copied from
another object: it keeps nothing apart, and the ranks may share a node. That is a warning.

A pod that is not in Git may run all the same, so its absence is only likely. Silent where something that is not in Git
may add pods to the namespace (a HelmRelease, an Argo CD Application, a template or kustomization that was not
rendered).

```yaml bad
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: ml}
spec:
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec: {containers: [{name: store, image: "registry.example/store:1"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: topology.kubernetes.io/zone  # expect, repaired
              labelSelector: {matchLabels: {app: storage}}
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: ml}
spec:
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec: {containers: [{name: store, image: "registry.example/store:1"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: topology.kubernetes.io/zone
              labelSelector: {matchLabels: {app: store}}
      containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Certainty, Finding, Fix, Put, Related, Severity
from trainlint.kube.spelling import only_meant
from trainlint.model.root import Root
from trainlint.model.selector import Requirement
from trainlint.proof.cause import TargetCause
from trainlint.rule import Facts, rule
from trainlint.scheduling.node_affinity import describe
from trainlint_rules.placement.affinity_target_missing.anti_affinity import UnmatchedTerm, terms_without_pods


@rule(Severity.ERROR, tells=(Root.AFFINITY_TARGET,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object, at the term."""
    for cause in facts.placement.missing_targets:
        near, where = ", ".join(f"{key}={value}" for key, value in cause.near), _where(cause.namespaces)
        wanted = ", ".join(map(describe, cause.requirements)) or "nothing (it has no selector)"
        yield Finding(
            message=f"the pods of {cause.pod_set.name} stay Pending: they must start near a pod with {wanted} in "
            f"{where}, and nothing in Git makes one there",
            at=cause.at,
            remedy=_remedy(cause, near),
            related=(Related(f"asks for it ({cause.pod_set.name})", cause.at, cause=1),),
            evidence={
                "must be near": wanted,
                "looks in": where,
                "pods there have": near or "none of these labels",
            },
            assumes=(f"all workloads of {where} are in Git",),
            certainty=Certainty.LIKELY,
            cause=wanted,
            fixes=partial(_corrected, cause),
        )

    for each in terms_without_pods(facts.snapshot):
        (label, value), *_ = each.own
        yield Finding(
            message=f"the anti-affinity of {each.pod_set.name} asks for {each.wanted}, which no pod has (its own have "
            f"{label.key}={value}): it keeps no two pods apart, and they may share a {each.topology_key}",
            at=each.at,
            remedy=f"select {label.key}={value}, or remove the term",
            related=(Related(f"the labels of {each.pod_set.name}", each.pod_set.template),),
            evidence={"selects": each.wanted, "pods have": ", ".join(f"{one.key}={text}" for one, text in each.own)},
            assumes=(f"all workloads of namespace {each.pod_set.namespace} are in Git",),
            certainty=Certainty.LIKELY,
            severity=Severity.WARNING,
            cause=f"anti-affinity {each.wanted}",
            fixes=partial(_selected, each),
        )


def _selected(repelled: UnmatchedTerm) -> Iterator[Fix]:
    """The values of the pods' own labels."""
    edits = [
        Put(repelled.at.child("labelSelector", "matchLabels", wanted.key), value)
        for wanted, value in repelled.own
        if wanted.at is None or "matchLabels" in wanted.at.path
    ]
    if len(edits) == len(repelled.own):
        labels = ", ".join(f"{wanted.key}: {value}" for wanted, value in repelled.own)
        yield Fix(f"keep pods with {labels} apart", tuple(edits))


def _where(namespaces: tuple[str, ...]) -> str:
    if not namespaces:
        return "the namespaces that its namespaceSelector selects"
    return f"namespace{'s' if len(namespaces) > 1 else ''} {', '.join(namespaces)}"


def _remedy(cause: TargetCause, near: str) -> str:
    if cause.elsewhere:
        return f"pods with these labels are in {', '.join(cause.elsewhere)}: name it under namespaces of the term"
    return f"ask for labels that pods there have: {near}" if near else "deploy the workload that it must be near"


def _is_one(requirement: Requirement) -> bool:
    return requirement.operator == "In" and len(requirement.values) == 1


def _corrected(cause: TargetCause) -> Iterator[Fix]:
    """The label value that differs by a slip of the pen from the only one that pods have."""
    for each in cause.requirements:
        key = each.key
        meant = (
            only_meant(each.values[0], [value for name, value in cause.near if name == key]) if _is_one(each) else ""
        )
        if meant:
            at = cause.at.child("labelSelector", "matchLabels", key)
            yield Fix(f"be near pods with {key}: {meant}", (Put(at, meant),))
