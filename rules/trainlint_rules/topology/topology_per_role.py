"""A required topology is set on the roles of a group one by one: each is placed alone, the group is not.

Kueue finds a domain for each pod set (and each slice) by itself, JobSet gives each child Job one that it keeps the
others out of, Volcano places the parts of one task, and every PodGroup has a domain of its own. Master and workers that
are each "required" to be in one rack may stand in two.

Silent for Kueue's podset-group-name with exactly two pod sets, one of them of one pod, for the replicas of one
replicated job and for the subgroups of a LeaderWorkerSet.

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: train}}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        metadata:
          annotations:
            kueue.x-k8s.io/podset-required-topology: example.com/rack  # expect
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}]
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        metadata:
          annotations:
            kueue.x-k8s.io/podset-required-topology: example.com/rack
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}]
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: train}}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        metadata:
          annotations:
            kueue.x-k8s.io/podset-required-topology: example.com/rack
            kueue.x-k8s.io/podset-group-name: ranks
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        metadata:
          annotations:
            kueue.x-k8s.io/podset-required-topology: example.com/rack
            kueue.x-k8s.io/podset-group-name: ranks
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.finding import Finding, Severity
from trainlint.model.workload import Colocation, FlowKind, Group, PodSet
from trainlint.rule import Facts, rule
from trainlint.workload.checks.fault import Fault


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object of a group."""
    for group in facts.snapshot.workloads.groups:
        for fault in placed_apart(group):
            yield fault.finding()


def placed_apart(group: Group) -> Iterator[Fault]:
    """One fault for each object of the group whose roles are placed alone although each is placed as one."""
    ranks = {
        id(group.members[end])
        for flow in group.flows
        if flow.kind is FlowKind.COLLECTIVE and flow.target is not None
        for end in (flow.source, flow.target)
    }
    own = [pods for index, pods in enumerate(group.members) if index not in group.dependencies and pods.replicas != 0]
    for owner in dict.fromkeys(pods.owner for pods in own):
        roles = [pods for pods in own if pods.owner == owner]
        tied = [(pods, asked) for pods in roles if (asked := pods.together or pods.parts) is not None]
        units = {together.unit for _, together in tied}
        if len(units) > 1:
            yield _apart(group, tied)
        elif tied and id(tied[0][0]) in ranks and not tied[0][1].by.endswith("/subgroup-exclusive-topology"):
            free = [pods for pods in roles if not (pods.together or pods.parts) and id(pods) in ranks]
            if free:
                yield _half(group, tied, free)


def _apart(group: Group, tied: Sequence[tuple[PodSet, Colocation]]) -> Fault:
    pods, together = tied[0]
    names = " and ".join(dict.fromkeys(each.role or each.name for each, _ in tied))
    where = together.key or "tier of the network"
    if together.exclusive:
        effect = f"takes a {where} for itself and keeps all others out, so the annotation drives {names} apart"
    else:
        what = "part of each" if together.per_block else "each"
        effect = f"is placed alone, so {names} may stand in different ones although {what} is required to be in one"
    return Fault(
        f"{_name(together)} ({where}) is set on the roles of group {group.name} one by one: each {effect}",
        together.at,
        _remedy(together),
        tuple((f"placed alone ({each.role or each.name})", other.at) for each, other in tied[1:]),
        {"topology": where, "roles": names},
        pods.owner.name,
    )


def _half(group: Group, tied: Sequence[tuple[PodSet, Colocation]], free: Sequence[PodSet]) -> Fault:
    pods, together = tied[0]
    names = " and ".join(each.role or each.name for each in free)
    where = together.key or "tier of the network"
    what = f"each part of {pods.role or pods.name}" if together.per_block else pods.role or pods.name
    return Fault(
        f"{_name(together)} keeps {what} in one {where} and says nothing about {names}, which "
        f"belongs to the same group {group.name} and may stand in another one",
        together.at,
        _remedy(together),
        tuple((f"placed anywhere ({each.role or each.name})", each.at) for each in free),
        {"topology": where, "free": names},
        pods.owner.name,
    )


def _name(together: Colocation) -> str:
    return together.by.rpartition("/")[2]


def _remedy(together: Colocation) -> str:
    if together.by.endswith("slice-required-topology"):
        return "require one domain for both roles (podset-required-topology, one podset-group-name) instead of slices"
    if together.by.startswith("kueue."):
        return "give both pod sets the same podset-group-name (two sets, one of them of one pod)"
    if together.by.startswith("leaderworkerset."):
        return "put the annotation on the metadata of the LeaderWorkerSet"
    if together.by.startswith("alpha.jobset."):
        return "annotate only the replicated job that needs a domain for itself, and require the others near it"
    if together.unit.startswith("pod group"):
        return "put all roles of the group into one PodGroup"
    return "set networkTopology on the Job instead of its tasks"
