"""Only preferences keep the group together.

A preferred (anti-)affinity term, a preferred topology or a soft mode adds to the score of a node and forbids none: when
the best zone is full for a moment, the next pod goes to another one, and stays there. For ranks that exchange data all
the time that is slow and billed, and where a policy reads zones it cuts them off. What must hold needs a required term.

Silent next to a hard term that already holds the group in one domain, and for groups that may be spread on purpose.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: gpu-a, count: 2, zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
  - {name: gpu-b, count: 2, zone: b, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
```

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: train
  namespace: ml
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        metadata: {labels: {app: train}}
        spec:
          affinity:
            podAffinity:
              preferredDuringSchedulingIgnoredDuringExecution:
                - weight: 100
                  podAffinityTerm:  # expect, repaired
                    topologyKey: topology.kubernetes.io/zone
                    labelSelector: {matchLabels: {app: train}}
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Worker:
      restartPolicy: Never
      replicas: 2
      template:
        metadata: {labels: {app: train}}
        spec:
          nodeSelector: {topology.kubernetes.io/zone: a}
          affinity:
            podAffinity:
              preferredDuringSchedulingIgnoredDuringExecution:
                - weight: 100
                  podAffinityTerm:
                    topologyKey: topology.kubernetes.io/zone
                    labelSelector: {matchLabels: {app: train}}
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.checks.preferred_affinity import KAI_PREFERRED, KUEUE_PREFERRED, SoftColocation
from trainlint.finding import Finding, Related, Severity
from trainlint.rule import Facts, rule


@rule(Severity.NOTE)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per group, at its first soft term."""
    for cause in facts.groups.soft_colocations:
        yield _finding(cause, facts.snapshot.settings.topology_key)


def _finding(cause: SoftColocation, key: str) -> Finding:
    (what, at), *rest = cause.terms
    topology = KUEUE_PREFERRED in what or KAI_PREFERRED in what
    return Finding(
        message=f"only preferences keep group {cause.group.name} together ({what}): the scheduler may still spread it",
        at=at,
        remedy=_required(what)
        if topology
        else f"require it: a nodeSelector on {key}, or required pod affinity with that topologyKey",
        related=tuple(Related(f"soft too ({other})", place) for other, place in rest),
        evidence={"soft terms": "; ".join(dict.fromkeys(text for text, _ in cause.terms))},
        cause=cause.group.name,
        groups=(cause.group.name,),
    )


def _required(what: str) -> str:
    """The hard twin of a preferred topology, on the same level: the gang scheduler then looks for one domain."""
    if KUEUE_PREFERRED in what:
        return f"require it on the same level: {KUEUE_PREFERRED.replace('preferred', 'required')}"
    return f"require it on the same level: {KAI_PREFERRED.replace('preferred', 'required')}"
