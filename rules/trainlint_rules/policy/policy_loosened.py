"""The change lets more peers or ports reach the pods of a training group.

A hang in training is easily "mended" by opening the policy: a port list is dropped, a deny element removed, a peer
added that selects a whole namespace. The job runs, and from then on every pod there reaches the ranks, whose ports
have no authentication. This compares what the policies permit before and after the change, not their text, so the
same effect in other words is silent.

Only with `--base`. Flows that the groups themselves need are left out.

```yaml given
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
        spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}
```

```yaml base
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  podSelector: {matchLabels: {app: train}}
  policyTypes: [Ingress]
  ingress: [{from: [{podSelector: {matchLabels: {app: train}}}]}]
```

```yaml bad
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  podSelector: {matchLabels: {app: train}}
  policyTypes: [Ingress]
  ingress:
    - from: [{podSelector: {}}]  # expect
```

```yaml good
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  podSelector: {matchLabels: {app: train}}
  policyTypes: [Ingress]
  ingress: [{from: [{podSelector: {matchExpressions: [{key: app, operator: In, values: [train]}]}}]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Related, Severity
from trainlint.questions.loosened import Loosened, loosened
from trainlint.rule import Change, rule


@rule(Severity.WARNING, sees=Change)
def check(change: Change) -> Iterator[Finding]:
    """One finding per group and place of the change."""
    for found in loosened(change):
        yield _finding(found)


def _finding(found: Loosened) -> Finding:
    peers = ", ".join(found.peers[:3]) + (f" and {len(found.peers) - 3} more" if len(found.peers) > 3 else "")
    by = f" ({found.origin})" if found.origin is not None else ""
    return Finding(
        message=f"this change lets {peers} reach the pods of group {found.group.name} on {found.ports}{by}",
        at=found.at,
        remedy="if the ranks need a connection, admit the ranks by their labels; do not open the policy to others",
        related=(Related(f"what they reach ({found.pod_set.name})", found.pod_set.at),),
        evidence={"newly reach it": ", ".join(found.peers), "on": found.ports},
        cause=found.group.name,
        groups=(found.group.name,),
    )
