"""The change makes an answer about a training group worse: it may wait for nodes or objects that it did not need.

A pull request that raises `replicas`, adds a nodeSelector or removes the list of nodes from Git can be right in every
line and still leave the job Pending after the merge, because the cluster does not have what the job needs now. No other
rule speaks then: nothing is wrong, there is only more that must be true. This compares the answers before and after
the change: a group that was proved to run and now runs only if the cluster has something, or of which it is not known
any more; a need that grows (pods, amounts, labels, volumes, devices, objects that Git does not hold, taints that are
tolerated no more); placements of which not every one is good any more; connections of which it is not known any more
whether they are permitted. It stands at the line that makes it so.

Needs are compared by what they mean: the same need in other words is silent, and so is a smaller one. A toleration that
is added makes more nodes fit, so it is silent, and one that is taken away is reported.

Only with `--base`. Silent about groups that the change adds, and about those that cannot run after it: other rules
report why.

```yaml base
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Worker:
      restartPolicy: Never
      replicas: 4
      template:
        spec:
          containers:
            - name: pytorch
              image: "registry.example/train:1"
              resources: {limits: {nvidia.com/gpu: 8}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
```

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Worker:
      restartPolicy: Never
      replicas: 8  # expect
      template:
        spec:
          nodeSelector: {accelerator: h100}  # expect
          containers:
            - name: pytorch
              image: "registry.example/train:2"
              resources: {limits: {nvidia.com/gpu: 8}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
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
      replicas: 8
      template:
        spec:
          tolerations: [{key: nvidia.com/gpu, operator: Exists}]
          containers:
            - name: pytorch
              image: "registry.example/train:2"
              resources: {limits: {nvidia.com/gpu: 4}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Related, Severity
from trainlint.rule import Change, rule
from trainlint_rules.placement.answer_worsened.comparison import Worsening, worsenings
from trainlint_rules.placement.answer_worsened.words import message, predicate, remedy, states


@rule(Severity.WARNING, sees=Change, blames=True)
def check(change: Change) -> Iterator[Finding]:
    """One finding per group and part of the answers that got worse."""
    for worse in worsenings(change):
        group = worse.now.group
        yield Finding(
            message=message(worse),
            predicate=predicate(worse),
            at=group.at or group.members[0].at,
            remedy=remedy(worse),
            related=tuple(_referring(worse)),
            evidence=states(worse),
            cause=f"{group.name} {worse.aspect} {worse.more}".rstrip(),
            groups=(group.name,),
        )


def _referring(worse: Worsening) -> Iterator[Related]:
    """Who refers to objects that are needed now."""
    for growth in worse.growths:
        for need in growth.objects:
            if need.at is not None:
                yield Related(f"{need.role} refers to {need.kind} {need.name}", need.at)
