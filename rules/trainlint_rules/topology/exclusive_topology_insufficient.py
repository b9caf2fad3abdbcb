"""Pods that are placed as one ask for more domains than there are, or for larger ones.

With JobSet's or LeaderWorkerSet's exclusive topology each child Job (each group, each subgroup) keeps a rack, block or
zone for itself. The fourth Job on three racks stays Pending, and so do the followers of a Job that no rack can
hold: its leader is placed wherever there is room for the leader alone. A required topology of Kueue (of a pod set or of
its slices) and a hard network topology of Volcano start nothing at all where no domain takes the whole.

Nodes without the label, or in no HyperNode of the tier, belong to no domain. Silent where the nodes are unknown.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: r1, count: 4, zone: a, labels: {example.com/rack: r1}, allocatable: {cpu: "64", memory: 500Gi, pods: "110"}}
  - {name: r2, count: 4, zone: a, labels: {example.com/rack: r2}, allocatable: {cpu: "64", memory: 500Gi, pods: "110"}}
```

```yaml bad
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train
  namespace: ml
  annotations:
    alpha.jobset.sigs.k8s.io/exclusive-topology: example.com/rack  # expect
spec:
  replicatedJobs:
    - name: slice
      replicas: 3
      template:
        spec:
          parallelism: 4
          completions: 4
          backoffLimit: 0
          template: {spec: {restartPolicy: Never, containers: [{name: train, image: "registry.example/train:1"}]}}
```

```yaml bad
apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata: {name: leaf-1}
spec: {tier: 1, members: [{type: Node, selector: {labelMatch: {matchLabels: {example.com/rack: r1}}}}]}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  networkTopology: {mode: hard, highestTierAllowed: 1}  # expect
  tasks:
    - name: worker
      replicas: 5
      template:
        spec:
          restartPolicy: Never
          affinity:
            podAntiAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {volcano.sh/job-name: train}}}
          containers: [{name: train, image: "registry.example/train:1", resources: {limits: {cpu: "60"}}}]
```

```yaml good
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train
  namespace: ml
  annotations:
    alpha.jobset.sigs.k8s.io/exclusive-topology: example.com/rack
spec:
  replicatedJobs:
    - name: slice
      replicas: 2
      template:
        spec:
          parallelism: 4
          completions: 4
          backoffLimit: 0
          template: {spec: {restartPolicy: Never, containers: [{name: train, image: "registry.example/train:1"}]}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.checks.exclusive_domains import ExclusiveCause
from trainlint.finding import Finding, Location, Related, Severity
from trainlint.model.root import Root
from trainlint.proof.colocation_units import key_of
from trainlint.rule import Facts, rule


@rule(Severity.ERROR, tells=(Root.EXCLUSIVE_TOPOLOGY,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for cause in facts.placement.exclusive_shortages:
        yield _finding(cause)


def _alone(cause: ExclusiveCause) -> tuple[Location, ...]:
    """The one place that asks for it for all; none where several do, as some of them may ask for it in vain."""
    places = tuple(dict.fromkeys(pods.together.at for pods in cause.pod_sets if pods.together is not None))
    return places if len(places) == 1 else ()


def _finding(cause: ExclusiveCause) -> Finding:
    owner, key = cause.pod_sets[0].owner, str(key_of(cause.together))
    names = f" ({', '.join(cause.domains)})" if 0 < len(cause.domains) <= 8 else ""
    if cause.size:
        what = f"each part of {owner.name} has" if cause.units > 1 or cause.together.per_block else f"{owner.name} has"
        effect = "the others stay Pending" if cause.together.leader_first else "none of them ever starts"
        room = f"the largest one{names} takes {cause.room}"
        message = f"{what} {cause.size} pods that must be in one {key}, and {room}: {effect}"
        remedy = f"make the parts of at most {cause.room} pods, or use a label of larger domains"
        if not cause.together.key:
            remedy = f"run at most {cause.room} pods, or allow a higher tier"
    else:
        some = f"only {len(cause.domains)}{names} can take one: the rest stays Pending"
        room = some if cause.domains else "no node with that label can take one: all of them stay Pending"
        message = f"{owner.name} wants {cause.units} domains of {key} for itself, one for each part, and {room}"
        remedy = f"run at most {len(cause.domains)} parts, or use a label with more values"
        if not cause.domains:
            remedy = "use a label of nodes on which a part finds room"
    return Finding(
        message=message,
        at=cause.together.at,
        remedy=remedy,
        related=(
            *(Related(f"asks for it: {cause.together.by}", at, cause=1) for at in _alone(cause)),
            *(Related(f"wants one ({pods.name})", pods.at) for pods in cause.pod_sets),
        ),
        evidence={
            "topology": key,
            "parts": cause.units,
            "domains": ", ".join(cause.domains),
            **({"pods of a part": cause.size, "room": cause.room} if cause.size else {}),
        },
        cause=key,
    )
